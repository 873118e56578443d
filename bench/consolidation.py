"""How long a consolidation takes, how much memory it needs, and what undoing it costs.

usage: python bench/consolidation.py [--data ../shared/data] [--sizes 10000 100000] [--save]

Memories are made up of other texts (`bench/corpus.py`), a fiftieth of them said again in another
case or with a label before them. Each size runs in a process of its own, so that its peak of memory
is its own: `baseline` is the same process before it consolidates.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import milepost
from common import save, table
from corpus import memories, sentences

STRATEGIES = ("speed", "balanced", "quality")
_SAID_AGAIN = 50
_BATCH = 5_000


def fill(path: Path, size: int, data: Path | None) -> None:
    """Store so many memories, some of them twice in other clothes."""
    with milepost.connect(path) as memory:
        stored = list(memories(sentences(data), size))
        again = [one | {"content": f"Note: {one['content']}!"} for one in stored[::_SAID_AGAIN]]
        items = [*stored, *again]
        for first in range(0, len(items), _BATCH):
            memory.store_batch(items[first : first + _BATCH])
        memory.search("bring the index up to date")


def measured(path: Path, strategy: str) -> dict[str, Any]:
    """Consolidate and undo; return seconds, megabytes and counts."""
    with milepost.connect(path) as memory:
        memory.search("open the index")
        baseline, began = _peak_mb(), time.process_time()
        planned, plan_s = _timed(
            lambda: memory.consolidate(strategy=strategy, days_back=30, dry_run=True)
        )
        peak, computed = _peak_mb(), time.process_time() - began
        _, apply_s = _timed(lambda: memory.apply_consolidation(planned.run_id))
        _, undo_s = _timed(lambda: memory.undo_consolidation(planned.run_id))
    return {
        "plan_s": plan_s,
        "plan_cpu_s": round(computed, 2),
        "apply_s": apply_s,
        "undo_s": undo_s,
        "baseline_mb": baseline,
        "peak_mb": peak,
        "looked_at": planned.looked_at,
        **planned.totals,
    }


def _timed(act: Any) -> tuple[Any, float]:
    began = time.perf_counter()
    result = act()
    return result, round(time.perf_counter() - began, 2)


def _peak_mb() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def apart(path: Path, strategy: str) -> dict[str, Any]:
    """Measure in a process of its own."""
    command = [sys.executable, __file__, "--one", str(path), strategy]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


def figures(sizes: list[int], data: Path | None) -> dict[str, Any]:
    """Return what each strategy takes for each number of memories."""
    found: dict[str, Any] = {}
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "m.db"
            fill(path, size, data)
            found[str(size)] = {name: apart(path, name) for name in STRATEGIES}
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--save", action="store_true")
    parser.add_argument("--one", nargs=2)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measured(Path(options.one[0]), options.one[1])))
        return
    found = figures(options.sizes, options.data)
    columns = (
        "plan_s",
        "plan_cpu_s",
        "apply_s",
        "undo_s",
        "baseline_mb",
        "peak_mb",
        "merged",
        "clusters",
    )
    rows = [
        [f"{int(size):,}", name, *(one[column] for column in columns)]
        for size, by_strategy in found.items()
        for name, one in by_strategy.items()
    ]
    print(table(["memories", "strategy", *columns], rows))
    if options.save:
        save("consolidation", found)


if __name__ == "__main__":
    main()
