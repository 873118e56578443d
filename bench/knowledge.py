"""Measure what is known of how things hang together, of what happened, and what is kept.

usage: python bench/knowledge.py [--data DIR] [--only SECTION] [--show] [--entities N]

Each section measures, beside the simplest floor, and keeps its figures in a file of its own, so
that sections can be measured again one by one. Then all that is kept is shown as one table
(`results/knowledge.md`) and one plot. Episodes have a benchmark of their own.
"""

import argparse
import random
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from common import p50_p95, save
from knowledge_table import show
from milepost import Milepost, connect
from milepost.knowledge.values import TERM
from milepost.upkeep.recorder import Recorder

Figures = dict[str, Any]

# How many relations a node gets falls with its rank: few have very many, most have few.
SKEW = 0.75
WORDS = ("uses", "depends_on", "part_of", "defined_in", "mentions", "works_on")
ASKED = 300
TWO_JOINS = """
SELECT count(*) FROM (
    SELECT b.target FROM edges a JOIN edges b ON b.source = a.target WHERE a.source = :x
    UNION SELECT b.source FROM edges a JOIN edges b ON b.target = a.target WHERE a.source = :x
    UNION SELECT b.target FROM edges a JOIN edges b ON b.source = a.source WHERE a.target = :x
    UNION SELECT b.source FROM edges a JOIN edges b ON b.target = a.source WHERE a.target = :x)
"""
BATCH, ONE_BY_ONE, WAITED = 50_000, 20_000, 500


def traversal(folder: Path, options: argparse.Namespace) -> Figures:
    """Walk two steps from entities of a large graph with hubs, drawn evenly and by their degree."""
    dice = random.Random(15)
    edges = skewed_edges(dice, options.entities, options.relations)
    with connect(folder / "graph.db") as memory:
        began = time.perf_counter()
        lines = _lines(options.entities, edges)
        while part := list(islice(lines, 50_000)):
            memory.import_graph(part)
        filled_s = time.perf_counter() - began
        even = [dice.randrange(options.entities) for _ in range(ASKED)]
        by_degree = [dice.choice(dice.choice(edges)) for _ in range(ASKED)]
        plain = _bare_graph(folder / "plain.db", edges)
        figures: Figures = {
            "entities": options.entities,
            "relations": len(edges),
            "filled_s": round(filled_s, 1),
            "degree_p50_p99_max": _degrees(edges),
        }
        for drawn, starts in (("evenly", even), ("by degree", by_degree)):
            ours = _times(starts, lambda n: memory.neighbours(_name(n), depth=2))
            one = _times(starts, lambda n: memory.neighbours(_name(n)))
            floor = _times(starts, lambda n: plain.execute(TWO_JOINS, {"x": n}).fetchone())
            paths = [(a, b) for a, b in zip(starts, even[::-1], strict=True)]
            path = _times(paths, lambda ab: memory.find_path(_name(ab[0]), _name(ab[1])))
            figures[drawn] = {
                "depth 1": one,
                "depth 2": ours,
                "path of up to 4": path,
                "two joins in bare SQL, without bounds": floor,
            }
        figures["search_graph"] = _times(even, lambda n: memory.search_graph(f"thing {n}"))
        plain.close()
    return figures


def skewed_edges(dice: random.Random, entities: int, relations: int) -> list[tuple[int, int]]:
    """Return pairs of which low numbers are ends far more often than high ones."""
    weights = [(rank + 1) ** -SKEW for rank in range(entities)]
    numbers = list(range(entities))
    sources = dice.choices(numbers, weights, k=relations)
    targets = [
        dice.randrange(entities) if dice.random() < 0.5 else hub
        for hub in dice.choices(numbers, weights, k=relations)
    ]
    return list({(s, t): None for s, t in zip(sources, targets, strict=True) if s != t})


def _lines(entities: int, edges: Iterable[tuple[int, int]]) -> Iterator[dict[str, Any]]:
    for number in range(entities):
        yield {"type": "entity", "name": _name(number), "entityType": TERM}
    for i, (source, target) in enumerate(edges):
        ends = {"from": _name(source), "to": _name(target)}
        yield {"type": "relation", **ends, "relationType": WORDS[i % len(WORDS)]}


def _name(number: int) -> str:
    return f"thing {number}"


def _degrees(edges: Iterable[tuple[int, int]]) -> list[int]:
    counts: dict[int, int] = {}
    for pair in edges:
        for end in pair:
            counts[end] = counts.get(end, 0) + 1
    ordered = sorted(counts.values())
    return [ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.99)], ordered[-1]]


def _bare_graph(path: Path, edges: Iterable[tuple[int, int]]) -> sqlite3.Connection:
    plain = sqlite3.connect(path)
    plain.execute("CREATE TABLE edges (source INTEGER, target INTEGER)")
    plain.executemany("INSERT INTO edges VALUES (?, ?)", edges)
    plain.execute("CREATE INDEX out_of ON edges (source, target)")
    plain.execute("CREATE INDEX into_it ON edges (target, source)")
    plain.commit()
    return plain


