"""The days, months and years that a text speaks of, seen from the day it was said.

A question's time becomes a filter; a text's time becomes words that it is found by, so what is not
certain ("on Friday", "in March") is left to the words that are there already.
"""

from collections.abc import Collection, Iterator
from datetime import date, datetime, timedelta
from functools import cache
from itertools import islice

from milepost.text.dates.foreign import in_english
from milepost.text.dates.time_context import mentions
from milepost.text.dates.time_meaning import resolve
from milepost.text.dates.time_spans import DAY, Span
from milepost.text.dates.time_words import MONTHS, RELATIVE_DAYS, expression
from milepost.text.languages import folded
from milepost.text.words import is_unspaced, languages, stem

# A text of many dates is a log or a table, and found by its words; its beginning says when.
DATES_MAX = 4
_CHARACTERS_MAX = 4_000

_ABSOLUTE = frozenset({"iso", "day_of_month"})
_RELATIVE = frozenset(
    "relative_day day_part which_weekday ago before_last period which_month last_season".split()
)
# A day of the year without its year is the nearest one.
_HALF_A_YEAR = timedelta(days=182)


def stated_dates(text: str, said: datetime) -> list[str]:
    """Return the dates that a text means in words ("7 May 2023", "May 2023"), the first few."""
    spans = _spans(" ".join(text[:_CHARACTERS_MAX].split()), said)
    named = (name for span in spans for name in _names(span))
    return list(islice(dict.fromkeys(named), DATES_MAX))


def may_state_dates(text: str, terms: Collection[str]) -> bool:
    """Tell by a text's terms, at next to no cost, whether it may mean a date."""
    return not _signs().isdisjoint(terms) or "May" in text or bool(_spoken(text))


def _spans(text: str, said: datetime) -> Iterator[Span]:
    nearest = said.date() + _HALF_A_YEAR
    for mention in mentions(text):
        if mention.kind in _ABSOLUTE:
            certain = not mention.spoiled and not mention.may_be_verb
        else:
            certain = mention.kind in _RELATIVE and mention.is_time
        span = resolve(mention.found, said, nearest) if certain else None
        if span is not None:
            yield span
    for phrase in _foreign(text):
        match = expression().fullmatch(phrase)
        span = resolve(match, said, nearest) if match else None
        if span is not None:
            yield span


def _foreign(text: str) -> Iterator[str]:
    for language in _spoken(text):
        yield from in_english(language, folded(text))


def _spoken(text: str) -> list[str]:
    """Return the languages other than English that a text may be in."""
    return ["chinese", "japanese"] if is_unspaced(text) else languages(text)[:1]


def _names(span: Span) -> list[str]:
    """Return a day or two by name, the months of up to a month, the year of what is longer."""
    start = (span.at or span.start).date()
    if span.at is not None or span.end is None or span.end - span.start <= DAY:
        return [_day(start)]
    last = span.end.date() - DAY
    if last - start <= DAY:
        return [_day(start), _day(last)]
    if last - start < timedelta(days=31):
        return [f"{start:%B %Y}", f"{last:%B %Y}"]
    return [str(start.year)] if start.year == last.year else []


def _day(day: date) -> str:
    return f"{day.day} {day:%B %Y}"


@cache
def _signs() -> frozenset[str]:
    """Return the terms of which each certain date in English has one, but for those in May."""
    words = "yesterday tomorrow ago last past previous next this".split()
    words += [*MONTHS, *(month[:3] for month in MONTHS), "sept"]
    return frozenset([*map(stem, words), *map(str, range(1970, 2070))])
