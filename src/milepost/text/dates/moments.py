"""Read one moment from an argument: a datetime, a date, epoch seconds, ISO 8601 or words."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

from milepost.errors import InvalidInput
from milepost.text.dates.time_meaning import resolve
from milepost.text.dates.time_spans import elapsed, instant, midnight, shift
from milepost.text.dates.time_words import expression

# Numbers outside are milliseconds or mistakes; a moment outside can be written as ISO 8601.
_SECONDS_MAX = 7_258_118_400
_EARLIEST = datetime.min.replace(tzinfo=UTC)
_LATEST = datetime.max.replace(tzinfo=UTC)
_BACK = re.compile(r"-?([0-9]{1,6}) ?(s|min|m|h|d|w|mo|y)", re.IGNORECASE)
_SECONDS = {"s": 1, "m": 60, "min": 60, "h": 3600}
_UNITS = {"d": "day", "w": "week", "mo": "month", "y": "year"}
_FORMS = (
    "an ISO 8601 date or datetime ('2024-05-01', '2024-05-01T10:30Z'), seconds since 1970 (to "
    "2200), an age ('30m', '12h', '7d', '2w', '6mo', '1y') or words ('now', 'yesterday', "
    "'3 days ago', 'last week', 'March 2024')"
)


def parse_moment(value: str | int | float | date | datetime, now: datetime) -> datetime:
    """Return the aware moment a value names: a period its start, a local time `now`'s zone.

    "7d" is exactly that long ago, "3 days ago" the start of that day. A moment that UTC cannot
    write (the first hours of year 1, the last of 9999) becomes the nearest that it can.
    """
    try:
        moment = _read(value, now)
    except (ValueError, OverflowError):
        moment = None
    if moment is None:
        raise InvalidInput(f"{_shown(value)} is not a time; give {_FORMS}.")
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=now.tzinfo)
    return min(max(moment, _EARLIEST, key=instant), _LATEST, key=instant)


def _read(value: object, now: datetime) -> datetime | None:
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return midnight(value, now.tzinfo)
    if isinstance(value, str):
        return _read_text(" ".join(value.split()), now)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _read_seconds(value, now)
    return None


def _read_seconds(seconds: float, now: datetime) -> datetime | None:
    return datetime.fromtimestamp(seconds, now.tzinfo) if 0 <= seconds < _SECONDS_MAX else None


def _read_text(text: str, now: datetime) -> datetime | None:
    if text.lower() == "now":
        return now
    if re.fullmatch(r"[0-9]{9,10}(?:\.[0-9]+)?", text):
        return _read_seconds(float(text), now)
    if age := _BACK.fullmatch(text):
        return _before_now(int(age[1]), age[2].lower(), now)
    if (match := expression().fullmatch(text)) and (span := resolve(match, now)):
        return span.at or span.start
    return datetime.fromisoformat(text)


def _before_now(count: int, unit: str, now: datetime) -> datetime:
    if unit in _SECONDS:
        return elapsed(now, -timedelta(seconds=count * _SECONDS[unit]))
    return datetime.combine(shift(now.date(), _UNITS[unit], -count), now.timetz())


def _shown(value: object) -> str:
    # Python refuses to write out an integer of thousands of digits.
    shown = "That number" if isinstance(value, int) and abs(value) > 10**50 else repr(value)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."
