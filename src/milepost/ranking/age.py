"""Which candidates are out of date: a newer one speaks of the same thing.

Two memories that are alike for this store, and of which the newer meets what the older meets of the
question, are taken for two states of one thing, if the question asks what holds. The weights are
learned from pairs of which it is known.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from milepost.ranking.candidates import CandidateSet, Probe

Vector = NDArray[np.floating[Any]]
Rows = NDArray[np.int64]

# Whether one memory replaces another is looked at among so many of the best.
COMPARED = 20
# What was said within so many microseconds is one occasion: neither is the newer.
OCCASION_US = 12 * 3600 * 1_000_000
_DAY_US = 24 * 3600 * 1_000_000
# A likelihood below this says nothing, and what a candidate loses that is surely out of date.
UNSURE, LOSS = 0.8, 6.0
# How far apart two scores are said to be.
_BEHIND, _AHEAD = -4.0, 1.0
_RATIO = 1.5


class Rivals(NamedTuple):
    """Pairs of candidates of which one is newer, and what is known of each pair."""

    older: Rows
    newer: Rows
    columns: dict[str, Vector]


def no_rivals() -> Rivals:
    """Return no pairs."""
    none = np.zeros(0, np.int64)
    return Rivals(none, none, {})


def rivals(pool: CandidateSet, probe: Probe, core: Vector, soft: Vector, share: Vector) -> Rivals:
    """Compare the best candidates by a first score with each other.

    soft: how well each candidate meets each word; share: what each word weighs.
    """
    if not probe.asks:
        return no_rivals()
    best = np.argsort(-core, kind="stable")[:COMPARED]
    created, session = pool.created[best], pool.session[best]
    newer = created >= created[:, None] + OCCASION_US
    newer &= (session != session[:, None]) | (session == 0)
    first, second = np.nonzero(newer)
    if len(first) == 0:
        return no_rivals()
    vectors, met = pool.vectors[probe.static][best], soft[best]
    likeness = vectors @ vectors.T
    usual = float(likeness.sum() - np.trace(likeness)) / (len(best) * (len(best) - 1))
    alike = likeness[first, second]
    covered = met @ share
    shared = np.minimum(met[first], met[second]) @ share
    near = np.maximum(vectors @ probe.vectors[probe.static], 0.05)
    columns = {
        "alike": alike,
        "alike_for_here": (alike - usual) / max(1 - usual, 1e-3),
        "shared": shared / np.maximum(covered[first], 1e-3),
        "nearer": np.minimum(near[second] / near[first], _RATIO),
        "days": np.log1p((created[second] - created[first]) / _DAY_US),
        "past": np.full(len(first), float(probe.past)),
        "met": covered[first],
        "length": np.log1p(pool.lengths[best][first]),
        "asks": (pool.traits[best][first] & 3 > 0).astype(np.float32),
    }
    return Rivals(best[first], best[second], columns)


def with_leads(pairs: Rivals, scores: Vector) -> dict[str, Vector]:
    """Return what is known of pairs, with how much better the newer matches the question."""
    lead = np.clip(scores[pairs.newer] - scores[pairs.older], _BEHIND, _AHEAD)
    return {**pairs.columns, "lead": lead}


class Aged(NamedTuple):
    """Scores less what candidates lose for their age, how likely each is out of date, and by which
    newer one it is surely replaced.
    """

    scores: Vector
    outdated: Vector
    replaced_by: dict[int, int]


def aged(scores: Vector, pairs: Rivals, chances: Vector) -> Aged:
    """Lower what a newer candidate replaces, given how likely the newer of each pair does."""
    outdated = np.zeros(len(scores), np.float32)
    np.maximum.at(outdated, pairs.older, chances.astype(np.float32))
    sure = np.flatnonzero(chances > UNSURE)
    # The newest comes last, and so it is the one that stays.
    sure = sure[np.argsort(pairs.columns["days"][sure], kind="stable")] if len(sure) else sure
    by = dict(zip(pairs.older[sure].tolist(), pairs.newer[sure].tolist(), strict=True))
    return Aged(scores - lost(outdated), outdated, by)


def lost(outdated: Vector) -> Vector:
    """Return what candidates lose for being out of date."""
    loss: Vector = LOSS * np.maximum(outdated - UNSURE, 0)
    return loss
