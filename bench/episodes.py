"""Measure how fast episodes are written down, completed, learned from and found again.

Buffered calls return when the entry is taken; it is on disk some 20 ms later. Durable calls return
when it is on disk, and share a transaction and a sync with all threads that wait at the same time.
The published figures are those of a Rust system that keeps episodes in memory while they run.

    python bench/episodes.py [--sizes 10000,100000] [--folder FOLDER]
"""

import argparse
import os
import random
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tqdm import tqdm

from common import RESULTS, p50_p95, save, table
from milepost import Milepost, connect
from milepost.experience.patterns.kinds import extract
from milepost.experience.reflection import reflect
from milepost.testing.episodes import DOMAINS, LANGUAGES, TROUBLES, VERBS, steps, task
from milepost.upkeep.recorder import Recorder

ROUNDS = 2_000
DURABLE = 400
COMPLETED = 400
QUESTIONS = 200
STEPS = 20
PUBLISHED_US = {"create": 2.5, "step": 1.1, "complete": 3.8, "extract": 10.4, "retrieve": 721.0}
TARGETS_US = {
    "create buffered": 20.0,
    "step buffered": 10.0,
    "complete buffered": 300.0,
    "extract": 2_000.0,
    "whole job": 20_000.0,
}
RETRIEVAL_P95_MS = {10_000: 10.0, 100_000: 15.0}
# What retrieval is narrowed by: one episode in a hundred is of this domain and type.
NARROW = {"domain": "auth", "task_type": "fix", "after": "30 days ago"}


def begin(memory: Milepost, dice: random.Random, **options: Any) -> str:
    """Begin an episode somewhere."""
    place = {"domain": dice.choice(DOMAINS), "language": dice.choice(LANGUAGES)}
    return memory.create_episode(task(dice), place, task_type=dice.choice(VERBS), **options)


def told(dice: random.Random, count: int) -> list[dict[str, Any]]:
    """Return steps of which no two have the same words, as no cache may know them."""
    return [
        step | {"action": f"{step['action']} --seed {dice.randrange(10**9)}"}
        for step in steps(dice, count)
    ]


def writing(path: Path) -> dict[str, float]:
    """Measure writing down and completing, in microseconds a call."""
    dice = random.Random(1)
    with connect(path) as memory:
        memory.worker.close()
        for _ in range(20):
            memory.complete_episode(begin(memory, dice), "success")
        figures = _creating(memory, dice) | _stepping(memory, dice)
        return figures | _completing(memory, dice)


def _creating(memory: Milepost, dice: random.Random) -> dict[str, float]:
    buffered = [_timed(lambda: begin(memory, dice, wait=False)) for _ in range(ROUNDS)]
    durable = [_timed(lambda: begin(memory, dice)) for _ in range(DURABLE)]
    return _figures("create buffered", buffered) | _figures("create durable", durable)


def _stepping(memory: Milepost, dice: random.Random) -> dict[str, float]:
    names = [begin(memory, dice) for _ in range(50)]
    given = [(names[i % 50], step) for i, step in enumerate(told(dice, 10 * ROUNDS))]
    before = time.perf_counter()
    buffered = [
        _timed(lambda n=name, s=step: memory.add_step(n, **s, wait=False)) for name, step in given
    ]
    memory._context.part(Recorder).flush(durable=True)
    spent = time.perf_counter() - before
    durable = [_timed(lambda n=n, s=s: memory.add_step(n, **s)) for n, s in given[:DURABLE]]
    return {
        **_figures("step buffered", buffered),
        **_figures("step durable", durable),
        "durable steps/s, buffered by one thread": len(given) / spent,
        "durable steps/s, 100 a call": _batches(memory, names, dice),
        "durable steps/s, 8 threads that wait for each": _threads(memory, names),
    }


def _batches(memory: Milepost, names: list[str], dice: random.Random) -> float:
    many = told(dice, 100)
    before = time.perf_counter()
    for name in names:
        memory.add_steps(name, many)
    return len(names) * len(many) / (time.perf_counter() - before)


