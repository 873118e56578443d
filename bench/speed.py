"""How fast Milepost is at 1k to 1M memories.

usage: python bench/speed.py [--data ../shared/data] [--sizes 1000,10000,100000,1000000]
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).parent))
import milepost
from common import p50_p95, plot_lines, save, table
from corpus import memories, questions, sentences

BATCH = 5_000
QUERIES = 200
EXACT_QUERIES = 50
_PACKAGE = Path(milepost.__file__).parent


def fill(path: Path, count: int, pool: list[str]) -> dict[str, float]:
    """Store memories in bulk and build the index; return the rate with and without it."""
    from milepost import connect

    memory = connect(path)
    batch: list[dict[str, object]] = []
    spent = 0.0
    for item in tqdm(memories(pool, count), total=count, desc=f"store {count:,}", unit=""):
        batch.append(item)
        if len(batch) == BATCH:
            spent += _timed(lambda batch=batch: memory.store_batch(batch))
            batch = []
    if batch:
        spent += _timed(lambda: memory.store_batch(batch))
    indexing = _timed(lambda: memory.search("build the index"))
    indexing += _timed(memory.close)
    return {"bulk_per_s": count / (spent + indexing), "index_s": indexing}


def measure(path: Path, asked: list[str]) -> dict[str, float]:
    """Measure one process that opens, searches and stores."""
    from milepost import connect

    before = time.perf_counter()
    memory = connect(path)
    opened = time.perf_counter() - before
    memory.search("the first search")
    first = time.perf_counter() - before
    searches = [_timed(lambda q=q: memory.search(q)) for q in asked]
    filtered = [
        _timed(lambda q=q: memory.search(q, tags="tag7", project="project7")) for q in asked
    ]
    resident_kb = _peak_resident_kb()
    stores = [_timed(lambda i=i: memory.store(f"benchmark memory {i}")) for i in range(100)]
    s50, s95 = p50_p95(searches)
    return {
        "open_ms": opened * 1e3,
        "first_search_ms": first * 1e3,
        "search_p50_ms": s50 * 1e3,
        "search_p95_ms": s95 * 1e3,
        "filtered_p50_ms": p50_p95(filtered)[0] * 1e3,
        "store_p50_ms": p50_p95(stores)[0] * 1e3,
        "resident_mb": resident_kb / 1024,
    }


def agreement(path: Path, asked: list[str]) -> float:
    """Return which share of the exact top ten a search finds.

    Exact means: BM25 with unrounded weights and the real similarity of every vector choose the
    candidates, where a search uses weights of one byte and sign bits.
    """
    from milepost import connect
    from milepost.storage.index import nearest
    from milepost.storage.index.segment import unrounded_impacts
    from milepost.storage.pooling import IMPACT_SCALE

    memory = connect(path)
    questions = asked[:EXACT_QUERIES]
    usual = [_top_ten(memory, question) for question in questions]
    for segment in memory._context.store.index.segments():
        segment.posting_impacts = unrounded_impacts(segment) * IMPACT_SCALE
    nearest.BY_SIGNS = nearest.BY_SIMILARITY = 1 << 30
    shares = []
    for found, question in zip(usual, tqdm(questions, desc="exact top ten", unit=""), strict=True):
        exact = _top_ten(memory, question)
        shares.append(len(found & exact) / max(len(exact), 1))
    return sum(shares) / len(shares)


def _top_ten(memory: Any, question: str) -> set[str]:
    return {m.hash for m in memory.search(question, limit=10, min_score=0).memories}


def cold(path: Path) -> dict[str, float]:
    """Time whole processes, the best of several so that the machine's noise counts least."""
    programs = {
        "python_ms": "pass",
        "import_ms": "import milepost",
        "cold_search_ms": "from milepost import search; search('x')",
    }
    # As installed: pip compiles what it installs, an editable install may not.
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(_PACKAGE)], check=True)
    environment = {**os.environ, "MILEPOST_URL": str(path)}
    best = dict.fromkeys(programs, float("inf"))
    for _ in range(15):
        for name, program in programs.items():
            command = [sys.executable, "-c", program]
            spent = _timed(lambda c=command: subprocess.run(c, env=environment, check=True))
            best[name] = min(best[name], spent * 1e3)
    return best


def _peak_resident_kb() -> int:
    """Return this process's own peak; what getrusage says may be its parent's."""
    status = Path("/proc/self/status")
    if status.exists():
        lines = [x for x in status.read_text().splitlines() if x.startswith("VmHWM")]
        return int(lines[0].split()[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _timed(action: Any) -> float:
    before = time.perf_counter()
    action()
    return time.perf_counter() - before


def _apart(task: str, path: Path, data: Path | None) -> Any:
    """Run one measurement in a process of its own."""
    command = [sys.executable, __file__, "--task", task, "--path", str(path)]
    command += ["--data", str(data)] if data else []
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def _questions_file(path: Path) -> Path:
    return path.with_suffix(".questions.json")


def main() -> None:
    """Run the benchmark, or one measurement of it in a child process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--sizes", default="1000,10000,100000,1000000")
    parser.add_argument("--folder", type=Path, help="keep the stores here")
    parser.add_argument("--task", choices=["measure", "agreement"])
    parser.add_argument("--path", type=Path)
    given = parser.parse_args()
    if given.task:
        asked = json.loads(_questions_file(given.path).read_text())
        print(json.dumps(globals()[given.task](given.path, asked)))
        return
    sizes = [int(size) for size in given.sizes.split(",")]
    folder = given.folder or Path(tempfile.mkdtemp(prefix="milepost-speed-"))
    rows = [_row(folder, size, given.data) for size in sizes]
    print(table(list(rows[0]), [list(row.values()) for row in rows]))
    save("speed", {"sizes": rows, "texts": "LongMemEval sentences" if given.data else "made up"})
    lines = {
        "search p50": [r["search_p50_ms"] for r in rows],
        "search p95": [r["search_p95_ms"] for r in rows],
    }
    lines["store p50"] = [r["store_p50_ms"] for r in rows]
    plot_lines("speed", "Milliseconds by number of memories", sizes, lines, ("memories", "ms"))


def _row(folder: Path, size: int, data: Path | None) -> dict[str, Any]:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{size}.db"
    pool = sentences(data)
    row: dict[str, Any] = {"memories": size}
    filled = path.with_suffix(".fill.json")
    if not filled.exists():
        _questions_file(path).write_text(
            json.dumps(questions(pool[: min(size, len(pool))], QUERIES))
        )
        filled.write_text(json.dumps(fill(path, size, pool)))
    row |= json.loads(filled.read_text())
    row |= _apart("measure", path, data)
    row["exact_top10"] = _apart("agreement", path, data)
    row |= cold(path)
    row["file_mb"] = path.stat().st_size / 2**20
    row["index_mb"] = sum(f.stat().st_size for f in Path(f"{path}.index").iterdir()) / 2**20
    return row


if __name__ == "__main__":
    main()
