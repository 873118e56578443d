"""How well Milepost finds what answers a question: LoCoMo, LongMemEval, and within a budget.

usage: python bench/retrieval.py --data ../shared/data [--weights held-out|shipped]
           [--embedder onnx:FOLDER] [--table o200k_base.tiktoken]

With held-out weights (the default) each history is asked with a model that was trained without
it; use --weights shipped for data that the shipped model has not seen.
"""

import argparse
import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).parent))
from common import plot_bars, save, table
from datasets import Case, Question, locomo, longmemeval
from fusion import FOLDS, fill_case, train
from milepost.app import Milepost
from milepost.ranking import score as scoring
from milepost.ranking.score import FusionModel, shipped_model
from milepost.text.tokens import ceiling, exact_counter
from train_fusion import GATE, ITEM, collect

BUDGETS = (100, 200, 385, 1000)
CATEGORIES = {
    "1": "multi-hop",
    "2": "temporal",
    "3": "open-domain",
    "4": "single-hop",
    "5": "adversarial",
}


class Mean:
    """Averages of several measures."""

    def __init__(self) -> None:
        self._values: dict[str, list[float]] = {}

    def add(self, **values: float) -> None:
        """Take one value of each measure."""
        for name, value in values.items():
            self._values.setdefault(name, []).append(value)

    def percent(self) -> dict[str, Any]:
        """Return the averages in percent, and how many there were."""
        count = max((len(values) for values in self._values.values()), default=0)
        means = {name: round(100 * sum(v) / len(v), 1) for name, v in self._values.items()}
        return {"questions": count, **means}


def models(data: Path, weights: str, name: str) -> Callable[[int], FusionModel]:
    """Return the model to ask each fold with."""
    if weights == "shipped":
        return lambda _: shipped_model(name)
    groups = collect(data, two_channels=name == "chosen")
    foreign = groups.pop("foreign")
    chosen = [example for group in groups.values() for example in group]
    trained = {}
    for fold in tqdm(range(FOLDS), desc="train without each fold", unit="fold"):
        seen = [example for example in chosen if example.fold != fold]
        trained[fold] = train(seen, [e for e in foreign if e.fold != fold], GATE, ITEM)
    return lambda number: trained[number % FOLDS]


def asked(
    cases: Sequence[Case], model: Callable[[int], FusionModel], label: str, *, plain: bool = False
) -> Iterator[tuple[Milepost, Case, Question, list[str], set[str]]]:
    """Yield every question with its filled store, the hashes and those of the evidence."""
    for number, case in enumerate(tqdm(cases, desc=label, unit="history")):
        memory, hashes = fill_case(case, plain=plain)
        chosen = model(number)
        scoring.shipped_model = lambda _, chosen=chosen: chosen
        for question in case.questions:
            yield memory, case, question, hashes, {hashes[i][:8] for i in question.evidence}
        memory.close()


def ranks(memory: Milepost, question: Question, limit: int, **options: Any) -> list[str]:
    """Return the short hashes of the best memories."""
    found = memory.search(question.text, limit=limit, min_score=0, **options)
    return [item.hash[:8] for item in found.memories]


def ask_locomo(cases: Sequence[Case], model: Any, *, plain: bool = False) -> dict[str, Any]:
    """Measure turns of LoCoMo, all together and by category."""
    groups: dict[str, Mean] = {"all": Mean()}
    label = "LoCoMo, plain notes" if plain else "LoCoMo"
    for memory, _, question, _, evidence in asked(cases, model, label, plain=plain):
        found = ranks(memory, question, 10)
        for group in ("all", CATEGORIES[question.category]):
            groups.setdefault(group, Mean()).add(**_turn_measures(found, evidence))
    return {name: group.percent() for name, group in groups.items()}


def _turn_measures(found: Sequence[str], evidence: set[str]) -> dict[str, float]:
    first = next((place for place, name in enumerate(found) if name in evidence), None)
    recall = {f"R@{k}": len(evidence & set(found[:k])) / len(evidence) for k in (1, 5, 10)}
    return {**recall, "MRR": 0 if first is None else 1 / (1 + first)}


