"""Which of the best memories speak of the same thing: among themselves, not to the question."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from milepost.ranking.candidates import CandidateSet, Probe
from milepost.ranking.matching import word_weights

Matrix = NDArray[np.floating[Any]]

# What may say the same is so near, has at most so many terms, and differs by at most so many: an
# article or a label before the same words.
_TWIN, _TWIN_LENGTH_MAX, _TWIN_LENGTHS_DIFFER = 0.8, 2_000.0, 6.0
# More are not compared with each other.
_TWINS_AMONG = 500

# A line is replaced only among the first, which the question is about, and by a memory that is
# nearer to it than others are to each other, in numbers of the usual difference.
_FIRST, _BACKGROUND, _NEARER = 3, 30, 1.5
# So many others may be nearer still: the versions between the first and the last.
_VERSIONS_BETWEEN = 1
# The share of the question's weight that both meet.
_SHARED = 0.3
_DAY_US = 86_400_000_000
# Few memories say little of how near others are: so many imagined pairs are counted in.
_PAIRS, _PAIR_MEAN, _PAIR_SPREAD = 40, 0.25, 0.15


def with_twins(pool: CandidateSet, probe: Probe, rows: NDArray[np.int64]) -> list[int]:
    """Return the places of rows that another is so near to that it may be the same."""
    best = rows[:_TWINS_AMONG]
    vectors, lengths = pool.vectors[probe.static][best], pool.lengths[best]
    near = vectors @ vectors.T >= _TWIN
    np.fill_diagonal(near, val=False)
    if not near.any():
        return []
    near &= np.abs(lengths - lengths[:, None]) <= _TWIN_LENGTHS_DIFFER
    near &= lengths <= _TWIN_LENGTH_MAX
    places: list[int] = np.flatnonzero(near.any(axis=1)).tolist()
    return places


def replaced(
    pool: CandidateSet, probe: Probe, rows: NDArray[np.int64], order: NDArray[np.int64]
) -> dict[int, int]:
    """Return which of the first rows speak of what a newer one of them does, with the newest such.

    Both meet the same words of the question, and are nearer to each other than the best of all
    candidates, in their order, are.
    """
    first = rows[:_FIRST]
    created = pool.created[first]
    newer = created >= created[:, None] + _DAY_US
    if not newer.any():
        return {}
    newer &= _met_by_both(pool, probe, first) >= _SHARED
    if not newer.any():
        return {}
    best = np.concatenate([first, order[~np.isin(order, first)][: _BACKGROUND - len(first)]])
    vectors = pool.vectors[probe.static][best]
    older, by = np.nonzero(newer & _nearest_by_far(vectors @ vectors.T, len(first)))
    pairs = sorted(zip(older.tolist(), by.tolist(), strict=True), key=lambda p: created[p[1]])
    return {int(first[old]): int(first[new]) for old, new in pairs}


def _nearest_by_far(likeness: Matrix, first: int) -> NDArray[np.bool_]:
    """Return which two of the first are each other's nearest, and nearer than pairs usually are."""
    np.fill_diagonal(likeness, 0)
    pairs = likeness.size - len(likeness) + _PAIRS
    mean = (float(likeness.sum()) + _PAIRS * _PAIR_MEAN) / pairs
    squares = float((likeness**2).sum()) + _PAIRS * (_PAIR_MEAN**2 + _PAIR_SPREAD**2)
    spread = max(squares / pairs - mean**2, 0.0) ** 0.5
    among = likeness[:first, :first]
    nearer = (likeness[:first, None] > among[:, :, None]).sum(axis=2) <= _VERSIONS_BETWEEN
    by_far: NDArray[np.bool_] = nearer & nearer.T & (among >= mean + _NEARER * spread)
    return by_far


def _met_by_both(pool: CandidateSet, probe: Probe, rows: NDArray[np.int64]) -> Matrix:
    """Return the share of the question's weight that each two of some rows meet."""
    weights = np.array(word_weights(probe, pool.corpus) or [0.0], np.float32)
    row, _, term = pool.hits
    met = np.array([probe.kinship[term[row == one]].max(axis=0, initial=0) for one in rows])
    shared: Matrix = np.minimum(met[:, None], met[None]) @ weights
    return shared / max(float(weights.sum()), 1e-6)
