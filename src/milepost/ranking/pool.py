"""The question and the candidate memories, as arrays that any store can fill."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Probe(NamedTuple):
    """A question, analysed: its content words, their terms and kin, and its vectors by model."""

    text: str
    words: tuple[str, ...]
    terms: tuple[int, ...]
    kin: tuple[Mapping[int, float], ...]
    vectors: Mapping[str, NDArray[np.float32]]
    authors: frozenset[int]


class Corpus(NamedTuple):
    """What weighs a term: how many memories there are, how long, and how many hold it."""

    documents: int
    mean_length: float
    frequencies: Mapping[int, int]


class Pool(NamedTuple):
    """Candidates first, then the neighbours that only lend them context."""

    candidates: int
    # How many memories share a word with the question, and up to which of them this pool goes.
    matched: int
    next_offset: int
    corpus: Corpus
    ids: NDArray[np.int64]
    term_starts: NDArray[np.int64]
    terms: NDArray[np.uint32]
    vectors: Mapping[str, NDArray[np.float32]]
    session: NDArray[np.uint64]
    author: NDArray[np.uint64]
    created: NDArray[np.int64]
    flags: NDArray[np.uint8]
    # Rows of the memories before and after each candidate in its session, -1 where there is none.
    neighbours: NDArray[np.int64]


# The columns of Pool.neighbours: how far each lies from the candidate.
NEIGHBOUR_OFFSETS = (-1, 1, -2, 2)

# What Pool.flags says of a memory's text.
ASKS = 1
HAS_DIGIT = 2
TELLS_TIME = 4
FIRST_PERSON = 8


def empty_pool(corpus: Corpus) -> Pool:
    """Return a pool without candidates."""
    none: Any = np.zeros(0)
    return Pool(
        0,
        0,
        0,
        corpus,
        none.astype(np.int64),
        np.zeros(1, np.int64),
        none.astype(np.uint32),
        {},
        none.astype(np.uint64),
        none.astype(np.uint64),
        none.astype(np.int64),
        none.astype(np.uint8),
        np.zeros((0, len(NEIGHBOUR_OFFSETS)), np.int64),
    )
