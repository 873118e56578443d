"""What every store does alike with the candidates of a search, once it has found them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from milepost.ranking.candidates import NEIGHBOUR_OFFSETS, Probe
from milepost.ranking.features import BM25_B, BM25_K1
from milepost.ranking.keys import POSITION_STEP, label_key

# Share of a pool that is chosen by words; the rest is chosen by meaning.
LEXICAL_SHARE = 0.6
# And a little more by meaning, for some of what is nearest was chosen by its words already.
OVERLAP_SHARE = 0.05
# So many of the best by words, and by meaning, bring the memories beside them in their sessions.
SEEDS = 24
# What ranking looks at of a long memory: its beginning.
TERMS_MAX = 1_000
# Weights of terms in [0, 1) are kept as bytes: the ranking looks again at what they select.
IMPACT_SCALE = 255.0
# How long a memory is taken to be on average, in every store and every part of one: whoever took
# its own average would choose others. What is chosen is ranked by the real figure.
_MEAN_LENGTH = 20.0

# Memories without a session that were stored one after the other, and are about as old, stand
# beside each other as if they had one: what is told in one breath belongs together.
BURST_US = 15 * 60 * 1_000_000
# As far as they speak of the same: below this similarity they have nothing to do with each other.
BURST_ALIKE = 0.2
_BURST = np.uint64(label_key("burst", ""))

OFFSETS = np.array(NEIGHBOUR_OFFSETS, np.int64)
STEPS = np.array([o * POSITION_STEP % (1 << 64) for o in NEIGHBOUR_OFFSETS], np.uint64)

# Rows, places and terms, as in a Hit.
HitParts = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


def chosen_by_words(probe: Probe, limit: int) -> int:
    """Return how many of a pool are chosen by words."""
    return int(limit * LEXICAL_SHARE) if probe.vectors else limit


def term_impacts(counts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return how much of a memory each of its terms is, by BM25.

    counts: how often a memory holds a term.
    lengths: how many terms that memory has.
    """
    norm = BM25_K1 * (1 - BM25_B + BM25_B * lengths / _MEAN_LENGTH)
    impacts: NDArray[np.float64] = counts / (counts + norm)
    return impacts


def impact_bytes(impacts: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return weights as bytes, of which none is nothing."""
    rounded: NDArray[np.uint8] = np.maximum(np.round(impacts * IMPACT_SCALE), 1).astype(np.uint8)
    return rounded


def session_key(space: str, session: str | None) -> int:
    """Return the number of a session, 0 for none."""
    return 0 if session is None else label_key(f"session {space}", session)


def places_in(session: NDArray[np.uint64], position: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return the keys of the places that memories have in their sessions, 0 for none."""
    steps = position.astype(np.uint64) * np.uint64(POSITION_STEP)
    return np.where(session > 0, session + steps, np.uint64(0))


def neighbours_of(
    places: NDArray[np.uint64],
    ids: NDArray[np.int64],
    session: NDArray[np.uint64],
    created: NDArray[np.int64],
    vectors: NDArray[np.float32] | None,
) -> NDArray[np.int64]:
    """Return the rows beside each in its session, or in the burst that it was stored in.

    vectors: tell whether those of a burst speak of the same; without them all do.
    """
    loose = session == 0
    keys = np.where(loose, _BURST + ids.astype(np.uint64) * np.uint64(POSITION_STEP), places)
    order = np.argsort(keys)
    wanted = keys[:, None] + STEPS
    at = np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)
    rows = order[at]
    there = keys[rows] == wanted
    if loose.any():
        there &= ~loose[:, None] | (np.abs(created[rows] - created[:, None]) <= BURST_US)
    beside = np.where(there, rows, -1)
    return beside if vectors is None else _of_one_subject(beside, session, vectors)


def _of_one_subject(
    neighbours: NDArray[np.int64], session: NDArray[np.uint64], vectors: NDArray[np.float32]
) -> NDArray[np.int64]:
    """Return neighbours without those in a burst that speak of something else."""
    loose = np.flatnonzero(session == 0)
    if not (neighbours[loose] >= 0).any():
        return neighbours
    beside = neighbours[loose]
    alike = np.einsum("ij,ikj->ik", vectors[loose], vectors[beside])
    neighbours[loose] = np.where(alike >= BURST_ALIKE, beside, -1)
    return neighbours


def hits_of(
    counts: NDArray[np.int64], numbers: NDArray[Any], by_tags: Sequence[HitParts]
) -> HitParts:
    """Return where memories hold terms of a question.

    counts: how many terms of each memory are looked at.
    numbers: of all these terms, one after the other, which of the question each is, from 1; or 0.
    by_tags: the hits of words that are tags.
    """
    flat = np.flatnonzero(numbers > 0)
    ends = np.cumsum(counts)
    row = np.searchsorted(ends, flat, side="right")
    by_terms = row, flat - (ends - counts)[row], numbers[flat].astype(np.int64) - 1
    if not by_tags:
        return by_terms
    row, place, term = (np.concatenate(part) for part in zip(by_terms, *by_tags, strict=True))
    order = np.argsort(row, kind="stable")
    return row[order], place[order], term[order]


def tag_hits(rows: NDArray[np.int64], probe: Probe, word: int) -> HitParts:
    """Return the hits of a word that is a tag of some rows, as if it stood past their end."""
    number = int(np.searchsorted(probe.terms, probe.words[word].term))
    return rows, np.full(len(rows), 2 * TERMS_MAX), np.full(len(rows), number)
