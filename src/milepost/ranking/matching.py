"""Match the words of a question with those of the candidates, exactly and by kinship."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from milepost.ranking.pool import Pool, Probe

Matrix = NDArray[np.float32]


class Matches(NamedTuple):
    """For each row and word: the best similarity, how often the word itself stands there."""

    soft: Matrix
    counts: Matrix
    adjacent: NDArray[np.float32]
    lengths: NDArray[np.float32]


def match_words(pool: Pool, probe: Probe) -> Matches:
    """Match every row of the pool, neighbours included."""
    rows, words = len(pool.ids), len(probe.words)
    lengths = np.diff(pool.term_starts).astype(np.float32)
    soft = np.zeros((rows, max(words, 1)), np.float32)
    counts = np.zeros_like(soft)
    adjacent = np.zeros(rows, np.float32)
    keys, table = _kinship(probe)
    if words == 0 or len(pool.terms) == 0:
        return Matches(soft, counts, adjacent, lengths)
    entry = np.minimum(np.searchsorted(keys, pool.terms), len(keys) - 1)
    place = np.flatnonzero(keys[entry] == pool.terms)
    if len(place) == 0:
        return Matches(soft, counts, adjacent, lengths)
    owner = np.searchsorted(pool.term_starts, place, side="right") - 1
    similarity = table[entry[place]]
    first = np.flatnonzero(np.diff(owner, prepend=-1))
    soft[owner[first]] = np.maximum.reduceat(similarity, first, axis=0)
    exact = similarity >= 1
    counts[owner[first]] = np.add.reduceat(exact.astype(np.float32), first, axis=0)
    # A word of the question that is followed in the memory by the next word of the question.
    follows = (place[1:] == place[:-1] + 1) & (owner[1:] == owner[:-1])
    runs = follows & (exact[:-1, :-1] & exact[1:, 1:]).any(axis=1)
    np.add.at(adjacent, owner[:-1][runs], 1)
    return Matches(soft, counts, adjacent, lengths)


def _kinship(probe: Probe) -> tuple[NDArray[np.uint32], Matrix]:
    """Return all terms that mean anything to the question, and what they mean to each word."""
    terms = sorted({term for word in probe.words for term in word.kin})
    place = {term: i for i, term in enumerate(terms)}
    table = np.zeros((len(terms), max(len(probe.words), 1)), np.float32)
    for column, word in enumerate(probe.words):
        for term, similarity in word.kin.items():
            table[place[term], column] = similarity
    return np.array(terms, np.uint32), table
