"""How much a key may have: so many requests, programs and tokens a minute, each refilled evenly."""

import threading
import time

from milepost.access.values import Caller
from milepost.errors import Overloaded

REQUESTS, PROGRAMS, TOKENS = ("requests", "programs", "tokens")
_KEYS_MAX = 10_000


class Limits:
    """What is left to each key, as far as this process has served it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._left: dict[tuple[str, str], tuple[float, float]] = {}

    def take(self, caller: Caller, what: str) -> None:
        """Take one of what is left to a key, or refuse it."""
        most = caller.limits.get(what)
        if most is None:
            return
        with self._lock:
            left, now = self._now_left(caller.key, what, most)
            if left < 1:
                wait = 60 * (1 - left) / most if most else 60.0
                raise Overloaded(
                    f"The key {caller.name} has had its {most:,} {what} of this minute; "
                    f"try again in {wait:.0f} s."
                )
            self._left[caller.key, what] = (left - 1, now)

    def owe(self, caller: Caller, what: str, amount: float) -> None:
        """Take what was given already; whoever owes waits until it is made up for."""
        most = caller.limits.get(what)
        if most is not None:
            with self._lock:
                left, now = self._now_left(caller.key, what, most)
                self._left[caller.key, what] = (left - amount, now)

    def _now_left(self, key: str, what: str, most: int) -> tuple[float, float]:
        now = time.monotonic()
        if len(self._left) > _KEYS_MAX:
            self._left.clear()
        left, since = self._left.get((key, what), (float(most), now))
        return min(most, left + (now - since) * most / 60), now

    def close(self) -> None:
        """Nothing is open."""