def ask_longmemeval(cases: Sequence[Case], model: Any) -> dict[str, Any]:
    """Measure sessions (by their first turn in the ranking) and turns of LongMemEval."""
    groups: dict[str, Mean] = {"all": Mean()}
    for memory, case, question, hashes, evidence in asked(cases, model, "LongMemEval"):
        found = ranks(memory, question, 400)
        session_of = {h[:8]: m["session"] for h, m in zip(hashes, case.memories, strict=True)}
        sessions = list(dict.fromkeys(session_of[name] for name in found))
        wanted = {session_of[name] for name in evidence}
        measures = {
            "any@5": float(bool(wanted & set(sessions[:5]))),
            "all@5": float(wanted <= set(sessions[:5])),
            "nDCG@10": _ndcg(sessions[:10], wanted),
            **{f"turn {k}": v for k, v in _turn_measures(found, evidence).items()},
        }
        for group in ("all", question.category):
            groups.setdefault(group, Mean()).add(**measures)
    return {name: group.percent() for name, group in groups.items()}


def _ndcg(found: Sequence[str], wanted: set[str]) -> float:
    gain = sum(1 / math.log2(place + 2) for place, name in enumerate(found) if name in wanted)
    return gain / sum(1 / math.log2(place + 2) for place in range(min(len(wanted), 10)))


def ask_within(cases: Sequence[Case], model: Any, count: Callable[[str], int]) -> dict[str, Any]:
    """Measure which share of the evidence the text of a result of limited size shows."""
    groups = {budget: Mean() for budget in BUDGETS}
    over = 0
    for memory, _, question, _, evidence in asked(cases, model, "within a budget"):
        for budget, group in groups.items():
            result = memory.search(question.text, limit=50, budget=budget)
            shown = {item.hash[:8] for item in result.memories}
            tokens = count(str(result))
            over += tokens > budget
            group.add(recall=len(evidence & shown) / len(evidence), used=tokens / budget)
    found = {f"{budget} tokens": group.percent() for budget, group in groups.items()}
    return {**found, "results over budget": over}


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--weights", choices=["held-out", "shipped"], default="held-out")
    parser.add_argument("--embedder", default="static")
    parser.add_argument("--table", type=Path, help="tiktoken's o200k_base, to count exactly")
    given = parser.parse_args()
    os.environ["MILEPOST_EMBEDDER"] = given.embedder
    name = "static" if given.embedder == "static" else "chosen"
    counter = exact_counter(str(given.table.parent)) if given.table else None
    model = models(given.data, given.weights, name)
    talks = locomo(given.data)
    figures: dict[str, Any] = {"weights": given.weights, "embedder": given.embedder}
    figures["locomo"] = ask_locomo(talks, model)
    if name == "static":
        figures["locomo, plain notes"] = ask_locomo(talks, model, plain=True)
        figures["longmemeval"] = ask_longmemeval(longmemeval(given.data), model)
        figures["locomo within a budget"] = ask_within(talks, model, counter or ceiling)
        figures["tokens counted by"] = "o200k_base" if counter else "milepost.text.tokens.ceiling"
    show(figures)
    save(f"retrieval-{name}", figures)
    if name == "static":
        shown = figures["locomo within a budget"]
        bars = {k: {"evidence shown, %": v["recall"]} for k, v in shown.items() if " tokens" in k}
        plot_bars("retrieval", "LoCoMo: evidence within a budget of tokens", bars, "%")


def show(figures: dict[str, Any]) -> None:
    """Print a table for each data set."""
    for title, groups in figures.items():
        if isinstance(groups, dict):
            rows = {k: v for k, v in groups.items() if isinstance(v, dict)}
            headers = ["", *next(iter(rows.values()))]
            print(f"\n{title}")
            print(table(headers, [[k, *v.values()] for k, v in rows.items()]))


if __name__ == "__main__":
    main()
