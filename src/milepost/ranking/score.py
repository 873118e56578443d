"""Rank the candidates of a search, and say how likely each is relevant.

A linear model scores the candidates; a better match never lowers a score, for no weight of a match
is below zero. Another over absolute features says how likely a memory is relevant at all, so that
probabilities can be compared between questions, and between stores of any size.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from milepost.phases import phase
from milepost.ranking.age import Aged, Rivals, aged, with_leads
from milepost.ranking.bridges import raised, strengths
from milepost.ranking.candidates import CandidateSet, Probe, RareWords
from milepost.ranking.features import features
from milepost.ranking.numerics import times_vector, weighted_rows

Matrix = NDArray[np.floating[Any]]

_DATA = Path(__file__).parent / "data"


class ScoringLayer(NamedTuple):
    """A linear model of features."""

    features: tuple[str, ...]
    bias: Matrix
    weights: Matrix

    def score(self, columns: Mapping[str, Matrix]) -> Matrix:
        """Return a score for each place in the named columns."""
        rows = np.array([columns[name] for name in self.features])
        return weighted_rows(rows, self.weights) + self.bias


class FusionModel(NamedTuple):
    """What ranks, what says which memories are out of date, and how likely a memory is relevant.

    That is how likely the question is answered at all, judged by the best memory, times how likely
    the memory answers it if anything does. A search that is less likely answered than the gate
    finds nothing; what is less likely than the item is not shown beside what is.
    """

    ranking: ScoringLayer
    replaced: ScoringLayer
    answered: ScoringLayer
    relevance: ScoringLayer
    gate: float
    item: float


@cache
def shipped_model(name: str = "static") -> FusionModel:
    """Read a model that ships with the package: "static", or "chosen" for two vector channels."""
    return model_from(json.loads((_DATA / f"fusion-{name}.json").read_text("utf-8")))


def model_from(data: Mapping[str, Any]) -> FusionModel:
    """Build a model from its data."""
    return FusionModel(
        ranking=_layer(data["ranking"]),
        replaced=_layer(data["replaced"]),
        answered=_layer(data["answered"]),
        relevance=_layer(data["relevance"]),
        gate=float(data["gate"]),
        item=float(data["item"]),
    )


def _layer(data: Mapping[str, Any]) -> ScoringLayer:
    bias, weights = (np.array(data[name], np.float32) for name in ("bias", "weights"))
    return ScoringLayer(tuple(data["features"]), bias, weights)


def layer_data(layer: ScoringLayer) -> dict[str, Any]:
    """Return a layer as it is kept in the file."""
    return {
        "features": list(layer.features),
        "bias": _short(layer.bias),
        "weights": _short(layer.weights),
    }


def _short(values: Matrix) -> list[float]:
    return [float(f"{value:.5g}") for value in values.tolist()]


# The share of a question's weight that is all of it, but for rounding.
WHOLLY = 0.999
# Beside the best, what is this much less likely is not shown.
_BESIDE_BEST = 0.08
# Shares below this are all the same: not the answer.
_SHARE_MIN = 1e-5
# So many imagined candidates share in every question, each as good as one of which nothing is
# known: among few memories the best is not the answer for want of others.
_IMAGINED = 5.0

# So near do words come to a memory by their letters alone: a word that is misspelt comes nearer.
_NEAR = 0.5


class Verdict(NamedTuple):
    """The rows of the relevant candidates, best first, and their probabilities."""

    rows: NDArray[np.int64]
    chances: Matrix
    # How many of them share no word with the question, and whether all that do are among them.
    wordless: int
    all_matches: bool
    # By the row of an older memory that of the newer one that replaces it.
    replaced_by: dict[int, int]


def rank(pool: CandidateSet, probe: Probe, min_score: float | None) -> Verdict:
    """Judge which candidates are relevant."""
    if pool.size == 0:
        none = np.zeros(0, np.int64)
        return Verdict(none, np.zeros(0, np.float32), 0, all_matches=True, replaced_by={})
    return verdict_of(judged(pool, probe), min_score)


def verdict_of(judgement: "Judgement", min_score: float | None) -> Verdict:
    """Return which candidates are relevant by what was judged."""
    order, chances, shown = judgement.order, judgement.chances, judgement.shown
    if min_score is not None:
        shown = chances >= min_score
    matching = judgement.columns["count"][order] > 0
    return Verdict(
        order[shown],
        chances[shown],
        wordless=int(np.count_nonzero(shown & ~matching)),
        all_matches=not (matching & ~shown).any(),
        replaced_by=judgement.replaced_by,
    )


class Judgement(NamedTuple):
    """What is known of the candidates of a question, with their order and what is said by it."""

    columns: dict[str, Matrix]
    model: FusionModel
    # By row: what it is ordered by, and how likely it is relevant by itself.
    scores: Matrix
    likely: Matrix
    answered: float
    replaced_by: dict[int, int]
    # Best first, with probabilities that never rise, and which of them to show.
    order: NDArray[np.int64]
    chances: Matrix
    shown: NDArray[np.bool_]

    @property
    def best(self) -> int:
        """The row of the best candidate."""
        return int(self.order[0])

    @property
    def silent(self) -> bool:
        """Whether the question is hardly answered."""
        return self.answered < self.model.gate


def judged(pool: CandidateSet, probe: Probe) -> Judgement:
    """Judge candidates, of which there is at least one."""
    with phase("features"):
        columns, rivals = features(pool, probe)
    model = shipped_model("chosen" if "chosen_z" in columns else "static")
    scores, added, replaced_by = scored(model.ranking, model.replaced, columns, rivals)
    if probe.past:
        # Who asks what was is not told what it was replaced by.
        replaced_by = {}
    columns |= {"renewed": added, "bridged": np.zeros_like(scores), **standing(scores)}
    answered, chances = likelihoods(model, columns)
    scores, chances = lessened(pool, scores, chances)
    return _placed(columns, model, scores, chances, answered, replaced_by)


def bridged(judgement: Judgement, pool: CandidateSet, rare: RareWords) -> Judgement:
    """Raise what speaks of the same rare things as the best candidate, but never above it.

    How likely the question is answered stays as it was: this finds the rest of an answer.
    """
    scores = raised(judgement.scores, strengths(pool, judgement.best, rare), judgement.best)
    added = scores - judgement.scores
    if not added.any():
        return judgement
    columns = {**judgement.columns, "bridged": added}
    likely = _likelier(judgement.likely, added)
    _, model, _, _, answered, replaced_by, *_ = judgement
    return _placed(columns, model, scores, likely, answered, replaced_by)


def _placed(
    columns: dict[str, Matrix],
    model: FusionModel,
    scores: Matrix,
    likely: Matrix,
    answered: float,
    replaced_by: dict[int, int],
) -> Judgement:
    order, chances = in_order(scores, likely)
    covered = columns["covered_all"][order] > WHOLLY
    shown = relevant(answered, chances, covered, model)
    return Judgement(columns, model, scores, likely, answered, replaced_by, order, chances, shown)


def scored(
    ranking: ScoringLayer, replaced: ScoringLayer, columns: Mapping[str, Matrix], pairs: Rivals
) -> Aged:
    """Score candidates, and put before them what replaces them."""
    scores = ranking.score(columns)
    if len(pairs.older) == 0:
        return Aged(scores, np.zeros_like(scores), {})
    return aged(scores, pairs, _logistic(replaced.score(with_leads(pairs, scores))))


# How much less likely it is, as a logarithm of the odds, that somebody asks in one project for what
# is known of another. Of two memories that answer alike, that of the own project comes first.
_ELSEWHERE = 1.5
# How much less likely what has faded is asked for: of two that answer alike it comes second.
_FADED = 1.0


def lessened(pool: CandidateSet, scores: Matrix, chances: Matrix) -> tuple[Matrix, Matrix]:
    """Return scores and probabilities, less for what faded or belongs to other projects."""
    lesser = [(_ELSEWHERE, pool.elsewhere), (_FADED, pool.faded)]
    weights = [weight * mask for weight, mask in lesser if mask is not None and mask.any()]
    if not weights:
        return scores, chances
    less: Matrix = np.sum(weights, axis=0)
    return scores - less, _likelier(chances, -less)


def _likelier(chances: Matrix, by: Matrix) -> Matrix:
    """Return probabilities whose odds are higher by a logarithm."""
    odds = chances / np.maximum(1 - chances, 1e-6) * np.exp(by)
    likelier: Matrix = odds / (1 + odds)
    return likelier


def in_order(scores: Matrix, chances: Matrix) -> tuple[NDArray[np.int64], Matrix]:
    """Return the rows by falling score and their probabilities, which then never rise."""
    order = np.argsort(-scores, kind="stable")
    return order, np.maximum.accumulate(chances[order][::-1])[::-1]


def relevant(
    answered: float, chances: Matrix, covered: NDArray[np.bool_], model: FusionModel
) -> NDArray[np.bool_]:
    """Return which candidates to show, given their falling probabilities.

    Where the question is hardly answered nothing is shown, and where it is, what is likely enough,
    or about as likely as the best: of many that are alike none is likely. Memories that hold every
    word are always shown: whoever asks for a common word alone wants to see where it stands.
    """
    if answered < model.gate:
        return covered
    best = float(chances[0])
    shown: NDArray[np.bool_] = chances >= max(min(model.item, best / 2), _BESIDE_BEST * best)
    return shown | covered


def likelihoods(model: FusionModel, columns: Mapping[str, Matrix]) -> tuple[float, Matrix]:
    """Return how likely the question is answered, and how likely each candidate is relevant."""
    best = int(np.argmax(columns["score"]))
    top = {name: columns[name][best : best + 1] for name in model.answered.features}
    answered = 0.0 if _is_noise(columns) else float(_logistic(model.answered.score(top))[0])
    return answered, answered * _logistic(model.relevance.score(columns))


def _is_noise(columns: Mapping[str, Matrix]) -> bool:
    """Whether a question has no word that anybody knows, and is near to no memory.

    Then its vector is made of letters, and however few memories there are, the nearest of them is
    no answer. A model that was chosen knows other words.
    """
    if "chosen_z" in columns or not columns["q_strange"][0]:
        return False
    return float(columns["q_similar"][0]) < _NEAR


def _logistic(odds: Matrix) -> Matrix:
    chances: Matrix = 1 / (1 + np.exp(-odds))
    return chances


def nearest(pool: CandidateSet, probe: Probe) -> tuple[list[int], list[float]]:
    """Return the candidates by their similarity, of whichever model finds them nearest."""
    best = np.zeros(pool.size, np.float32)
    for model, vector in probe.vectors.items():
        if model in pool.vectors:
            best = np.maximum(best, times_vector(pool.vectors[model], vector))
    order = np.argsort(-best, kind="stable")
    return pool.ids[order].tolist(), best[order].tolist()


def standing(scores: Matrix) -> dict[str, Matrix]:
    """Return what the scores say of how far each candidate stands out among all."""
    top = max(float(scores.max()), 0.0)
    weights = np.exp(scores - top)
    shares = weights / (weights.sum() + _IMAGINED * np.exp(-top))
    best = np.sort(scores)[::-1][:10]
    return {
        "score": scores,
        "share": np.log(np.maximum(shares, _SHARE_MIN)),
        "lead": scores - best.mean(),
    }
