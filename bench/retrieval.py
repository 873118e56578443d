"""How well Milepost finds what answers a question, on every source, with the floors beside it.

usage: python bench/retrieval.py --data ../shared/data [--apart source|history|shipped]
           [--sources faq,talk] [--cases N] [--embedder onnx:FOLDER] [--vectors FILE]
           [--url postgresql://…]

Each source is judged by weights that never saw it: with `source` (the default) the whole source is
left out of training, with `history` the history (repository, meeting, conversation) that is asked.
LoCoMo is never trained on. `shipped` takes the weights as they are, for data of your own.

With a URL, the same questions are asked there and on SQLite, with the weights as they are shipped:
how often the first five are the same, and how much each finds.
"""

import argparse
import os
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from tqdm import tqdm

from both_backends import compare
from common import save, table
from datasets import LICENCES, Case, cases
from floors import FullText, StemmedBM25
from fusion import (
    Example,
    Ranking,
    fold_of,
    judge,
    judged_apart,
    train,
    untrained,
)
from kept_vectors import keep_vectors
from milepost.ranking.score import shipped_model
from train_fusion import GATE, ITEM, collect

LIMIT = 10


class Measures(NamedTuple):
    """Recall among the first five (of at most five), whether any is there, reciprocal rank."""

    recall: float
    hit: float
    reciprocal: float


def measures(hits: Sequence[bool], wanted: int) -> Measures:
    """Measure the first places of a ranking."""
    first = next((place for place, hit in enumerate(hits[:LIMIT]) if hit), None)
    return Measures(
        sum(hits[:5]) / min(wanted, 5),
        float(any(hits[:5])),
        0 if first is None else 1 / (1 + first),
    )


def mean(rows: Iterable[Measures]) -> dict[str, float]:
    """Return means in percent."""
    columns = 100 * np.array(list(rows)).mean(axis=0)
    return dict(zip(("R@5", "hit@5", "MRR"), (round(float(c), 1) for c in columns), strict=True))


def floors(histories: Sequence[Case]) -> dict[str, dict[str, float]]:
    """Measure the rankings that need nothing but the texts."""
    rows: dict[str, list[Measures]] = defaultdict(list)
    for case in tqdm(histories, desc="floors", unit="case"):
        texts = [str(memory["content"]) for memory in case.memories]
        rankers = {"FTS5": FullText(texts), "BM25": StemmedBM25(texts)}
        for question in case.questions:
            for name, ranker in rankers.items() if question.evidence else ():
                best = ranker.best(question.text, LIMIT)
                hits = [place in question.evidence for place in best]
                rows[name].append(measures(hits, len(question.evidence)))
    return {name: mean(found) for name, found in rows.items()}


def ranked(judged: Sequence[tuple[Example, Ranking]]) -> dict[str, Any]:
    """Measure rankings of questions that have an answer, beside the sum without training."""
    answered = [(e, r) for e, r in judged if e.evidence]
    ours = mean(measures(e.relevant[r.order].tolist(), e.evidence) for e, r in answered)
    summed = []
    for example, _ in answered:
        order = np.argsort(-untrained(example.columns), kind="stable") if example.columns else []
        summed.append(measures(example.relevant[order].tolist(), example.evidence))
    return {"questions": len(answered), "Milepost": ours, "words + meaning": mean(summed)}


def shown(judged: Sequence[tuple[Example, Ranking]]) -> dict[str, Any]:
    """Measure what is shown of the first five: what is lost, how much of it is relevant."""
    answered = [(e, r) for e, r in judged if e.evidence]
    lines = [(e, r, min(r.shown, 5)) for e, r in answered]
    recall = [e.relevant[r.order[:n]].sum() / min(e.evidence, 5) for e, r, n in lines]
    relevant = sum(int(e.relevant[r.order[:n]].sum()) for e, r, n in lines)
    newer = [_newer_first(e, r) for e, r in answered if e.older.any()]
    figures = {
        "wrongly empty %": 100 * float(np.mean([n == 0 for _, _, n in lines])),
        "R@5 shown": 100 * float(np.mean(recall)),
        "lines": float(np.mean([n for _, _, n in lines])),
        "precision %": 100 * relevant / max(sum(n for _, _, n in lines), 1),
        "calibration error": _calibration_error(answered),
        "newer above older %": 100 * float(np.mean(newer)) if newer else None,
    }
    return {name: None if value is None else round(value, 3) for name, value in figures.items()}


def silent(judged: Sequence[tuple[Example, Ranking]]) -> dict[str, Any]:
    """Measure silence: on questions of elsewhere, and how well those without answer are told."""
    foreign = [r.shown == 0 for e, r in judged if e.category == "foreign"]
    lacking = [_best(r) for e, r in judged if not e.evidence and e.category != "foreign"]
    answered = [_best(r) for e, r in judged if e.evidence]
    return {
        "silent on others %": round(100 * float(np.mean(foreign)), 1) if foreign else None,
        "unanswerable": len(lacking),
        "AUC unanswerable": round(_auc(answered, lacking), 3) if lacking else None,
        "silent on unanswerable %": round(
            100 * float(np.mean([r.shown == 0 for e, r in judged
                                 if not e.evidence and e.category != "foreign"])), 1
        ) if lacking else None,
    }  # fmt: skip


