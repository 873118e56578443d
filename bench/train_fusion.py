"""Train the weights that rank memories, and ship them as data.

usage: python bench/train_fusion.py --data ../shared/data [--embedder onnx:../shared/models/…]
           [--sources faq,talk] [--cases N] [--vectors FILE]

Trains on every source whose licence allows it, and writes the licences beside the weights. With an
embedder beside the static model, trains the model for two channels; embedding takes long, so that
it can be told to take N histories of each source, short and long ones, and to keep the vectors.
"""

import argparse
import json
import os
import random
import sys
from collections.abc import Sequence
from math import ceil
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import milepost
from datasets import LICENCES, MEASURED_ONLY, Case, cases
from fusion import Example, examples, foreign_examples, small_examples, train
from kept_vectors import keep_vectors
from milepost.ranking.score import FusionModel, layer_data

# A question that is less likely answered than the gate finds nothing; a memory that is less likely
# relevant than the item is not shown beside a better one.
GATE = 0.55
ITEM = 0.04
TRAINED_ON = tuple(name for name in LICENCES if name not in MEASURED_ONLY)


def foreign_questions(data: Path, source: str) -> list[str]:
    """Return questions of all sources but one, as many of each."""
    rng = random.Random(1)
    asked: list[str] = []
    alike = {"turns", "sessions"} if source in {"turns", "sessions"} else {source}
    for name in (n for n in TRAINED_ON if n not in {*alike, "sessions"}):
        texts = [q.text for case in cases(name, data) for q in case.questions if q.evidence]
        asked += rng.sample(texts, min(60, len(texts)))
    return asked


def few(histories: Sequence[Case]) -> Sequence[Case]:
    """Return some of the histories of a source that has very many."""
    return histories if len(histories) < 40 else histories[::5]


def collect(data: Path, sources: Sequence[str], most: int | None) -> list[Example]:
    """Ask sources all they must serve: with sessions and authors, plain, small, foreign."""
    found: list[Example] = []
    for name in sources:
        histories = sorted(cases(name, data), key=lambda case: len(case.memories))
        histories = histories[:: ceil(len(histories) / most) if most else 1]
        for plain in (True,) if name == "sessions" else (False, True):
            found += examples(histories, plain=plain)
        strangers = foreign_questions(data, name)
        found += foreign_examples(few(histories), strangers, max(160 // len(histories), 2))
        found += small_examples(few(histories), strangers, max(60 // len(histories), 1))
    return found


def write(model: FusionModel, name: str, sources: Sequence[str]) -> Path:
    """Write a model where the package reads it, with what it was trained on."""
    data = {
        "trained_on": {source: LICENCES[source] for source in sources},
        "ranking": layer_data(model.ranking),
        "replaced": layer_data(model.replaced),
        "answered": layer_data(model.answered),
        "relevance": layer_data(model.relevance),
        "gate": model.gate,
        "item": model.item,
    }
    path = Path(milepost.__file__).parent / "ranking" / "data" / f"fusion-{name}.json"
    path.write_text(json.dumps(data) + "\n")
    return path


def main() -> None:
    """Train on everything that may be trained on, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--embedder", default="static")
    parser.add_argument("--sources", default=",".join(TRAINED_ON))
    parser.add_argument("--cases", type=int, help="at most so many histories of a source")
    parser.add_argument("--vectors", type=Path, help="a file to keep the embedder's vectors in")
    options = parser.parse_args()
    os.environ["MILEPOST_EMBEDDER"] = options.embedder
    if options.vectors:
        keep_vectors(options.vectors)
    name = "static" if options.embedder == "static" else "chosen"
    sources = [source for source in options.sources.split(",") if source in TRAINED_ON]
    model = train(collect(options.data, sources, options.cases), GATE, ITEM)
    print(f"wrote {write(model, name, sources)}")


if __name__ == "__main__":
    main()
