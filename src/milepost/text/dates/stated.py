"""The dates that a text or a question states, seen from the day it was said.

A time in a question that is recalled becomes a filter. Here it becomes words to be found by, so
what is not certain ("on Friday", "in March") is left to the words that stand there.
"""

import re
from collections.abc import Collection, Iterator
from datetime import UTC, date, datetime, timedelta
from functools import cache
from itertools import islice
from typing import NamedTuple

from milepost.text.dates.foreign import Phrase, phrases, signs
from milepost.text.dates.time_context import Mention, mentions
from milepost.text.dates.time_meaning import resolve
from milepost.text.dates.time_spans import DAY, Span
from milepost.text.dates.time_words import MONTHS, expression
from milepost.text.expressions import lazy
from milepost.text.words import languages, stem, terms

# A text of many dates is a log or a table, and found by its words; its beginning says when.
DATES_MAX = 4
_CHARACTERS_MAX = 4_000

_ABSOLUTE = frozenset({"iso", "day_of_month"})
_RELATIVE = frozenset(
    "relative_day day_part which_weekday ago before_last period which_month last_season".split()
)
# A day without its year is the nearest one.
_HALF_A_YEAR = timedelta(days=182)
# An English date has one of these, in lower case.
_MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
_SIGN = lazy(
    r"\b(?:yesterday|tomorrow|ago|before last|last night"
    r"|(?:last|past|previous|next) (?:week|month|quarter|year|spring|summer|autumn|fall|winter"
    rf"|mon|tue|wed|thu|fri|sat|sun|{_MONTH})"
    rf"|{_MONTH}[a-z]*\.? (?:the )?[0-9]|[0-9]{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}"
    r"|[0-9]{4}[-/][0-9]{2}[-/][0-9])"
)
_SIGNS_MAX = 8
# Words so far from a date decide what it is.
_REACH = 80
_YEAR = re.compile("(?:19|20)[0-9]{2}")
# The day from which a question is read whose days are to be found in any year.
_WHENEVER = datetime(2000, 6, 30, tzinfo=UTC)


class _Stated(NamedTuple):
    """A span that is stated, and where: as a day of the calendar, or seen from another day."""

    start: int
    end: int
    span: Span
    is_absolute: bool

    @property
    def is_day(self) -> bool:
        """Tell whether it is a whole day that the calendar names."""
        return self.is_absolute and self.span.end == self.span.start + DAY


def date_words(day: date) -> str:
    """Return the words by which a date is found, the day being one of them: 7may may 2023."""
    return f"{day.day}{MONTHS[day.month - 1]} {_month_words(day)}"


def _month_words(day: date) -> str:
    return f"{MONTHS[day.month - 1]} {day.year}"


def stated_dates(text: str, said: datetime, terms: Collection[str]) -> list[str]:
    """Return the words of the dates that a text with these terms means, of the first few."""
    if "May" not in text and _signs().isdisjoint(terms):
        return []
    stated = _stated(" ".join(text[:_CHARACTERS_MAX].split()), said, terms)
    words = (words for each in stated for words in _words(each.span))
    return list(islice(dict.fromkeys(words), DATES_MAX))


def apart_from_days(question: str) -> tuple[str, list[tuple[str, str]]]:
    """Return a question without the days it names, and each day as it is said and as a term."""
    question = " ".join(question.split())
    stated = [each for each in _stated(question, _WHENEVER, terms(question)) if each.is_day]
    days, rest = {}, question
    for start, end, span, _ in sorted(stated, key=lambda each: -each.start):
        # Some dates are read the same way in two languages.
        if rest[start:end] != question[start:end]:
            continue
        day, month = span.start.day, MONTHS[span.start.month - 1]
        days[f"{day} {month}"] = f"{day}{month}"
        year = _YEAR.search(question[start:end])
        rest = f"{rest[:start]} {month} {year[0] if year else ''} {rest[end:]}"
    return rest, list(days.items())[::-1]


def _stated(text: str, said: datetime, terms: Collection[str]) -> Iterator[_Stated]:
    nearest = min(said.date(), date.max - _HALF_A_YEAR) + _HALF_A_YEAR
    for start, passage in _passages(text):
        for mention in filter(_is_certain, mentions(passage)):
            found, absolute = mention.found, mention.kind in _ABSOLUTE
            if span := resolve(found, said, nearest):
                yield _Stated(start + found.start(), start + found.end(), span, absolute)
    for phrase in _foreign(text, terms):
        match = expression().fullmatch(phrase.english)
        if match and (span := resolve(match, said, nearest)):
            yield _Stated(phrase.start, phrase.end, span, match.lastgroup in _ABSOLUTE)


def _passages(text: str) -> Iterator[tuple[int, str]]:
    """Yield the parts of a text in which English dates may stand, and where each begins.

    The expression of all times is slow, and the words around a date decide what it is.
    """
    small = text.lower()
    end = 0
    for sign in islice(_SIGN.finditer(small if len(small) == len(text) else text), _SIGNS_MAX):
        if sign.end() > end:
            start = max(end, text.rfind(" ", 0, max(sign.start() - _REACH, 0)) + 1)
            end = text.find(" ", sign.end() + _REACH)
            end = len(text) if end < 0 else end
            yield start, text[start:end]


def _foreign(text: str, terms: Collection[str]) -> list[Phrase]:
    """Return the dates that a text with these terms has in other languages, or in figures."""
    spoken = [name for name, known in signs().items() if not known.isdisjoint(terms)]
    if "french" in spoken and languages(text)[:1] != ["french"]:
        # "Hier" is "here" in German, and 3 mars may be sweets.
        spoken.remove("french")
    return sorted({phrase for language in ("", *spoken) for phrase in phrases(language, text)})


def _is_certain(mention: Mention) -> bool:
    if mention.kind in _ABSOLUTE:
        return not mention.spoiled and not mention.may_be_verb
    return mention.kind in _RELATIVE and mention.is_time


def _words(span: Span) -> list[str]:
    """Return the words of a day or two, of the months of up to a month, of the year of a longer."""
    start = (span.at or span.start).date()
    if span.at is not None or span.end is None or span.end - span.start <= DAY:
        return [date_words(start)]
    last = span.end.date() - DAY
    if last - start <= DAY:
        return [date_words(start), date_words(last)]
    if last - start < timedelta(days=31):
        return [_month_words(start), _month_words(last)]
    return [str(start.year)] if start.year == last.year else []


@cache
def _signs() -> frozenset[str]:
    """Return the terms of which each certain date has one, but for those in an English May."""
    words = "yesterday tomorrow ago last past previous next".split()
    words += [*MONTHS, *(month[:3] for month in MONTHS), "sept"]
    years = map(str, range(1900, 2100))
    return frozenset([*map(stem, words), *years]).union(*signs().values())
