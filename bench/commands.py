"""How much CPU a command takes, beside Python that does nothing.

usage: python bench/commands.py [--runs 40] [--before FOLDER]

User and system time of the child, waits left out. The kinds take turns, so that a slow minute slows
all of them. With the source folder of another version, its commands take turns with ours.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from common import save, table
from milepost import connect
from milepost.app import open_memory
from milepost.config import AGENT_VARIABLES
from milepost.opening import settings_for
from milepost.surfaces.warm_server import WarmServer
from peers.mcp_memory_service import examples

SOURCE = Path(__file__).parent.parent / "src"
QUERY = "why did the nightly invoice exporter fail?"
# What an installed `milepost` runs.
SCRIPT = "import sys; from milepost.surfaces.cli import main; sys.exit(main())"
BY_AGENT = "search by an agent, warm"
COMMANDS = {
    "search, warm": ["search", QUERY],
    BY_AGENT: ["search", QUERY],
    "search --json, warm": ["search", QUERY, "--json"],
    "get of what is not there, warm": ["get", "deadbeef"],
    "--version": ["--version"],
    "nothing": [],
    "--help": ["--help"],
    "search --help": ["search", "--help"],
    "backup": ["backup"],
    "episode create --help": ["episode", "create", "--help"],
    "an unknown command": ["serch"],
    "a missing argument": ["search"],
    "an unknown option": ["search", "x", "--colour"],
    "search, store opened cold": ["--url", "{cold}", "search", QUERY],
}


def main() -> None:
    """Measure, print a table and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--before", type=Path, help="the src folder of another version")
    given = parser.parse_args()
    versions = {"ms": SOURCE} | ({"ms_before": given.before} if given.before else {})
    with tempfile.TemporaryDirectory(prefix="mp-") as folder:
        os.environ |= {"MILEPOST_URL": f"{folder}/m.db", "MILEPOST_RUNTIME_FOLDER": folder}
        for name in ("m.db", "cold.db"):
            fill(f"{folder}/{name}")
        settings = settings_for(f"{folder}/m.db")
        with open_memory(settings) as memory:
            memory.search(QUERY)
            server = WarmServer(memory, settings, "bench")
            server.start()
            rows = measure(given.runs, versions, f"{folder}/cold.db")
            server.stop()
    print(table(list(rows[0]), [list(row.values()) for row in rows]))
    save("commands", {"runs": given.runs, "rows": rows})


def fill(path: str) -> None:
    """Write a store and its index."""
    texts, tags = examples()
    with connect(path) as memory:
        both = zip(texts, tags, strict=True)
        memory.store_batch([{"content": text, "tags": labels} for text, labels in both])
        memory.search(QUERY)


def measure(runs: int, versions: dict[str, Path], cold: str) -> list[dict[str, object]]:
    """Return the median CPU time of each kind of call."""
    taken: dict[tuple[str, str], list[float]] = {}
    for _ in range(runs + 1):  # the first compiles, and is left out
        taken.setdefault(("python -c pass", "ms"), []).append(cpu_ms(["-c", "pass"], SOURCE))
        for name, words in COMMANDS.items():
            called = [word.format(cold=cold) for word in words]
            os.environ["AI_AGENT"] = "1" if name == BY_AGENT else ""
            for version, source in versions.items():
                ms = cpu_ms(["-c", SCRIPT, *called], source)
                taken.setdefault((name, version), []).append(ms)
    rows: list[dict[str, object]] = []
    for name in ("python -c pass", *COMMANDS):
        times = {version: taken.get((name, version)) for version in versions}
        medians = {v: round(statistics.median(ms[1:]), 1) if ms else "" for v, ms in times.items()}
        rows.append({"cpu of": name} | medians)
    return rows


def cpu_ms(arguments: list[str], source: Path) -> float:
    """Return what a process takes."""
    environment = os.environ | {"PYTHONPATH": str(source), "COLUMNS": "100"}
    for name in ("PYTHONDONTWRITEBYTECODE", *AGENT_VARIABLES[1:]):  # what is installed is compiled
        environment.pop(name, None)
    began = spent_s()
    subprocess.run(
        [sys.executable, *arguments],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return (spent_s() - began) * 1e3


def spent_s() -> float:
    """Return the CPU time of all children that ended."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


if __name__ == "__main__":
    main()
