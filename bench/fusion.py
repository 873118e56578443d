"""Examples for the ranking model, made by the real engine, and the training of its two steps."""

import random
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).parent))
from datasets import MEASURED_ONLY, Case, Question
from milepost.app import Milepost, open_memory
from milepost.memory.remember import content_hash
from milepost.memory.search import POOL_SIZE
from milepost.memory.values import Filter
from milepost.opening import settings_for
from milepost.ranking.age import Rivals, no_rivals, with_leads
from milepost.ranking.features import Features, features
from milepost.ranking.score import (
    WHOLLY,
    FusionModel,
    ScoringLayer,
    in_order,
    likelihoods,
    relevant,
    scored,
    standing,
)

Matrix = NDArray[np.float32]

# What ranks. None of the first may weigh less than nothing: a better match never loses.
GAINS = (
    "bm_share", "bm_norm", "soft_share", "passage", "head", "adjacent", "similar_share",
    "similar_z", "topical", "window_three", "window_five", "beside", "session_lexical",
    "author_asked",
)  # fmt: skip
OTHERS = ("length", "asks", "asked_before", "answers")
# The part that weights without a chosen model have in those with one.
WITHOUT = 0.3
CHOSEN = ("chosen_z", "chosen_share", "chosen_beside")
# Nothing here knows how large the store is: the weight of a word does, so shares of it are taken.
RELEVANT_BY = (
    "score", "share", "lead", "soft", "passage", "covered", "nearly_covered", "bm_norm",
    "similar", "topical", "window_three", "adjacent", "author_asked", "length", "q_words",
)  # fmt: skip
ANSWERED_BY = (*RELEVANT_BY, "q_covered", "q_soft", "q_similar", "q_unknown")
# All others are matches: none makes an answer less likely.
NO_MATCHES = frozenset({"length", "q_words", "q_unknown"})
# What says that a newer memory replaces an older one.
REPLACED_BY = (
    "alike", "alike_for_here", "shared", "nearer", "lead", "days", "past", "met", "length", "asks",
)  # fmt: skip
FOLDS = 4
# How many candidates of a question are learned from: the right ones, the hardest, and some others.
RIGHT, WIDTH, RANDOM = 6, 48, 14
CALIBRATED = 10
# The share of questions that have an answer, for whoever asks a memory.
ANSWERED = 0.8


class Example(NamedTuple):
    """One question against one history: features of all candidates and which are relevant."""

    source: str
    history: str
    plain: bool
    category: str
    columns: dict[str, Matrix]
    rivals: Rivals
    relevant: NDArray[np.bool_]
    evidence: int
    older: NDArray[np.bool_]

    @property
    def origin(self) -> str:
        """What is left out together when a source is judged."""
        return {"turns": "longmemeval", "sessions": "longmemeval"}.get(self.source, self.source)


def fill_case(
    case: Case, *, plain: bool = False, url: str = "memory://", space: str = "default"
) -> tuple[Milepost, list[str]]:
    """Store a case's memories, without session and author when plain; return their hashes."""
    # Evidence is known by the hash of its text, so that must stay as it is.
    memory = open_memory(settings_for(url)._replace(secrets="keep", space=space))
    fields = ("content", "created") if plain else ("content", "created", "session", "author")
    memory.store_batch(
        [{k: item[k] for k in fields if item.get(k) is not None} for item in case.memories]
    )
    return memory, [content_hash(item["content"]) for item in case.memories]


def open_case(case: Case, *, plain: bool = False) -> tuple[Milepost, list[int]]:
    """Store a case's memories; return their ids."""
    memory, hashes = fill_case(case, plain=plain)
    opened = memory._context
    records = [opened.store.memories.record(opened.space, text) for text in hashes]
    return memory, [record.id for record in records if record is not None]


def examples(cases: Sequence[Case], *, plain: bool) -> Iterator[Example]:
    """Ask all questions of all cases."""
    for case in tqdm(cases, desc=f"{cases[0].source}{', plain' * plain}", unit="case"):
        memory, ids = open_case(case, plain=plain)
        for question in case.questions:
            yield _example(memory, ids, case, question, plain=plain)
        memory.close()


def foreign_examples(
    cases: Sequence[Case], questions: Sequence[str], count: int
) -> Iterator[Example]:
    """Ask histories what they cannot know: questions about other sources."""
    rng = random.Random(6)
    for case in tqdm(cases, desc=f"{cases[0].source}, foreign questions", unit="case"):
        memory, ids = open_case(case, plain=rng.random() < 0.5)
        for text in rng.sample(questions, count):
            yield _example(memory, ids, case, Question(text, frozenset(), "foreign"), plain=False)
        memory.close()


