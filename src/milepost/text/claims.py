"""What a text claims, as a row of parts that can be compared with those of another text.

A part is a word that carries meaning, brought to its stem, or a value: a number, a time, an amount,
brought to one unit. Words that turn a claim (not, only, may, if) are its moods.
"""

from __future__ import annotations

import re
from functools import lru_cache

from milepost.text.claim_words import (
    EMPTY,
    LIGHT,
    MONTHS,
    MOODS,
    NUMBERS,
    PHRASES,
    SMALL,
    SYNONYMS,
    UNITS,
    WEEKDAYS,
)
from milepost.text.words import stem
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# A claim is short; what is longer is an account of many.
CHARACTERS_MAX = 600
_HAN = "\u3400-\u9fff"
_TOKEN = re.compile(
    r"#[0-9a-fA-F]{6}\b|[A-Za-z]{2,}-\d+\b|\d{4}-\d\d-\d\d|\d{1,2}:\d\d|\d+(?:[.,]\d+)*"
    rf"|[{_HAN}]|[^\W\d_{_HAN}](?:[^\W{_HAN}]|['’](?=[^\W\d_]))*|→|->|=>|(?<!\S)[-−+](?=\d)|[?？=%€$£<>≤≥±]"
)
# The day on which a decision was noted is no part of it.
_DAY = r"\[?\d{4}-\d\d-\d\d\]?"
_NOTED = re.compile(rf"(?i)\W*(?:{_DAY}\W+decision\b|decision\b\W*(?:noted\W+)?{_DAY})\W*")
# Signs that make one name of words.
_TIES = frozenset("/_@#\\")
_CURRENCIES = frozenset("€$£")
_DIGITS = re.compile(r"\d[\d.,:-]*")
_AFTER_NUMBER = frozenset({*UNITS, "am", "pm", "uhr"})
# The article that clings to a word has at most so many letters.
_ELIDED_MAX = 2
_ARROWS = ("->", "=>")
_Token = tuple[str, int, int]
WORD, SMALL_WORD, LIGHT_WORD, MOOD, NUMBER, NAME = (
    "word",
    "small",
    "light",
    "mood",
    "number",
    "name",
)


class Part(NamedTuple):
    """A word or a value: what kind it is of, what it is compared by, how it is written, where."""

    kind: str
    key: str
    written: str
    start: int
    end: int


class Claim(NamedTuple):
    """The parts of a text in order, and its moods."""

    parts: tuple[Part, ...]
    moods: frozenset[str]


@lru_cache(8_192)
def claim(text: str) -> Claim:
    """Return what a text claims."""
    begun = _NOTED.match(text)
    parts = tuple(_parts(text[:CHARACTERS_MAX], begun.end() if begun else 0))
    return Claim(parts, frozenset(part.key for part in parts if part.kind == MOOD))


def is_value(part: Part) -> bool:
    """Tell whether a part is a value."""
    return part.kind not in (WORD, SMALL_WORD, LIGHT_WORD, MOOD, NAME)


def _parts(text: str, start: int) -> Iterator[Part]:
    tokens = list(_tokens(text, start))
    place = 0
    while place < len(tokens):
        found, used = _value(tokens, place)
        if found is not None:
            yield found
        else:
            yield from _named(text, _word(*tokens[place]))
        place += used


def _named(text: str, parts: Iterator[Part]) -> Iterator[Part]:
    """Yield words, those as names that are part of a path or an identifier."""
    for part in parts:
        before, after = text[max(part.start - 1, 0) : part.start], text[part.end : part.end + 2]
        tied = before in _TIES or after[:1] in _TIES or (after[:1] == "." and after[1:].isalnum())
        yield part._replace(kind=NAME) if tied and part.kind == WORD else part


def _tokens(text: str, start: int) -> Iterator[_Token]:
    """Yield the words, numbers and signs of a text; a phrase is one word."""
    tokens = [(m.group(), m.start(), m.end()) for m in _TOKEN.finditer(text, start)]
    place = 0
    while place < len(tokens):
        token, first, end = tokens[place]
        following = tokens[place + 1] if place + 1 < len(tokens) else ("", 0, end)
        joined = PHRASES.get((token.lower(), following[0].lower()))
        if token[0].isdigit() and following[1] == end and following[0].lower() not in _AFTER_NUMBER:
            # 4a is another than 4.
            joined = token + following[0] if following[0].isalnum() else None
        yield (joined, first, following[2]) if joined else (token, first, end)
        place += 2 if joined else 1


