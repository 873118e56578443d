"""Whether what leads on from the best line finds the rest of an answer, and what it costs others.

usage: python bench/multihop.py --data ../shared/data [--sources planted-test,locomo] [--among N]

Beside the search as it is, without anything (the floor): the best line's rare words (built in), the
entities of the graph that it names instead of its words, by the same rule, and a second search with
its two rarest words (pseudo-relevance feedback), whose places count half. Constants were chosen on
the sources in TUNED. The shipped weights rank; of the others they saw LongMemEval (sessions) alone.
Sources add to the figures that are there. With --among all histories of a source lie in one store
with N texts of other sources.
"""

import argparse
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).parent))
from common import RESULTS, p50_p95, save, table
from corpus import passages
from datasets import Case, Question, cases
from fusion import open_case
from milepost.app import Milepost
from milepost.memory.search import POOL_SIZE, judgement_of, led_on
from milepost.memory.values import Filter
from milepost.ranking.bridges import HOLDERS_MAX
from milepost.ranking.candidates import CandidateSet, RareWords
from milepost.ranking.score import Judgement, bridged, judged
from milepost.text.entities import entities_in
from milepost.text.words import content_words, stem, terms
from planted import read

JUDGED = ("planted-test", "locomo", "unseen", "sessions")
TUNED = (
    "planted-dev", "talk", "languages", "coding", "notes", "updates", "turns", "faq",
    "meetings", "changes",
)  # fmt: skip
# Of the largest sources every so manieth history.
SAMPLED = {"meetings": 4, "changes": 3, "turns": 4, "sessions": 6}
# Asked with sessions and authors and without them, where there are any and time allows.
BOTH = ("locomo", "unseen", "talk", "languages", "coding")
CLASSES = {"1": "multi-hop", "2": "temporal", "3": "open", "4": "single", "5": "adversarial"}
WAYS = ("rare words", "entities", "second search")
# Half the weight, by reciprocal places, for a second search.
_SECOND, _PLACES = 0.5, 10


class Scores(NamedTuple):
    """Recall among the first five and ten, reciprocal rank, whether all is among the first five.

    lines: how many of the first five are shown, how many of those are wanted, which part of all.
    """

    five: float
    ten: float
    reciprocal: float
    whole: float
    lines: float
    right: float
    shown: float


def planted(split: str) -> list[Case]:
    """Put the worlds of a split into one history."""
    memories: list[dict[str, Any]] = []
    questions = []
    for row in read("questions", split):
        needs = frozenset(len(memories) + place for place in row["needs"])
        questions.append(Question(row["question"], needs, "multi-hop"))
        memories += [{"content": text} for text in row["memories"]]
    return [Case(f"planted-{split}", split, memories, questions)]


def histories(source: str, data: Path) -> list[Case]:
    """Read a source, or some of it; of turns more of the questions over several sessions."""
    if source.startswith("planted-"):
        return planted(source.partition("-")[2])
    every = SAMPLED.get(source, 1)
    found = [case for case in cases(source, data) if any(q.evidence for q in case.questions)]
    return [
        case
        for place, case in enumerate(found)
        if place % every == 0
        or (source == "turns" and case.questions[0].category == "multi-session" and place % 2)
    ]


def joined(parts: Sequence[Case], others: Sequence[dict[str, Any]]) -> Case:
    """Put histories and texts of other sources into one, each session by itself."""
    memories, questions = list(others), []
    for case in parts:
        first = len(memories)
        for memory in case.memories:
            session = memory.get("session")
            memories.append({**memory, "session": session and f"{case.name} {session}"})
        questions += [
            question._replace(evidence=frozenset(first + place for place in question.evidence))
            for question in case.questions
        ]
    return Case(parts[0].source, "joined", memories, questions)


