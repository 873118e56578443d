"""Moments as other programs write them."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

# Later than any moment in seconds: what is larger counts milliseconds, or less than those.
_SECONDS_MAX = 1e11
_UNITS = (1, 1_000, 1_000_000, 1_000_000_000)
# Such as Slack's "1700000000.000100"; fewer digits are a date or a year.
_NUMBER = re.compile(r"\d{9,19}(?:\.\d+)?")


def moment(told: Any) -> float | None:
    """Return the seconds since the epoch of a number or a text; None of what is no moment."""
    if isinstance(told, bool) or told in (None, ""):
        return None
    try:
        return _of_number(told) if isinstance(told, int | float) else _of_text(str(told).strip())
    except (ValueError, OverflowError, TypeError):
        return None


def _of_number(told: float) -> float | None:
    values = (told / unit for unit in _UNITS)
    return next((value for value in values if abs(value) < _SECONDS_MAX), None)


def _of_text(told: str) -> float | None:
    if _NUMBER.fullmatch(told):
        return _of_number(float(told))
    try:
        parsed = datetime.fromisoformat(told.removesuffix(" UTC"))
    except ValueError:
        parsed = parsedate_to_datetime(told)
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()
