"""Name the span of calendar time that an expression of `time_words` means.

A cyclic name (Tuesday, 3 October, March, Q3) means the latest one that is not after an anchor day.
A span is a whole calendar unit: "3 days ago" is that day, "2 weeks ago" that week (from Monday),
"5 months ago" that month. "3 hours ago" is an hour either side of that moment, "20 minutes ago" a
quarter of an hour either side. "The last 3 days" start at midnight and stay open towards now.
Seasons are the northern, three whole months each.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, time, timedelta

from milepost.text.dates.time_spans import (
    DAY,
    Span,
    around,
    elapsed,
    midnight,
    period,
    shift,
    whole_days,
)
from milepost.text.dates.time_words import (
    CLOCK,
    DAYPARTS,
    MONTHS,
    NUMBERS,
    RELATIVE_DAYS,
    SEASONS,
    VAGUE,
    WEEKDAYS,
)


def resolve(match: re.Match[str], now: datetime, anchor: date | None = None) -> Span | None:
    """Return the span an expression names, or None where the calendar has no such day."""
    kind = match.lastgroup or ""
    try:
        if kind in _CYCLIC:
            return _CYCLIC[kind](match, now, anchor or now.date())
        return _FIXED[kind](match, now) if kind in _FIXED else None
    except (ValueError, OverflowError):
        return None


def _iso(match: re.Match[str], now: datetime) -> Span:
    text = match.group().replace("/", "-").upper()
    if not match["clock"]:
        return _unit("day", date.fromisoformat(text), now)
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=now.tzinfo)
    moment = moment.astimezone(now.tzinfo)
    minute = moment.replace(second=0, microsecond=0)
    return Span(minute, elapsed(minute, CLOCK["minute"]), moment)


def _relative_day(match: re.Match[str], now: datetime) -> Span:
    day = now.date() + DAY * RELATIVE_DAYS[match["rd"].lower()]
    return _part_of_day(day, match["rd_part"], now)


def _day_part(match: re.Match[str], now: datetime) -> Span:
    if match["dp"]:
        return _part_of_day(now.date(), match["dp"], now)
    tonight = match.group().lower() == "tonight"
    return _part_of_day(now.date() - DAY * (not tonight), "night", now)


def _which_weekday(match: re.Match[str], now: datetime) -> Span:
    number = _weekday_number(match["ww_name"] or match["ww_name2"])
    monday = now.date() - DAY * now.weekday()
    which = (match["ww"] or match["ww_week"]).lower()
    if match["ww_week"]:
        day = monday + DAY * (number - 7 * (which == "last"))
    elif which in ("this", "next"):
        day = monday + DAY * (number + 7 * (which == "next"))
    else:
        day = _latest_weekday(number, now.date())
    return _part_of_day(day, match["ww_part"], now)


def _weekday(match: re.Match[str], now: datetime, anchor: date) -> Span:
    day = _latest_weekday(_weekday_number(match["wd"]), anchor)
    return _part_of_day(day, match["wd_part"], now)


def _ago(match: re.Match[str], now: datetime) -> Span | None:
    unit, (low, high) = match["ago_unit"].lower(), _count(match["ago_n"])
    if match["ago_half"]:
        return _half_ago(unit, now) if (low, high) == (1, 1) else None
    if match["ago_to"]:
        high = _count(match["ago_to"])[1]
    elif match["ago_or"]:
        high = low + 1
    if unit in CLOCK:
        return _clock_ago(low, high, CLOCK[unit], now)
    oldest = period(unit, shift(now.date(), unit, -high))[0]
    return whole_days(oldest, period(unit, shift(now.date(), unit, -low))[1], now.tzinfo)


def _half_ago(unit: str, now: datetime) -> Span | None:
    if unit == "hour":
        return _clock_ago(30, 30, CLOCK["minute"], now)
    return _unit("month", shift(now.date(), "month", -6), now) if unit == "year" else None


def _clock_ago(low: int, high: int, unit: timedelta, now: datetime) -> Span:
    margin = unit if unit == CLOCK["hour"] else timedelta(minutes=15)
    nearest = around(elapsed(now, -unit * low), margin)
    oldest = around(elapsed(now, -unit * high), margin)
    return Span(oldest.start, nearest.end, oldest.at)


def _before_last(match: re.Match[str], now: datetime) -> Span:
    unit = match["bl"].lower()
    return _unit(unit, shift(now.date(), unit, -2), now)


def _recent(match: re.Match[str], now: datetime) -> Span:
    if match["re"]:
        return _open(_count(match["re"])[1], match["re_unit"].lower(), now)
    unit = (match["re_one"] or match["re_hour"]).lower()
    if unit in ("week", "month", "year") and "last" in match.group().lower():
        # "In the last month" is October to some and thirty days to others: hold both.
        return Span(_unit(unit, shift(now.date(), unit, -1), now).start, None)
    return _open(1, unit, now)


def _period(match: re.Match[str], now: datetime) -> Span:
    unit, which = match["pe_unit"].lower(), match["pe"].lower()
    count = {"this": 0, "current": 0, "next": 1}.get(which, -1)
    return _unit(unit, shift(now.date(), "week" if unit == "weekend" else unit, count), now)


def _day_of_month(match: re.Match[str], now: datetime, anchor: date) -> Span | None:
    name = "dm" if match["dm"] else "md"
    first, month = int(match[name]), _month_number(match[f"{name}_month"])
    last = int(match[f"{name}_to"] or first)
    year = _named_year(match, f"{name}_year", now)
    for candidate in [year] if year else range(anchor.year, anchor.year - 9, -1):
        # A leap day comes round only every four or eight years.
        if (month, last) == (2, 29) and candidate % 4:
            continue
        if year or date(candidate, month, first) <= anchor:
            end = date(candidate, month, last) + DAY
            return whole_days(date(candidate, month, first), end, now.tzinfo)
    return None


def _month_year(match: re.Match[str], now: datetime) -> Span:
    year = _named_year(match, "my_year", now) or now.year
    return _unit("month", date(year, _month_number(match["my"]), 1), now)


def _which_month(match: re.Match[str], now: datetime) -> Span:
    month, which = _month_number(match["wm_month"]), match["wm"].lower()
    offset = {"last": -(month >= now.month), "this": 0, "next": int(month <= now.month)}[which]
    return _unit("month", date(now.year + offset, month, 1), now)


def _quarter_year(match: re.Match[str], now: datetime) -> Span:
    year = int(match["qy_lead"] or 0) or _named_year(match, "qy_year", now) or now.year
    number = int(match["qy"] or match["qy_after"])
    return _unit("quarter", date(year, number * 3 - 2, 1), now)


def _season(match: re.Match[str], now: datetime) -> Span:
    first = date(int(match["se_year"]), SEASONS[match["se"].lower()], 1)
    return whole_days(first, shift(first, "quarter", 1), now.tzinfo)


def _last_season(match: re.Match[str], now: datetime) -> Span:
    first = date(now.year, SEASONS[match["ls"].lower()], 1)
    while shift(first, "quarter", 1) > now.date():
        first = shift(first, "year", -1)
    return whole_days(first, shift(first, "quarter", 1), now.tzinfo)


_FIXED: dict[str, Callable[[re.Match[str], datetime], Span | None]] = {
    "iso_month": lambda m, now: _unit("month", date.fromisoformat(m.group() + "-01"), now),
    "recent_one": lambda m, now: _open(1, m["ro"].lower(), now),
    "year": lambda m, now: _unit("year", date(int(m["yr"]), 1, 1), now),
} | {
    function.__name__[1:]: function for function in (
        _iso, _quarter_year, _relative_day, _day_part, _which_weekday, _ago, _before_last, _recent,
        _period, _month_year, _which_month, _season, _last_season,
    )
}  # fmt: skip
_CYCLIC: dict[str, Callable[[re.Match[str], datetime, date], Span | None]] = {
    "weekday": _weekday,
    "day_of_month": _day_of_month,
    "month": lambda m, now, anchor: _latest(_month_number(m["mo"]), "month", anchor, now),
    "quarter": lambda m, now, anchor: _latest(int(m["qu"]) * 3 - 2, "quarter", anchor, now),
}


def _unit(unit: str, day: date, now: datetime) -> Span:
    return whole_days(*period(unit, day), now.tzinfo)


def _part_of_day(day: date, part: str | None, now: datetime) -> Span:
    if not part:
        return _unit("day", day, now)
    first, last = DAYPARTS[part.lower()]
    ending = day + DAY * (last // 24)
    return Span(
        datetime.combine(day, time(first), now.tzinfo),
        datetime.combine(ending, time(last % 24), now.tzinfo),
    )


def _open(count: int, unit: str, now: datetime) -> Span:
    if unit in CLOCK:
        return Span(elapsed(now, -CLOCK[unit] * count), None)
    return Span(midnight(shift(now.date(), unit, -count), now.tzinfo), None)


def _latest(month: int, unit: str, anchor: date, now: datetime) -> Span:
    return _unit(unit, date(anchor.year - (month > anchor.month), month, 1), now)


def _latest_weekday(number: int, anchor: date) -> date:
    # Strictly before: whoever means today says so.
    return anchor - DAY * ((anchor.weekday() - number - 1) % 7 + 1)


def _named_year(match: re.Match[str], name: str, now: datetime) -> int | None:
    if match[name]:
        return int(match[name])
    if match[f"{name}_short"]:
        return 2000 + int(match[f"{name}_short"])
    which = (match[f"{name}_which"] or "").lower()
    return now.year - (which == "last") if which else None


def _count(words: str) -> tuple[int, int]:
    words = words.lower().removeprefix("an ").removeprefix("a ").removesuffix(" of")
    if words in VAGUE:
        return VAGUE[words]
    if words.isdecimal():
        return int(words), int(words)
    value = sum(NUMBERS.get(word, 1) for word in re.split("[ -]", words))
    return value, value


def _weekday_number(name: str) -> int:
    return next(i for i, day in enumerate(WEEKDAYS) if day.startswith(name.lower()))


def _month_number(name: str) -> int:
    return next(i for i, month in enumerate(MONTHS, 1) if month.startswith(name[:3].lower()))
