"""How many of the memories nearest in meaning the candidates of a search hold, and what they cost.

usage: PYTHONPATH=src python bench/candidates.py --data DIR [--sizes 10000,100000,1000000]
       [--beside OTHER-TREE] [--folder FOLDER]

The memories are documents and sentences of the public sets in DIR, each once, stored as callers
store them; the questions are those of the sets. Exact means: the similarity of every stored vector.
Another tree has its own copy of the store and takes turns with this one at every question; times
are those computed, which other work on the machine disturbs less.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).parent))
from common import save, table
from corpus import asked_questions, passages

HERE = Path(__file__).parent.parent
BATCH = 5_000
QUESTIONS = 100

# Run in either tree, so only what both have is used: one line answers a question.
ANSWER = """
import json, sys, time
from functools import lru_cache
import numpy as np
from milepost import connect
from milepost.storage.index.candidates import _by_meaning

def exact(segments, vector, model, count):
    found = []
    for number, segment in enumerate(segments):
        values, scale, _ = segment.channel(model)
        for start in range(0, len(segment), 65536):
            rows = slice(start, start + 65536)
            scores = values[rows].astype(np.float32) @ vector * scale[rows]
            best = np.argpartition(-scores, min(count, len(scores) - 1))[:count]
            found += [(-scores[i], number, start + int(i)) for i in best]
    return [place for _, *place in sorted(found)[:count]]

def timed(action):
    began = time.thread_time()
    result = action()
    return (time.thread_time() - began) * 1e3, result

def times(memory, question):
    return {
        "search_ms": timed(lambda: memory.search(question))[0],
        "filtered_ms": timed(lambda: memory.search(question, project="project7"))[0],
        "meaning_ms": timed(lambda: by_meaning(memory, question, 80))[0],
    }

def by_meaning(memory, question, limit):
    probe, segments = asked(memory, question)
    return _by_meaning(segments, [None] * len(segments), probe, limit)

@lru_cache(1)
def asked(memory, question):
    return memory._context.texts.probe(question), memory._context.store.index.segments()

def held(memory, question):
    probe, segments = asked(memory, question)
    shares = {}
    near = exact(segments, probe.vectors[probe.static], probe.static, 100)
    for first, limit in ((20, 80), (80, 80), (100, 100)):
        hits = by_meaning(memory, question, limit)
        places = set(zip(hits.segment.tolist(), hits.doc.tolist()))
        shares[f"{first} of {limit}"] = sum(tuple(p) in places for p in near[:first]) / first
    return shares

with connect(sys.argv[1]) as memory:
    memory.search("the first search")
    for line in sys.stdin:
        what, question = json.loads(line)
        asked(memory, question)
        print(json.dumps(globals()[what](memory, question)), flush=True)
"""
REBUILD = """
import sys
from milepost import connect
with connect(sys.argv[1]) as memory:
    memory.search("build the index")
    memory._context.store.index.join()
"""


def main() -> None:
    """Measure all sizes, print a table and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sizes", default="10000,100000,1000000")
    parser.add_argument("--beside", type=Path, help="another tree, to take turns with")
    parser.add_argument("--folder", type=Path, help="keep the stores here")
    given = parser.parse_args()
    trees = {"new": HERE} | ({"old": given.beside.resolve()} if given.beside else {})
    asked = asked_questions(given.data, QUESTIONS)
    with tempfile.TemporaryDirectory(prefix="mp-") as temporary:
        folder = given.folder or Path(temporary)
        rows = [
            row
            for size in map(int, given.sizes.split(","))
            for row in measured(folder, size, given.data, trees, asked)
        ]
    print(table(list(rows[0]), [list(row.values()) for row in rows]))
    print(save("candidates", {"questions": len(asked), "sizes": rows}))


def measured(
    folder: Path, size: int, data: Path, trees: dict[str, Path], asked: list[str]
) -> list[dict[str, Any]]:
    """Return a row of figures for each tree, taken in turns."""
    stores = {name: folder / name / f"{size}.db" for name in trees}
    fill(stores, size, data, trees)
    taken: dict[str, list[dict[str, float]]] = {name: [{} for _ in asked] for name in trees}
    with ExitStack() as until_done:
        ask = {
            name: until_done.enter_context(answering(tree, stores[name]))
            for name, tree in trees.items()
        }
        # The times first: what is compared with everything leaves nothing else in the cache.
        for what in ("times", "held"):
            for number, question in enumerate(tqdm(asked, desc=f"{what} {size:,}", unit="")):
                for name, process in list(ask.items())[:: 1 if number % 2 else -1]:
                    taken[name][number] |= answered(process, what, question)
    return [
        {"memories": size, "tree": name, **figures(taken[name]), "bytes": bytes_each(path, size)}
        for name, path in stores.items()
    ]


def fill(stores: dict[str, Path], size: int, data: Path, trees: dict[str, Path]) -> None:
    """Store the memories once, and let each tree make the index of its copy, of one segment."""
    from milepost import connect

    new = stores["new"]
    if not new.exists():
        new.parent.mkdir(parents=True, exist_ok=True)
        made = passages(data, size)
        with connect(new) as memory:
            for start in tqdm(range(0, size, BATCH), desc=f"store {size:,}", unit=""):
                memory.store_batch(made[start : start + BATCH])
    for name, path in stores.items():
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(new, path)
        command = [sys.executable, "-c", REBUILD, str(path)]
        subprocess.run(command, env=environment(trees[name]), check=True)


def environment(tree: Path) -> dict[str, str]:
    """Return what lets a process use a tree, and nothing that is open elsewhere."""
    return {**os.environ, "PYTHONPATH": str(tree / "src"), "MILEPOST_DAEMON": "off"}


@contextmanager
def answering(tree: Path, store: Path) -> Iterator[subprocess.Popen[str]]:
    """Open a store in a process of its own that answers questions until it is let go."""
    process = subprocess.Popen(
        [sys.executable, "-c", ANSWER, str(store)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment(tree),
        text=True,
    )
    yield process
    process.communicate()


def answered(process: subprocess.Popen[str], what: str, question: str) -> dict[str, float]:
    """Put a question to a process."""
    assert process.stdin
    assert process.stdout
    process.stdin.write(json.dumps([what, question]) + "\n")
    process.stdin.flush()
    answer: dict[str, float] = json.loads(process.stdout.readline())
    return answer


def figures(answers: list[dict[str, float]]) -> dict[str, float]:
    """Return the mean share that is held, and the median times."""
    return {
        name: round(
            statistics.median(a[name] for a in answers)
            if name.endswith("_ms")
            else statistics.fmean(a[name] for a in answers),
            3,
        )
        for name in answers[0]
    }


def bytes_each(path: Path, size: int) -> int:
    """Return the size of the index for each memory."""
    return sum(file.stat().st_size for file in Path(f"{path}.index").iterdir()) // size


if __name__ == "__main__":
    main()
