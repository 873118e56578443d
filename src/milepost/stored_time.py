"""Moments in what is stored as JSON: whole microseconds since the epoch."""


def to_us(seconds: float) -> int:
    """Return a moment as it is stored."""
    return round(seconds * 1e6)


def to_seconds(stored: float) -> float:
    """Return a stored moment in seconds; older versions stored it so, with a fraction."""
    return stored / 1e6 if isinstance(stored, int) else stored
