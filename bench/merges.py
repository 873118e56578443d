"""How often two memories are rightly told to say the same, and to be an old state and its update.

Judged on pairs written by hand (`data/knowledge`); beside them a floor, the best cut of the share
of words that both have. Which of them the rules were made with is told in `bench/README.md`.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from common import save
from milepost.embedding.static import StaticEmbedder
from milepost.knowledge.supersession import suggested
from milepost.memory.context import Context
from milepost.memory.remember import content_hash, store_items
from milepost.memory.search import Search
from milepost.opening import open_context, settings_for
from milepost.text.restating import restates
from milepost.text.updating import update_of
from planted import likeness as shared_words
from planted import read, texts

RULES: dict[str, tuple[str, Callable[[str, str, float], object]]] = {
    "duplicates": ("same", restates),
    "restatements": ("same", restates),
    "updates": ("supersedes", update_of),
    "facts": ("supersedes", update_of),
}
SEARCHED = ("updates", "facts")
SPLITS = ("dev", "test")
APART = {
    "months apart": ("2026-01-10", "2026-05-10"),
    "minutes apart": ("2026-05-10 09:00", "2026-05-10 09:05"),
}


def figures() -> dict[str, Any]:
    """Measure both rules on both splits, and whether a search shows the update first."""
    pairs = {name: {split: _judged(name, split) for split in SPLITS} for name in RULES}
    searched = {f"search {n}": {split: _searched(n, split) for split in SPLITS} for n in SEARCHED}
    team = {split: _plainly(read("team_facts", split)) for split in SPLITS}
    later = {"later facts": {"test": _plainly(read("later_facts"))}, "team facts": team}
    return {**pairs, **later, **searched, "cost": _cost()}


def _judged(name: str, split: str) -> dict[str, Any]:
    rows = read(name, split)
    positive, rule = RULES[name]
    wanted = [row["label"] == positive for row in rows]
    both = [texts(name, row) for row in rows]
    taken = [bool(rule(*pair, alike)) for pair, alike in zip(both, _alike(both), strict=True)]
    floor = [shared_words(name, row) >= _cut(name) for row in rows]
    return {"pairs": len(rows), "rule": _scores(taken, wanted), "floor": _scores(floor, wanted)}


def _plainly(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Judge updates on facts that were written when the rules already stood, without a floor."""
    both = [(row["old"], row["new"]) for row in rows]
    taken = [bool(update_of(*pair, alike)) for pair, alike in zip(both, _alike(both), strict=True)]
    return {"pairs": len(rows), "rule": _scores(taken, [r["label"] == "supersedes" for r in rows])}


def _alike(pairs: Sequence[tuple[str, ...]]) -> list[float]:
    model = StaticEmbedder()
    one, other = (model.embed([pair[side] for pair in pairs]) for side in (0, 1))
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    alike: list[float] = ((one * other).sum(axis=1) / np.maximum(lengths, 1e-9)).tolist()
    return alike


def _cut(name: str) -> float:
    """Return the share of common words that tells best on the first split."""
    rows = read(name, "dev")
    wanted = [row["label"] == RULES[name][0] for row in rows]

    def f1(cut: float) -> float:
        found = _scores([shared_words(name, row) >= cut for row in rows], wanted)
        precision, recall = found["precision"] or 0.0, found["recall"]
        return float(2 * precision * recall / max(1e-9, precision + recall))

    return max((step / 20 for step in range(21)), key=f1)


def _scores(taken: Sequence[bool], wanted: Sequence[bool]) -> dict[str, Any]:
    right = sum(t and w for t, w in zip(taken, wanted, strict=True))
    return {
        "taken": sum(taken),
        "right": right,
        "precision": round(right / sum(taken), 3) if any(taken) else None,
        "recall": round(right / max(1, sum(wanted)), 3),
    }


def _searched(name: str, split: str) -> dict[str, Any]:
    """Store all pairs of a split, then ask for each attribute that changed; noticed and not."""
    rows = read(name, split)
    found: dict[str, Any] = {}
    for apart, times in APART.items():
        for noticing in (True, False):
            context = _stored(rows, times, noticing=noticing)
            how = "noticing" if noticing else "without noticing"
            found[f"newer first, {apart}, {how} %"] = _newer_first(context, rows)
            if noticing:
                found["noticed"] = _noticed(context, rows)
            context.close()
    return found


def _stored(rows: Sequence[dict[str, Any]], times: tuple[str, str], *, noticing: bool) -> Context:
    context = open_context(settings_for("memory://"))
    context = context if noticing else context._replace(followers=())
    for side, moment in zip(("old", "new"), times, strict=True):
        for row in rows:
            store_items(context, [{"content": row[side], "created": moment}])
    return context


def _newer_first(context: Context, rows: Sequence[dict[str, Any]]) -> float:
    memory = Search(lambda: context)
    found = []
    for row in rows:
        if row["label"] == "supersedes":
            lines = memory.search(f"{row['subject']}: {row['attribute']}?", limit=10).memories
            newer, older = (_place(lines, row[side]) for side in ("new", "old"))
            found += [newer < older] if newer != older else []
    return round(100 * sum(found) / max(1, len(found)), 1)


def _noticed(context: Context, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Count the pairs that were noticed as they were stored, whichever rows they are of."""
    told = {(pair.newer_text, pair.older_text) for pair in suggested(context, 10_000)}
    wanted = {(r["new"], r["old"]) for r in rows if r["label"] == "supersedes"}
    right = len(told & wanted)
    return {
        "told": len(told),
        "right": right,
        "precision": round(right / len(told), 3) if told else None,
        "recall": round(right / len(wanted), 3),
    }


def _cost() -> dict[str, float]:
    """Store all texts in two files in turns, one of which notices; compare the processor's time.

    What waits for the disk is left out: it is the same for both, and more than the rest.
    """
    rows = [row for name in SEARCHED for row in read(name)]
    stored = list(dict.fromkeys(row[side] for side in ("old", "new") for row in rows))
    spent: dict[bool, list[float]] = {True: [], False: []}
    with tempfile.TemporaryDirectory() as folder:
        whole = open_context(settings_for(Path(folder) / "noticing.db"))
        plain = open_context(settings_for(Path(folder) / "plain.db"))._replace(followers=())
        for text in stored:
            for noticing, context in ((True, whole), (False, plain)):
                begun = time.process_time()
                store_items(context, [{"content": text}])
                spent[noticing].append(time.process_time() - begun)
        whole.close()
        plain.close()
    with_it, without = (1000 * float(np.median(spent[each])) for each in (True, False))
    return {
        "store ms of processor p50": round(with_it, 3),
        "without noticing": round(without, 3),
        "ratio": round(with_it / without, 2),
    }


def _place(lines: Sequence[Any], text: str) -> int:
    name = content_hash(text)
    places = (place for place, line in enumerate(lines) if name.startswith(line.hash))
    return next(places, len(lines))


def main() -> None:
    """Print the figures and write them down."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    found = figures()
    save("merges", found)
    for name, splits in found.items():
        for part, measured in splits.items():
            print(name, part, measured)


if __name__ == "__main__":
    main()
