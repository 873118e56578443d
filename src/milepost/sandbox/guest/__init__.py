"""What runs inside the WASM component; hatch_build.py bundles it, the host imports a little."""

from __future__ import annotations

from typing import Any

PARAMETERS_MAX = 40
DEPTH_MAX = 64


def is_too_deep(value: Any) -> bool:
    """Whether lists and objects are nested too deeply for code that is not made for it."""
    level: list[Any] = [value]
    for _ in range(DEPTH_MAX):
        inner = [each for held in level for each in _held(held)]
        level = [each for each in inner if isinstance(each, dict | list)]
        if not level:
            return False
    return True


def _held(value: Any) -> Any:
    return value.values() if isinstance(value, dict) else value