def _best(ranking: Ranking) -> float:
    return ranking.answered


def _auc(higher: Sequence[float], lower: Sequence[float]) -> float:
    above = np.array(higher)[:, None] - np.array(lower)
    return float((above > 0).mean() + (above == 0).mean() / 2)


def _newer_first(example: Example, ranking: Ranking) -> bool:
    """Whether a memory that holds now stands above all that held before."""
    order = ranking.order
    now = np.flatnonzero((example.relevant & ~example.older)[order])
    before = np.flatnonzero(example.older[order])
    if len(now) == 0:
        return False
    return len(before) == 0 or bool(now[0] < before[0])


def _calibration_error(judged: Sequence[tuple[Example, Ranking]]) -> float:
    """Return how far probabilities are from what came true, over tenths of the first five."""
    chances = np.concatenate([r.chances[:5] for _, r in judged])
    true = np.concatenate([e.relevant[r.order[:5]] for e, r in judged])
    bins = np.minimum((chances * 10).astype(int), 9)
    parts = [(bins == b) for b in range(10)]
    errors = [p.sum() * abs(chances[p].mean() - true[p].mean()) for p in parts if p.any()]
    return float(sum(errors) / len(chances))


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--apart", choices=["source", "history", "shipped"], default="source")
    parser.add_argument("--sources", default=",".join(LICENCES))
    parser.add_argument("--cases", type=int, help="at most so many histories of a source")
    parser.add_argument("--embedder", default="static")
    parser.add_argument("--url", default="", help="a store to compare with SQLite")
    parser.add_argument("--vectors", type=Path, help="a file to keep the embedder's vectors in")
    options = parser.parse_args()
    os.environ["MILEPOST_EMBEDDER"] = options.embedder
    if options.vectors:
        keep_vectors(options.vectors)
    if options.url:
        compare(options)
        return
    names = options.sources.split(",")
    everything = collect(options.data, names, options.cases)
    if options.embedder != "static":
        # What such a model does not know, the static one answers alone.
        everything = [e for e in everything if not e.columns or "chosen_z" in e.columns]
    figures = judged_figures(options, everything)
    rows = [[name, *_cells(figure)] for name, figure in figures["sources"].items()]
    print(table(["source", *_HEADERS], rows))
    print("macro average", figures["macro"])
    channel = "static" if options.embedder == "static" else "chosen"
    save(f"retrieval-{channel}-{options.apart}", figures)


_HEADERS = (
    "n", "FTS5", "BM25", "words + meaning", "Milepost R@5 / hit@5 / MRR", "empty %", "lines",
    "precision %", "error", "newer %", "silent %", "AUC",
)  # fmt: skip


def _cells(figure: dict[str, Any]) -> list[object]:
    def triple(name: str) -> str:
        values = figure.get(name)
        return " / ".join(f"{v:.1f}" for v in values.values()) if values else ""

    quick = [figure.get(name) for name in (
        "wrongly empty %", "lines", "precision %", "calibration error", "newer above older %",
        "silent on others %", "AUC unanswerable",
    )]  # fmt: skip
    cells = [triple(name) for name in ("FTS5", "BM25", "words + meaning", "Milepost")]
    return [figure["questions"], *cells, *("" if value is None else value for value in quick)]


def judged_figures(options: argparse.Namespace, everything: list[Example]) -> dict[str, Any]:
    """Judge all examples, and measure by source, with fields and plain."""
    if options.apart == "shipped":
        model = shipped_model("static" if options.embedder == "static" else "chosen")
        judged = [(example, judge(model, example)) for example in everything]
    else:
        apart = {"source": lambda e: e.origin, "history": fold_of}[options.apart]
        judged = list(judged_apart(everything, apart, lambda seen: train(seen, GATE, ITEM)))
    groups: dict[str, list[tuple[Example, Ranking]]] = defaultdict(list)
    for example, ranking in judged:
        plain = example.plain and example.source != "sessions"
        groups[f"{example.source}{', plain' * plain}"].append((example, ranking))
    found: dict[str, Any] = {}
    for name, group in groups.items():
        source = name.partition(",")[0]
        found[name] = {**ranked(group), **shown(group), **silent(group)}
        if "plain" not in name:
            found[name] |= floors(cases(source, options.data)[: options.cases])
        found[name]["licence"] = LICENCES[source]
    ours = [(figure["Milepost"]["R@5"], figure["Milepost"]["MRR"]) for figure in found.values()]
    recall, reciprocal = np.mean(ours, axis=0)
    macro = {"R@5": round(float(recall), 1), "MRR": round(float(reciprocal), 1)}
    return {"apart": options.apart, "embedder": options.embedder, "macro": macro, "sources": found}


if __name__ == "__main__":
    main()
