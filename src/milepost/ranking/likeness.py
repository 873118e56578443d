"""Which of the best memories may say the same."""

import numpy as np
from numpy.typing import NDArray

from milepost.ranking.candidates import CandidateSet, Probe

# What may say the same is so near, has at most so many terms, and differs by at most so many: an
# article or a label before the same words.
_TWIN, _TWIN_LENGTH_MAX, _TWIN_LENGTHS_DIFFER = 0.8, 2_000.0, 6.0
# More are not compared with each other.
_TWINS_AMONG = 500


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
