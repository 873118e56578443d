"""Examples for the ranking model, made by the real engine, and the training of its three steps."""

import random
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).parent))
from datasets import Case
from milepost.app import Milepost, open_memory
from milepost.memory.remember import content_hash
from milepost.memory.values import Filter
from milepost.opening import settings_for
from milepost.ranking.candidates import CandidateSet
from milepost.ranking.features import features
from milepost.ranking.score import (
    WHOLLY,
    FusionModel,
    ScoringLayer,
    context,
    in_order,
    probabilities,
    relevant,
)

Matrix = NDArray[np.float32]

FOLDS = 5
HARD, RANDOM, POSITIVE = 100, 30, 12
# A LongMemEval question counts as much as four of LoCoMo, which has seventeen times as many.
WEIGHTS = {"locomo": 1.0, "longmemeval": 4.0, "foreign": 1.0}


class Example(NamedTuple):
    """One question against one history: features of all candidates and which are relevant."""

    fold: int
    source: str
    pool: CandidateSet
    columns: dict[str, Matrix]
    relevant: NDArray[np.bool_]
    evidence: int


def fill_case(case: Case, *, plain: bool = False) -> tuple[Milepost, list[str]]:
    """Store a case's memories, without session and author when plain; return their hashes."""
    # Evidence is known by the hash of its text, so that must stay as it is.
    memory = open_memory(settings_for("memory://")._replace(secrets="keep"))
    kept = ("content", "created") if plain else ("content", "created", "session", "author")
    memory.store_batch([{name: item[name] for name in kept} for item in case.memories])
    return memory, [content_hash(item["content"]) for item in case.memories]


def open_case(case: Case, *, plain: bool = False) -> tuple[Milepost, list[int]]:
    """Store a case's memories; return their ids."""
    memory, hashes = fill_case(case, plain=plain)
    opened = memory._context
    found = [opened.store.memories.record(opened.space, text) for text in hashes]
    return memory, [record.id for record in found if record is not None]


def examples(cases: Sequence[Case], *, plain: bool, limit: int) -> list[Example]:
    """Ask all questions of all cases."""
    made = []
    for number, case in enumerate(tqdm(cases, desc="plain" if plain else "sessions", unit="case")):
        memory, ids = open_case(case, plain=plain)
        for question in case.questions:
            relevant = {ids[place] for place in question.evidence}
            source = case.name.split()[0]
            made.append(_example(memory, question.text, relevant, number % FOLDS, source, limit))
        memory.close()
    return made


def small_examples(
    cases: Sequence[Case],
    count: int,
    strangers: Sequence[Case] | None = None,
) -> list[Example]:
    """Ask a handful of notes, as a new store has them, their own questions or strangers' ones."""
    rng = random.Random(5)
    made = []
    for number, case in enumerate(tqdm(cases, desc="small stores", unit="case")):
        for question in rng.sample(case.questions, min(count, len(case.questions))):
            others = rng.sample(range(len(case.memories)), rng.choice([1, 2, 4, 8, 16, 30, 60]))
            places = sorted({*others, *question.evidence})
            few = case._replace(memories=[case.memories[place] for place in places])
            memory, ids = open_case(few, plain=True)
            relevant = {
                i for i, place in zip(ids, places, strict=True) if place in question.evidence
            }
            source = case.name.split()[0]
            made.append(_example(memory, question.text, relevant, number % FOLDS, source, 1 << 30))
            if strangers is not None:
                text = rng.choice(rng.choice(strangers).questions).text
                made[-1] = _example(memory, text, set(), number % FOLDS, "foreign", 1 << 30)
            memory.close()
    return made


def foreign_examples(
    cases: Sequence[Case], strangers: Sequence[Case], count: int, *, plain: bool
) -> list[Example]:
    """Ask histories what they cannot know: questions about other histories."""
    rng = random.Random(6)
    made = []
    for number, case in enumerate(tqdm(cases, desc="foreign questions", unit="case")):
        memory, _ = open_case(case, plain=plain)
        others = [other for other in strangers if other.name != case.name]
        for _ in range(count):
            text = rng.choice(rng.choice(others).questions).text
            made.append(_example(memory, text, set(), number % FOLDS, "foreign", 1 << 30))
        memory.close()
    return made


