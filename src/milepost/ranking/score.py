"""Rank the candidates of a search and say how likely each is relevant."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from milepost.ranking.features import features
from milepost.ranking.groups import group_by
from milepost.ranking.model import FusionModel, shipped_model
from milepost.ranking.pool import Pool, Probe
from milepost.ranking.products import times_vector

Vector = NDArray[np.floating[Any]]

# Log-probabilities below this are all the same: not a candidate for the answer.
_FLOOR = -12.0
_ABSENT = -8.0


def rank(pool: Pool, probe: Probe, min_score: float | None) -> tuple[NDArray[np.int64], Vector]:
    """Return the rows of the relevant candidates, best first, and their probabilities."""
    if pool.size == 0:
        return np.zeros(0, np.int64), np.zeros(0, np.float32)
    columns = features(pool, probe)
    model = shipped_model("chosen" if "chosen_z" in columns else "static")
    columns |= context(pool, model.first.score(columns))
    columns |= final(model.second.score(columns))
    order, chances = in_order(columns["second"], probabilities(model, columns))
    least = min_score
    if least is None:
        least = least_shown(float(chances[0]), model.gate, model.item)
    shown = chances >= least
    return order[shown], chances[shown]


def in_order(scores: Vector, chances: Vector) -> tuple[NDArray[np.int64], Vector]:
    """Return the rows by falling score and their probabilities, which then never rise."""
    order = np.argsort(-scores, kind="stable")
    return order, np.maximum.accumulate(chances[order][::-1])[::-1]


def least_shown(best: float, gate: float, item: float) -> float:
    """Return the probability a memory needs to be shown: none does when the best is too weak."""
    return item * best if best >= gate else 1.1


def probabilities(model: FusionModel, columns: Mapping[str, Vector]) -> Vector:
    """Return the probability that each candidate is relevant."""
    odds = model.calibration.score(columns) + model.bias
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
    found = {
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
    return {name: values.astype(np.float32) for name, values in found.items()}


def final(scores: Vector) -> dict[str, Vector]:
    """Return what the second scores say of each candidate."""
    logs = np.maximum(_log_softmax(scores), _FLOOR)
    return {"second": scores, "second_log": logs, "second_share": np.exp(logs)}


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
