"""What a whole `python -c "from milepost import search; search(…)"` takes, cold and warm.

usage: python bench/warm.py [--data ../shared/data] [--count 10000] [--runs 40]
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from common import save, table
from corpus import memories, questions, sentences
from milepost import connect
from milepost.app import open_memory
from milepost.opening import settings_for
from milepost.surfaces.warm_server import WarmServer

_ASK = "from milepost import search; search({!r})"


def main() -> None:
    """Measure the kinds of start in turn, so that a slow minute slows all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=40)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mp-") as folder:
        os.environ |= {"MILEPOST_URL": f"{folder}/m.db", "MILEPOST_RUNTIME_FOLDER": folder}
        pool = sentences(given.data)
        asked = questions(pool, given.runs)
        with connect(f"{folder}/m.db") as memory:
            memory.store_batch(list(memories(pool, given.count)))
            memory.search("build the index")
        settings = settings_for(f"{folder}/m.db")
        with open_memory(settings) as memory:
            server = WarmServer(memory, settings, "bench")
            server.start()
            rows = measure(asked, memory.search)
            server.stop()
    print(table(list(rows[0]), [list(row.values()) for row in rows]))
    save("warm", {"memories": given.count, "runs": given.runs, "rows": rows})


def measure(asked: list[str], search) -> list[dict[str, object]]:
    """Return the median and the best decile of each kind of start."""
    kinds = {
        "python -c pass": lambda _: _run("pass", "off"),
        "search in a warm process": lambda question: _run(_ASK.format(question), "use"),
        "search, store opened cold": lambda question: _run(_ASK.format(question), "off"),
        "the search itself": lambda question: _timed(lambda: search(question)),
    }
    taken: dict[str, list[float]] = {name: [] for name in kinds}
    for question in asked:
        for name, run in kinds.items():
            taken[name].append(run(question) * 1e3)
    python = statistics.median(taken["python -c pass"])
    itself = statistics.median(taken["the search itself"])
    rows: list[dict[str, object]] = []
    for name, times in taken.items():
        middle = statistics.median(times)
        ours = middle - python - itself if name.startswith("search") else 0.0
        rows.append(
            {
                "what": name,
                "p50_ms": round(middle, 1),
                "p10_ms": round(sorted(times)[len(times) // 10], 1),
                "beyond_python_and_search_ms": round(ours, 1),
            }
        )
    return rows


def _run(code: str, daemon: str) -> float:
    environment = os.environ | {"MILEPOST_DAEMON": daemon}
    return _timed(lambda: subprocess.run([sys.executable, "-c", code], env=environment, check=True))


def _timed(work) -> float:
    before = time.perf_counter()
    work()
    return time.perf_counter() - before


if __name__ == "__main__":
    main()
