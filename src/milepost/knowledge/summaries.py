"""What many texts say together: the sentences that say most of it, each with where it stands."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from milepost.text.lines import clip_at_word
from milepost.text.sameness import is_the_same, said
from milepost.text.sentences import sentences
from milepost.text.words import content_words, terms

# A sentence of a few words says too little, one of very many would fill a summary alone.
_LEAST, _MOST = 3, 60
_SENTENCE_CHARS = 280
_READ_CHARS = 4_000
_WORD = re.compile(r"[^\W\d_][\w-]+")


class Said(NamedTuple):
    """A sentence, the name of the text it stands in, its place among all, and its words."""

    name: str
    text: str
    place: int
    words: frozenset[str]


def central(texts: Iterable[tuple[str, str]], count: int) -> list[Said]:
    """Return the sentences that say most of what texts say, best first.

    A word weighs by how many texts have it; what was said already weighs nothing.
    """
    everything = list(_sentences(texts))
    held: Counter[str] = Counter()
    for words in _by_text(everything):
        held.update(words)
    left = [each for each in everything if _LEAST <= len(each.words) <= _MOST] or everything
    chosen: list[Said] = []
    told: set[str] = set()
    while left and len(chosen) < count:
        best = max(left, key=lambda each: (_worth(each, held, told), -each.place))
        chosen.append(best)
        told |= best.words
        left = [each for each in left if not _says_the_same(each, best)]
    return chosen


def in_order(chosen: Iterable[Said]) -> list[Said]:
    """Return sentences in the order of their texts."""
    return sorted(chosen, key=lambda each: each.place)


def content_of(text: str) -> set[str]:
    """Return the words of a text that carry its content."""
    words = content_words(text[:_READ_CHARS])
    return {word for each in words for word in _WORD.findall(each.lower())}


def _sentences(texts: Iterable[tuple[str, str]]) -> Iterable[Said]:
    place = 0
    for name, text in texts:
        parts = list(sentences(text[:_READ_CHARS])) or [clip_at_word(text, _SENTENCE_CHARS)]
        for part in parts:
            shown = clip_at_word(part, _SENTENCE_CHARS)
            yield Said(name, shown, place, frozenset(terms(part)))
            place += 1


def _by_text(everything: Sequence[Said]) -> list[set[str]]:
    words: dict[str, set[str]] = {}
    for each in everything:
        words.setdefault(each.name, set()).update(each.words)
    return list(words.values())


def _worth(each: Said, held: Counter[str], told: set[str]) -> float:
    fresh = sum(held[word] for word in each.words - told)
    return float(fresh / (len(each.words) + 4) ** 0.5)


def _says_the_same(one: Said, other: Said) -> bool:
    return one is other or is_the_same(said(one.text), said(other.text))
