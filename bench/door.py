"""What the door tells of planted and ordinary texts, and what it adds to the cost of a store.

Precision and recall by class on `gate.jsonl` and `door.jsonl` of `data/knowledge` beside the
floor, false alarms on texts that people and agents wrote for other purposes, and the time of a
store beside one whose door lets everything pass unread, in turns within one run.
"""

import argparse
import gzip
import json
import random
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from milepost.app import open_memory
from milepost.memory import remember
from milepost.opening import settings_for
from milepost.text.boilerplate import says_nothing
from milepost.text.instructing import instructs
from planted import gate_floor, read

HERE = Path(__file__).parent / "data"
SAMPLE = 6_000


def label(text: str) -> str:
    """Return what the door says of a text, in the words of the planted set."""
    return "instructs" if instructs(text) else "boilerplate" if says_nothing(text) else "fine"


def judged(split: str) -> Iterator[str]:
    """Say how many are told rightly, of those told and of those there are."""
    for file in ("gate", "door"):
        rows = [(label(row["text"]), row["label"]) for row in read(file, split)]
        for name in ("instructs", "boilerplate"):
            right = sum(said == is_ == name for said, is_ in rows)
            told, wanted = (sum(pair[i] == name for pair in rows) for i in (0, 1))
            yield f"{file} {split} {name}: P {right}/{told} R {right}/{wanted}"


def own_notes() -> str:
    """Say how many notes that users write of agents and prompts are marked, by whose they are."""
    notes = [row["text"] for row in read("own")]
    users, pages = (sum(instructs(note, own=own) for note in notes) for own in (True, False))
    return f"notes of users: {users} of {len(notes)} marked as theirs, {pages} as a page's"


def texts(value: Any) -> Iterator[str]:
    """Yield all texts of some length in data."""
    if isinstance(value, str):
        if len(value) > 15:
            yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from texts(each)


def ordinary(data: Path | None) -> Iterator[tuple[str, list[str]]]:
    """Yield sets of texts that nobody wrote to deceive."""
    lines = (HERE / "histories").glob("*.txt")
    yield "histories", [line for file in lines for line in file.read_text().splitlines()]
    yield "month dev", [t for f in (HERE / "month").glob("dev*.json") for t in loaded(f)]
    yield "briefing dev", list(loaded(HERE / "briefing" / "dev.json"))
    for name in ("developer", "meetings", "locomo", "longmemeval_dev") if data else ():
        files = sorted(f for f in (data / name).iterdir() if ".json" in f.name)[:8]
        yield name, [text for file in files for text in loaded(file)]


def loaded(file: Path) -> Iterator[str]:
    """Yield the texts of a file of JSON."""
    data = file.read_bytes()
    yield from texts(json.loads(gzip.decompress(data) if file.suffix == ".gz" else data))


def alarms(data: Path | None) -> Iterator[str]:
    """Say how many ordinary texts are marked."""
    yield own_notes()
    chance = random.Random(5)
    for name, found in ordinary(data):
        some = sorted(set(found))
        chance.shuffle(some)
        labels = [label(text) for text in some[:SAMPLE]]
        counts = ", ".join(f"{k} {labels.count(k)}" for k in ("instructs", "boilerplate"))
        yield f"{name}: {counts} of {len(labels):,}"


def stores(batch: bool) -> dict[str, float]:
    """Return the median time of a store by whether the door reads, in milliseconds."""
    sizes, rounds = (1_000, 8) if batch else (1, 300)
    found = sorted({t.strip() for f in (HERE / "histories").glob("*.txt") for t in f.open()} - {""})
    spent: dict[str, list[float]] = {"open": [], "read": []}
    doors: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
        "open": (list, lambda *_: None),
        "read": (remember.marked, remember.link_alike),
    }
    with TemporaryDirectory() as folder:
        memories = {name: open_memory(settings_for(Path(folder) / f"{name}.db")) for name in spent}
        for number in range(rounds + 1):
            for name, memory in memories.items():
                remember.marked, remember.link_alike = doors[name]
                taken = [found[(number * sizes + i) % len(found)] for i in range(sizes)]
                began = time.perf_counter()
                memory.store_batch([f"{text} ({number})" for text in taken])
                if number:
                    spent[name].append(1e3 * (time.perf_counter() - began))
        for memory in memories.values():
            memory.close()
    return {name: round(statistics.median(times), 3) for name, times in spent.items()}


def scored(split: str) -> dict[str, dict[str, float]]:
    """Return precision and recall by class."""
    rows = [(label(row["text"]), row["label"]) for row in read("gate", split)]
    found = {}
    for name in ("instructs", "boilerplate"):
        right = sum(said == is_ == name for said, is_ in rows)
        told, wanted = (sum(pair[i] == name for pair in rows) for i in (0, 1))
        found[name] = {
            "told": told,
            "wanted": wanted,
            "precision": round(right / max(1, told), 3),
            "recall": round(right / wanted, 3),
        }
    return found


def figures(data: Path | None) -> dict[str, Any]:
    """Measure all of it."""
    return {
        "gate": {split: scored(split) for split in ("dev", "test")},
        "floor on test": gate_floor(),
        "false alarms": list(alarms(data)),
        "ms": {"one store": stores(batch=False), "1,000 in a batch": stores(batch=True)},
    }


def main() -> None:
    """Print the tables; `bench/knowledge.py --only door` keeps them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--test", action="store_true", help="also the totals of test")
    options = parser.parse_args()
    print(*judged("dev"), sep="\n")
    if options.test:
        print(*judged("test"), gate_floor(), sep="\n")
    print(*alarms(options.data), sep="\n", flush=True)
    for batch in (False, True):
        ms = stores(batch)
        what = "1,000 in a batch" if batch else "one store"
        print(f"{what}: {ms['open']} ms unread, {ms['read']} ms read")


if __name__ == "__main__":
    main()
