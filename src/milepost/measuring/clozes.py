"""Questions that memories answer, made of their own sentences.

Nobody's questions are at hand, so a memory is asked for by the first half of one of its sentences.
Who asks has other words than who wrote it down: so the memory is taken without some of those that
it is asked by, or without all of them. No model has a part in choosing sentences or memories.
"""

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple
from zlib import crc32

from milepost.memory.values import Record
from milepost.text.words import question_terms

# A sentence with fewer words that tell something is not worth cutting, a half asks for nothing.
WORDS_MIN, HALF_WORDS_MIN = 8, 3
# What is longer is no sentence, and of a long memory the beginning is enough.
CHARACTERS_MAX = 400
READ_MAX = 10_000
# With fewer spaces in it than this, a sentence is of a script that writes none.
SPACES_MIN = 5

_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\s*\n\s*")


class Cloze(NamedTuple):
    """The first half of a sentence, and the memory without it."""

    question: str
    rest: Record


def clozes_of(records: Sequence[Record]) -> list[Cloze]:
    """Return what can be asked of memories, one question of each where there is any."""
    contents = [record.content[:READ_MAX] for record in records]
    return [cloze for record in records if (cloze := _cloze(record, contents)) is not None]


def _cloze(record: Record, contents: Sequence[str]) -> Cloze | None:
    """Cut a sentence of a memory, which of them is left to chance; None where there is none."""
    parts = _END.split(record.content[:READ_MAX])
    usable = [part for part in parts if _is_sentence(part)]
    if not usable:
        return None
    sentence = usable[crc32(record.hash.encode()) % len(usable)]
    question, rest = _halves(sentence)
    if _words(question) < HALF_WORDS_MIN or sum(question in text for text in contents) > 1:
        return None  # it says nothing, or others say the same
    return Cloze(question, record._replace(content=record.content.replace(sentence, rest, 1)))


def _is_sentence(text: str) -> bool:
    return len(text) <= CHARACTERS_MAX and _words(text) >= WORDS_MIN


def _words(text: str) -> int:
    return len(question_terms(text))


def _halves(sentence: str) -> tuple[str, str]:
    words, space = sentence.split(), " "
    if len(words) <= SPACES_MIN:
        words, space = list(sentence), ""
    middle = len(words) // 2
    return space.join(words[:middle]), space.join(words[middle:])


def without_words(content: str, words: Collection[str]) -> str:
    """Return a text without some words."""
    if not words:
        return content
    spaced = len(content.split()) > SPACES_MIN
    one = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    pattern = rf"(?<!\w)(?:{one})(?!\w)" if spaced else one
    return re.sub(pattern, " ", content, flags=re.IGNORECASE)