def _example(
    memory: Milepost, question: str, relevant: set[int], fold: int, source: str, limit: int
) -> Example:
    opened = memory._context
    probe = opened.texts.probe(question)
    pool = opened.store.candidates.find(probe, Filter(opened.space, opened.clock()), limit)
    columns = features(pool, probe)
    columns["hand"] = hand(columns)
    light = pool._replace(vectors={}, hits=pool.hits._make([np.zeros(0, np.int64)] * 3))
    return Example(fold, source, light, columns, np.isin(pool.ids, list(relevant)), len(relevant))


def hand(columns: dict[str, Matrix]) -> Matrix:
    """Return a score with weights set by hand, whose best wrong candidates are hard to tell."""
    return (
        columns["core"]
        + 0.25 * columns["core_before"]
        + 0.15 * columns["core_after"]
        + 0.3 * columns["session_lexical"]
        + 0.1 * columns["author_asked"]
    )


class Batch(NamedTuple):
    """Candidates of many questions, padded to the same number."""

    rows: Matrix
    targets: Matrix
    real: NDArray[np.bool_]
    weights: Matrix


def batch_of(chosen: Sequence[Example], names: Sequence[str], hard_by: str) -> Batch:
    """Pick for each question the relevant candidates, the hardest wrong ones and some others."""
    rng = np.random.default_rng(0)
    width = HARD + RANDOM + POSITIVE
    usable = [example for example in chosen if example.relevant.any()]
    rows = np.zeros((len(usable), width, len(names)), np.float32)
    targets = np.zeros((len(usable), width), np.float32)
    real = np.zeros((len(usable), width), bool)
    for i, example in enumerate(usable):
        right = np.flatnonzero(example.relevant)[:POSITIVE]
        order = np.argsort(-example.columns[hard_by], kind="stable")
        wrong = order[~example.relevant[order]]
        rest = wrong[HARD:]
        some = rng.choice(rest, min(RANDOM, len(rest)), replace=False) if len(rest) else rest
        picked = np.concatenate([right, wrong[:HARD], some])
        rows[i, : len(picked)] = np.stack([example.columns[n][picked] for n in names], axis=1)
        targets[i, : len(right)] = 1 / len(right)
        real[i, : len(picked)] = True
    weights = np.array([WEIGHTS[example.source] for example in usable], np.float32)
    return Batch(rows, targets, real, weights)