def _threads(memory: Milepost, names: list[str], threads: int = 8) -> float:
    def add(name: str) -> None:
        for _ in range(DURABLE):
            memory.add_step(name, "bash", "ls", observation="a b c")

    running = [threading.Thread(target=add, args=(name,)) for name in names[:threads]]
    before = time.perf_counter()
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    return threads * DURABLE / (time.perf_counter() - before)


def _completing(memory: Milepost, dice: random.Random) -> dict[str, float]:
    """Complete episodes whose 20 steps are written: with reward, reflection and salience."""
    figures: dict[str, float] = {}
    for wait, name in ((False, "complete buffered"), (True, "complete durable")):
        taken = []
        for _ in range(COMPLETED):
            episode = begin(memory, dice, wait=False)
            for step in told(dice, STEPS):
                memory.add_step(episode, **step, wait=False)
            memory._context.part(Recorder).flush(durable=True)
            taken.append(
                _timed(lambda e=episode, w=wait: memory.complete_episode(e, "success", wait=w))
            )
            if not wait:
                # So that the next one does not wait for the disk on behalf of this one.
                memory._context.part(Recorder).flush(durable=True)
        figures |= _figures(name, taken)
    return figures


def learning(path: Path) -> dict[str, float]:
    """Measure extraction alone, and the whole work in the background with merging and writing."""
    dice = random.Random(2)
    with connect(path) as memory:
        memory.worker.close()
        memory.run_jobs()
        names = [begin(memory, dice) for _ in range(200)]
        for name in names:
            memory.add_steps(name, told(dice, STEPS))
            memory.complete_episode(name, dice.choice(["success", "success", "failure"]))
        episodes = [memory.get_episode(name) for name in names]
        alone = [_timed(lambda e=episode: extract(e)) for episode in episodes]
        reflecting = [_timed(lambda e=episode: reflect(e)) for episode in episodes]
        work = [_timed(lambda: memory.run_jobs(limit=1)) for _ in names]
    return {
        **_figures("extract", alone),
        **_figures("reflect", reflecting),
        **_figures("whole job", work),
    }


def fill(path: Path, size: int) -> None:
    """Make a store with so many completed episodes, of three steps each."""
    dice = random.Random(size)
    with connect(path) as memory:
        memory.worker.close()
        for _ in tqdm(range(size - memory.list_episodes(limit=1).total), desc=f"{size:,} episodes"):
            name = begin(memory, dice, wait=False)
            for step in steps(dice, 3):
                memory.add_step(name, **step, wait=False)
            outcome = dice.choice(["success", "success", "failure", "partial"])
            memory.complete_episode(name, outcome, dice.choice(TROUBLES), wait=False)
        memory.run_jobs(limit=300)


def retrieval(path: Path) -> dict[str, float]:
    """Measure finding episodes by meaning, narrowed or not, and the answers made of them.

    All are asked the same questions in turn, so that what disturbs one disturbs all.
    """
    dice = random.Random(3)
    with connect(path) as memory:
        memory.worker.close()
        memory.search_episodes("load the model and the index")
        asked = [task(dice) for _ in range(QUESTIONS)]
        calls: dict[str, Callable[[str], object]] = {
            "similar_episodes": lambda text: memory.similar_episodes(text, limit=5),
            "search_episodes": lambda text: memory.search_episodes(text, limit=5),
            "similar_episodes narrowed": lambda text: memory.similar_episodes(
                text, limit=5, **NARROW
            ),
            "search_episodes narrowed": lambda text: memory.search_episodes(
                text, limit=5, **NARROW
            ),
            "recommend": memory.recommend,
            "query_memory": memory.query_memory,
        }
        figures: dict[str, float] = {}
        taken: dict[str, list[float]] = {name: [] for name in calls}
        for text in asked:
            for name, call in calls.items():
                taken[name].append(_timed(lambda t=text, c=call: c(t)))
        for name, spent in taken.items():
            p50, p95 = p50_p95(spent)
            figures |= {f"{name} p50 ms": p50 * 1e3, f"{name} p95 ms": p95 * 1e3}
        return figures