def small_examples(
    cases: Sequence[Case], questions: Sequence[str], count: int
) -> Iterator[Example]:
    """Ask a handful of notes, as a new store has them, their own questions and foreign ones."""
    rng = random.Random(5)
    for case in tqdm(cases, desc=f"{cases[0].source}, small stores", unit="case"):
        own = [question for question in case.questions if question.evidence]
        for question in rng.sample(own, min(count, len(own))):
            others = rng.sample(
                range(len(case.memories)), min(rng.choice([1, 2, 4, 8, 16, 30]), len(case.memories))
            )
            places = sorted({*others, *question.evidence})
            few = case._replace(memories=[case.memories[place] for place in places])
            memory, ids = open_case(few, plain=True)
            held = frozenset(places.index(place) for place in question.evidence)
            yield _example(
                memory, ids, few, question._replace(evidence=held, older=frozenset()), plain=True
            )
            stranger = Question(rng.choice(questions), frozenset(), "foreign")
            yield _example(memory, ids, few, stranger, plain=True)
            memory.close()


def _example(
    memory: Milepost, ids: Sequence[int], case: Case, question: Question, *, plain: bool
) -> Example:
    opened = memory._context
    probe = opened.texts.probe(question.text)
    pool = opened.store.candidates.find(probe, Filter(opened.space, opened.clock()), POOL_SIZE)
    columns, rivals = features(pool, probe) if pool.size else Features({}, no_rivals())
    wanted = {ids[place] for place in question.evidence}
    older = {ids[place] for place in question.older}
    return Example(
        case.source,
        case.name,
        plain,
        question.category,
        columns,
        rivals,
        np.isin(pool.ids, list(wanted)),
        len(wanted),
        np.isin(pool.ids, list(older)),
    )


def untrained(columns: dict[str, Matrix]) -> Matrix:
    """Return the sum of words and meaning, each relative to the best: the floor of all training."""
    return columns["bm_share"] + columns["similar_share"]


def names_of(chosen: Sequence[Example]) -> list[str]:
    """Return the features that rank."""
    two_channels = any("chosen_z" in example.columns for example in chosen)
    return [*GAINS, *(CHOSEN if two_channels else ()), *OTHERS]


def _with_chosen(example: Example, names: Sequence[str]) -> bool:
    return all(name in example.columns for name in names)


def train(chosen: Sequence[Example], gate: float, item: float) -> FusionModel:
    """Train all steps; the scores that the later learn from were made without the history."""
    usable = [e for e in chosen if e.columns and e.source not in MEASURED_ONLY]
    names = names_of(usable)
    usable = [e for e in usable if _with_chosen(e, names)]
    ranking = fit_ranking(usable, names)
    layers = [
        fit_ranking([e for e in usable if fold_of(e) != fold], names) for fold in range(FOLDS)
    ]
    replaced = _fit_replaced([(e, layers[fold_of(e)].score(e.columns)) for e in usable])
    staged = [
        e._replace(columns={**e.columns, **standing(_aged(layers[fold_of(e)], replaced, e))})
        for e in usable
    ]
    answered, relevance = _fit_answered(staged), _fit_relevance(staged)
    return FusionModel(ranking, replaced, answered, relevance, gate, item)


def _aged(ranking: ScoringLayer, replaced: ScoringLayer, example: Example) -> Matrix:
    return scored(ranking, replaced, example.columns, example.rivals).scores


def _fit_replaced(chosen: Sequence[tuple[Example, Matrix]]) -> ScoringLayer:
    """Fit whether the newer of two candidates replaces the older.

    It does where the older one is known to hold what was replaced and the newer answers, and does
    not where the older one answers; in the latter every source has an equal share.
    """
    rows, hits, origins = [], [], []
    for example, scores in chosen:
        pairs = example.rivals
        if not example.evidence or len(pairs.older) == 0:
            continue
        now = example.relevant & ~example.older
        right = example.older[pairs.older] & now[pairs.newer]
        known = right | now[pairs.older]
        columns = with_leads(pairs, scores)
        rows.append(np.stack([columns[name][known] for name in REPLACED_BY], axis=1))
        hits.append(right[known])
        origins += [example.origin] * int(known.sum())
    replaced = np.concatenate(hits)
    wrong = Counter(o for o, hit in zip(origins, replaced, strict=True) if not hit)
    weights = np.array(
        [1 / replaced.sum() if hit else 1 / wrong[o] / len(wrong)
         for o, hit in zip(origins, replaced, strict=True)],
        np.float32,
    )  # fmt: skip
    return fit_logistic(REPLACED_BY, np.concatenate(rows), replaced, weights, free=REPLACED_BY)


