"""Whether a change slows searches or makes answers longer: this tree beside a commit, in turns.

usage: python bench/compare.py [COMMIT] [--tree FOLDER] [--size 2000] [--queries 60]
           [--rounds 5] [--allowed 10]

COMMIT (HEAD, if nothing is said) may also be a folder with another tree. Both trees run on this
Python with the same packages, each on a store that it filled with the same texts, and take turns
at every call, so that a slow minute slows both. Compared is the time computed, which other work on
the machine disturbs least, call by call; the interval holds 95 % of the medians of resampled calls.
Ends with 1 when searches take over 10 % longer by the whole interval, or answers and the listing of
tools have over 10 % more tokens. Stores and imports are shown, and let pass.
"""

import argparse
import io
import json
import os
import random
import statistics
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parent))
from common import table
from corpus import memories, questions, sentences
from milepost.text.tokens import estimate
from peers.mcp_memory_service import Client
from session import children_cpu_ms

HERE = Path(__file__).parents[1]
STORES, STARTS, RESAMPLES = 30, 5, 1_000

# Run in either tree, so only what both have is used. Answers each line with the milliseconds that
# it computed, and what a model would see.
USE = """
import json, sys, time
from milepost import connect
with connect(sys.argv[1]) as memory:
    memory.store_batch(json.loads(sys.stdin.readline()))
    memory.search("build the index")
    for line in sys.stdin:
        name, given = json.loads(line)
        began = time.process_time()
        answer = getattr(memory, name)(**given)
        spent = time.process_time() - began
        print(json.dumps([spent * 1e3, str(answer)]), flush=True)
"""
# What an agent reads beside the answers to searches.
ASKED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("list_memories", {"limit": 20}),
    ("tags", {}),
    ("stats", {}),
    ("health", {}),
)


class Tree(NamedTuple):
    """A tree of sources, and where it keeps its store."""

    source: Path
    folder: Path

    def environment(self) -> dict[str, str]:
        """Return the environment in which Python runs this tree."""
        return os.environ | {
            "PYTHONPATH": str(self.source),
            "MILEPOST_URL": str(self.folder / "mcp.db"),
            "MILEPOST_DAEMON": "off",
        }

    def importing_ms(self) -> float:
        """Return what a process computes that imports the package."""
        began = children_cpu_ms()
        command = [sys.executable, "-c", "from milepost import search"]
        subprocess.run(command, env=self.environment(), check=True)
        return children_cpu_ms() - began

    def listing(self) -> str:
        """Return what the MCP server puts before a model."""
        with self._process(["-m", "milepost", "mcp"]) as process:
            client = Client(process, self.folder / "log")
            hello = client.initialize()
            tools = client.request("tools/list", {})["tools"]
        return json.dumps(tools) + str(hello.get("instructions"))

    @contextmanager
    def opened(self, texts: list[dict[str, object]]) -> Iterator["User"]:
        """Fill a store with the texts, and yield what calls it."""
        with self._process(["-c", USE, str(self.folder / "m.db")]) as process:
            yield User(process, texts)

    @contextmanager
    def _process(self, arguments: list[str]) -> Iterator[subprocess.Popen[bytes]]:
        with (self.folder / "log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, *arguments],
                env=self.environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
            )
        try:
            yield process
        finally:
            assert process.stdin
            process.stdin.close()
            process.wait()


class User:
    """A process that answers calls of one tree."""

    def __init__(self, process: subprocess.Popen[bytes], texts: list[dict[str, object]]) -> None:
        assert process.stdin
        assert process.stdout
        self._sending, self._answers = process.stdin, process.stdout
        self._send(texts)

    def call(self, name: str, given: dict[str, Any]) -> tuple[float, str]:
        """Return the milliseconds computed, and the answer."""
        self._send([name, given])
        line = self._answers.readline()
        if not line:
            raise SystemExit("a tree ended before it answered; does it have what is asked?")
        spent, answer = json.loads(line)
        return spent, answer

    def _send(self, value: object) -> None:
        self._sending.write(json.dumps(value).encode() + b"\n")
        self._sending.flush()


class Ratio(NamedTuple):
    """New beside old: the middle, and the ends of the interval."""

    old: float
    new: float
    ratio: float
    low: float
    high: float


