"""Cheap signs in a text: a memory that asks, counts, dates or names; a question that wants that."""

import re
from typing import NamedTuple

_TIME_WORDS = frozenset(
    "yesterday today tomorrow tonight week weekend month year ago last next recently morning "
    "evening afternoon night monday tuesday wednesday thursday friday saturday sunday since until "
    "summer winter spring fall autumn day hour minute january february march april may june july "
    "august september october november december".split()
)
_NUMBER_WORDS = frozenset(
    "one two three four five six seven eight nine ten dozen couple several twice once first second "
    "third".split()
)
_FIRST_PERSON = frozenset("i me my mine we our us im ive".split())
_WORD = re.compile(r"[^\W_]+")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+|\"[^\"]+\"")

_WHEN = re.compile(
    r"\bwhen\b|\b(?:what|which) (?:date|day|month|year)|how long"
    r"|how many (?:days|weeks|months|years)"
)
_MANY = re.compile(r"\bhow (?:many|much|often|long|old)\b|number of")
_WHERE = re.compile(r"\bwhere\b|\b(?:which|what) (?:city|country|place|state|town)")
_WHO = re.compile(r"\bwho\b|\bname")
_WHY = re.compile(r"\bwhy\b|\bhow (?:does|did|do|was|is)\b")
_SAID = re.compile(
    r"\b(?:you (?:said|told|mention|recommend|suggest|provid|wrote|gave)\w*|remind me|"
    r"(?:previous|earlier|last) (?:chat|conversation|discussion)|we (?:discussed|talked))"
)

# How Traits are packed into one number: two bits each.
_BITS = 3


class Traits(NamedTuple):
    """What a memory's text shows, each from 0 to 3."""

    asks: int
    times: int
    numbers: int
    names: int
    first_person: int

    def packed(self) -> int:
        """Return all of them as one number."""
        return sum(value << (2 * place) for place, value in enumerate(self))


class AnswerSought(NamedTuple):
    """What a question asks for, each 0 or 1."""

    when: float
    many: float
    where: float
    who: float
    why: float
    said: float
    first_person: float


def traits(text: str) -> Traits:
    """Return the traits of a memory's text."""
    words = _WORD.findall(text[:4_000].lower())
    return Traits(
        asks=2 if text.rstrip().endswith("?") else int("?" in text),
        times=min(sum(w in _TIME_WORDS or w.rstrip("s") in _TIME_WORDS for w in words), _BITS),
        numbers=min(sum(w in _NUMBER_WORDS or w.isdigit() for w in words), _BITS),
        names=min(len(_NAME.findall(text[:4_000])), _BITS),
        first_person=min(_share(words), _BITS),
    )


def sought(question: str) -> AnswerSought:
    """Return what a question asks for."""
    text = question.lower()
    return AnswerSought(
        when=float(bool(_WHEN.search(text))),
        many=float(bool(_MANY.search(text))),
        where=float(bool(_WHERE.search(text))),
        who=float(bool(_WHO.search(text))),
        why=float(bool(_WHY.search(text))),
        said=float(bool(_SAID.search(text))),
        first_person=float(not _FIRST_PERSON.isdisjoint(_WORD.findall(text))),
    )


def _share(words: list[str]) -> int:
    return round(20 * sum(w in _FIRST_PERSON for w in words) / (len(words) + 3))
