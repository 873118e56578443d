"""What a run may use, and the bounds of what can be asked for."""

from __future__ import annotations

from milepost.errors import InvalidInput
from milepost.programs.values import Limits

MEMORY_MB_MAX = 1_024
SKILL_BYTES_MAX = 4_000_000

_BOUNDS: dict[str, tuple[float, float]] = {
    "timeout_s": (0.05, 300),
    "memory_mb": (32, MEMORY_MB_MAX),
    "output_bytes": (0, 16_000_000),
    "callbacks": (0, 100_000),
    "callback_bytes": (0, 256_000_000),
    "argument_bytes": (0, 16_000_000),
    "source_bytes": (0, 1_000_000),
    "state_bytes": (2, 4_000_000),
    "sleep_s": (0, 60),
}


def checked(limits: Limits) -> Limits:
    """Return limits that make sense, or refuse them."""
    for name, (low, high) in _BOUNDS.items():
        value = getattr(limits, name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InvalidInput(f"{name} must be a number, not {value!r}.")
        if not low <= value <= high:
            raise InvalidInput(f"{name} must be between {low:g} and {high:g}, not {value!r}.")
    return limits
