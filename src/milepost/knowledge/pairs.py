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
# Pairs, or words, that are held at once, and memories whose words are.
_BLOCK, _AT_ONCE = 500_000, 10_000


def sharing_pairs(keys: NDArray[np.uint32], counts: NDArray[np.int64]) -> Pairs:
    """Return the places of memories, two by two, that share rarer words; the first is the lower.

    keys: those of the words of each memory, one after the other; counts: how many each has.
    """
    rarer, places = _rarest(keys, counts)
    starts, sizes = _runs(rarer)
    several = sizes > 1
    found = [np.zeros((0, 2), np.int64)]
    for codes, times in _shared(places, starts[several], sizes[several], len(counts)):
        first, second = codes // len(counts), codes % len(counts)
        enough = times >= np.minimum(_SHARED_MIN, np.minimum(counts[first], counts[second]))
        found.append(np.stack([first[enough], second[enough]], axis=1))
    pairs = np.concatenate(found)
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def naming_pairs(mentions: Sequence[tuple[int, int]], ids: NDArray[np.int64]) -> Pairs:
    """Return the places of memories, two by two, that name the same; the first is the lower.

    mentions: which entity is named in which memory, by entity; ids: those of the memories.
    """
    entities, memories = np.array(mentions, np.int64).reshape(-1, 2).T
    by_id = np.argsort(ids)
    at = np.minimum(np.searchsorted(ids, memories, sorter=by_id), max(len(ids) - 1, 0))
    known = ids[by_id[at]] == memories if len(ids) else np.zeros(len(memories), np.bool_)
    if not known.any():
        return np.zeros((0, 2), np.int64)
    keys, places = entities[known], by_id[at[known]]
    order = np.lexsort((places, keys))
    keys, places = keys[order], places[order]
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
    keys: NDArray[np.uint32], counts: NDArray[np.int64]
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Return of each memory the rarest words that others have too, by word and memory."""
    held = _held(keys)
    most = max(_COMMON_MIN, int(_COMMON_SHARE * len(counts)))
    ends = np.cumsum(counts)
    rare: list[NDArray[np.uint32]] = [np.zeros(0, np.uint32)]
    whose: list[NDArray[np.int32]] = [np.zeros(0, np.int32)]
    for first in range(0, len(counts), _AT_ONCE):
        last = min(first + _AT_ONCE, len(counts))
        words = slice(ends[first] - counts[first], ends[last - 1])
        places = np.repeat(np.arange(first, last, dtype=np.int32), counts[first:last])
        some = (held[words] > 1) & (held[words] <= most)
        mine, places, by = keys[words][some], places[some], held[words][some]
        order = np.lexsort((mine, by, places))
        starts, sizes = _runs(places[order])
        rank = np.arange(len(order)) - np.repeat(starts, sizes)
        kept = order[rank < _WORDS]
        rare.append(mine[kept])
        whose.append(places[kept])
    keys, owners = np.concatenate(rare), np.concatenate(whose)
    order = np.lexsort((owners, keys))
    return keys[order], owners[order].astype(np.int64)


def _held(keys: NDArray[np.uint32]) -> NDArray[np.int32]:
    """Return of each word how many memories have it, a part of all words at a time."""
    held = np.zeros(len(keys), np.int32)
    parts = len(keys) // _BLOCK + 1
    for part in range(parts):
        mine = np.flatnonzero(keys % parts == part)
        _, which, sizes = np.unique(keys[mine], return_inverse=True, return_counts=True)
        held[mine] = sizes[which]
    return held


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


def groups(pairs: Pairs) -> list[list[int]]:
    """Return the places that hang together by pairs, in groups of at least two."""
    places = np.unique(pairs).tolist()
    parent = {place: place for place in places}

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
    for place in places:
        members.setdefault(root(place), []).append(place)
    return list(members.values())
