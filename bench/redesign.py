"""What a change costs in time: this tree beside another, such as the one before a redesign.

usage: PYTHONPATH=src python bench/redesign.py OTHER-TREE [--rounds 5] [--size 10000]

Both trees run on this Python with the same packages and only `PYTHONPATH` differs, each on a store
that it filled itself with the same texts. They take turns at every process and every call, and who
is first changes with every round: a store waits for the disk, whose minutes differ. A figure is the
median of the rounds' medians and a ratio is new/old, so below 1 is faster; the lowest and the
highest are those of single rounds. Beside the time on the clock stands the time computed, which
other work on the machine disturbs less; the server is waited for by the clock alone.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parent))
from common import save, table
from corpus import memories, questions, sentences
from histories import load, make_repository
from session import Place, children_cpu_ms
from startup import time_milepost

Arguments = dict[str, Any]
Call = tuple[str, Arguments]

HERE = Path(__file__).parent.parent
QUERIES, STORES, BRIEFS = 200, 100, 50
# How often each process is started in a round.
STARTS = 8

# Run in either tree, so only what both have is used; the texts come on standard input.
FILL = """
import json, sys
from milepost import connect
with connect(sys.argv[1]) as memory:
    memory.store_batch(json.load(sys.stdin))
    memory.search("build the index")
"""
# Answers each line with what it took, so that two trees can take turns at every call.
USE = """
import json, sys, time
from milepost import connect
with connect(sys.argv[1]) as memory:
    memory.search("the first search")
    for line in sys.stdin:
        name, given = json.loads(line)
        call = getattr(memory, name)
        began, worked = time.perf_counter(), time.process_time()
        call(**given)
        spent = time.perf_counter() - began, time.process_time() - worked
        print(json.dumps([second * 1e3 for second in spent]), flush=True)
"""


class Spent(NamedTuple):
    """Milliseconds on the clock and computed; what was not seen to compute has none."""

    ms: float
    cpu_ms: float | None


class Tree(NamedTuple):
    """A tree of sources and the store that it filled."""

    name: str
    source: Path
    place: Place

    def run(self, program: str, given: object = None) -> str:
        """Run a program on this tree's store and return what it printed."""
        command = [sys.executable, "-c", program, str(self.place.store)]
        environment = self.place.environment("off")
        text = json.dumps(given).encode()
        return subprocess.run(
            command, input=text, env=environment, stdout=subprocess.PIPE, check=True
        ).stdout.decode()

    def timed(self, program: str) -> Spent:
        """Time a whole process."""
        began, worked = time.perf_counter(), children_cpu_ms()
        self.run(program)
        return Spent((time.perf_counter() - began) * 1e3, children_cpu_ms() - worked)

    def session_start(self) -> Spent:
        """Time the hook as a client runs it, with no warm process."""
        told = self.place.start("off")
        return Spent(told.ms, told.cpu_ms)

    def mcp(self) -> dict[str, Spent]:
        """Time an MCP server's first answers."""
        taken: dict[str, list[float]] = {}
        time_milepost(str(self.place.store.parent), taken)
        return {name: Spent(*ms, None) for name, ms in taken.items()}