class Asked:
    """A history in a store, with what its memories name and how rare their words are."""

    def __init__(self, case: Case, *, plain: bool) -> None:
        self.case = case
        self.memory: Milepost
        self.memory, self.ids = open_case(case, plain=plain)
        self.text_of = dict(zip(self.ids, (m["content"] for m in case.memories), strict=True))
        self._named: dict[int, set[str]] = {}
        self._holders: dict[str, set[int]] = defaultdict(set)
        self._words: Counter[str] = Counter()
        for number, memory in zip(self.ids, case.memories, strict=True):
            found = entities_in(memory["content"], None if plain else memory.get("author"))
            self._named[number] = {mention.name.casefold() for mention in found.entities}
            for name in self._named[number]:
                self._holders[name].add(number)
            self._words.update(set(terms(memory["content"])))

    def judge(self, text: str) -> tuple[CandidateSet, Judgement, Judgement] | None:
        """Ask without and with what leads on from the best."""
        context = self.memory._context
        probe = context.texts.probe(text)
        where = Filter(context.space, context.clock())
        pool = context.store.candidates.find(probe, where, POOL_SIZE)
        if pool.size == 0:
            return None
        return pool, judged(pool, probe), judgement_of(context, probe, pool)

    def entities_of(self, best: int, question: str) -> RareWords:
        """Return who else names what the best line names and the question does not."""
        asked = {mention.name.casefold() for mention in entities_in(question).entities}
        rare = [self._holders[name] for name in self._named[best] - asked]
        pairs = [(i, len(held)) for held in rare if 1 < len(held) <= HOLDERS_MAX for i in held]
        ids, holders = zip(*pairs, strict=True) if pairs else ((), ())
        return RareWords(np.array(ids, np.int64), np.array(holders, np.int64))

    def second(self, question: str, first: NDArray[np.int64], best: int) -> NDArray[np.int64]:
        """Return the order when the best line's rarest words are asked for too."""
        asked = set(terms(question))
        by_stem = {stem(word): word for word in content_words(self.text_of[best])}
        known = [s for s in by_stem if s not in asked and self._words[s]]
        words = [by_stem[s] for s in sorted(known, key=self._words.__getitem__)[:2]]
        again = self.judge(f"{question} {' '.join(words)}")
        gains: dict[int, float] = defaultdict(float)
        later = [] if again is None else again[0].ids[again[1].order].tolist()
        for weight, order in ((1.0, first.tolist()), (_SECOND, later)):
            for place, number in enumerate(order):
                gains[number] += weight / (_PLACES + place)
        gains[best] = float("inf")
        return np.array(sorted(gains, key=lambda number: -gains[number]), np.int64)


def measured(order: NDArray[np.int64], wanted: set[int], shown: int) -> Scores:
    """Measure one order of memories."""
    hits = [number in wanted for number in order.tolist()]
    first = next((place for place, hit in enumerate(hits[:10]) if hit), None)
    return Scores(
        sum(hits[:5]) / min(len(wanted), 5),
        sum(hits[:10]) / min(len(wanted), 10),
        0 if first is None else 1 / (1 + first),
        float(sum(hits[:5]) == len(wanted)),
        min(shown, 5),
        sum(hits[: min(shown, 5)]),
        sum(hits[: min(shown, 5)]) / min(len(wanted), 5),
    )


def answers(case: Case, *, plain: bool) -> Iterator[tuple[str, dict[str, Scores]]]:
    """Ask all questions that have an answer, in every way."""
    asked = Asked(case, plain=plain)
    for question in case.questions:
        wanted = {asked.ids[place] for place in question.evidence}
        found = asked.judge(question.text) if wanted else None
        if found is None:
            continue
        pool, plainly, built = found
        best = int(pool.ids[plainly.best])
        named = bridged(plainly, pool, asked.entities_of(best, question.text))
        orders = {
            "floor": (pool.ids[plainly.order], int(plainly.shown.sum())),
            "rare words": (pool.ids[built.order], int(built.shown.sum())),
            "entities": (pool.ids[named.order], int(named.shown.sum())),
        }
        again = asked.second(question.text, orders["floor"][0], best)
        orders["second search"] = (again, orders["floor"][1])
        yield (
            CLASSES.get(question.category, question.category or "all"),
            {way: measured(order, wanted, shown) for way, (order, shown) in orders.items()},
        )
    asked.memory.close()


def compared(rows: Sequence[dict[str, Scores]]) -> dict[str, Any]:
    """Return the means of the floor and what each way gives more, with what is sure of it."""
    floor = np.array([row["floor"] for row in rows])
    found: dict[str, Any] = {"questions": len(rows), "floor": _means(floor)}
    draws = np.random.default_rng(0).integers(0, len(rows), (2_000, len(rows)))
    for way in WAYS:
        values = np.array([row[way] for row in rows])
        more = values - floor
        sure = 100 * np.percentile(more[draws, 0].mean(axis=1), [2.5, 97.5])
        found[way] = {
            **_means(values),
            "R@5 more": round(100 * float(more[:, 0].mean()), 1),
            "R@5 more, 95 %": [round(float(edge), 1) for edge in sure],
            "better, worse": [int((more[:, 0] > 0).sum()), int((more[:, 0] < 0).sum())],
            "R@10 more": round(100 * float(more[:, 1].mean()), 1),
            "R@5 shown more": round(100 * float(more[:, 6].mean()), 1),
        }
    return found


