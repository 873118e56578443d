"""Match the words of a question with those of the candidates, exactly and by kinship."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from milepost.ranking.candidates import Pool, Probe

Matrix = NDArray[np.float32]


class Matches(NamedTuple):
    """For each candidate and word: the best similarity, how often the word itself stands there."""

    soft: Matrix
    counts: Matrix
    adjacent: NDArray[np.float32]


def match_words(pool: Pool, probe: Probe) -> Matches:
    """Match every candidate."""
    soft = np.zeros((pool.size, max(len(probe.words), 1)), np.float32)
    counts = np.zeros_like(soft)
    adjacent = np.zeros(pool.size, np.float32)
    row, place, term = pool.hits
    if len(row) == 0:
        return Matches(soft, counts, adjacent)
    similarity = probe.kinship[term]
    first = np.flatnonzero(np.diff(row, prepend=-1))
    soft[row[first]] = np.maximum.reduceat(similarity, first, axis=0)
    exact = similarity >= 1
    counts[row[first]] = np.add.reduceat(exact.astype(np.float32), first, axis=0)
    # A word of the question that is followed in the memory by the next word of the question.
    follows = (place[1:] == place[:-1] + 1) & (row[1:] == row[:-1])
    runs = follows & (exact[:-1, :-1] & exact[1:, 1:]).any(axis=1)
    adjacent += np.bincount(row[:-1][runs], minlength=pool.size)
    return Matches(soft, counts, adjacent)
