"""Does the recall that a memory measures on itself move with what people's questions find?

usage: python bench/own_recall.py --data ../shared/data [--sources talk,faq] [--histories 2]
           [--model FOLDER]

Every history is a store. `measure_recall` asks it by its own sentences; beside that stands how many
of the questions that people asked of the history find what answers them among the first five. Both
are measured again under changes that make a memory worse, or better: without meaning, without
ranking, with a part of the index lost, with a model beside the static one. What counts is whether
the two put these states of one store in the same order (Spearman's rank correlation), and whether
a run is called worse when people's questions find less.
"""

import argparse
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from statistics import fmean, median
from typing import Any, NamedTuple
from unittest.mock import patch
from zlib import crc32

import numpy as np

import datasets
from common import save, table
from milepost.config import load_settings
from milepost.measuring.asking import outcomes_of, questions_for
from milepost.measuring.figures import FOUND, LEAST, Outcome, difference, figures_of, reciprocal
from milepost.measuring.values import OTHER_WORDS
from milepost.memory import search
from milepost.memory.context import Context
from milepost.memory.remember import store_items
from milepost.memory.search import LINES, POOL_SIZE, lines_among
from milepost.memory.texts import Texts
from milepost.memory.values import Filter
from milepost.opening import open_context
from milepost.ranking import score
from milepost.ranking.candidates import CandidateSet, Hit, Probe
from milepost.ranking.features import Features
from milepost.ranking.score import shipped_model
from milepost.upkeep.reembedding import Reembedding

SOURCES = ("talk", "coding", "notes", "languages", "faq", "locomo", "changes")
SHIPPED, MODEL = "as shipped", "with a model"
QUESTIONS = 80
BY_WORDS = frozenset({"bm_share", "bm_norm", "count", "covered_all", "q_strange", "q_similar"})
BY_MEANING = frozenset({"similar_share", "similar_z", "similar", "count", "q_strange", "q_similar"})


class Measured(NamedTuple):
    """A state of a store: what people's questions find, what its own do, and the verdict on it."""

    state: str
    people: float
    own: float
    own_mrr: float
    floor: float
    verdict: str


def without_meaning(ask: Callable[..., Probe], *args: Any, **kwargs: Any) -> Probe:
    probe = ask(*args, **kwargs)
    nothing = {model: np.zeros_like(vector) for model, vector in probe.vectors.items()}
    return probe._replace(vectors=nothing)


def without_kin(ask: Callable[..., Probe], *args: Any, **kwargs: Any) -> Probe:
    probe = ask(*args, **kwargs)
    return probe._replace(kinship=np.where(probe.kinship >= 1, probe.kinship, 0))


def with_features(names: frozenset[str]) -> Any:
    """Rank by some features alone."""
    real = score.features

    def features(pool: CandidateSet, probe: Probe) -> Any:
        columns, rivals = real(pool, probe)
        kept = {n: c if n in names else np.zeros_like(c) for n, c in columns.items()}
        return Features(kept, rivals)

    return patch.object(score, "features", features)


def judged_alone(_context: Context, probe: Probe, pool: CandidateSet) -> score.Judgement:
    return score.judged(pool, probe)


def doubtful(gate: float) -> Any:
    """Answer only what is surely answered."""
    asked = partial(shipped_model)
    return patch.object(score, "shipped_model", lambda name: asked(name)._replace(gate=gate))


def lost(share: int, pool: CandidateSet) -> CandidateSet:
    """Return candidates without what a damaged index does not show."""
    there = np.array([crc32(b"%d" % i) % 100 >= share for i in pool.ids.tolist()], bool)
    rows = np.flatnonzero(there)
    new = np.full(pool.size + 1, -1)
    new[rows] = np.arange(len(rows))
    row, place, term = pool.hits
    held = there[row]
    return pool._replace(
        ids=pool.ids[rows],
        created=pool.created[rows],
        lengths=pool.lengths[rows],
        hits=Hit(new[row[held]], place[held], term[held]),
        vectors={model: matrix[rows] for model, matrix in pool.vectors.items()},
        session=pool.session[rows],
        author=pool.author[rows],
        traits=pool.traits[rows],
        neighbours=new[pool.neighbours[rows]],
        elsewhere=None if pool.elsewhere is None else pool.elsewhere[rows],
        faded=None if pool.faded is None else pool.faded[rows],
    )


@contextmanager
def damaged(context: Context, share: int) -> Iterator[None]:
    """Let a part of the index be lost."""
    find = type(context.store.candidates).find

    def found(self: Any, *args: Any, **kwargs: Any) -> CandidateSet:
        return lost(share, find(self, *args, **kwargs))

    with patch.object(type(context.store.candidates), "find", found):
        yield


def states(context: Context) -> dict[str, Any]:
    """Return what makes a memory worse, by name."""

    def asking(change: Callable[..., Probe]) -> Any:
        ask = Texts.probe
        return patch.object(Texts, "probe", lambda *a, **k: change(partial(ask), *a, **k))

    return {
        SHIPPED: nullcontext(),
        "no bridges": patch.object(search, "judgement_of", judged_alone),
        "no kin of words": asking(without_kin),
        "no vectors": asking(without_meaning),
        "ranked by words": with_features(BY_WORDS),
        "ranked by meaning": with_features(BY_MEANING),
        "doubtful": doubtful(0.85),
        "10 % lost": damaged(context, 10),
        "30 % lost": damaged(context, 30),
        "60 % lost": damaged(context, 60),
    }


