"""Which candidates are out of date: a newer one speaks of the same thing, and stands before them.

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
# Above this a candidate is surely replaced, and the newer one is put before it. A note that stands
# alone states what holds; what is part of a talk or of a document may only pass by.
SURE, SURE_OF_PARTS = 0.8, 0.93
# Who reads an answer is told of what is surer still: a wrong mark misleads more than a wrong place.
TOLD = 0.96
# By so much, and the more the newer it is: of several that replace one the newest comes first.
_STEP = 1e-3
# How far apart two scores are said to be.
_BEHIND, _AHEAD = -4.0, 1.0
_RATIO = 1.5
# Few memories say little of how alike others are: so many imagined pairs, this alike, count too.
_PAIRS, _PAIR_ALIKE = 40, 0.25


class Rivals(NamedTuple):
    """Pairs of candidates of which one is newer, and what is known of each pair.

    Alone are pairs of which neither has neighbours.
    """

    older: Rows
    newer: Rows
    alone: NDArray[np.bool_]
    columns: dict[str, Vector]


def no_rivals() -> Rivals:
    """Return no pairs."""
    none = np.zeros(0, np.int64)
    return Rivals(none, none, none.astype(bool), {})


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
    pairs = len(best) * (len(best) - 1) + _PAIRS
    usual = (float(likeness.sum() - np.trace(likeness)) + _PAIRS * _PAIR_ALIKE) / pairs
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
    alone = pool.neighbours[best].max(axis=1) < 0
    return Rivals(best[first], best[second], alone[first] & alone[second], columns)


def with_leads(pairs: Rivals, scores: Vector) -> dict[str, Vector]:
    """Return what is known of pairs, with how much better the newer matches the question."""
    lead = np.clip(scores[pairs.newer] - scores[pairs.older], _BEHIND, _AHEAD)
    return {**pairs.columns, "lead": lead}


class Aged(NamedTuple):
    """Scores in which the newer stands before what it replaces, what was added, what to tell."""

    scores: Vector
    added: Vector
    replaced_by: dict[int, int]


def aged(scores: Vector, pairs: Rivals, chances: Vector) -> Aged:
    """Put the newer before the older of each pair, given how likely it replaces that."""
    days = pairs.columns["days"]
    sure = np.flatnonzero(chances > np.where(pairs.alone, SURE, SURE_OF_PARTS))
    raised = scores.copy()
    np.maximum.at(raised, pairs.newer[sure], scores[pairs.older[sure]] + _STEP * (1 + days[sure]))
    told = np.flatnonzero(chances > TOLD)
    # The newest comes last, and so it is the one that is told.
    told = told[np.argsort(days[told], kind="stable")]
    by = dict(zip(pairs.older[told].tolist(), pairs.newer[told].tolist(), strict=True))
    return Aged(raised, raised - scores, by)
