"""Does `milepost measure compare` tell what people's questions tell?

Every history is a store. The trial asks for its memories by halves of their own sentences; beside
it stands what the same model gains on the questions that people asked of the history. A gain is the
logarithm of how many times nearer the memory stands, so that 0.69 is half the place.
"""

import argparse
import tempfile
from collections.abc import Sequence
from math import log
from pathlib import Path
from statistics import correlation, mean
from typing import NamedTuple

import datasets
from common import save, table
from milepost.config import load_settings
from milepost.measuring.comparison import tried
from milepost.memory.context import Context
from milepost.memory.remember import store_items
from milepost.memory.search import rank_for
from milepost.memory.values import Filter
from milepost.opening import open_context
from milepost.upkeep.reembedding import Reembedding

SOURCES = ("locomo", "talk", "coding", "notes", "languages", "meetings", "faq")


class Compared(NamedTuple):
    """What a model gains on a history by the trial and by its questions, and how many they are.

    halves_reach: how far the bounds of the interval lie from the gain.
    """

    source: str
    name: str
    memories: int
    halves: int
    halves_gain: float
    halves_reach: float
    questions: int
    questions_gain: float


def compared(case: datasets.Case, embedder: str) -> Compared:
    """Try a model on a history, and ask the questions with it and without."""
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings()._replace(url=f"{folder}/m.db", embedder="static")
        beside = open_context(settings._replace(url="memory://", embedder=embedder))
        context = open_context(settings)
        hashes = store_items(context, case.memories)
        trial = tried(context, beside, lambda *_: None)
        both = open_context(settings._replace(embedder=embedder))
        both.part(Reembedding).wait()
        asked = [q for q in case.questions if q.evidence]
        gains = [log(_place(context, q, hashes) / _place(both, q, hashes)) for q in asked]
        for opened in (beside, both, context):
            opened.parts.close()
            opened.store.close()
    return Compared(
        case.source,
        case.name,
        len(case.memories),
        trial.questions,
        trial.gain,
        (trial.high - trial.low) / 2,
        len(asked),
        mean(gains),
    )


def _place(context: Context, question: datasets.Question, hashes: Sequence[str]) -> int:
    where = Filter(context.space, context.clock())
    ids = rank_for(context, question.text, where, 1, 0.0).ids
    wanted = tuple(hashes[place] for place in question.evidence)
    names = [record.hash for record in context.store.memories.records(ids)]
    places = [i for i, name in enumerate(names, 1) if name.startswith(wanted)]
    return places[0] if places else len(names) + 1


def chosen(source: str, options: argparse.Namespace) -> list[datasets.Case]:
    """Return the histories of a source that are neither too large nor hardly asked about."""
    cases = datasets.cases(source, options.data)
    fitting = [c for c in cases if 60 <= len(c.memories) <= options.memories]
    asked = [c for c in fitting if len(c.questions) >= options.questions]
    return asked[options.skip : options.skip + options.histories]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", required=True, help="a folder with an ONNX model")
    parser.add_argument("--sources", default=",".join(SOURCES), help="which, with commas")
    parser.add_argument("--histories", type=int, default=4, help="how many of each source")
    parser.add_argument("--memories", type=int, default=700, help="how large at most")
    parser.add_argument("--questions", type=int, default=10, help="how many it has at least")
    parser.add_argument("--skip", type=int, default=0, help="leave out the first of each source")
    options = parser.parse_args()
    rows = []
    for source in options.sources.split(","):
        for case in chosen(source, options):
            rows.append(compared(case, f"onnx:{options.model}"))
            print(*rows[-1], flush=True)
    print(table(Compared._fields, rows))
    together = correlation([r.halves_gain for r in rows], [r.questions_gain for r in rows])
    alike = sum((r.halves_gain > 0) == (r.questions_gain > 0) for r in rows)
    print(f"correlation {together:.2f}, the same sign for {alike} of {len(rows)}")
    figures = {"model": Path(options.model).name, "skip": options.skip, "correlation": together}
    print(save("model-trial", figures | {"histories": [r._asdict() for r in rows]}))


if __name__ == "__main__":
    main()
