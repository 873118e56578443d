"""Moments as documents tell them."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

_MILLISECONDS = 1e11


def moment(told: Any) -> float | None:
    """Return the seconds since the epoch of a number or a text; None of what is no moment."""
    if isinstance(told, bool) or told in {None, ""}:
        return None
    try:
        if isinstance(told, int | float):
            return float(told) / 1_000 if abs(told) > _MILLISECONDS else float(told)
        return _of_text(str(told).strip())
    except (ValueError, OverflowError, TypeError):
        return None


def _of_text(told: str) -> float:
    try:
        return moment_of_number(told)
    except ValueError:
        pass
    try:
        parsed = datetime.fromisoformat(told)
    except ValueError:
        parsed = parsedate_to_datetime(told)
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()


def moment_of_number(told: str) -> float:
    """Return the moment that a number in a text is, such as Slack's "1700000000.000100"."""
    value = float(told)
    if value < 10_000:
        raise ValueError(told)
    return value / 1_000 if value > _MILLISECONDS else value