def _means(values: NDArray[Any]) -> dict[str, float]:
    five, ten, reciprocal, whole, lines, right, shown = values.mean(axis=0).tolist()
    shares = {"R@5": five, "R@10": ten, "MRR": reciprocal, "all in five": whole}
    shares["R@5 shown"] = shown
    figures = {name: round(100 * share, 1) for name, share in shares.items()}
    return figures | {
        "lines": round(lines, 2),
        "precision %": round(100 * right / max(lines, 1e-9), 1),
    }


def cost(case: Case, count: int = 300) -> dict[str, Any]:
    """Return what looking for rare words costs of a search, both in turns on one store."""
    memory, _ = open_case(case)
    context = memory._context
    times: dict[str, list[float]] = {"whole search": [], "of it, rare words": []}
    for question in case.questions[:count]:
        begun = time.perf_counter()
        memory.search(question.text)
        times["whole search"].append(time.perf_counter() - begun)
        probe = context.texts.probe(question.text)
        where = Filter(context.space, context.clock())
        pool = context.store.candidates.find(probe, where, POOL_SIZE)
        judgement = judged(pool, probe)
        begun = time.perf_counter()
        led_on(context, probe, pool, judgement)
        times["of it, rare words"].append(time.perf_counter() - begun)
    memory.close()
    return {
        name: {"p50 ms": round(1e3 * half, 3), "p95 ms": round(1e3 * most, 3)}
        for name, (half, most) in ((name, p50_p95(taken)) for name, taken in times.items())
    }


def judged_source(parts: Sequence[Case], name: str, *, plain: bool) -> dict[str, Any]:
    """Ask all histories of a source, and compare by class of question."""
    by_class: dict[str, list[dict[str, Scores]]] = defaultdict(list)
    for case in tqdm(parts, desc=name, unit="case"):
        for kind, row in answers(case, plain=plain):
            by_class["all"].append(row)
            if kind != "all":
                by_class[kind].append(row)
    return {kind: compared(rows) for kind, rows in by_class.items()}


def measure(sources: Sequence[str], data: Path, among: int | None = None) -> dict[str, Any]:
    """Ask the questions of sources, each in its own store or among so many other texts."""
    others = passages(data, among) if among else []
    figures: dict[str, Any] = {}
    for source in sources:
        parts: Sequence[Case] = histories(source, data)
        if among:
            parts = [joined(parts, others)]
            figures[f"{source}, cost"] = cost(parts[0])
        for plain in (False, True) if source in BOTH and not among else (False,):
            name = f"{source}{', plain' * plain}"
            figures[name] = judged_source(parts, name, plain=plain)
    return figures


def kept_with(figures: dict[str, Any], name: str = "multihop") -> dict[str, Any]:
    """Return the figures that are kept with these among them."""
    kept = RESULTS / f"{name}.json"
    known = json.loads(kept.read_text())["figures"] if kept.exists() else {}
    return {"judged": JUDGED, "tuned on": TUNED, "figures": known | figures}


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sources", default=",".join((*JUDGED, *TUNED)))
    parser.add_argument("--among", type=int, help="so many texts of other sources in the store")
    options = parser.parse_args()
    figures = measure(options.sources.split(","), options.data, options.among)
    rows = [
        [name, kind, found["questions"], found["floor"]["R@5"], found["floor"]["R@10"],
         *(f"{found[way]['R@5 more']:+} / {found[way]['R@10 more']:+} "
           f"({':'.join(map(str, found[way]['better, worse']))})" for way in WAYS)]
        for name, kinds in figures.items() if "cost" not in name
        for kind, found in kinds.items()
    ]  # fmt: skip
    print(table(["source", "class", "n", "R@5", "R@10", *WAYS], rows))
    print(*(f"{name}: {f}" for name, f in figures.items() if "cost" in name), sep="\n")
    name = f"multihop-among-{options.among}" if options.among else "multihop"
    save(name, kept_with(figures, name))


if __name__ == "__main__":
    main()
