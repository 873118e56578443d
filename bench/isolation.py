"""What somebody with a key of one space can learn of another: 10,000 calls, and how long they take.

usage: python bench/isolation.py [--calls 10000] [--skip-calls] [--backend sqlite,postgres]

The calls are those of `milepost.testing.two_spaces`. The times are processor time of this process,
and, with a database, of its backends too; both kinds of a call are made in turns.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import psutil

from common import save
from milepost.access.values import CALLER, Caller
from milepost.app import open_memory
from milepost.errors import NotFound
from milepost.opening import settings_for
from milepost.sandbox import why_not
from milepost.testing.postgres import postgres_server
from milepost.testing.two_spaces import SPACES, fuzz

MINE, THEIRS = SPACES
ROUNDS, CALLS = 60, 20
SIZES = (0, 2_000, 20_000)


@contextmanager
def stores(backend: str) -> Iterator[Callable[[], str]]:
    """Yield what makes an empty store."""
    with tempfile.TemporaryDirectory() as folder:
        if backend == "sqlite":
            names = iter(range(100))
            yield lambda: f"{folder}/{next(names)}.db"
            return
        with postgres_server() as databases:
            yield databases.new_database


def fuzzed(url: str, calls: int) -> dict[str, Any]:
    """Make the calls and say what came of them."""
    began = time.time()
    with open_memory(settings_for(url)) as memory:
        report = fuzz(memory, settings_for(url), calls, seed=2026, programs=not why_not())
    leaks = [f"{leak.what} by {leak.said.way} {leak.said.operation}" for leak in report.leaks]
    return {
        "calls": report.total,
        "by_way": dict(report.calls),
        "operations": len(report.operations),
        "refused_or_not_found": report.refused,
        "faults": [f"{s.way} {s.operation}" for s in report.faults],
        "leaks": leaks,
        "changed_in_the_other_space": report.changed,
        "seconds": round(time.time() - began, 1),
    }


def processor_s() -> float:
    """Return the processor time of this process and those it started."""
    spent = time.process_time()
    for child in psutil.Process().children(recursive=True):
        try:
            times = child.cpu_times()
        except psutil.NoSuchProcess:
            continue
        spent += times.user + times.system
    return spent


def in_turns(first: Callable[[int], object], second: Callable[[int], object]) -> dict[str, float]:
    """Compare two kinds of call by this process's time: medians, and by how often one is slower.

    p: how often chance alone would part the two as far (Mann and Whitney's test, two-sided).
    """
    spent: list[list[float]] = [[], []]
    for number in range(ROUNDS * CALLS):
        order = (0, 1) if number % 2 else (1, 0)
        for kind in order:
            began = time.process_time_ns()
            (first, second)[kind](number)
            spent[kind].append((time.process_time_ns() - began) / 1e3)
    return {
        "first_p50_us": statistics.median(spent[0]),
        "second_p50_us": statistics.median(spent[1]),
        "ratio_of_medians": statistics.median(spent[1]) / statistics.median(spent[0]),
        "second_is_slower": _share_above(spent[1], spent[0]),
        "p": _mann_whitney(spent[0], spent[1]),
    }


def _share_above(some: list[float], others: list[float]) -> float:
    from bisect import bisect_left

    ordered = sorted(others)
    return sum(bisect_left(ordered, value) for value in some) / len(some) / len(others)


def _mann_whitney(some: list[float], others: list[float]) -> float:
    """Return the probability under chance, by the normal approximation."""
    n, m = len(some), len(others)
    spread = (n * m * (n + m + 1) / 12) ** 0.5
    distance = abs(_share_above(some, others) * n * m - n * m / 2) / spread
    return 2 * (1 - statistics.NormalDist().cdf(distance))


def timed(url: str) -> dict[str, Any]:
    """Compare what is unknown with what only the other space holds, and time a search beside it."""
    random = Random(7)
    with open_memory(settings_for(url)) as memory:
        mine, theirs = memory.within(MINE), memory.within(THEIRS)
        mine.store_batch([f"The pier {n} keeps a lamp in the harbour" for n in range(1_000)])
        words = [f"zirconflute{n}word" for n in range(200)]
        known = [str(name) for name in theirs.store_batch([f"The {w} is tuned" for w in words])]
        unknown = [f"{random.getrandbits(32):08x}" for _ in known]
        others = [f"quokkavelo{n}word" for n in range(200)]
        memory.run_jobs()
        token = CALLER.set(Caller("mine", "bench", "mine", (MINE,)))
        try:
            hashes = in_turns(
                lambda n: _not_found(mine, unknown[n % 200]),
                lambda n: _not_found(mine, known[n % 200]),
            )
            questions = in_turns(
                lambda n: mine.search(f"where is the {others[n % 200]}?"),
                lambda n: mine.search(f"where is the {words[n % 200]}?"),
            )
        finally:
            CALLER.reset(token)
    return {"unknown_and_foreign_hash": hashes, "unknown_and_foreign_word": questions}


def _not_found(memory: Any, name: str) -> None:
    try:
        memory.get(name)
    except NotFound:
        return
    raise AssertionError(name)


def beside(url: str) -> list[dict[str, float]]:
    """Measure a search of a space of 1,000 memories while the other one grows."""
    rows, held = [], 0
    with open_memory(settings_for(url)) as memory:
        mine, theirs = memory.within(MINE), memory.within(THEIRS)
        mine.store_batch([f"The pier {n} keeps a lamp in the harbour" for n in range(1_000)])
        for size in SIZES:
            for start in range(held, size, 2_000):
                texts = [f"The cart {n} waits for the harbour of pier {n % 97}"
                         for n in range(start, min(size, start + 2_000))]  # fmt: skip
                theirs.store_batch(texts)
            held = size
            memory.run_jobs()
            rows.append({"memories_of_the_other": size, "search_cpu_ms": _search_ms(mine)})
    return rows


def _search_ms(memory: Any) -> float:
    for _ in range(50):
        memory.search("the lamp of the harbour at pier 7")
    spent = []
    for number in range(8):
        before = processor_s()
        for step in range(25):
            memory.search(f"the lamp of the harbour at pier {number * 25 + step}")
        spent.append((processor_s() - before) / 25 * 1e3)
    return round(statistics.median(spent), 3)


def main() -> None:
    """Run what was asked for and write it down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--skip-calls", action="store_true")
    parser.add_argument("--backend", default="sqlite,postgres")
    options = parser.parse_args()
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"MILEPOST_RUNTIME_FOLDER": folder, "MILEPOST_CONFIG": f"{folder}/none.toml",
                       "MILEPOST_PROGRAMS_PER_MINUTE": "100000"}  # fmt: skip
        for backend in options.backend.split(","):
            with stores(backend) as new_store:
                done: dict[str, Any] = {}
                if not options.skip_calls:
                    done["fuzz"] = fuzzed(new_store(), options.calls)
                done["timing"] = timed(new_store())
                done["beside"] = beside(new_store())
            figures[backend] = done
            print(backend, done)
    save("isolation", figures)


if __name__ == "__main__":
    main()