def people_find(context: Context, case: datasets.Case, hashes: Sequence[str]) -> list[bool]:
    """Return of each question with an answer whether that is among the first five."""
    where = Filter(context.space, context.clock())
    found = []
    for question in case.questions:
        if not question.evidence:
            continue
        probe = context.texts.probe(question.text)
        pool = context.store.candidates.find(probe, where, POOL_SIZE)
        ids = lines_among(context, probe, pool, where, LINES).ids[:FOUND]
        wanted = tuple(hashes[place] for place in question.evidence)
        names = [record.hash for record in context.store.memories.records(ids)]
        found.append(any(name.startswith(wanted) for name in names))
    return found


def measured(
    name: str,
    context: Context,
    case: datasets.Case,
    hashes: Sequence[str],
    before: Sequence[Outcome],
) -> tuple[Measured, list[Outcome]]:
    outcomes = outcomes_of(context, questions_for(context, QUESTIONS))
    own = figures_of(name, [each for each in outcomes if each.source == OTHER_WORDS])
    pairs = zip(before or outcomes, outcomes, strict=True)
    told = difference([(reciprocal(a.place), reciprocal(b.place)) for a, b in pairs], least=LEAST)
    people = fmean(people_find(context, case, hashes))
    return Measured(name, people, own.recall, own.mrr, own.floor, told.verdict), outcomes


def states_of(case: datasets.Case, model: str | None) -> list[Measured]:
    """Measure every state of a history."""
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings()._replace(url=f"{folder}/m.db", embedder="static", spaces_file="")
        with closing(open_context(settings)) as context:
            hashes = store_items(context, case.memories)
            rows, before = list[Measured](), list[Outcome]()
            for name, state in states(context).items():
                with state:
                    row, outcomes = measured(name, context, case, hashes, before)
                rows.append(row)
                before = before or outcomes
        if model:
            with closing(open_context(settings._replace(embedder=f"onnx:{model}"))) as context:
                context.part(Reembedding).wait()
                rows.append(measured(MODEL, context, case, hashes, before)[0])
    return rows


def ranks(values: Sequence[float]) -> list[float]:
    """Return the ranks of values; those that are the same share theirs."""
    return [
        sum(other < value for other in values) + (sum(other == value for other in values) - 1) / 2
        for value in values
    ]


def rank_correlation(one: Sequence[float], other: Sequence[float]) -> float:
    """Return Spearman's correlation."""
    return float(np.corrcoef(ranks(one), ranks(other))[0, 1])


def chosen(source: str, options: argparse.Namespace) -> list[datasets.Case]:
    """Return the histories of a source that are neither too large nor hardly asked about."""
    cases = datasets.cases(source, options.data)
    fitting = [c for c in cases if 60 <= len(c.memories) <= options.memories]
    return [c for c in fitting if len(c.questions) >= 25][: options.histories]


def summary(stores: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return how well the two agree, within stores and between them."""
    within = [store["rank correlation"] for store in stores]
    shipped = [next(r for r in store["states"] if r["state"] == SHIPPED) for store in stores]
    changes = [
        (row["people"] - first["people"], row["own"] - first["own"], row["verdict"])
        for store, first in zip(stores, shipped, strict=True)
        for row in store["states"]
        if row["state"] != SHIPPED
    ]
    fell = [each for each in changes if each[0] <= -0.05]
    held = [each for each in changes if abs(each[0]) < 0.05]
    return {
        "stores": len(stores),
        "states each": len(stores[0]["states"]),
        "rank correlation within a store, median": median(within),
        "least": min(within),
        "rank correlation of changes, all stores": rank_correlation(
            [people for people, _, _ in changes], [own for _, own, _ in changes]
        ),
        "rank correlation between stores as shipped": rank_correlation(
            [row["people"] for row in shipped], [row["own"] for row in shipped]
        ),
        "people's recall fell by 5 points or more": len(fell),
        "of these called worse": sum(verdict == "worse" for *_, verdict in fell),
        "it changed by less than 5 points": len(held),
        "of those called worse ": sum(verdict == "worse" for *_, verdict in held),
        "of those called better": sum(verdict == "better" for *_, verdict in held),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", help="a folder with an ONNX model")
    parser.add_argument("--sources", default=",".join(SOURCES), help="which, with commas")
    parser.add_argument("--histories", type=int, default=2, help="how many of each source")
    parser.add_argument("--memories", type=int, default=1_000, help="how large at most")
    options = parser.parse_args()
    stores = []
    for source in options.sources.split(","):
        for case in chosen(source, options):
            rows = states_of(case, options.model)
            correlation = rank_correlation([r.people for r in rows], [r.own for r in rows])
            stores.append({
                "store": case.name,
                "source": source,
                "memories": len(case.memories),
                "questions of people": sum(bool(q.evidence) for q in case.questions),
                "rank correlation": round(correlation, 3),
                "states": [
                    {n: v if isinstance(v, str) else round(v, 4) for n, v in r._asdict().items()}
                    for r in rows
                ],
            })  # fmt: skip
            print(f"\n{case.name}, rank correlation {correlation:.2f}")
            print(table(Measured._fields, rows), flush=True)
    told = {name: round(value, 3) for name, value in summary(stores).items()}
    print(*(f"{name}: {value}" for name, value in told.items()), sep="\n")
    print(save("own-recall", {"summary": told, "stores": stores}))


if __name__ == "__main__":
    main()
