"""The candidates of a question as they would be if one of them lacked some of its words."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from milepost.ranking.candidates import CandidateSet, Hit, Probe
from milepost.ranking.features import shared_words


def lacking(
    pool: CandidateSet,
    probe: Probe,
    memory: int,
    terms: NDArray[np.uint32],
    vectors: Mapping[str, NDArray[np.float32]],
) -> CandidateSet:
    """Return candidates of which one memory does not have some terms, and so has other vectors.

    It stays a candidate, though without those words it might not have been chosen.
    """
    rows = np.flatnonzero(pool.ids == memory)
    if len(rows) == 0:
        return pool
    row = int(rows[0])
    gone = (pool.hits.row == row) & np.isin(probe.terms, terms)[pool.hits.term]
    lengths = pool.lengths.copy()
    lengths[row] -= np.count_nonzero(gone)
    changed = {
        model: _with_row(matrix, row, vectors[model]) if model in vectors else matrix
        for model, matrix in pool.vectors.items()
    }
    hits = Hit(*(part[~gone] for part in pool.hits))
    return pool._replace(hits=hits, lengths=lengths, vectors=changed)


def _with_row(
    matrix: NDArray[np.float32], row: int, vector: NDArray[np.float32]
) -> NDArray[np.float32]:
    changed = matrix.copy()
    changed[row] = vector
    return changed


def by_words(pool: CandidateSet, probe: Probe) -> list[int]:
    """Return the candidates that hold words of a question by BM25 alone: the floor of a ranking."""
    if pool.size == 0:
        return []
    shares = shared_words(pool, probe)
    order = np.argsort(-shares, kind="stable")
    ids: list[int] = pool.ids[order[shares[order] > 0]].tolist()
    return ids
