"""What it costs that calls can be looked at: searches and stores, beside the version before.

usage: python bench/observing.py --before FOLDER [--rounds 60] [--calls 100]

FOLDER is a worktree of the commit to compare with (`git worktree add --detach FOLDER COMMIT`). A
process each, of that version and of this one, does some calls in turns on a store of its own, with
the order of the two by chance; what is told is the processor time of a call, and the median of the
ratios of neighbours. Two processes of this version are compared as well: that is the noise. How
much a call takes while somebody watches (`milepost profile`) is told beside it.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from common import save, table

ROOT = Path(__file__).parents[1]
MEMORIES = 2_000
# What each process runs: it reads a kind and a number of calls, and writes how long one took.
WORKER = """
import json, sys, time
from contextlib import nullcontext
from random import Random
from milepost.app import open_memory
from milepost.opening import settings_for
try:
    from milepost.phases import Phase, watching
except ImportError:
    watching = None

dice = Random(7)
words = [f"{a}{b}" for a in "bedrock harbour lantern orchard compass".split() for b in range(200)]

def text():
    return " ".join(dice.choices(words, k=25))

def search(memory):
    memory.search(" ".join(dice.choices(words, k=6)))

def store(memory):
    memory.store(text())

with open_memory(settings_for(sys.argv[1])) as memory:
    memory.store_batch([text() for _ in range(int(sys.argv[2]))])
    for _ in range(50):
        search(memory), store(memory)
    for line in sys.stdin:
        kind, count, looks = json.loads(line)
        act = {"search": search, "store": store}[kind]
        began = time.thread_time()
        for _ in range(count):
            with watching(Phase(kind)) if looks else nullcontext():
                act(memory)
        print(json.dumps((time.thread_time() - began) / count * 1e6), flush=True)
"""


class Version:
    """A process of one version, with a store of its own."""

    def __init__(self, source: Path, folder: str) -> None:
        environment = os.environ | {"PYTHONPATH": str(source / "src"), "HOME": folder}
        command = [sys.executable, "-c", WORKER, f"{folder}/m.db", str(MEMORIES)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def us(self, kind: str, calls: int, *, looks: bool = False) -> float:
        """Do some calls and return how long one took."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps([kind, calls, looks]) + "\n")
        self.process.stdin.flush()
        return float(json.loads(self.process.stdout.readline()))

    def end(self) -> None:
        """Let the process end."""
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()


def measured(versions: dict[str, Version], kind: str, rounds: int, calls: int) -> dict[str, Any]:
    """Return how long calls of a kind took, and the ratios."""
    dice = Random(2026)
    times: dict[str, list[float]] = {name: [] for name in (*versions, "watched")}
    for _ in range(rounds):
        for name in dice.sample([*times], len(times)):
            version = versions["now" if name == "watched" else name]
            times[name].append(version.us(kind, calls, looks=name == "watched"))
    told: dict[str, Any] = {
        f"{name}_us": round(statistics.median(t), 1) for name, t in times.items()
    }
    for name, other in (("now", "before"), ("again", "now"), ("watched", "now")):
        ratios = sorted(a / b for a, b in zip(times[name], times[other], strict=True))
        low, high = ratios[len(ratios) // 4], ratios[-len(ratios) // 4]
        told[f"{name}_to_{other}"] = round(statistics.median(ratios), 4)
        told[f"{name}_to_{other}_quartiles"] = [round(low, 4), round(high, 4)]
    return told


def main() -> None:
    """Compare this version with one before."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--before", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--calls", type=int, default=100)
    given = parser.parse_args()
    commit = subprocess.run(
        ["git", "-C", given.before, "rev-parse", "--short", "HEAD"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    figures: dict[str, Any] = {"before": commit, "memories": MEMORIES, "rounds": given.rounds}
    with tempfile.TemporaryDirectory() as folder:
        sources = {"before": given.before, "now": ROOT, "again": ROOT}
        versions = {}
        for name, source in sources.items():
            Path(folder, name).mkdir()
            versions[name] = Version(source, f"{folder}/{name}")
        for kind in ("search", "store"):
            figures[kind] = measured(versions, kind, given.rounds, given.calls)
        for version in versions.values():
            version.end()
    print(table(["", "search", "store"], [
        (name, figures["search"][name], figures["store"][name])
        for name in figures["search"] if not name.endswith("quartiles")
    ]))  # fmt: skip
    print(save("observing", figures))


if __name__ == "__main__":
    main()
