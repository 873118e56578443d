"""Train the weights that rank memories, and ship them as data.

usage: python bench/train_fusion.py --data ../shared/data [--embedder onnx:../shared/models/…]

Trains on every source whose licence allows it, and writes the licences beside the weights. With an
embedder beside the static model, trains the model for two channels.
"""

import argparse
import json
import os
import random
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import milepost
from datasets import LICENCES, MEASURED_ONLY, Case, cases
from fusion import Example, examples, foreign_examples, small_examples, train
from milepost.ranking.score import FusionModel, layer_data

# An answer whose best memory is less likely than the gate is no answer; other memories are shown
# down to this share of the best one's probability.
GATE = 0.05
ITEM = 0.15
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
        histories = cases(name, data)[:most]
        for plain in (True,) if name == "sessions" else (False, True):
            found += examples(histories, plain=plain)
        strangers = foreign_questions(data, name)
        found += foreign_examples(few(histories), strangers, max(160 // len(histories), 2))
        found += small_examples(few(histories), strangers, max(60 // len(histories), 1))
    return found


def write(model: FusionModel, name: str) -> Path:
    """Write a model where the package reads it, with what it was trained on."""
    data = {
        "trained_on": {source: LICENCES[source] for source in TRAINED_ON},
        "ranking": layer_data(model.ranking),
        "calibration": layer_data(model.calibration),
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
    parser.add_argument("--cases", type=int, help="at most so many histories of a source")
    options = parser.parse_args()
    os.environ["MILEPOST_EMBEDDER"] = options.embedder
    name = "static" if options.embedder == "static" else "chosen"
    print(
        f"wrote {write(train(collect(options.data, TRAINED_ON, options.cases), GATE, ITEM), name)}"
    )


if __name__ == "__main__":
    main()
