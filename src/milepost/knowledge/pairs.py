"""Which of many memories may speak of the same: those that share some of their rarer words.

All of them with all others would be too many pairs to look at.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Pairs = NDArray[np.int64]

# A word that more memories have than this tells none of them from the others.
_COMMON_MIN, _COMMON_SHARE = 60, 0.002
# Two memories share so many words, or as many as the shorter one has.
_SHARED_MIN = 2
# Pairs that are held at once.
_BLOCK = 4_000_000


def sharing_pairs(words: Sequence[NDArray[np.uint32]]) -> Pairs:
    """Return the places of memories, two by two, that share rarer words; the first is the lower.

    words: the keys of the words of each memory.
    """
    counts = np.array([len(each) for each in words], np.int64)
    if not len(counts) or not counts.any():
        return np.zeros((0, 2), np.int64)
    places = np.repeat(np.arange(len(words)), counts)
    keys = np.concatenate(words)
    order = np.lexsort((places, keys))
    keys, places = keys[order], places[order]
    starts = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
    sizes = np.diff(np.r_[starts, len(keys)])
    most = max(_COMMON_MIN, int(_COMMON_SHARE * len(words)))
    rare = (sizes >= 2) & (sizes <= most)
    codes = _counted(_codes(places, starts[rare], sizes[rare], len(words)))
    shared, times = codes
    first, second = shared // len(words), shared % len(words)
    enough = times >= np.minimum(_SHARED_MIN, np.minimum(counts[first], counts[second]))
    return np.stack([first[enough], second[enough]], axis=1)


def _codes(
    places: NDArray[np.int64], starts: NDArray[np.int64], sizes: NDArray[np.int64], count: int
) -> Iterator[NDArray[np.int64]]:
    """Yield a number for each pair that shares a word, once for each word."""
    for size in np.unique(sizes).tolist():
        first, second = np.triu_indices(size, 1)
        of_size = starts[sizes == size]
        step = max(1, _BLOCK // len(first))
        for begin in range(0, len(of_size), step):
            rows = places[of_size[begin : begin + step, None] + np.arange(size)]
            yield (rows[:, first] * count + rows[:, second]).ravel()


def _counted(
    parts: Iterator[NDArray[np.int64]],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct numbers, and how often each came."""
    known = np.zeros(0, np.int64), np.zeros(0, np.int64)
    waiting: list[NDArray[np.int64]] = []
    for part in parts:
        waiting.append(part)
        if sum(map(len, waiting)) >= 2 * _BLOCK:
            known, waiting = _joined(known, waiting), []
    return _joined(known, waiting)


def _joined(
    known: tuple[NDArray[np.int64], NDArray[np.int64]], parts: list[NDArray[np.int64]]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if not parts:
        return known
    values, times = np.unique(np.concatenate(parts), return_counts=True)
    merged, inverse = np.unique(np.concatenate([known[0], values]), return_inverse=True)
    sums = np.bincount(inverse, np.concatenate([known[1], times]), len(merged))
    return merged, sums.astype(np.int64)


def groups(pairs: Pairs, count: int) -> list[list[int]]:
    """Return the places that hang together by pairs, in groups of at least two."""
    parent = list(range(count))

    def root(place: int) -> int:
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = parent[place]
        return place

    for first, second in pairs.tolist():
        one, other = root(first), root(second)
        if one != other:
            parent[max(one, other)] = min(one, other)
    members: dict[int, list[int]] = {}
    for place in np.unique(pairs).tolist():
        members.setdefault(root(place), []).append(place)
    return list(members.values())
