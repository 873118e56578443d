"""Try again after a failure that may pass, waiting longer each time."""

from __future__ import annotations

from collections.abc import Callable
from email.utils import parsedate_to_datetime
from typing import TypeVar

from milepost.transport.timing import Timing
from milepost.values import NamedTuple

T = TypeVar("T")


class TransientError(Exception):
    """A failure that may pass; a server may have said how long to wait."""

    def __init__(self, reason: str, wait_s: float | None = None) -> None:
        super().__init__(reason)
        self.wait_s = wait_s


class Retry(NamedTuple):
    """How often to try and how long to wait in between.

    jitter: the share of a wait that is left to chance: clients that failed together must not come
        back together.
    """

    attempts: int
    wait_s_base: float
    wait_s_max: float
    jitter: float = 1.0

    def run(self, action: Callable[[], T], timing: Timing) -> T:
        """Return what the action returns, or raise its last TransientError."""
        for attempt in range(1, self.attempts):
            try:
                return action()
            except TransientError as failure:
                # Coming back before the server wants us only makes it worse.
                if (failure.wait_s or 0) > self.wait_s_max:
                    raise
                timing.sleep(self._wait_s(attempt, failure, timing.random()))
        return action()

    def _wait_s(self, attempt: int, failure: TransientError, dice: float) -> float:
        return self.wait_s(attempt, dice) if failure.wait_s is None else failure.wait_s

    def wait_s(self, attempt: int, dice: float) -> float:
        """Return how long to wait after so many attempts in vain."""
        wait_s = min(self.wait_s_max, self.wait_s_base * 2.0 ** min(attempt - 1, 60))
        return wait_s * (1 - self.jitter * (1 - dice))


def retry_after_s(header: str | None, wall_s: float) -> float | None:
    """Read a Retry-After header, given in seconds or as a date."""
    if header is None:
        return None
    if header.strip().isdecimal():
        return float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - wall_s)
    except (ValueError, OverflowError):
        return None
