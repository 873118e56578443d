"""Weights for Milepost that never saw the source that is asked, nor one of its kind."""

from __future__ import annotations

import json
from pathlib import Path

from fusion import train
from milepost.ranking.score import layer_data
from train_fusion import GATE, ITEM, TRAINED_ON, collect

# LongMemEval takes longer than all others together, and of these some histories must do.
TRAINED = tuple(name for name in TRAINED_ON if name not in {"turns", "sessions"})
HISTORIES = 8


def make(data: Path, sources: list[str], folder: Path) -> None:
    """Train without each source in turn; what is never trained on is left out."""
    wanted = [s for s in sources if s in TRAINED_ON and not (folder / f"{s}.json").exists()]
    if not wanted:
        return
    folder.mkdir(parents=True, exist_ok=True)
    examples = collect(data, TRAINED, HISTORIES)
    for source in wanted:
        model = train([example for example in examples if example.source != source], GATE, ITEM)
        layers = ("ranking", "replaced", "answered", "relevance")
        told = {name: layer_data(getattr(model, name)) for name in layers}
        told |= {"gate": model.gate, "item": model.item}
        (folder / f"{source}.json").write_text(json.dumps(told))
