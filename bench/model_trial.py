"""Does the trial of `milepost model use` tell what people's questions tell?

Every history is a store. The trial takes sentences out of its memories; beside it stands what the
same model gains on the questions that people asked of the history.
"""

import argparse
import tempfile
from collections import defaultdict
from contextlib import closing
from pathlib import Path

import datasets
from common import save, table

from milepost.config import load_settings
from milepost.memory.remember import store_items
from milepost.memory.search import rank_for
from milepost.memory.values import Filter
from milepost.opening import open_context
from milepost.upkeep.model_trial import tried
from milepost.upkeep.reembedding import Reembedding

SOURCES = ("faq", "changes", "meetings", "talk", "coding", "notes", "languages")


def compared(case: datasets.Case, embedder: str) -> dict[str, float]:
    """Return how often the right memory comes first, by the trial and by the questions."""
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings()._replace(url=f"{folder}/m.db", embedder="static")
        context = open_context(settings)
        with closing(context.store):
            hashes = store_items(context, case.memories)
            beside = open_context(settings._replace(url="memory://", embedder=embedder))
            trial = tried(context, beside, lambda *_: None)
            both = open_context(settings._replace(embedder=embedder))
            both.part(Reembedding).wait()
            asked = [q for q in case.questions if q.evidence]
            alone = [_first(context, q, hashes) for q in asked]
            with_it = [_first(both, q, hashes) for q in asked]
            for opened in (beside, both):
                opened.parts.close()
                opened.store.close()
    return {
        "memories": len(case.memories),
        "sentences": trial.questions,
        "sentences alone": trial.first[0],
        "sentences with": trial.first[1],
        "questions": len(asked),
        "questions alone": sum(alone),
        "questions with": sum(with_it),
    }


def _first(context, question, hashes) -> bool:  # type: ignore[no-untyped-def]
    where = Filter(context.space, context.clock())
    ids = rank_for(context, question.text, where, 1, 0.0).ids[:1]
    names = [record.hash for record in context.store.memories.records(ids)]
    wanted = [hashes[place] for place in question.evidence]
    return any(name.startswith(want) for name in names for want in wanted)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", required=True, help="a folder with an ONNX model")
    parser.add_argument("--histories", type=int, default=4, help="how many of each source")
    parser.add_argument("--memories", type=int, default=700, help="how large at most")
    options = parser.parse_args()
    sums: dict[str, dict[str, float]] = {}
    for source in SOURCES:
        cases = [
            case
            for case in datasets.cases(source, options.data)
            if 60 <= len(case.memories) <= options.memories and len(case.questions) >= 10
        ][: options.histories]
        total: dict[str, float] = defaultdict(float)
        for case in cases:
            found = compared(case, f"onnx:{options.model}")
            print(source, case.name, found, flush=True)
            for name, value in found.items():
                total[name] += value
        if cases:
            sums[source] = dict(total) | {"histories": len(cases)}
    print(table(("source", *_HEAD), [(s, *_row(t)) for s, t in sums.items()]))
    print(save("model-trial", {"model": Path(options.model).name, "sources": sums}))


_HEAD = ("histories", "sentences", "alone", "with", "gain", "questions", "alone", "with", "gain")


def _row(total: dict[str, float]) -> list[object]:
    row: list[object] = [int(total["histories"])]
    for kind in ("sentences", "questions"):
        count = max(total[kind], 1)
        alone, with_it = (100 * total[f"{kind} {how}"] / count for how in ("alone", "with"))
        row += [int(total[kind]), f"{alone:.1f}", f"{with_it:.1f}", f"{with_it - alone:+.1f}"]
    return row


if __name__ == "__main__":
    main()
