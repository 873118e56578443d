"""Rank the candidates of a search and say how likely each is relevant."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from milepost.ranking.candidates import Pool, Probe
from milepost.ranking.features import features
from milepost.ranking.groups import group_by
from milepost.ranking.model import FusionModel, shipped_model
from milepost.ranking.products import times_vector

Vector = NDArray[np.floating[Any]]

# Log-probabilities below this are all the same: not a candidate for the answer.
_FLOOR = -12.0
_ABSENT = -8.0
# The share of a question's weight that is all of it, but for rounding.
WHOLLY = 0.999


class Verdict(NamedTuple):
    """The rows of the relevant candidates, best first, and their probabilities."""

    rows: NDArray[np.int64]
    chances: Vector
    # How many of them share no word with the question, and whether all that do are among them.
    wordless: int
    all_matches: bool


def rank(pool: Pool, probe: Probe, min_score: float | None) -> Verdict:
    """Judge which candidates are relevant."""
    if pool.size == 0:
        return Verdict(np.zeros(0, np.int64), np.zeros(0, np.float32), 0, all_matches=True)
    columns = features(pool, probe)
    model = shipped_model("chosen" if "chosen_z" in columns else "static")
    columns |= context(pool, model.first.score(columns))
    columns["second"] = model.second.score(columns)
    order, chances = in_order(columns["second"], probabilities(model, columns))
    covered = columns["covered_all"][order] > WHOLLY
    if min_score is None:
        shown = relevant(chances, covered, model.gate, model.item)
    else:
        shown = chances >= min_score
    matching = columns["count"][order] > 0
    return Verdict(
        order[shown],
        chances[shown],
        wordless=int(np.count_nonzero(shown & ~matching)),
        all_matches=not (matching & ~shown).any(),
    )


def in_order(scores: Vector, chances: Vector) -> tuple[NDArray[np.int64], Vector]:
    """Return the rows by falling score and their probabilities, which then never rise."""
    order = np.argsort(-scores, kind="stable")
    return order, np.maximum.accumulate(chances[order][::-1])[::-1]


def relevant(
    chances: Vector, covered: NDArray[np.bool_], gate: float, item: float
) -> NDArray[np.bool_]:
    """Return which candidates to show, given their falling probabilities.

    When the best does not reach the gate nothing is shown, but for memories that hold every word
    of the question: whoever asks for a common word alone wants to see where it stands.
    """
    if chances[0] < gate:
        return covered
    shown: NDArray[np.bool_] = chances >= item * chances[0]
    return shown


def probabilities(model: FusionModel, columns: Mapping[str, Vector]) -> Vector:
    """Return the probability that each candidate is relevant."""
    odds = model.calibration.score(columns)
    chances: Vector = 1 / (1 + np.exp(-odds))
    return chances


def nearest(pool: Pool, probe: Probe) -> tuple[list[int], list[float]]:
    """Return the candidates by their similarity, of whichever model finds them nearest."""
    best = np.zeros(pool.size, np.float32)
    for model, vector in probe.vectors.items():
        if model in pool.vectors:
            best = np.maximum(best, times_vector(pool.vectors[model], vector))
    order = np.argsort(-best, kind="stable")
    return pool.ids[order].tolist(), best[order].tolist()


def context(pool: Pool, scores: Vector) -> dict[str, Vector]:
    """Return what the first scores say of each candidate, its neighbours and its session."""
    logs = np.maximum(_log_softmax(scores), _FLOOR)
    shares = np.exp(logs)
    near = pool.neighbours
    before, after, before2, after2 = np.where(near >= 0, logs[near], _ABSENT).T
    beside, beside2 = np.maximum(before, after), np.maximum(before2, after2)
    best, rest = _session_scores(pool, logs, shares)
    order = np.argsort(-scores, kind="stable")
    rank = np.empty(len(scores), np.float32)
    rank[order] = np.arange(len(scores))
    return {
        "first": scores,
        "first_log": logs,
        "first_before": before,
        "first_after": after,
        "first_before2": before2,
        "first_after2": after2,
        "first_beside": beside,
        "first_beside2": beside2,
        "first_over_beside": logs - beside,
        "first_over_beside2": logs - beside2,
        "first_share": shares,
        "first_share_before": np.where(near[:, 0] >= 0, shares[near[:, 0]], 0),
        "first_share_after": np.where(near[:, 1] >= 0, shares[near[:, 1]], 0),
        "first_session_best": best,
        "first_session_rest": rest,
        "first_rank": 1 / (1 + rank),
        "first_rank_log": np.log1p(rank),
    }


def _session_scores(pool: Pool, logs: Vector, shares: Vector) -> tuple[Vector, Vector]:
    alone = pool.session == 0
    if alone.all():
        return np.full_like(logs, _FLOOR), np.zeros_like(logs)
    groups = group_by(pool.session)
    best, total = groups.max(logs)[groups.of], groups.sum(shares)[groups.of]
    return np.where(alone, _FLOOR, best), np.where(alone, 0, total - shares)


def _log_softmax(scores: Vector) -> Vector:
    top = scores.max()
    logs: Vector = scores - (top + np.log(np.exp(scores - top).sum()))
    return logs
