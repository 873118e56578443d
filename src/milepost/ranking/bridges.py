"""Memories that lead on from the best one: they speak of the same rare things.

Who asks for the port of the service that Priya owns is answered by two memories, and the second may
not hold a word of the question. What leads to it is a word that hardly any memory holds.
"""

from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from milepost.ranking.candidates import CandidateSet, RareWords
from milepost.ranking.matching import IMAGINED

Vector = NDArray[np.floating[Any]]

# A word is rare if at most so many memories hold it, and so small a share of them.
HOLDERS_MAX = 5
_SHARE = 0.1
# What sharing all that two memories say is worth, in score.
_GAIN = 1.5
# Two memories of so many terms that share one of the rarest words share all that counts: long
# ones share rare words by chance.
_TERMS = 7.0


def strengths(pool: CandidateSet, best: int, rare: RareWords) -> Vector:
    """Return how strongly each candidate hangs together with the best one, from 0 to 1."""
    documents = pool.corpus.documents
    wanted = rare.holders <= documents * _SHARE
    ids, holders = rare.ids[wanted], rare.holders[wanted]
    order = np.argsort(pool.ids)
    at = np.minimum(np.searchsorted(pool.ids, ids, sorter=order), pool.size - 1)
    rows = order[at]
    there = (pool.ids[rows] == ids) & (rows != best)
    total = documents + IMAGINED
    tells = np.log(total / holders[there]) / log(total / 2)
    shared = np.bincount(rows[there], tells, minlength=pool.size)
    lengths = np.maximum(pool.lengths * pool.lengths[best], 1)
    strength: Vector = np.minimum(_TERMS * shared / np.sqrt(lengths), 1).astype(np.float32)
    return strength


def raised(scores: Vector, strength: Vector, best: int) -> Vector:
    """Return scores with what hangs together with the best candidate higher, and below it."""
    below = np.nextafter(scores[best], -np.inf, dtype=scores.dtype)
    higher: Vector = np.maximum(scores, np.minimum(scores + _GAIN * strength, below))
    return higher
