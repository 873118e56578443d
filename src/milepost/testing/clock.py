"""A clock that is set by hand."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from unittest.mock import patch


class Clock:
    """Tells a time that is set by hand, and a millisecond more with every look at it."""

    def __init__(self, start: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self.now = start

    def __call__(self) -> int:
        """Return the time in microseconds since the epoch."""
        self.advance(milliseconds=1)
        return round(self.now.timestamp() * 1e6)

    def advance(self, **units: float) -> None:
        """Let time pass: `advance(days=2, hours=3)`."""
        self.now += timedelta(**units)

    @contextmanager
    def running(self) -> Iterator["Clock"]:
        """Have every memory that is opened inside go by this clock."""
        with patch("milepost.opening.now", self):
            yield self
