"""The question and the candidate memories, as arrays that any store can fill."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from milepost.ranking.traits import Wish, wish


class Word(NamedTuple):
    """A content word of a question: its term, the terms of words akin to it, how common it is."""

    text: str
    term: int
    kin: Mapping[int, float]
    rank: int


class Probe(NamedTuple):
    """A question, analysed; the static model's vectors come beside those of a chosen one."""

    text: str
    words: tuple[Word, ...]
    word_vectors: NDArray[np.float32]
    static: str
    vectors: Mapping[str, NDArray[np.float32]]
    authors: frozenset[int]
    wish: Wish


def wordless_probe(text: str, vectors: Mapping[str, NDArray[np.float32]]) -> Probe:
    """Return a question for what is near in meaning, whatever its words."""
    return Probe(text, (), np.zeros((0, 0), np.float32), "", vectors, frozenset(), wish(""))


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
    traits: NDArray[np.uint16]
    # Rows of the memories before and after each candidate in its session, -1 where there is none.
    neighbours: NDArray[np.int64]


# The columns of Pool.neighbours: how far each lies from the candidate.
NEIGHBOUR_OFFSETS = (-1, 1, -2, 2)


def empty_pool(corpus: Corpus) -> Pool:
    """Return a pool without candidates."""
    return Pool(
        candidates=0,
        matched=0,
        next_offset=0,
        corpus=corpus,
        ids=np.zeros(0, np.int64),
        term_starts=np.zeros(1, np.int64),
        terms=np.zeros(0, np.uint32),
        vectors={},
        session=np.zeros(0, np.uint64),
        author=np.zeros(0, np.uint64),
        traits=np.zeros(0, np.uint16),
        neighbours=np.zeros((0, len(NEIGHBOUR_OFFSETS)), np.int64),
    )
