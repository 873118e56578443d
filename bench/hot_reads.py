"""What an answer costs that is given again, and what a search pays that is not found there.

usage: python bench/hot_reads.py [--data ../shared/data] [--sizes 1000,10000,100000]

The processor's time; each question is asked with and without the cache, in turns, and then again.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from common import save, table
from corpus import memories, questions, sentences
from milepost.app import Milepost, open_memory
from milepost.memory.hot_reads import HotReads
from milepost.opening import settings_for

QUESTIONS = 400
BYTES = 16 << 20


def measure(memory: Milepost, asked: list[str]) -> dict[str, float]:
    """Return medians in microseconds."""
    context = memory._context
    hot = context.part(HotReads)
    taken: dict[str, list[float]] = {"without": [], "not found": [], "given again": []}
    for number, question in enumerate(asked):
        hot.allow(0)
        memory.search(question)  # what else is remembered of it is so for all that follow
        for kind in ("without", "not found") if number % 2 else ("not found", "without"):
            hot.allow(BYTES if kind == "not found" else 0)
            taken[kind].append(_spent(partial(memory.search, question)))
        hot.allow(BYTES)
        taken["given again"].append(_spent(partial(memory.search, question)))
    assert hot.use.hits == hot.use.misses == len(asked), hot.use
    pairs = zip(taken["not found"], taken["without"], strict=True)
    more_us = statistics.median(there - without for there, without in pairs) * 1e6
    now_us = context.clock()
    versions = [_spent(lambda: context.store.version("default", now_us)) for _ in range(2_000)]
    figures = {kind: round(statistics.median(each) * 1e6, 1) for kind, each in taken.items()}
    # One look is shorter than the clock's step.
    figures["version"] = round(statistics.mean(versions) * 1e6, 1)
    del figures["not found"]
    saved_us = figures["without"] - figures["given again"]
    figures["more if not found"] = round(more_us, 1)
    return figures | {"pays from % of hits": round(100 * more_us / (saved_us + more_us), 1)}


def _spent(act: Callable[[], object]) -> float:
    began = time.process_time()
    act()
    return time.process_time() - began


def main() -> None:
    """Measure all sizes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--sizes", default="1000,10000,100000")
    given = parser.parse_args()
    pool, rows = sentences(given.data), {}
    for size in map(int, given.sizes.split(",")):
        with (
            tempfile.TemporaryDirectory(prefix="milepost-hot-") as folder,
            open_memory(settings_for(Path(folder, "m.db"))) as memory,
        ):
            memory.store_batch(list(memories(pool, size)))
            asked = list(dict.fromkeys(questions(pool[:size], QUESTIONS)))
            rows[str(size)] = measure(memory, asked)
    names = list(next(iter(rows.values())))
    print(table(["memories", *names], [[size, *row.values()] for size, row in rows.items()]))
    save("hot-reads", {"unit": "us of the processor, median", "by_memories": rows})


if __name__ == "__main__":
    main()
