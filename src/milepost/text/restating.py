"""Whether two texts say the same in other words.

Precision first: to join what differs in a number, a name, a "not" or an "only" loses a fact. Every
word that carries meaning must stand in both, in whatever form; what was put in another order must
have moved as one piece, for two things that changed places are another claim.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

from milepost.text.claim_words import SYNONYMS
from milepost.text.claims import (
    CHARACTERS_MAX,
    LIGHT_WORD,
    MOOD,
    NAME,
    SMALL_WORD,
    WORD,
    Claim,
    Part,
    claim,
    is_value,
)
from milepost.text.sameness import is_the_same, said, signs_of
from milepost.text.words import stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# What is less alike than this was never found to be the same.
_LIKENESS = 0.5
# What is few words may be another thing in another order.
_TURNED_MIN = 3
_WORDS_MIN = 2
# Moods that hold for a whole text, wherever they stand.
_ANYWHERE = frozenset({"past", "should", "must", "will", "ask", "too"})
# What a duration says by itself.
_LASTING = frozenset({"take", "last", "dauert", "dure", "dura"})
# By its ending a word tells when something is; what is done is so at any time.
_ENDINGS = ("ed", "ing")
_DONE = re.compile(r"(?i)\b(?:is|are|be|been|gets?)\b")


def restates(one: str, other: str, likeness: float) -> bool:
    """Tell whether two texts of some likeness say the same, neither more nor less."""
    if likeness < _LIKENESS:
        return False
    words, others = said(one), said(other)
    if is_the_same(words, others):
        return True
    if max(len(one), len(other)) > CHARACTERS_MAX or signs_of(words) != signs_of(others):
        return False
    first, second = claim(one), claim(other)
    return first.moods == second.moods and _are_one(first, one, second, other)


def _are_one(one: Claim, text: str, other: Claim, other_text: str) -> bool:
    small, others_small = (
        Counter(p.key for p in each.parts if p.kind == SMALL_WORD) for each in (one, other)
    )
    if small - others_small and others_small - small:
        return False
    both = small & others_small
    parts, others = (_weighty(each, both) for each in (one, other))
    if len(parts) < len(others):
        parts, others, text, other_text = others, parts, other_text, text
    keys, names = ([part.key for part in each] for each in (parts, others))
    doer = keys.index("by") if len(keys) == len(names) + 1 and "by" in keys else None
    if doer is not None:
        del keys[doer], parts[doer]
    if sorted(keys) != sorted(names) or len(keys) < _WORDS_MIN:
        return False
    if not _same_time(parts, text, others, other_text):
        return False
    if doer is not None:
        return _by(keys[:doer], keys[doer:], names)
    if keys == names:
        return _same_voice(parts, others)
    return _in_order(keys, names, parts) and _whole(parts, text, others, other_text)


def _weighty(whole: Claim, both: Counter[str]) -> list[Part]:
    """Return the parts that must be the same, and the small words that both texts have."""
    following = (*whole.parts[1:], None)
    return [
        part
        for part, after in zip(whole.parts, following, strict=True)
        if part.key not in _ANYWHERE
        and part.kind != LIGHT_WORD
        and (part.kind != SMALL_WORD or part.key in both)
        and not (part.key in _LASTING and after is not None and after.kind == "duration")
    ]


def _same_time(parts: Sequence[Part], text: str, others: Sequence[Part], other_text: str) -> bool:
    """Whether no word tells what was done where the other tells what is done."""
    forms, other_forms = ({(part.key, _form(part)) for part in row} for row in (parts, others))
    later, sooner = forms - other_forms, other_forms - forms
    if any(form == "ing" for _, form in later | sooner):
        return False
    was_done, others_done = (any(form for _, form in row) for row in (later, sooner))
    return not (was_done and not _DONE.search(text)) and not (
        others_done and not _DONE.search(other_text)
    )


def _form(part: Part) -> str:
    """Return by what a verb tells its time: its ending, or a form of its own (sent)."""
    word = part.written.casefold()
    if part.kind not in (WORD, NAME) or word in SYNONYMS or not word.isascii():
        return ""
    ending = next((end for end in _ENDINGS if word.endswith(end)), "")
    return ending or (
        "" if word.startswith(part.key.rstrip("eiy")) or stem(word) != part.key else "ed"
    )


def _same_voice(parts: Sequence[Part], others: Sequence[Part]) -> bool:
    """Whether nobody does in one text what is done to them in the other: is called, calls."""
    pairs = list(zip(parts, others, strict=True))
    return all(_form(one) == _form(other) for one, other in pairs[1:])


def _whole(parts: Sequence[Part], text: str, others: Sequence[Part], other_text: str) -> bool:
    """Whether no word that stands right before another, as its part, was put before a third."""
    beside, others_beside = _compounds(parts, text), _compounds(others, other_text)
    first, second = (dict(pairs) for pairs in (beside, others_beside))
    return all(first[key] == second[key] for key in first.keys() & second.keys())


def _compounds(parts: Sequence[Part], text: str) -> list[tuple[str, str]]:
    """Return the words between which nothing stands, but for those that move as they like."""
    pairs = pairwise(parts)
    return [
        (one.key, two.key)
        for one, two in pairs
        if one.kind == WORD == two.kind and text[one.end : two.start] in (" ", "-")
    ]


def _by(done: list[str], doer: list[str], others: list[str]) -> bool:
    """Whether others tell who does what, where one tells what is done by whom."""
    return any(
        others == doer[:end] + done[turn:] + done[:turn] + doer[end:]
        for end in range(1, len(doer) + 1)
        for turn in range(len(done))
    )


def _in_order(keys: list[str], others: list[str], parts: Sequence[Part]) -> bool:
    """Whether the order is the same but for one piece, and what turns a claim turns the same."""
    if keys == others:
        return True
    if len(keys) < _TURNED_MIN:
        return False
    begin = next(i for i, (a, b) in enumerate(zip(keys, others, strict=True)) if a != b)
    end = len(keys) - next(
        i for i, (a, b) in enumerate(zip(keys[::-1], others[::-1], strict=True)) if a != b
    )
    inner, moved = keys[begin:end], others[begin:end]
    turned = any(inner[i:] + inner[:i] == moved for i in range(1, len(inner)))
    values = [part.key for part in parts if is_value(part)]
    kept = [key for key in others if key in values] == values
    return turned and kept and _turn_the_same(keys, others, parts)


def _turn_the_same(keys: list[str], others: list[str], parts: Sequence[Part]) -> bool:
    """Whether after each word that turns a claim the same word follows."""
    turning = {part.key for part in parts if part.kind == MOOD}

    def followers(row: list[str]) -> Counter[tuple[str, str]]:
        pairs = zip(row, [*row[1:], ""], strict=True)
        return Counter((a, b) for a, b in pairs if a in turning)

    return followers(keys) == followers(others)
