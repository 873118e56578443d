"""Find when a question is about, and cut that out of its words.

Only what is certainly a time becomes a filter, because a wrong filter hides the answer; anything
else ("two sprints ago", "since the refactor", "faster than last week") stays in the words. Spans
follow `time_meaning`: "since" opens at the start of one, "after" at its end, "before" closes at its
start, "until" and the end of a range include it. A time that begins after today is no filter
either: memories of plans were made in the past.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import NamedTuple

from milepost.text.dates.time_context import Mention, mentions
from milepost.text.dates.time_meaning import resolve
from milepost.text.dates.time_spans import DAY, Span, instant, midnight, third, widen
from milepost.text.words import STOP_WORDS


class TimeIntent(NamedTuple):
    """A half-open window [after, before), the words left over, and the words understood."""

    after: datetime | None
    before: datetime | None
    rest: str
    phrase: str | None


class _Phrase(NamedTuple):
    after: datetime | None
    before: datetime | None
    start: int
    end: int


_PARTS = {"early": 0, "beginning": 0, "start": 0, "mid": 1, "middle": 1, "late": 2, "end": 2}
_DIVIDED = frozenset(
    "month month_year which_month year quarter quarter_year period before_last season".split()
)
_RANGE_ROLES = frozenset({"between", "from", "since", "in", "on", ""})
_LIST_ROLES = frozenset({"from", "in", "on", ""})
_RANGE_WORDS = frozenset({"to", "thru", "-", "\u2013", "\u2014"})
_LIST_WORDS = frozenset({"and", "or", ",", ", and", ", or", "&"})
_NOISE = STOP_WORDS | frozenset(
    "happen happened happening anything everything something going tell show give please".split()
)


def parse_time_intent(text: str, now: datetime) -> TimeIntent:
    """Read the time a question asks about, in the zone of `now`, and return the other words.

    "3 days ago" is that calendar day, "2 weeks ago" that calendar week (from Monday), "3 hours
    ago" an hour either side. A month without a year is the latest that is not in the future. Two
    phrases combine when they overlap; otherwise the first one counts and the other stays words.
    """
    text = " ".join(text.split())
    chosen = _combine(_phrases(text, now))
    if chosen is None:
        return TimeIntent(None, None, text, None)
    window, phrases = chosen
    said = " ".join(text[phrase.start : phrase.end] for phrase in phrases)
    return TimeIntent(window.after, window.before, _without(text, phrases), said)


def _phrases(text: str, now: datetime) -> list[_Phrase]:
    left, phrases = mentions(text), []
    while left:
        joint = _joint(text, *left[:2]) if len(left) > 1 else None
        if joint == "range":
            phrase, used = _read_range(left[0], left[1], now), 2
        elif joint == "list":
            used = _list_length(text, left)
            phrase = _read_list(left[:used], now)
        else:
            phrase, used = _read_one(left[0], now), 1
        if phrase and _is_window(phrase, now):
            phrases.append(phrase)
        left = left[used:]
    return phrases


def _joint(text: str, first: Mention, second: Mention) -> str | None:
    gap = text[first.end : second.start].strip()
    if gap in _RANGE_WORDS or (not gap and second.role == "until"):
        return "range" if first.role in _RANGE_ROLES else None
    if gap == "and" and first.role == "between":
        return "range"
    if gap in _LIST_WORDS and first.role in _LIST_ROLES and second.role in _LIST_ROLES:
        return None if second.may_be_verb else "list"
    return None


def _list_length(text: str, listed: list[Mention]) -> int:
    length = 2
    while length < len(listed) and _joint(text, listed[length - 1], listed[length]) == "list":
        length += 1
    return length


def _read_range(first: Mention, last: Mention, now: datetime) -> _Phrase | None:
    later = None if last.spoiled or not first.is_time else _span(last, now)
    earlier = _span(first, now, later) if later else None
    if later is None or earlier is None or later.end is None:
        return None
    return _Phrase(earlier.at or earlier.start, later.at or later.end, first.start, last.end)


def _read_list(items: list[Mention], now: datetime) -> _Phrase | None:
    spans = [_span(item, now) for item in items]
    if not items[0].is_time or any(item.spoiled for item in items[1:]):
        return None
    starts = [span.start for span in spans if span]
    ends = [span.end for span in spans if span and span.end]
    if len(ends) < len(items):
        return None
    after, before = min(starts, key=instant), max(ends, key=instant)
    return _Phrase(after, before, items[0].start, items[-1].end)


def _read_one(mention: Mention, now: datetime) -> _Phrase | None:
    if not mention.is_time or not mention.stands_alone:
        return None
    span = _span(mention, now)
    if span is None:
        return None
    start, end = span.at or span.start, span.at or span.end
    after, before = {
        "since": (start, None),
        "younger": (start, None),
        "after": (end, None),
        "before": (None, start),
        "older": (None, start),
        "until": (None, end),
    }.get(mention.role, (span.start, span.end))
    return _Phrase(after, before, mention.start, mention.end) if after or before else None


def _span(mention: Mention, now: datetime, later: Span | None = None) -> Span | None:
    span = resolve(mention.found, now, later.start.date() if later else None)
    if span and mention.part and mention.kind in _DIVIDED:
        span = third(span, _PARTS[mention.part])
    try:
        return widen(span) if span and mention.is_vague else span
    except OverflowError:
        return span


def _is_window(phrase: _Phrase, now: datetime) -> bool:
    if phrase.after is None:
        return True
    if phrase.before is not None and instant(phrase.after) >= instant(phrase.before):
        return False
    try:
        tomorrow = midnight(now.date() + DAY, now.tzinfo)
    except OverflowError:
        return True
    return instant(phrase.after) < instant(tomorrow)


def _combine(phrases: list[_Phrase]) -> tuple[_Phrase, list[_Phrase]] | None:
    if not phrases:
        return None
    window, used = phrases[0], phrases[:1]
    for phrase in phrases[1:]:
        after = max((p for p in (window.after, phrase.after) if p), key=instant, default=None)
        before = min((p for p in (window.before, phrase.before) if p), key=instant, default=None)
        if after is None or before is None or instant(after) < instant(before):
            window = window._replace(after=after, before=before)
            used.append(phrase)
    return window, used


def _without(text: str, phrases: list[_Phrase]) -> str:
    for phrase in reversed(phrases):
        text = _close(text[: phrase.start].rstrip(), text[phrase.end :].lstrip())
    words = re.findall(r"\w+", text.lower())
    return "" if all(word in _NOISE for word in words) else text


def _close(left: str, right: str) -> str:
    if left.endswith("(") and right.startswith(")"):
        return _close(left[:-1].rstrip(), right[1:].lstrip())
    if not left or (left[-1] in ",;:" and right[:1] in (",", ";", ":")):
        right = right.lstrip(",;: ")
    if right[:1] in ("", ",", ";", ":", ".", "?", "!", ")"):
        return left.rstrip(",;: ") + right
    return f"{left} {right}" if left and not left.endswith("(") else left + right
