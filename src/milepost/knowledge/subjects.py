"""Which memories speak of one subject, and what it is called.

What the rules and their constants give stands in `bench/clusters.py`, beside libraries.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from milepost.knowledge.pairs import Pairs, groups
from milepost.knowledge.summaries import content_of
from milepost.text.entities import entities_in

# Two memories so alike speak of one subject; those less alike do if each is among the other's
# nearest.
_SURE, ALIKE, _NEAREST = 0.62, 0.4, 2
# Words that name a subject, names that do, texts that are read for them, and which share of these
# has a name that stands for all.
_WORDS, _NAMES, _READ, _SHARE = 3, 2, 40, 1 / 3
# Who spoke of something, and which of its versions, says not what it is.
_BESIDE = frozenset({"person", "version"})


def subjects(pairs: Pairs, likeness: NDArray[np.float32]) -> list[list[int]]:
    """Return the places of memories that speak of one subject, in groups.

    pairs: which are compared; likeness: how alike the two of each are.
    """
    alike = likeness >= ALIKE
    pairs, likeness = pairs[alike], likeness[alike]
    return groups(pairs[(likeness >= _SURE) | _near_each_other(pairs, likeness)])


def _near_each_other(pairs: Pairs, likeness: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Tell of each pair whether both are among the few that are nearest to the other."""
    if not len(pairs):
        return np.zeros(0, np.bool_)
    whose = pairs.T.ravel()
    order = np.lexsort((-np.tile(likeness, 2), whose))
    ordered = whose[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    sizes = np.diff(np.r_[starts, len(ordered)])
    rank = np.empty(len(whose), np.int64)
    rank[order] = np.arange(len(whose)) - np.repeat(starts, sizes)
    first, second = (rank < _NEAREST).reshape(2, -1)
    near: NDArray[np.bool_] = first & second
    return near


def words_held(texts: Iterable[str]) -> Counter[str]:
    """Return how many of some texts have each word."""
    held: Counter[str] = Counter()
    for text in texts:
        held.update({word for word in content_of(text) if len(word) > 2})
    return held


def label_of(texts: Sequence[str], usual: Mapping[str, int]) -> list[str]:
    """Return what a good part of some texts name, else the words that tell them from others.

    usual: how many of all texts have each word.
    """
    named = Counter(name for text in texts[:_READ] for name in _names_in(text))
    least = max(2, _SHARE * min(len(texts), _READ))
    common = sorted((n for n in named if named[n] >= least), key=lambda n: (-named[n], -len(n), n))
    shown: list[str] = []
    for name in common:
        if not any(name.lower() in other.lower() for other in shown):
            shown.append(name)
    return shown[:_NAMES] or _telling_words(texts, usual)


def _names_in(text: str) -> set[str]:
    return {each.name for each in entities_in(text).entities if each.type not in _BESIDE}


def _telling_words(texts: Sequence[str], usual: Mapping[str, int]) -> list[str]:
    """Return the words that most of some texts have and few others, as the texts order them."""
    held = words_held(texts)
    ranked = sorted(held, key=lambda word: (-(held[word] ** 2) / usual.get(word, 1), word))
    shared = [word for word in ranked if held[word] * 2 >= len(texts)]
    most = sorted(held, key=lambda word: (-held[word], word))
    whole = " ".join(texts).lower()
    return sorted((shared or most)[:_WORDS], key=whole.find)