def ratio_of(old: Sequence[float], new: Sequence[float]) -> Ratio:
    """Compare pairs: the median of their ratios, and 95 % of the medians of resampled pairs."""
    ratios = [b / a for a, b in zip(old, new, strict=True)]
    draw = random.Random(1)
    medians = sorted(
        statistics.median(draw.choices(ratios, k=len(ratios))) for _ in range(RESAMPLES)
    )
    low, high = medians[RESAMPLES // 40], medians[-RESAMPLES // 40]
    middle = statistics.median(ratios)
    return Ratio(statistics.median(old), statistics.median(new), middle, low, high)


def exactly(old: int, new: int) -> Ratio:
    """Compare what is counted and does not vary."""
    return Ratio(old, new, *[new / old] * 3)


def compared(old: Tree, new: Tree, size: int, queries: int, rounds: int) -> dict[str, Ratio]:
    """Let both trees do the same in turns; return what is gated and what is only shown."""
    pool = sentences(None)
    texts = list(memories(pool, size))
    calls = [("search", {"query": query}) for query in questions(pool[:size], queries)]
    spent: dict[tuple[int, str, int], list[float]] = {}
    tokens = [0, 0]
    with ExitStack() as open_until_done:
        users = [open_until_done.enter_context(tree.opened(texts)) for tree in (old, new)]
        for turn in range(rounds):
            stores = [("store", {"content": f"{text} {turn}"}) for text in pool[size:][:STORES]]
            for number, (name, given) in enumerate([*calls, *stores]):
                for which in (0, 1) if (turn + number) % 2 else (1, 0):
                    ms, answer = users[which].call(name, given)
                    spent.setdefault((which, name, number), []).append(ms)
                    tokens[which] += estimate(answer) if name == "search" else 0
        others = [sum(estimate(user.call(*asked)[1]) for asked in ASKED) for user in users]
    imports = [(old.importing_ms(), new.importing_ms()) for _ in range(STARTS)]

    def of(name: str) -> Ratio:
        numbers = sorted(number for which, called, number in spent if called == name and not which)
        # The least of the rounds: what a call costs when nothing disturbs it.
        return ratio_of(*([min(spent[which, name, n]) for n in numbers] for which in (0, 1)))

    return {
        "search, ms": of("search"),
        "tokens of searches": exactly(*tokens),
        "tokens of other answers": exactly(*others),
        "tokens of the tools": exactly(estimate(old.listing()), estimate(new.listing())),
        "store, ms": of("store"),
        "import, ms": ratio_of(*zip(*imports, strict=True)),
    }


def exceeding(ratios: dict[str, Ratio], allowed: float) -> list[str]:
    """Return what is surely more than allowed, of what is gated."""
    gated = (name for name in ratios if name.startswith(("search", "tokens")))
    return [name for name in gated if ratios[name].low > 1 + allowed / 100]


def sources_of(commit: str, folder: Path) -> Path:
    """Return the sources of a tree, or those of a commit, laid into a folder."""
    if (Path(commit) / "src").is_dir():
        return Path(commit).resolve() / "src"
    command = ["git", "-C", str(HERE), "archive", "--format=tar", commit, "src"]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr.decode().strip())
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder / "src"


def prepared(source: Path, folder: Path) -> Tree:
    """Compile a tree as an installer does, and give it a folder."""
    folder.mkdir(exist_ok=True)
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(source)], check=True)
    return Tree(source, folder)


def main() -> int:
    """Compare, print a table, and return how the command ends."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commit", nargs="?", default="HEAD", help="or a folder with another tree")
    parser.add_argument("--tree", type=Path, default=HERE, help="the tree with the change")
    parser.add_argument("--size", type=int, default=2_000, help="memories in each store")
    parser.add_argument("--queries", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--allowed", type=float, default=10, help="per cent more than before")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mp-") as name:
        folder = Path(name)
        old = prepared(sources_of(given.commit, folder / "commit"), folder / "old")
        new = prepared(given.tree.resolve() / "src", folder / "new")
        ratios = compared(old, new, given.size, given.queries, given.rounds)
    rows = [[name, *(round(value, 3) for value in ratio)] for name, ratio in ratios.items()]
    print(table(["", *Ratio._fields], rows))
    worse = exceeding(ratios, given.allowed)
    for name in worse:
        more = 100 * (ratios[name].ratio - 1)
        print(f"{name}: {more:.0f} % more than {given.commit}", file=sys.stderr)
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