def main() -> None:
    """Measure, print a table and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", type=Path, help="the tree to compare this one with")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--size", type=int, default=10_000)
    given = parser.parse_args()
    pool = sentences(None)
    with tempfile.TemporaryDirectory(prefix="mp-") as folder:
        sources = {"old": given.other.resolve(), "new": HERE}
        trees = [prepared(name, tree, Path(folder)) for name, tree in sources.items()]
        for tree in trees:
            in_force(tree)
            tree.run(FILL, texts(pool, given.size))
        rounds: list[dict[tuple[str, str], Spent]] = []
        for number in range(given.rounds):
            calls = calls_of(pool, given.size, number)
            rounds.append(one_round(trees if number % 2 else trees[::-1], calls))
    report(rounds, {"rounds": given.rounds, "memories": given.size})


def texts(pool: list[str], size: int) -> list[dict[str, object]]:
    """Return memories of which a tenth belong to the repository that sessions start in."""
    own = {"project": load("dev")[0].project}
    return [one | (own if i % 10 == 0 else {}) for i, one in enumerate(memories(pool, size))]


def prepared(name: str, source: Path, folder: Path) -> Tree:
    """Compile a tree as an installer does, and give it a folder and a repository of its own."""
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(source / "src")], check=True)
    own = folder / name
    own.mkdir(mode=0o700)
    root = make_repository(load("dev")[0], own)
    transcript = own / "transcript.jsonl"
    transcript.touch()
    return Tree(name, source / "src", Place(own / "m.db", root, transcript, {}))


def in_force(tree: Tree) -> None:
    """Let what is started next use this tree."""
    os.environ["PYTHONPATH"] = str(tree.source)
    os.environ["MILEPOST_DAEMON"] = "off"


def one_round(trees: list[Tree], calls: list[Call]) -> dict[tuple[str, str], Spent]:
    """Measure the trees in turn; return {(figure, tree): median}."""
    taken: dict[tuple[str, str], list[Spent]] = {}
    starts: dict[str, Callable[[Tree], dict[str, Spent]]] = {
        "python -c pass": lambda tree: {"": tree.timed("pass")},
        "from milepost import search": lambda tree: {"": tree.timed("from milepost import search")},
        "hook session-start": lambda tree: {"": tree.session_start()},
        "mcp": Tree.mcp,
    }
    for _ in range(STARTS):
        for name, start in starts.items():
            for tree in trees:
                in_force(tree)
                for what, spent in start(tree).items():
                    taken.setdefault((what or name, tree.name), []).append(spent)
    with ExitStack() as open_until_done:
        users = {tree.name: open_until_done.enter_context(used(tree)) for tree in trees}
        for name, arguments in calls:
            for tree, call in users.items():
                taken.setdefault((f"{name} p50", tree), []).append(call(name, arguments))
    return {key: median(spent) for key, spent in taken.items()}


def calls_of(pool: list[str], size: int, number: int) -> list[Call]:
    """Return what is asked in a round: the same questions, and other memories to store."""
    history = load("dev")[0]
    session = {"project": history.project, "branch": "fix/exporter"} | {
        "commits": [commit["subject"] for commit in history.commits[:5]]
    }
    new = pool[size + number * STORES :][:STORES]
    return [
        *(("search", {"query": question}) for question in questions(pool[:size], QUERIES)),
        *(("brief", session) for _ in range(BRIEFS)),
        *(("store", {"content": text}) for text in new),
    ]


@contextmanager
def used(tree: Tree) -> Iterator[Callable[[str, Arguments], Spent]]:
    """Open a tree's store in a process of its own; yields what calls its memory there."""
    in_force(tree)
    process = subprocess.Popen(
        [sys.executable, "-c", USE, str(tree.place.store)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=tree.place.environment("off"),
        text=True,
    )
    assert process.stdin
    assert process.stdout
    sending, answers = process.stdin, process.stdout

    def call(name: str, arguments: Arguments) -> Spent:
        sending.write(json.dumps([name, arguments]) + "\n")
        sending.flush()
        return Spent(*json.loads(answers.readline()))

    yield call
    process.communicate()


def median(spent: list[Spent]) -> Spent:
    """Return the median of both times."""
    cpu = [one.cpu_ms for one in spent if one.cpu_ms is not None]
    return Spent(
        statistics.median(one.ms for one in spent), statistics.median(cpu) if cpu else None
    )


def report(rounds: list[dict[tuple[str, str], Spent]], figures: dict[str, Any]) -> None:
    """Print the medians of all rounds and write them with their ratios."""
    rows = {}
    for name in dict.fromkeys(name for name, _ in rounds[0]):
        old, new = (median([one[name, tree] for one in rounds]) for tree in ("old", "new"))
        each = [one[name, "new"].ms / one[name, "old"].ms for one in rounds]
        rows[name] = {
            "old_ms": round(old.ms, 2),
            "new_ms": round(new.ms, 2),
            "ratio": round(new.ms / old.ms, 2),
            "lowest": round(min(each), 2),
            "highest": round(max(each), 2),
        }
        if old.cpu_ms and new.cpu_ms:
            rows[name]["ratio_computed"] = round(new.cpu_ms / old.cpu_ms, 2)
    headers = ["old_ms", "new_ms", "ratio", "lowest", "highest", "ratio_computed"]
    print(
        table(["", *headers], [[n, *(row.get(h, "") for h in headers)] for n, row in rows.items()])
    )
    print(save("redesign", figures | {"new/old": rows}))


if __name__ == "__main__":
    main()