def fold_of(example: Example) -> int:
    """Return the fold of a history, the same in each of its forms."""
    name = example.history.rpartition(" ")[2]
    return zlib.crc32(f"{example.origin} {name}".encode()) % FOLDS


def fit_ranking(chosen: Sequence[Example], names: Sequence[str]) -> ScoringLayer:
    """Fit what ranks; with a second channel also without it, so that it is not all that counts."""
    layer = fit_listwise(chosen, names)
    static = [name for name in names if name not in CHOSEN]
    if len(static) == len(names):
        return layer
    alone = dict(zip(static, fit_listwise(chosen, static).weights, strict=True))
    other = np.array([alone.get(name, 0.0) for name in names], np.float32)
    return layer._replace(weights=(1 - WITHOUT) * layer.weights + WITHOUT * other)


def fit_listwise(
    chosen: Sequence[Example],
    names: Sequence[str],
    *,
    steps: int = 120,
    rate: float = 0.12,
    decay: float = 0.01,
) -> ScoringLayer:
    """Fit weights so that the relevant candidates of a question get the mass of its softmax.

    Every source weighs the same, however many questions it has.
    """
    usable = [e for e in chosen if e.relevant.any()]
    rows, targets, real = _batch(usable, names)
    count = Counter(e.origin for e in usable)
    weights = np.array([1 / count[e.origin] for e in usable], np.float32)
    weights /= weights.sum()
    seen = rows[real]
    mean, scale = seen.mean(axis=0), seen.std(axis=0)
    scale[scale < 1e-6] = 1
    flat = np.where(real[..., None], (rows - mean) / scale, 0).reshape(-1, len(names))
    flat = flat.astype(np.float32)
    gains = np.array([name in GAINS or name in CHOSEN for name in names])
    values = {"weights": np.zeros(len(names), np.float32)}
    optimiser = _Adam(values, rate, steps)
    for _ in range(steps):
        scores = np.where(real, (flat @ values["weights"]).reshape(real.shape), -1e9)
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        error = ((shares - targets) * weights[:, None]).ravel()
        optimiser.step({"weights": error @ flat + decay * values["weights"]})
        values["weights"][gains & (values["weights"] < 0)] = 0
    return ScoringLayer(tuple(names), np.zeros(1, np.float32), values["weights"] / scale)


def _batch(
    chosen: Sequence[Example], names: Sequence[str]
) -> tuple[Matrix, Matrix, NDArray[np.bool_]]:
    """Pick for each question the relevant candidates, the hardest wrong ones and some others."""
    rng = np.random.default_rng(0)
    rows = np.zeros((len(chosen), WIDTH, len(names)), np.float32)
    targets = np.zeros((len(chosen), WIDTH), np.float32)
    real = np.zeros((len(chosen), WIDTH), bool)
    for i, example in enumerate(chosen):
        order = np.argsort(-_hardness(example.columns), kind="stable")
        right, wrong = order[example.relevant[order]][:RIGHT], order[~example.relevant[order]]
        hard = WIDTH - len(right) - RANDOM
        rest = wrong[hard:]
        some = rng.choice(rest, min(RANDOM, len(rest)), replace=False) if len(rest) else rest
        picked = np.concatenate([right, wrong[:hard], some])
        rows[i, : len(picked)] = np.stack([example.columns[n][picked] for n in names], axis=1)
        targets[i, : len(right)] = 1 / len(right)
        real[i, : len(picked)] = True
    return rows, targets, real


def _hardness(columns: dict[str, Matrix]) -> Matrix:
    """Return a score with weights set by hand, whose best wrong candidates are hard to tell."""
    return untrained(columns) + columns["window_three"] + 0.3 * columns["session_lexical"]


class _Adam:
    """Adam with a warm-up and a linear fall of the rate."""

    def __init__(self, values: dict[str, Matrix], rate: float, steps: int) -> None:
        self._values, self._rate, self._steps, self._done = values, rate, steps, 0
        self._first = {name: np.zeros_like(value) for name, value in values.items()}
        self._second = {name: np.zeros_like(value) for name, value in values.items()}

    def step(self, gradients: dict[str, Matrix]) -> None:
        """Move the values once."""
        self._done += 1
        left = 0.05 + 0.95 * (1 - self._done / self._steps)
        rate = self._rate * min(1, self._done / 10) * left
        for name, gradient in gradients.items():
            self._first[name] = 0.9 * self._first[name] + 0.1 * gradient
            self._second[name] = 0.99 * self._second[name] + 0.01 * gradient**2
            mean = self._first[name] / (1 - 0.9**self._done)
            square = self._second[name] / (1 - 0.99**self._done)
            self._values[name] -= (rate * mean / (np.sqrt(square) + 1e-8)).astype(np.float32)


