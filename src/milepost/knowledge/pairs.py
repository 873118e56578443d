"""Which of many memories may speak of the same: those that share some of their rarer words.

All of them with all others would be too many pairs to look at.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Pairs = NDArray[np.int64]

# A word that more memories have than this tells none of them from the others.
_COMMON_MIN, _COMMON_SHARE = 60, 0.002
# What tells a memory from most others are its rarest words.
_WORDS = 8
# Two memories share so many words, or as many as the shorter one has.
_SHARED_MIN = 2
# Pairs that are held at once.
_BLOCK = 500_000


def sharing_pairs(words: Sequence[NDArray[np.uint32]]) -> Pairs:
    """Return the places of memories, two by two, that share rarer words; the first is the lower.

    words: the keys of the words of each memory.
    """
    counts = np.array([len(each) for each in words], np.int64)
    if not len(counts) or not counts.any():
        return np.zeros((0, 2), np.int64)
    places = np.repeat(np.arange(len(words)), counts)
    keys = np.concatenate(words)
    keys, places = _rarest(keys, places, len(words))
    starts, sizes = _runs(keys)
    several = sizes > 1
    found = [np.zeros((0, 2), np.int64)]
    for codes, times in _shared(places, starts[several], sizes[several], len(words)):
        first, second = codes // len(words), codes % len(words)
        enough = times >= np.minimum(_SHARED_MIN, np.minimum(counts[first], counts[second]))
        found.append(np.stack([first[enough], second[enough]], axis=1))
    pairs = np.concatenate(found)
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def naming_pairs(mentions: Sequence[tuple[int, int]], ids: Sequence[int]) -> Pairs:
    """Return the places of memories, two by two, that name the same; the first is the lower.

    mentions: which entity is named in which memory, by entity; ids: those of the memories.
    """
    place_of = {memory: place for place, memory in enumerate(ids)}
    known = sorted((entity, place_of[m]) for entity, m in mentions if m in place_of)
    if not known:
        return np.zeros((0, 2), np.int64)
    keys, places = np.array(known, np.int64).T
    starts, sizes = _runs(keys)
    several = sizes > 1
    found = [codes for codes, _ in _shared(places, starts[several], sizes[several], len(ids))]
    codes = np.concatenate([np.zeros(0, np.int64), *found])
    return np.stack([codes // len(ids), codes % len(ids)], axis=1)


def together(worded: Pairs, named: Pairs, count: int) -> tuple[Pairs, NDArray[np.bool_]]:
    """Return pairs of two kinds in order, each once, and which are of the first kind."""
    first, second = (pairs[:, 0] * count + pairs[:, 1] for pairs in (worded, named))
    codes = np.union1d(first, second)
    return np.stack([codes // count, codes % count], axis=1), np.isin(codes, first)


def _rarest(
    keys: NDArray[np.uint32], places: NDArray[np.int64], count: int
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Return of each memory the rarest words that others have too, by word and memory."""
    order = np.lexsort((places, keys))
    keys, places = keys[order], places[order]
    _, sizes = _runs(keys)
    held = np.repeat(sizes, sizes)
    most = max(_COMMON_MIN, int(_COMMON_SHARE * count))
    some = (held > 1) & (held <= most)
    keys, places, held = keys[some], places[some], held[some]
    order = np.lexsort((keys, held, places))
    starts, sizes = _runs(places[order])
    rank = np.arange(len(order)) - np.repeat(starts, sizes)
    kept = np.sort(order[rank < _WORDS])
    return keys[kept], places[kept]


def _runs(values: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where each run of equal values starts, and how long it is."""
    if not len(values):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    starts = np.flatnonzero(np.r_[True, values[1:] != values[:-1]])
    return starts, np.diff(np.r_[starts, len(values)])


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


def _shared(
    places: NDArray[np.int64], starts: NDArray[np.int64], sizes: NDArray[np.int64], count: int
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield the numbers of pairs and how many words each shares, a part of all at a time."""
    parts = int((sizes * (sizes - 1) // 2).sum()) // _BLOCK + 1
    for part in range(parts):
        codes = [some[some % parts == part] for some in _codes(places, starts, sizes, count)]
        if codes:
            yield np.unique(np.concatenate(codes), return_counts=True)


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
