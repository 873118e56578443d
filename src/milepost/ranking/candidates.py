"""The question and the candidate memories, as arrays that any store can fill."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Word(NamedTuple):
    """A content word of a question: its term, how common it is in the language, whether a name.

    known: whether the static model can tell what it means.
    """

    text: str
    term: int
    rank: int
    named: bool = False
    known: bool = True


class Probe(NamedTuple):
    """A question, analysed; the static model's vectors come beside those of a chosen one."""

    text: str
    words: tuple[Word, ...]
    word_vectors: NDArray[np.float32]
    # The terms that mean something to the question, ascending, and what each means to each word.
    terms: NDArray[np.uint32]
    kinship: NDArray[np.float32]
    static: str
    vectors: Mapping[str, NDArray[np.float32]]
    authors: frozenset[int]
    # Whether it asks rather than tells, and whether it asks what was rather than what holds.
    asks: bool = True
    past: bool = False


def wordless_probe(text: str, vectors: Mapping[str, NDArray[np.float32]]) -> Probe:
    """Return a question for what is near in meaning, whatever its words."""
    nothing = np.zeros((0, 0), np.float32)
    terms = np.zeros(0, np.uint32)
    return Probe(text, (), nothing, terms, nothing, "", vectors, frozenset())


class Corpus(NamedTuple):
    """What weighs a term: how many memories there are, how long, and how many hold it."""

    documents: int
    mean_length: float
    frequencies: Mapping[int, int]


class RareWords(NamedTuple):
    """Who else holds the rare words of a memory: for each word and holder the holder's id.

    holders: how many memories hold the word.
    """

    ids: NDArray[np.int64]
    holders: NDArray[np.int64]


class Hit(NamedTuple):
    """Where candidates hold terms of the question: row, place among its terms, which term."""

    row: NDArray[np.int64]
    place: NDArray[np.int64]
    term: NDArray[np.int64]


class CandidateSet(NamedTuple):
    """The candidates of a search."""

    corpus: Corpus
    # How many memories share a word with the question, and up to which of them this pool goes.
    matched: int
    next_offset: int
    ids: NDArray[np.int64]
    created: NDArray[np.int64]
    lengths: NDArray[np.float32]
    hits: Hit
    vectors: Mapping[str, NDArray[np.float32]]
    session: NDArray[np.uint64]
    author: NDArray[np.uint64]
    traits: NDArray[np.uint16]
    # Rows of the memories before and after each in its session, or stored just before and after
    # where it has none; -1 for those not in the pool.
    neighbours: NDArray[np.int64]
    # Which belong to another project than the one that is worked on.
    elsewhere: NDArray[np.bool_] | None = None
    # Which have faded.
    faded: NDArray[np.bool_] | None = None

    @property
    def size(self) -> int:
        """How many candidates there are."""
        return len(self.ids)


# The columns of CandidateSet.neighbours: how far each lies from the candidate.
NEIGHBOUR_OFFSETS = (-1, 1, -2, 2)


def no_candidates(corpus: Corpus) -> CandidateSet:
    """Return a pool without candidates."""
    none = np.zeros(0, np.int64)
    return CandidateSet(
        corpus=corpus,
        matched=0,
        next_offset=0,
        ids=none,
        created=none,
        lengths=none.astype(np.float32),
        hits=Hit(none, none, none),
        vectors={},
        session=none.astype(np.uint64),
        author=none.astype(np.uint64),
        traits=none.astype(np.uint16),
        neighbours=np.zeros((0, len(NEIGHBOUR_OFFSETS)), np.int64),
    )
