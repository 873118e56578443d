"""How fast programs run in the sandbox, and whether it holds.

usage: python bench/sandbox.py --data ../shared/data

DIR/sandbox holds language.json (programs that must run) and hostile.json (attacks that must be
contained), each {name: code}.
"""

import argparse
import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).parent))
from common import p50_p95, plot_bars, save, table
from milepost.memory.values import CompactMemory, CompactSearchResult
from milepost.programs.values import Function, Limits, Parameter, Program
from milepost.sandbox import open_sandbox, pool
from milepost.sandbox.runner import Sandbox

HITS = tuple(
    CompactMemory(
        f"{i:08x}",
        f"We decided to use store {i % 9} for service {i}, because of its price and its latency.",
        ("decision", f"team{i % 7}"),
        1.75e9 + i * 86_400,
        1 - i / 400,
    )
    for i in range(200)
)
SEARCH = Function(
    "search",
    (Parameter("query"), Parameter("limit", False, 10), Parameter("tags", False)),
    "Find memories.",
)
# As many functions as a program is offered in earnest.
FUNCTIONS = (
    SEARCH,
    *(
        Function(f"f{i}", tuple(Parameter(f"p{j}", False) for j in range(6)), "Another.")
        for i in range(20)
    ),
)
PROGRAMS = {
    "trivial": "1 + 1",
    "filter 200 hits": """
from collections import Counter
from datetime import datetime
hits = search("store decisions", limit=200).memories
kept = [m for m in hits if "decision" in m.tags and m.score > 0.6]
months = Counter(datetime.fromtimestamp(m.created).strftime("%Y-%m") for m in kept)
for month, count in months.most_common(5):
    print(month, count)
len(kept)
""",
    "10 searches, gathered": """
import asyncio
found = await asyncio.gather(*[search(f"question {i}", limit=20) for i in range(10)])
len({m.hash for r in found for m in r.memories})
""",
}


def answer(_name: str, arguments: dict[str, Any]) -> CompactSearchResult:
    """Answer a search without a store: the sandbox is measured, not the memory."""
    hits = HITS[: arguments.get("limit", 10)]
    return CompactSearchResult(hits, len(HITS), arguments["query"])


def cold() -> dict[str, float]:
    """Measure the first program ever on a machine, and the first of a process."""
    with tempfile.TemporaryDirectory() as folder:
        figures = {}
        for name in ("first_ever_s", "first_of_process_s"):
            with open_sandbox(Path(folder) / "cache") as sandbox:
                figures[name] = _timed(lambda s=sandbox: s.run(Program("1"), answer))
    return figures


def speed(sandbox: Sandbox, runs: int) -> dict[str, dict[str, float]]:
    """Measure programs one after the other, as one agent sends them."""
    found = {}
    for name, code in PROGRAMS.items():
        program = Program(code, FUNCTIONS)
        walls, cpus = [], []
        for _ in tqdm(range(runs), desc=name, unit=""):
            before = time.perf_counter()
            done = sandbox.run(program, answer)
            walls.append((time.perf_counter() - before) * 1e3)
            cpus.append(done.stats.cpu_ms)
            assert done.error is None, done.error.text
        p50, p95 = p50_p95(walls)
        found[name] = {"p50_ms": p50, "p95_ms": p95, "cpu_p50_ms": p50_p95(cpus)[0]}
    return found


def load(sandbox: Sandbox, runs: int) -> dict[str, float]:
    """Measure many callers at once."""
    program = Program(PROGRAMS["filter 200 hits"], FUNCTIONS)
    barrier = threading.Barrier(20)

    def at_once(_n: int) -> bool:
        barrier.wait()
        return sandbox.run(program, answer).error is None

    with ThreadPoolExecutor(20) as threads:
        answered = sum(threads.map(at_once, range(20)))
    rates = {}
    for name in ("trivial", "filter 200 hits"):
        many = Program(PROGRAMS[name], FUNCTIONS)
        with ThreadPoolExecutor(8) as threads:
            jobs = [lambda p=many: sandbox.run(p, answer).error is None] * runs
            spent = _timed(lambda j=jobs, t=threads: all(t.map(lambda job: job(), j)))
        rates[name] = runs / spent
    return {
        "parallel_20_answered": answered,
        "trivial_per_s": rates["trivial"],
        "filter_per_s": rates["filter 200 hits"],
    }


