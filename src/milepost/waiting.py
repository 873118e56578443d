"""Who is told what takes so long: somebody at a terminal, a client that may give up waiting."""

import time
from collections.abc import Callable
from contextvars import ContextVar

# Told what is waited for, and for how many seconds already.
Progress = Callable[[str, float], None]

# Whoever waits no longer raises there.
WAITING: ContextVar[Progress | None] = ContextVar("waiting", default=None)


class Waiting:
    """Tells how far some work is."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._began = time.monotonic()

    def __call__(self, done: int, total: int) -> None:
        """Tell that so much of it is done."""
        told = WAITING.get()
        if told is not None:
            told(f"{self._what}, {done:,} of {total:,}", time.monotonic() - self._began)
