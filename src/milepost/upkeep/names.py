"""Names of what is written down: unique, short, and in the order of time."""

import random
import threading

_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
# Milliseconds since 2024 need 40 bits until 2058.
_EPOCH_MS = 1_704_067_200_000
_TIME_BITS, _RANDOM_BITS = 40, 20

_naming = threading.Lock()
_last_name = 0


def new_name(prefix: str, now_us: int) -> str:
    """Return a name that none in this process had, and with all likelihood none elsewhere."""
    global _last_name  # noqa: PLW0603 -- what makes names of one process unique
    ms = max(now_us // 1_000 - _EPOCH_MS, 0) & ((1 << _TIME_BITS) - 1)
    # Not from the system, which would hand the turn to another thread here.
    chance = random.getrandbits(_RANDOM_BITS)
    with _naming:
        number = ms << _RANDOM_BITS | chance
        if number <= _last_name and _last_name >> _RANDOM_BITS <= ms + 1_000:
            number = _last_name + 1
        _last_name = number
    digits = [_DIGITS[number >> shift & 31] for shift in range(55, -1, -5)]
    return f"{prefix}_{''.join(digits)}"