def memory(folder: Path, runs: int) -> dict[str, float]:
    """Measure what many runs leave behind, in workers that are not replaced meanwhile."""
    program = Program(PROGRAMS["filter 200 hits"], FUNCTIONS)
    pool.RUNS_MAX = runs * 10
    with open_sandbox(folder, workers=1) as sandbox:
        for _ in range(50):
            sandbox.run(program, answer)
        time.sleep(0.1)
        worker = next(iter(sandbox._pool._idle)).process.pid
        before = _resident_mb(worker), _resident_mb(os.getpid())
        for _ in tqdm(range(runs), desc="memory", unit=""):
            sandbox.run(program, answer)
        time.sleep(0.1)
        after = _resident_mb(worker), _resident_mb(os.getpid())
    return {
        "runs": runs,
        "worker_mb": after[0],
        "worker_growth_mb": after[0] - before[0],
        "host_growth_mb": after[1] - before[1],
    }


def language(sandbox: Sandbox, programs: dict[str, str]) -> dict[str, Any]:
    """Run programs that must run."""
    failed = [n for n, code in programs.items() if sandbox.run(Program(code), answer).error]
    return {"programs": len(programs), "ran": len(programs) - len(failed), "failed": failed}


def hostile(sandbox: Sandbox, programs: dict[str, str]) -> dict[str, Any]:
    """Run attacks; contained means an end in time and memory, and a right next program."""
    limits = Limits(timeout_s=1.0)
    rows: dict[str, Any] = {}
    for name, code in tqdm(programs.items(), desc="hostile", unit=""):
        before = time.perf_counter()
        done = sandbox.run(Program(code, limits=limits), answer)
        spent = time.perf_counter() - before
        right = sandbox.run(Program("6 * 7"), answer).value == "42"
        rows[name] = {
            "ended": done.stats.ended,
            "s": round(spent, 2),
            "memory_mb": done.stats.peak_memory_mb,
            "contained": right and spent < limits.timeout_s + 3 and done.stats.peak_memory_mb < 200,
        }
    return {
        "programs": len(rows),
        "contained": sum(row["contained"] for row in rows.values()),
        "longest_s": max(row["s"] for row in rows.values()),
        "most_memory_mb": max(row["memory_mb"] for row in rows.values()),
        "each": rows,
    }


def _timed(work: Callable[[], object]) -> float:
    before = time.perf_counter()
    work()
    return time.perf_counter() - before


def _resident_mb(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def main() -> None:
    """Measure, print a table, write JSON and a plot."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=300)
    options = parser.parse_args()
    programs = {
        name: json.loads((options.data / "sandbox" / f"{name}.json").read_text())
        for name in ("language", "hostile")
    }
    figures: dict[str, Any] = {"cold": cold()}
    with tempfile.TemporaryDirectory() as name, open_sandbox(Path(name) / "cache") as sandbox:
        sandbox.prepare()
        sandbox.run(Program("1", FUNCTIONS), answer)
        figures["layers"] = {layer.name: layer.note for layer in sandbox.status().layers}
        figures["language"] = language(sandbox, programs["language"])
        figures["hostile"] = hostile(sandbox, programs["hostile"])
        figures["speed"] = speed(sandbox, options.runs)
        figures["load"] = load(sandbox, options.runs)
        figures["memory"] = memory(Path(name) / "cache", 1_000)
    show(figures)
    save("sandbox", figures)
    bars = {n: {"p50": row["p50_ms"], "p95": row["p95_ms"]} for n, row in figures["speed"].items()}
    plot_bars("sandbox", "A program in the sandbox", bars, "ms")


def show(figures: dict[str, Any]) -> None:
    """Print the figures beside what they should be."""
    speed_, load_, held = figures["speed"], figures["load"], figures["hostile"]
    flat = figures["memory"]
    rows = [
        ("trivial program, p50 ms", speed_["trivial"]["p50_ms"], "≤ 8"),
        ("filter 200 hits, p50 ms", speed_["filter 200 hits"]["p50_ms"], "≤ 20"),
        ("10 searches gathered, p50 ms", speed_["10 searches, gathered"]["p50_ms"], ""),
        ("20 at once, answered", load_["parallel_20_answered"], "20"),
        ("programs/s, trivial", load_["trivial_per_s"], ""),
        ("programs/s, filter 200 hits", load_["filter_per_s"], "≥ 60"),
        ("growth over 1,000 runs, worker MB", flat["worker_growth_mb"], "flat"),
        ("growth over 1,000 runs, host MB", flat["host_growth_mb"], "flat"),
        ("first program on a machine, s", figures["cold"]["first_ever_s"], ""),
        ("first program of a process, s", figures["cold"]["first_of_process_s"], ""),
        ("language programs that run", figures["language"]["ran"], figures["language"]["programs"]),
        ("attacks contained", held["contained"], held["programs"]),
        ("longest attack, s (1 s allowed)", held["longest_s"], ""),
    ]
    print(table(("what", "measured", "wanted"), rows))


if __name__ == "__main__":
    main()