def events(folder: Path, options: argparse.Namespace) -> Figures:
    """Write down events in batches, one by one buffered, and waiting for the disk each time."""
    del options
    rows = [
        {
            "event_type": "tool",
            "content": f"ran step {i} of the nightly build and looked at what it printed",
            "outcome": "ok",
            "session_id": f"s{i % 50}",
        }
        for i in range(BATCH)
    ]
    with connect(folder / "events.db") as memory:
        memory.record_event("tool", "the first opens the store", wait=True)
        batch = _rate(BATCH, lambda: memory.record_events(rows))
        buffered = _rate(ONE_BY_ONE, lambda: _one_by_one(memory, rows[:ONE_BY_ONE]))
        waited = _rate(WAITED, lambda: [memory.record_event(**r, wait=True) for r in rows[:WAITED]])
    return {
        "batch/s": batch,
        "one by one, buffered, all on disk at the end/s": buffered,
        "one by one, each on disk/s": waited,
        "floor: bare inserts in one transaction/s": _bare_events(folder / "a.db", rows),
        "floor: bare inserts, each a transaction/s": _bare_events(
            folder / "b.db", rows[:WAITED], each=True
        ),
    }


def _one_by_one(memory: Milepost, rows: Iterable[dict[str, str]]) -> None:
    for row in rows:
        memory.record_event(**row)
    memory._context.part(Recorder).flush(durable=True)


def _bare_events(path: Path, rows: list[dict[str, str]], *, each: bool = False) -> float:
    plain = sqlite3.connect(path, isolation_level=None)
    plain.execute("PRAGMA journal_mode = WAL")
    plain.execute("PRAGMA synchronous = FULL")
    plain.execute("CREATE TABLE e (id INTEGER PRIMARY KEY, at, type, content, outcome, session)")
    plain.execute("CREATE INDEX e_at ON e (at)")
    plain.execute("CREATE INDEX e_session ON e (session, at)")

    def write() -> None:
        if not each:
            plain.execute("BEGIN")
        for row in rows:
            plain.execute(
                "INSERT INTO e (at, type, content, outcome, session) VALUES (?, ?, ?, ?, ?)",
                (time.time_ns(), *row.values()),
            )
        if not each:
            plain.execute("COMMIT")

    rate = _rate(len(rows), write)
    plain.close()
    return rate


def _rate(count: int, act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return round(count / (time.perf_counter() - began))


def _times(asked: Iterable[Any], ask: Callable[[Any], object]) -> dict[str, float]:
    """Return how long calls take, and how much of that the processor worked for them."""
    taken, worked = [], []
    for one in asked:
        began, cpu = time.perf_counter(), time.process_time()
        ask(one)
        worked.append((time.process_time() - cpu) * 1e3)
        taken.append((time.perf_counter() - began) * 1e3)
    (p50, p95), (cpu50, cpu95) = p50_p95(taken), p50_p95(worked)
    figures = {"p50_ms": p50, "p95_ms": p95, "p50_cpu_ms": cpu50, "p95_cpu_ms": cpu95}
    return {name: round(value, 2) for name, value in figures.items()}


def extraction(folder: Path, options: argparse.Namespace) -> Figures:
    """Read names and relations off labelled memories."""
    from extraction import extraction as judged

    del folder
    return judged(options.data)


def consolidation(folder: Path, options: argparse.Namespace) -> Figures:
    """Consolidate 10,000 and 100,000 memories."""
    from consolidation import figures

    del folder
    return figures([10_000, 100_000], options.data)


def merges(folder: Path, options: argparse.Namespace) -> Figures:
    """Tell pairs that say the same, and states from their updates."""
    from merges import figures

    del folder, options
    return figures()


def door(folder: Path, options: argparse.Namespace) -> Figures:
    """Tell what wants to instruct a model and what says nothing."""
    from door import figures

    del folder
    return figures(options.data)


def multihop(folder: Path, options: argparse.Namespace) -> Figures:
    """Ask questions over several memories with and without what leads on to the rest."""
    from multihop import kept_with, measure

    del folder
    return kept_with(measure(("planted-test", "locomo"), options.data))


def clusters(folder: Path, options: argparse.Namespace) -> Figures:
    """Group memories by subject, beside libraries."""
    from clusters import figures

    del folder
    return figures(options.data)


def experience_statistics(folder: Path, options: argparse.Namespace) -> Figures:
    """Compare the statistics over episodes with planted truths."""
    from experience_statistics import figures

    del folder, options
    return figures()


# By name of the file that keeps the figures; a section more is a line more.
SECTIONS: dict[str, Callable[[Path, argparse.Namespace], Figures]] = {
    "events": events,
    "extraction": extraction,
    "traversal": traversal,
    "consolidation": consolidation,
    "clusters": clusters,
    "merges": merges,
    "door": door,
    "multihop": multihop,
    "experience_statistics": experience_statistics,
}


def main() -> None:
    """Measure the sections that are asked for; the figures of the others stay as they are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=SECTIONS, action="append")
    parser.add_argument("--show", action="store_true", help="measure nothing")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--entities", type=int, default=100_000)
    parser.add_argument("--relations", type=int, default=500_000)
    options = parser.parse_args()
    for name in () if options.show else options.only or SECTIONS:
        with tempfile.TemporaryDirectory() as folder:
            print(save(name, SECTIONS[name](Path(folder), options)), flush=True)
    show()


if __name__ == "__main__":
    main()
