"""How much a word tells, and where candidates hold the words of a question or their kin."""

from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from milepost.ranking.candidates import CandidateSet, Corpus, Probe, Word

# A store of a few memories says little about which words are rare: so many imagined memories,
# with words as frequent as in the language, are counted in.
IMAGINED = 20.0
_COMMONEST = 0.3


def language_share(rank: int) -> float:
    """Return about which share of texts hold a word of a frequency rank."""
    return min(_COMMONEST, 2.5 / (rank + 8))


def word_weight(word: Word, corpus: Corpus) -> float:
    """Return the inverse document frequency of a word, as in BM25."""
    share = language_share(word.rank)
    holders = corpus.frequencies.get(word.term, 0) + IMAGINED * share
    return log(1 + (corpus.documents + IMAGINED - holders + 0.5) / (holders + 0.5))


def word_weights(probe: Probe, corpus: Corpus) -> list[float]:
    """Return the weight of each word of a question."""
    return [word_weight(word, corpus) for word in probe.words]


Matrix = NDArray[np.float32]


class Matches(NamedTuple):
    """For each candidate and word: the best similarity, how often the word itself stands there."""

    soft: Matrix
    counts: Matrix
    adjacent: NDArray[np.float32]


def match_words(pool: CandidateSet, probe: Probe) -> Matches:
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


# A passage is two neighbouring blocks of so many terms: about two hundred characters.
_BLOCK = 24


def best_windows(
    pool: CandidateSet, probe: Probe, weights: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return how well the best passage of each candidate meets the words, by their weights."""
    best = np.zeros(pool.size, np.float32)
    row, place, term = pool.hits
    if len(row) == 0:
        return best
    blocks = row * (1 << 32) + place // _BLOCK
    first = np.flatnonzero(np.diff(blocks, prepend=-1))
    met = np.maximum.reduceat(probe.kinship[term], first, axis=0)
    blocks, row = blocks[first], row[first]
    joined = np.flatnonzero(blocks[1:] == blocks[:-1] + 1)
    met[joined] = np.maximum(met[joined], met[joined + 1])
    scores = met @ weights
    starts = np.flatnonzero(np.diff(row, prepend=-1))
    best[row[starts]] = np.maximum.reduceat(scores, starts)
    return best