def _value(tokens: list[_Token], place: int) -> tuple[Part | None, int]:
    """Return the value that begins at a place, and how many tokens it takes."""
    token, start, end = tokens[place]
    lower = token.lower()
    following = [t[0].lower() for t in tokens[place + 1 : place + 4]] + ["", "", ""]
    following = following[:3]
    kind, key, used = "", "", 1
    if lower in WEEKDAYS:
        kind, key = "weekday", str(WEEKDAYS[lower])
    elif token[0] == "#":
        kind, key = "colour", lower
    elif token in _CURRENCIES and _DIGITS.fullmatch(following[0]):
        kind, key, used = _number(tokens[place + 1][0], [token, "", ""])
    elif lower in MONTHS and (token[0].isupper() or len(lower) > 3) and lower not in ("may", "mar"):
        kind, key = "date", f"-{MONTHS[lower]:02}"
        if following[0].isdigit() and len(following[0]) < 3:
            key, used = f"{key}-{int(following[0]):02}", 2
    elif _DIGITS.fullmatch(token) or lower in NUMBERS:
        kind, key, used = _number(NUMBERS.get(lower, token), following)
    if not kind:
        return None, 1
    end = tokens[place + used - 1][2]
    written = " ".join(t[0] for t in tokens[place : place + used])
    return Part(kind, key, written, start, end), used


def _number(digits: str, following: list[str]) -> tuple[str, str, int]:
    """Return the kind of a number, what it comes to, and how many tokens it takes."""
    after, second, third = following
    if digits.count("-") == 2:
        return "date", digits, 1
    if ":" in digits or after in ("am", "pm", "uhr"):
        return _clock(digits, after)
    month = after if after in MONTHS else second if after == "de" and second in MONTHS else ""
    if month and digits.isdigit():
        used = 2 if after in MONTHS else 3
        year = following[used - 1] if used < 3 else third if used == 2 else ""
        dated = f"-{MONTHS[month]:02}-{int(digits):02}"
        if len(year) == 4 and year.isdigit():
            return "date", f"{year}{dated}", used + 1
        return "date", dated, used
    amount = _amount(digits) if after in UNITS else None
    if amount is not None:
        kind, size = UNITS[after]
        return kind, f"{round(amount * size, 6):.15g}", 2
    return NUMBER, digits.replace(",", ".") if digits.count(",") == 1 else digits, 1


def _clock(digits: str, after: str) -> tuple[str, str, int]:
    hour, _, minute = digits.partition(":")
    named = after in ("am", "pm", "uhr")
    try:
        number = int(hour) % (12 if after in ("am", "pm") else 24) + 12 * (after == "pm")
    except ValueError:
        return NUMBER, digits, 1
    return "time", f"{number:02}:{minute or '00'}", 2 if named else 1


def _amount(digits: str) -> float | None:
    """Return how much a number is: 4,812 is four thousand, 29,99 is not; of 1.2.3 nothing."""
    _, comma, rest = digits.rpartition(",")
    plain = digits.replace(",", "" if comma and len(rest) == 3 else ".")
    return float(plain) if plain.count(".") < 2 and plain.replace(".", "").isdecimal() else None


def _word(token: str, start: int, end: int) -> Iterator[Part]:
    """Yield the part that a word is, and before it a "not" that clings to it."""
    lower = token.casefold().replace("’", "'")
    head, mark, tail = lower.partition("'")
    if lower.endswith("n't"):
        yield Part(MOOD, "not", token, start, end)
        yield from _plain_word(token, lower[:-3], start, end)
    elif mark and len(head) <= _ELIDED_MAX:
        # l'API, d'un, n'est
        if head == "n":
            yield Part(MOOD, "not", token, start, end)
        yield from _word(token[len(head) + 1 :], start + len(head) + 1, end)
    elif tail == "s":
        yield from _word(token[: len(head)], start, start + len(head))
        if head not in EMPTY:
            yield Part(MOOD, "whose", token, start, end)
    else:
        yield from _plain_word(token, "→" if lower in _ARROWS else lower, start, end)


def _plain_word(token: str, lower: str, start: int, end: int) -> Iterator[Part]:
    small = lower in EMPTY or lower in SMALL
    if small and token.isupper() and lower != "i" and (len(token) > 1 or start):
        # Team A, the US.
        yield Part(NAME, token, token, start, end)
    elif lower in SMALL:
        yield Part(SMALL_WORD, SMALL[lower], token, start, end)
    elif lower in MOODS:
        yield Part(MOOD, MOODS[lower], token, start, end)
    elif lower and lower not in EMPTY:
        yield _telling(token, lower, start, end)


def _telling(token: str, lower: str, start: int, end: int) -> Part:
    """Return a word that carries meaning, by its stem or the first of its synonyms."""
    if lower in UNITS and len(lower) > 1:
        # A unit without a number: per minute.
        kind, size = UNITS[lower]
        return Part(WORD, f"{kind} {size:g}", token, start, end)
    key = stem(lower)
    if key in SMALL:
        return Part(SMALL_WORD, SMALL[key], token, start, end)
    key = SYNONYMS.get(lower) or SYNONYMS.get(key, key)
    if lower in LIGHT or key in LIGHT:
        return Part(LIGHT_WORD, key, token, start, end)
    # In the middle of a word a capital, and anywhere a digit or a sign, makes a name.
    named = not lower.isalpha() or token[1:] != token[1:].lower()
    return Part(NAME if named else WORD, token if len(token) == 1 else key, token, start, end)
