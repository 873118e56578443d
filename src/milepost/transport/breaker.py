"""A circuit breaker: leave a server that keeps failing alone for a while."""

from __future__ import annotations

import time
from threading import Lock

from milepost.transport.timing import Timing

FAILURES_MAX = 5
COOL_DOWN_S = 30.0


class Breaker:
    """Open after several failures in a row, then let one call at a time probe the server."""

    def __init__(
        self, timing: Timing, *, failures_max: int = FAILURES_MAX, cool_down_s: float = COOL_DOWN_S
    ) -> None:
        self._timing = timing
        self._failures_max = failures_max
        self._cool_down_s = cool_down_s
        self._lock = Lock()
        self._failures = 0
        self._reason = ""
        self._open_until_s: float | None = None

    def allows(self) -> bool:
        """Return whether a call may go out now."""
        with self._lock:
            if self._open_until_s is None:
                return True
            now_s = self._timing.monotonic()
            if now_s < self._open_until_s:
                return False
            # This caller is the probe; the others wait for what it finds, or one more cool-down.
            self._open_until_s = now_s + self._cool_down_s
            return True

    def succeeded(self) -> None:
        """Close the circuit."""
        with self._lock:
            self._failures = 0
            self._open_until_s = None

    def failed(self, reason: str) -> None:
        """Count a failure and open the circuit when it is one too many."""
        with self._lock:
            self._failures += 1
            self._reason = reason
            if self._failures >= self._failures_max:
                self._open_until_s = self._timing.monotonic() + self._cool_down_s

    def note(self) -> str:
        """Say until when and why the circuit is open, or nothing when it is closed."""
        with self._lock:
            if self._open_until_s is None:
                return ""
            wait_s = self._open_until_s - self._timing.monotonic()
            until = time.localtime(self._timing.wall() + wait_s)
            return (
                f"circuit open until {time.strftime('%H:%M:%S', until)} "
                f"after {self._failures} failures: {self._reason}"
            )
