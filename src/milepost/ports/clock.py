"""The clock of a store."""

from __future__ import annotations

from collections.abc import Callable

# Tells the time in microseconds since the epoch.
Clock = Callable[[], int]
