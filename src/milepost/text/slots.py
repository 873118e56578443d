"""What fills a slot of a statement: an amount, a day, a name or a word."""

from __future__ import annotations

import re

from milepost.text.claim_words import MONTHS, NUMBERS, UNITS, WEEKDAYS
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

AMOUNT, DAY, NAME, WORD = "amount", "day", "name", "word"
_NUMBER = re.compile(r"[~<>≤≥$€£v]?\d[\d.,:]*(?P<unit>%|[€$£]|[a-zA-Zµ]{1,3})?|[€$£]\d[\d.,]*")
_TIED = re.compile(r"[/_@#\\]|\w\.\w|[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]|-\d")
_HOURS = 24


class Word(NamedTuple):
    """A word of a statement: what it is compared by, in small letters, and as written."""

    key: str
    low: str
    written: str
    # Whether it is one of several, or one that is known: an office, the office.
    indefinite: bool
    definite: bool = False


def kind_of(slot: Sequence[Word]) -> str:
    """Return of which type a value is; nothing for what is of several."""
    lows = [word.low for word in slot]
    if all(low in WEEKDAYS for low in lows):
        return DAY
    if any(low in WEEKDAYS for low in lows):
        return ""
    if any(low in MONTHS for low in lows):
        return DAY if all(low in MONTHS or low.strip(".").isdigit() for low in lows) else ""
    if all(_is_amount(low) for low in lows) and any(_has_number(low) for low in lows):
        return AMOUNT
    first = slot[0].written
    return NAME if first[0].isupper() or _TIED.search(first) else WORD


def _is_amount(low: str) -> bool:
    return _has_number(low) or low in UNITS or low in ("am", "pm", "uhr", "to", "h", "bis", "%")


def _has_number(low: str) -> bool:
    return low == "one" or low in NUMBERS or _NUMBER.fullmatch(low) is not None


def unit_of(before: Sequence[Word], slot: Sequence[Word], after: Sequence[Word]) -> str:
    """Return what is counted: a time of day, a duration, whatever stands after the number."""
    words = [*(word.low for word in slot), *(word.low for word in after[:1])]
    bare = len(words) == 1 and words[0].isdigit() and int(words[0]) <= _HOURS
    if bare and before[-1].low in ("at", "um", "à"):
        return "time"
    if any(":" in low or low in ("am", "pm", "uhr") for low in words):
        return "time"
    found = [low for low in words if low in UNITS]
    glued = [m["unit"].lower() for low in words if (m := _NUMBER.fullmatch(low)) and m["unit"]]
    for unit in (*found, *glued):
        kind = UNITS[unit][0] if unit in UNITS else unit
        return "duration" if kind == "months" else kind
    return "$" if any(low[0] in "$€£" for low in words) else ""