def fit_listwise(
    batch: Batch,
    names: Sequence[str],
    *,
    hidden: int,
    epochs: int,
    rate: float,
    decay: float,
    seed: int = 0,
) -> ScoringLayer:
    """Fit a layer so that the relevant candidates of a question get the mass of its softmax."""
    rng = np.random.default_rng(seed)
    seen = batch.rows[batch.real]
    mean, scale = seen.mean(axis=0), seen.std(axis=0)
    scale[scale < 1e-6] = 1
    rows = np.where(batch.real[..., None], (batch.rows - mean) / scale, 0).astype(np.float32)
    width = rows.shape[-1]
    params = {"weights": np.zeros(width, np.float32)}
    if hidden:
        params["hidden"] = (rng.normal(size=(width, hidden)) / np.sqrt(width)).astype(np.float32)
        params["hidden_bias"] = np.zeros(hidden, np.float32)
        params["hidden_weights"] = (rng.normal(size=hidden) * 0.3 / np.sqrt(hidden)).astype(
            np.float32
        )
    optimiser = _Adam(params, rate, epochs * -(-len(rows) // 64))
    for _ in range(epochs):
        order = rng.permutation(len(rows))
        for start in range(0, len(rows), 64):
            some = order[start : start + 64]
            gradients = _gradients(params, rows[some], batch, some, decay)
            optimiser.step(gradients)
    return _folded(names, mean, scale, params)


def _folded(
    names: Sequence[str], mean: Matrix, scale: Matrix, params: dict[str, Matrix]
) -> ScoringLayer:
    """Return a layer that takes features as they are, trained on standardised ones."""
    none = np.zeros(0, np.float32)
    weights = params["weights"] / scale
    bias = params.get("bias", np.zeros(1, np.float32)) - mean @ weights
    if "hidden" not in params:
        return ScoringLayer(tuple(names), bias, weights, none, none, none)
    hidden = params["hidden"] / scale[:, None]
    inner_bias = params["hidden_bias"] - mean @ hidden
    return ScoringLayer(tuple(names), bias, weights, hidden, inner_bias, params["hidden_weights"])


def _gradients(
    params: dict[str, Matrix], rows: Matrix, batch: Batch, some: NDArray[np.int64], decay: float
) -> dict[str, Matrix]:
    scores = rows @ params["weights"]
    inner = None
    if "hidden" in params:
        inner = np.tanh(rows @ params["hidden"] + params["hidden_bias"])
        scores = scores + inner @ params["hidden_weights"]
    scores = np.where(batch.real[some], scores, -1e9)
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    error = (shares - batch.targets[some]) * batch.weights[some, None] / len(some)
    linear_decay = decay if inner is None else decay / 100
    found = {"weights": np.einsum("qm,qmf->f", error, rows) + linear_decay * params["weights"]}
    if inner is not None:
        out = params["hidden_weights"]
        back = error[..., None] * out * (1 - inner * inner)
        flat = rows.reshape(-1, rows.shape[-1])
        found["hidden_weights"] = np.einsum("qm,qmh->h", error, inner) + decay * out
        found["hidden"] = flat.T @ back.reshape(-1, back.shape[-1]) + decay * params["hidden"]
        found["hidden_bias"] = back.sum(axis=(0, 1))
    return found


class _Adam:
    """Adam with a warm-up and a linear fall of the rate."""

    def __init__(self, params: dict[str, Matrix], rate: float, steps: int) -> None:
        self._params, self._rate, self._steps, self._done = params, rate, steps, 0
        self._first = {name: np.zeros_like(value) for name, value in params.items()}
        self._second = {name: np.zeros_like(value) for name, value in params.items()}

    def step(self, gradients: dict[str, Matrix]) -> None:
        """Move the parameters once."""
        self._done += 1
        left = 0.02 + 0.98 * (1 - self._done / self._steps)
        rate = self._rate * min(1, self._done / 20) * left
        for name, gradient in gradients.items():
            self._first[name] = 0.9 * self._first[name] + 0.1 * gradient
            self._second[name] = 0.99 * self._second[name] + 0.01 * gradient**2
            mean = self._first[name] / (1 - 0.9**self._done)
            square = self._second[name] / (1 - 0.99**self._done)
            self._params[name] -= (rate * mean / (np.sqrt(square) + 1e-8)).astype(np.float32)


def fit_logistic(
    rows: Matrix,
    hits: NDArray[np.bool_],
    weights: Matrix,
    names: Sequence[str],
    *,
    hidden: int,
    steps: int,
) -> ScoringLayer:
    """Fit the probability of a hit."""
    rng = np.random.default_rng(0)
    mean, scale = rows.mean(axis=0), rows.std(axis=0)
    scale[scale < 1e-6] = 1
    inputs = ((rows - mean) / scale).astype(np.float32)
    width = inputs.shape[1]
    params = {
        "weights": np.zeros(width, np.float32),
        "hidden": (rng.normal(size=(width, hidden)) / np.sqrt(width)).astype(np.float32),
        "hidden_bias": np.zeros(hidden, np.float32),
        "hidden_weights": (rng.normal(size=hidden) * 0.1).astype(np.float32),
        "bias": np.array([np.log(hits.mean() / (1 - hits.mean()))], np.float32),
    }
    optimiser = _Adam(params, 0.02, steps)
    for _ in range(steps):
        inner = np.tanh(inputs @ params["hidden"] + params["hidden_bias"])
        odds = inputs @ params["weights"] + inner @ params["hidden_weights"] + params["bias"]
        error = (weights * (1 / (1 + np.exp(-odds)) - hits) / weights.sum()).astype(np.float32)
        back = error[:, None] * params["hidden_weights"] * (1 - inner * inner)
        optimiser.step(
            {
                "weights": inputs.T @ error + 1e-4 * params["weights"],
                "hidden": inputs.T @ back + 1e-3 * params["hidden"],
                "hidden_bias": back.sum(axis=0),
                "hidden_weights": inner.T @ error + 1e-3 * params["hidden_weights"],
                "bias": np.array([error.sum()], np.float32),
            }
        )
    return _folded(names, mean, scale, params)


FIRST_TRAINING = {"hidden": 0, "epochs": 25, "rate": 0.01, "decay": 1e-3}
SECOND_TRAINING = {"hidden": 16, "epochs": 30, "rate": 0.003, "decay": 1e-2}
# Networks that differ in their first weights alone are averaged: one wide layer.
NETS = 3
CALIBRATION_TRAINING = {"hidden": 8, "steps": 400}
CALIBRATED_BY = (
    "first", "second", "soft", "soft_all", "soft_rare", "covered", "covered_all",
    "nearly_covered", "best_word", "best_exact", "rarest", "count", "bm_norm", "similar", "topical",
    "similar_with_before", "topical_with_before", "window_three", "window_five", "session_covered",
    "has_session", "author_asked", "other_asked", "q_words", "q_soft", "q_covered", "q_rarest",
    "q_similar", "q_best_soft", "q_documents",
)  # fmt: skip


def train(
    chosen: Sequence[Example], foreign: Sequence[Example], gate: float, item: float
) -> FusionModel:
    """Train all three steps; scores a step learns from were made without the question's fold."""
    names = first_names(chosen[0])
    first = _fit_first(chosen, names)
    staged = [
        _with(e, context(e.pool, s)) for e, s in _held_out(chosen, lambda c: _fit_first(c, names))
    ]
    second_names = [*names, *question_names(chosen[0]), *context_names(staged[0])]
    second = _fit_second(staged, second_names)
    judged = [
        _with(e, {"second": s})
        for e, s in _held_out(staged, lambda c: _fit_second(c, second_names))
    ]
    strange = []
    for example in foreign:
        grown = _with(example, context(example.pool, first.score(example.columns)))
        strange.append(_with(grown, {"second": second.score(grown.columns)}))
    return FusionModel(first, second, _calibrate([*judged, *strange]), gate, item)


def first_names(example: Example) -> list[str]:
    """Return the features of the first step: all but those equal for all candidates."""
    return [n for n in example.columns if not n.startswith("q_") and n != "hand"]


def question_names(example: Example) -> list[str]:
    """Return the features of the question."""
    return [n for n in example.columns if n.startswith("q_")]


def context_names(example: Example) -> list[str]:
    """Return the features made from the first scores."""
    return [n for n in example.columns if n.startswith("first")]


def _fit_first(chosen: Sequence[Example], names: Sequence[str]) -> ScoringLayer:
    return fit_listwise(batch_of(chosen, names, "hand"), names, **FIRST_TRAINING)


def _fit_second(chosen: Sequence[Example], names: Sequence[str]) -> ScoringLayer:
    batch = batch_of(chosen, names, "first")
    nets = [fit_listwise(batch, names, **SECOND_TRAINING, seed=seed) for seed in range(NETS)]
    return nets[0]._replace(
        bias=np.mean([net.bias for net in nets], axis=0),
        weights=np.mean([net.weights for net in nets], axis=0),
        hidden=np.concatenate([net.hidden for net in nets], axis=1),
        hidden_bias=np.concatenate([net.hidden_bias for net in nets]),
        hidden_weights=np.concatenate([net.hidden_weights for net in nets]) / NETS,
    )


def _with(example: Example, more: dict[str, Matrix]) -> Example:
    return example._replace(columns={**example.columns, **more})


def _held_out(
    chosen: Sequence[Example], fit: Callable[[Sequence[Example]], ScoringLayer]
) -> Iterable[tuple[Example, Matrix]]:
    folds = sorted({example.fold for example in chosen})
    layers = {k: fit([e for e in chosen if e.fold != k]) for k in folds}
    return [(example, layers[example.fold].score(example.columns)) for example in chosen]


def _calibrate(chosen: Sequence[Example]) -> ScoringLayer:
    rows, hits, weights = [], [], []
    for example in chosen:
        best = np.argsort(-example.columns["second"], kind="stable")[:10]
        rows.append(np.stack([example.columns[n][best] for n in CALIBRATED_BY], axis=1))
        hits.append(example.relevant[best])
        weights.append(np.full(len(best), WEIGHTS[example.source], np.float32))
    return fit_logistic(
        np.concatenate(rows),
        np.concatenate(hits),
        np.concatenate(weights),
        CALIBRATED_BY,
        **CALIBRATION_TRAINING,
    )


class Ranking(NamedTuple):
    """The candidates of a question in order, and their probabilities."""

    order: NDArray[np.int64]
    chances: Matrix


def judge(model: FusionModel, example: Example) -> Ranking:
    """Rank the candidates of an example."""
    grown = _with(example, context(example.pool, model.first.score(example.columns)))
    second = model.second.score(grown.columns)
    chances = probabilities(model, {**grown.columns, "second": second})
    return Ranking(*in_order(second, chances))


Judged = dict[str, list[Ranking]]


def cross_validate(
    groups: dict[str, list[Example]], foreign: Sequence[Example], gate: float, item: float
) -> tuple[Judged, list[Ranking]]:
    """Judge every example with a model that was trained without its fold."""
    judged: Judged = {name: [None] * len(group) for name, group in groups.items()}  # type: ignore[list-item]
    strange: list[Ranking] = [None] * len(foreign)  # type: ignore[list-item]
    for fold in tqdm(range(FOLDS), desc="cross-validation", unit="fold"):
        seen = [e for group in groups.values() for e in group if e.fold != fold]
        model = train(seen, [e for e in foreign if e.fold != fold], gate, item)
        for name, group in groups.items():
            for i, example in enumerate(group):
                if example.fold == fold:
                    judged[name][i] = judge(model, example)
        for i, example in enumerate(foreign):
            if example.fold == fold:
                strange[i] = judge(model, example)
    return judged, strange


def ranking_table(groups: dict[str, list[Example]], judged: Judged) -> list[dict[str, object]]:
    """Return recall and mean reciprocal rank on questions of unseen histories."""
    rows = []
    for name, group in groups.items():
        recall = dict.fromkeys((1, 5, 10), 0.0)
        reciprocal = 0.0
        for example, ranking in zip(group, judged[name], strict=True):
            hits = example.relevant[ranking.order[:10]]
            for k in recall:
                recall[k] += hits[:k].sum() / example.evidence
            reciprocal += 1 / (1 + np.argmax(hits)) if hits.any() else 0
        means = {f"R@{k}": round(100 * v / len(group), 1) for k, v in recall.items()}
        rows.append(
            {
                "questions about": name,
                "n": len(group),
                **means,
                "MRR": round(100 * reciprocal / len(group), 1),
            }
        )
    return rows


def gate_table(
    groups: dict[str, list[Example]],
    judged: Judged,
    strange: Sequence[Ranking],
    gate: float,
    item: float,
) -> list[dict[str, object]]:
    """Return how often a search finds nothing, and what of R@5 the thresholds cost."""
    silent = float(np.mean([ranking.chances[0] < gate for ranking in strange]))
    rows: list[dict[str, object]] = []
    for name, group in groups.items():
        before, after, empty = 0.0, 0.0, 0
        for example, (order, chances) in zip(group, judged[name], strict=True):
            before += example.relevant[order[:5]].sum() / example.evidence
            covered = example.columns["covered_all"][order] > WHOLLY
            shown = order[relevant(chances, covered, gate, item)][:5]
            empty += len(shown) == 0
            after += example.relevant[shown].sum() / example.evidence
        count = len(group)
        rows.append(
            {
                "questions about": name,
                "found nothing %": round(100 * empty / count, 1),
                "R@5": round(100 * before / count, 1),
                "R@5 shown": round(100 * after / count, 1),
            }
        )
    rows.append(
        {
            "questions about": "other histories",
            "found nothing %": round(100 * silent, 1),
            "R@5": 0,
            "R@5 shown": 0,
        }
    )
    return rows
