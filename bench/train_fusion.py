"""Train the weights that rank memories, and ship them as data.

usage: python bench/train_fusion.py --data ../shared/data [--embedder onnx:../shared/models/…]

With an embedder beside the static model, trains the model for two channels (on LoCoMo alone).
"""

import argparse
import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import milepost
from common import save, table
from datasets import locomo, longmemeval
from fusion import (
    Example,
    cross_validate,
    examples,
    foreign_examples,
    gate_table,
    ranking_table,
    small_examples,
    train,
)
from milepost.memory.search import POOL_SIZE
from milepost.ranking.score import FusionModel, layer_data

# An answer whose best memory is less likely than the gate is no answer; other memories are shown
# down to this share of the best one's probability.
GATE = 0.03
ITEM = 0.025


def collect(data: Path, *, two_channels: bool) -> dict[str, list[Example]]:
    """Ask all questions in every way the model must serve."""
    talks, chats = locomo(data), longmemeval(data)
    if two_channels:
        return {
            "LoCoMo": examples(talks, plain=False, limit=POOL_SIZE),
            "LoCoMo, plain notes": examples(talks, plain=True, limit=POOL_SIZE),
            "foreign": foreign_examples(talks, talks, 60, plain=False),
        }
    everyone = [*talks, *chats]
    return {
        "LoCoMo": examples(talks, plain=False, limit=POOL_SIZE),
        "LoCoMo, plain notes": examples(talks, plain=True, limit=POOL_SIZE),
        "LongMemEval": examples(chats, plain=False, limit=POOL_SIZE),
        "LongMemEval, plain notes": examples(chats, plain=True, limit=POOL_SIZE),
        "small stores": small_examples(talks, 40) + small_examples(chats, 1),
        "foreign": [
            *foreign_examples(talks, everyone, 60, plain=False),
            *foreign_examples(talks, everyone, 60, plain=True),
            *foreign_examples(chats, everyone, 3, plain=False),
            *foreign_examples(chats, everyone, 3, plain=True),
            *small_examples(talks, 40, everyone),
            *small_examples(chats, 1, everyone),
        ],
    }


def write(model: FusionModel, name: str) -> Path:
    """Write a model where the package reads it."""
    data = {
        "first": layer_data(model.first),
        "second": layer_data(model.second),
        "calibration": layer_data(model.calibration),
        "gate": model.gate,
        "item": model.item,
    }
    folder = Path(milepost.__file__).parent / "ranking" / "data"
    path = folder / f"fusion-{name}.json"
    path.write_text(json.dumps(data) + "\n")
    return path


def main() -> None:
    """Cross-validate, print what to expect on unseen data, train on everything, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--embedder", default="static")
    parser.add_argument("--only-write", action="store_true", help="skip the cross-validation")
    given = parser.parse_args()
    os.environ["MILEPOST_EMBEDDER"] = given.embedder
    name = "static" if given.embedder == "static" else "chosen"
    groups = collect(given.data, two_channels=name == "chosen")
    foreign = groups.pop("foreign")
    everything = [example for group in groups.values() for example in group]
    path = write(train(everything, foreign, GATE, ITEM), name)
    print(f"wrote {path}")
    if given.only_write:
        return
    judged, strange = cross_validate(groups, foreign, GATE, ITEM)
    ranking, gate = ranking_table(groups, judged), gate_table(groups, judged, strange, GATE, ITEM)
    print(table(list(ranking[0]), [list(row.values()) for row in ranking]))
    print(table(list(gate[0]), [list(row.values()) for row in gate]))
    save(f"fusion-{name}", {"ranking": ranking, "gate": gate})


if __name__ == "__main__":
    main()
