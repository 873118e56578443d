"""Rank the candidates of a search and say how likely each is relevant."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from milepost.ranking.features import features
from milepost.ranking.model import FusionModel, shipped_model
from milepost.ranking.pool import Pool, Probe

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
    chances = probabilities(model, columns)
    order = np.argsort(-chances, kind="stable")
    least = min_score
    if least is None:
        least = model.item if chances[order[0]] >= model.gate else 1.1
    order = order[chances[order] >= least]
    return order, chances[order]


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
            best = np.maximum(best, pool.vectors[model] @ vector)
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
    _, group = np.unique(pool.session, return_inverse=True)
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(int(group.max()) + 1))
    best = np.maximum.reduceat(logs[order], starts)[group]
    total = np.add.reduceat(shares[order], starts)[group]
    return np.where(alone, _FLOOR, best), np.where(alone, 0, total - shares)


def _log_softmax(scores: Vector) -> Vector:
    top = scores.max()
    logs: Vector = scores - (top + np.log(np.exp(scores - top).sum()))
    return logs