def disk_us(folder: Path) -> float:
    """Return how long this disk takes to make a small write durable."""
    place = folder / "sync"
    with place.open("wb") as file:
        taken = []
        for _ in range(200):
            file.write(b"x" * 4_096)
            file.flush()
            taken.append(_timed(lambda: os.fdatasync(file.fileno())))
    place.unlink()
    return p50_p95(taken)[0] * 1e6


def _timed(action: Callable[[], object]) -> float:
    before = time.perf_counter()
    action()
    return time.perf_counter() - before


def _figures(name: str, taken: list[float]) -> dict[str, float]:
    p50, p95 = p50_p95(taken)
    return {f"{name} p50 µs": p50 * 1e6, f"{name} p95 µs": p95 * 1e6}


def main() -> None:
    """Measure all of it in one run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="10000,100000")
    parser.add_argument("--folder", type=Path, help="keep the stores here")
    given = parser.parse_args()
    sizes = [int(size) for size in given.sizes.split(",") if size]
    folder = given.folder or Path(tempfile.mkdtemp(prefix="milepost-episodes-"))
    folder.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix="milepost-episodes-"))
    figures = {"one sync of this disk p50 µs": disk_us(fresh)}
    figures |= writing(fresh / "writing.db") | learning(fresh / "learning.db")
    found = []
    for size in sizes:
        fill(folder / f"{size}.db", size)
        found.append({"episodes": size} | retrieval(folder / f"{size}.db"))
    print(table(["", "measured"], list(figures.items())))
    if found:
        print(table(list(found[0]), [list(row.values()) for row in found]))
    print(table(["published, in memory", "µs"], list(PUBLISHED_US.items())))
    targets = {
        "µs, p50": TARGETS_US,
        "retrieval p95, ms": RETRIEVAL_P95_MS,
        "durable steps/s": 5_000,
    }
    save(
        "episodes",
        {
            "calls": figures,
            "retrieval": found,
            "published µs, in memory": PUBLISHED_US,
            "targets": targets,
        },
    )
    _plot(_bars(figures, found))


def _bars(figures: dict[str, float], found: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    published = "published, Rust, in memory"
    bars = {
        name: {
            "buffered": figures[f"{name} buffered p50 µs"],
            "on disk": figures[f"{name} durable p50 µs"],
            published: PUBLISHED_US[name],
        }
        for name in ("create", "step", "complete")
    }
    # Extraction alone writes nothing.
    bars["extract"] = {"buffered": figures["extract p50 µs"], published: PUBLISHED_US["extract"]}
    for row in found:
        bars[f"retrieve\n{row['episodes']:,}"] = {
            "on disk": row["similar_episodes p50 ms"] * 1e3,
            published: PUBLISHED_US["retrieve"],
        }
    return bars


def _plot(bars: dict[str, dict[str, float]]) -> None:
    """Draw groups of bars over a logarithmic axis, without those that were not measured."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, plot = pyplot.subplots(figsize=(8, 4))
    for i, label in enumerate(("buffered", "on disk", "published, Rust, in memory")):
        places = [(g, group[label]) for g, group in enumerate(bars.values()) if label in group]
        drawn = plot.bar(
            [g + 0.27 * i for g, _ in places], [v for _, v in places], 0.27, label=label
        )
        plot.bar_label(drawn, fmt="{:,.3g}", fontsize=7)
    plot.set(title="Microseconds a call, median", ylabel="µs, logarithmic", yscale="log")
    plot.set_xticks([g + 0.27 for g in range(len(bars))], list(bars))
    plot.set_ylim(top=plot.get_ylim()[1] * 8)
    plot.legend(loc="upper center", ncol=3, fontsize=8)
    figure.savefig(RESULTS / "episodes.png", dpi=110, bbox_inches="tight")
    pyplot.close(figure)


if __name__ == "__main__":
    main()
