"""Calendar spans: the half-open stretch of local time that a day, week, month or year covers."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import NamedTuple

DAY = timedelta(days=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Span(NamedTuple):
    """A stretch [start, end); `at` is the moment meant when the stretch only surrounds it."""

    start: datetime
    end: datetime | None
    at: datetime | None = None


def instant(moment: datetime) -> timedelta:
    """Order moments by elapsed time: wall clocks of one zone repeat an hour each autumn."""
    return moment - _EPOCH


def midnight(day: date, zone: tzinfo | None) -> datetime:
    """Return the start of a day in a zone."""
    return datetime(day.year, day.month, day.day, tzinfo=zone)


def whole_days(first: date, end: date, zone: tzinfo | None) -> Span:
    """Return the span from the start of one day to the start of another."""
    return Span(midnight(first, zone), midnight(end, zone))


def shift(day: date, unit: str, count: int) -> date:
    """Move a day by calendar units, keeping within the month it lands in."""
    if unit in ("day", "week"):
        return day + DAY * count * (7 if unit == "week" else 1)
    months = {"month": 1, "quarter": 3, "year": 12}[unit] * count
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, _month_length(year, month + 1)))


def period(unit: str, day: date) -> tuple[date, date]:
    """Return the first day of the calendar unit around a day, and the day after its last."""
    if unit == "day":
        return day, day + DAY
    if unit in ("week", "weekend"):
        monday = day - DAY * day.weekday()
        return (monday if unit == "week" else monday + 5 * DAY), monday + 7 * DAY
    month = {"month": day.month, "quarter": (day.month - 1) // 3 * 3 + 1, "year": 1}[unit]
    first = date(day.year, month, 1)
    return first, shift(first, unit, 1)


def third(span: Span, part: int) -> Span:
    """Return the first, second or last third of a span: whole months of a year, else days."""
    if span.end is None:
        return span
    first, end = span.start.date(), span.end.date()
    months = (end.year - first.year) * 12 + end.month - first.month
    unit, size = ("month", months // 3) if months >= 3 else ("day", (end - first).days // 3)
    bounds = [first, shift(first, unit, size), shift(first, unit, 2 * size), end]
    return whole_days(bounds[part], bounds[part + 1], span.start.tzinfo)


def widen(span: Span) -> Span:
    """Extend a span by half its length on either side, days by whole days."""
    if span.end is None:
        return span
    margin = (span.end - span.start) / 2
    if span.at is None:
        margin = DAY * -(-margin // DAY)
    return Span(span.start - margin, span.end + margin, span.at)


def around(moment: datetime, margin: timedelta) -> Span:
    """Return the span that surrounds a moment."""
    return Span(elapsed(moment, -margin), elapsed(moment, margin), moment)


def elapsed(moment: datetime, delta: timedelta) -> datetime:
    """Add hours and minutes as a stopwatch counts them, whatever the zone's clocks do."""
    return (moment.astimezone(UTC) + delta).astimezone(moment.tzinfo)


def _month_length(year: int, month: int) -> int:
    if month == 12:
        return 31
    return (date(year, month + 1, 1) - DAY).day