def _fit_answered(chosen: Sequence[Example]) -> ScoringLayer:
    """Fit how likely a question is answered, by what is known of its best candidate."""
    count = Counter((e.source, e.evidence > 0) for e in chosen)
    rows, hits, weights = [], [], []
    for example in chosen:
        if example.evidence and not example.relevant.any():
            continue
        best = np.argmax(example.columns["score"])
        rows.append([example.columns[name][best] for name in ANSWERED_BY])
        hits.append(example.evidence > 0)
        weight = ANSWERED if example.evidence else 1 - ANSWERED
        weights.append(weight / count[example.source, example.evidence > 0])
    return fit_logistic(
        ANSWERED_BY, np.array(rows, np.float32), np.array(hits), np.array(weights, np.float32)
    )


def _fit_relevance(chosen: Sequence[Example]) -> ScoringLayer:
    """Fit how likely each of the best is relevant to a question that is answered."""
    rows, hits, weights = [], [], []
    count = Counter(e.source for e in chosen if e.evidence)
    for example in (e for e in chosen if e.evidence):
        best = np.argsort(-example.columns["score"], kind="stable")[:CALIBRATED]
        rows.append(np.stack([example.columns[n][best] for n in RELEVANT_BY], axis=1))
        hits.append(example.relevant[best])
        weights.append(np.full(len(best), 1 / count[example.source], np.float32))
    return fit_logistic(
        RELEVANT_BY, np.concatenate(rows), np.concatenate(hits), np.concatenate(weights)
    )


def fit_logistic(
    names: Sequence[str],
    rows: Matrix,
    hits: NDArray[np.bool_],
    weights: Matrix,
    *,
    steps: int = 400,
    free: Iterable[str] = NO_MATCHES,
) -> ScoringLayer:
    """Fit the probability of a hit; nothing but what is free makes one less likely."""
    mean, scale = rows.mean(axis=0), rows.std(axis=0)
    scale[scale < 1e-6] = 1
    inputs = ((rows - mean) / scale).astype(np.float32)
    weights = weights / weights.sum()
    rate = float(weights @ hits)
    unbound = np.array([name in frozenset(free) for name in names])
    values = {
        "weights": np.zeros(inputs.shape[1], np.float32),
        "bias": np.array([np.log(rate / (1 - rate))], np.float32),
    }
    optimiser = _Adam(values, 0.05, steps)
    for _ in range(steps):
        odds = inputs @ values["weights"] + values["bias"]
        error = (weights * (1 / (1 + np.exp(-odds)) - hits)).astype(np.float32)
        optimiser.step(
            {
                "weights": inputs.T @ error + 1e-4 * values["weights"],
                "bias": np.array([error.sum()], np.float32),
            }
        )
        values["weights"][~unbound & (values["weights"] < 0)] = 0
    slopes = values["weights"] / scale
    return ScoringLayer(tuple(names), values["bias"] - mean @ slopes, slopes)


class Ranking(NamedTuple):
    """The candidates of a question in order, their probabilities, and how many are shown."""

    order: NDArray[np.int64]
    chances: Matrix
    shown: int
    answered: float


def judge(model: FusionModel, example: Example) -> Ranking:
    """Rank the candidates of an example."""
    if not example.columns:
        return Ranking(np.zeros(0, np.int64), np.zeros(0, np.float32), 0, 0.0)
    scores = _aged(model.ranking, model.replaced, example)
    columns = {**example.columns, **standing(scores)}
    answered, chances = likelihoods(model, columns)
    order, chances = in_order(scores, chances)
    covered = columns["covered_all"][order] > WHOLLY
    return Ranking(order, chances, int(relevant(answered, chances, covered, model).sum()), answered)


def judged_apart(
    chosen: Sequence[Example],
    apart: Callable[[Example], object],
    fit: Callable[[Sequence[Example]], FusionModel],
) -> Iterable[tuple[Example, Ranking]]:
    """Judge every example by a model that saw nothing of what it is kept apart by."""
    groups = sorted({str(apart(e)) for e in chosen})
    judged: dict[int, Ranking] = {}
    for group in tqdm(groups, desc="leave out", unit="group"):
        model = fit([e for e in chosen if str(apart(e)) != group])
        for number, example in enumerate(chosen):
            if str(apart(example)) == group:
                judged[number] = judge(model, example)
    return [(example, judged[number]) for number, example in enumerate(chosen)]
