"""How often anchors say "changed" as a repository moves on, and what finding and checking takes.

usage: python bench/anchors.py [--repository .] [--runs 50] [--every 20]

The history of a repository is walked commit by commit, in a clone. What messages of commits and, at
every so many commits, the lines of its documents name is anchored there, and looked at again 1, 10
and 50 commits later. Beside what is built: other ways to tell whether a file has changed, from any
change at all to the names that it defines.

Definitions: the lines that are met for each function, class, method and assignment of Python's own
library, beside those that its parser tells.

Speed: a text that names two paths, one that names a symbol of the repository, and 30 anchors in 15
files of about 300 lines, in this process and after a first round.
"""

import argparse
import ast
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from common import p50_p95, save, table
from milepost.workspace.anchors import anchors_in, states
from milepost.workspace.definitions import definition, kind_of
from milepost.workspace.digests import FEW_LINES, digest_of, is_same
from milepost.workspace.files import Tree

LATER = (1, 10, 50)
DEFINITION = re.compile(r"^\s*(?:async )?(?:def|class|function|interface|type) (\w+)|^([A-Z_]+) =")


def main() -> None:
    """Measure, print tables and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repository", type=Path, default=Path(__file__).parent.parent)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--every", type=int, default=20, help="commits between looks at documents")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mp-") as folder:
        clone = Path(folder) / "clone"
        git(Path(folder), "clone", "-q", str(given.repository.resolve()), str(clone))
        head = git(clone, "rev-parse", "HEAD").strip()
        figures: dict[str, Any] = {"commit": head, "changed": walk(clone, given.every)}
        git(clone, "checkout", "-q", head)
        figures["definitions"] = exactness(sorted(Path(ast.__file__).parent.glob("*.py")))
        figures["ms"] = speed(clone, given.runs)
    save("anchors", figures)


def git(folder: Path, *arguments: str) -> str:
    """Return what git says."""
    done = subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)
    return done.stdout.decode("utf-8", "replace")


def walk(clone: Path, every: int) -> dict[str, Any]:
    """Return the share of anchors that have changed or are gone, by kind and commits later."""
    commits = git(clone, "rev-list", "--first-parent", "--reverse", "HEAD").split()
    held: dict[int, list[Any]] = {}
    seen: dict[tuple[str, int], list[bool]] = defaultdict(list)
    for number, commit in enumerate(commits):
        git(clone, "checkout", "-q", "--detach", commit)
        tree = Tree(str(clone))
        for later in LATER:
            for anchor, then in held.get(number - later, ()):
                now = tree.definition(anchor.path, anchor.symbol)
                for kind, changed in judged(anchor, then, now):
                    seen[kind, later].append(changed)
        held.pop(number - max(LATER), None)
        texts = [git(clone, "log", "-1", "--format=%B", commit)]
        if number % every == 0:
            texts += [line for path in documents(clone) for line in path.read_text().split("\n")]
        named = {anchor for anchors in anchors_in(texts, str(clone)) for anchor in anchors}
        held[number] = [(a, tree.definition(a.path, a.symbol)) for a in sorted(named)]
    kinds = list(dict.fromkeys(kind for kind, _ in seen))
    shares = {
        kind: {str(x): round(sum(seen[kind, x]) / len(seen[kind, x]), 3) for x in LATER}
        | {"anchors": len(seen[kind, LATER[0]])}
        for kind in sorted(kinds)
        if all(seen[kind, x] for x in LATER)
    }
    rows = [
        (kind, share["anchors"], *(share[str(x)] for x in LATER)) for kind, share in shares.items()
    ]
    print(table(["changed or gone", "anchors", *(f"{x} commits later" for x in LATER)], rows))
    return {"commits": len(commits), "share": shares}


def documents(clone: Path) -> Iterator[Path]:
    """Yield what is written about the code."""
    yield from clone.glob("*.md")
    yield from clone.glob("docs/**/*.md")


def judged(anchor: Any, then: list[str], now: list[str]) -> Iterator[tuple[str, bool]]:
    """Yield for each way of telling whether it says that something has changed."""
    built = not now or not is_same(now, digest_of(then))
    exact = not now or not is_same(now, digest_of(then)[:16])
    if anchor.symbol:
        size = "short" if len(then) <= FEW_LINES else "long"
        yield f"symbol, {size}: any change", exact
        yield f"symbol, {size}: as built", built
        return
    kind = "prose, data" if kind_of(anchor.path) in ("md", "json", "toml", "yml") else "code"
    yield f"file, {kind}: any change", exact
    yield f"file, {kind}: names it defines", not now or names(then) != names(now)
    yield f"file, {kind}: a name is gone", not now or bool(names(then) - names(now))
    plain = {"".join(line.split()) for line in then}
    gone = len(plain - {"".join(line.split()) for line in now}) / len(plain)
    for share in (0.1, 0.2, 0.3):
        yield f"file, {kind}: more than {share:.0%} of lines gone", gone > share
    yield f"file, {kind}: a name or 20% gone", gone > 0.2 or bool(names(then) - names(now))
    yield f"file, {kind}: as built", built
    if gone > 0.4 or gone < 0.1:
        yield f"file, {kind}: as built is wrong below 10% and above 40%", built != (gone > 0.2)


def names(lines: list[str]) -> set[str]:
    """Return what lines define, for the languages of this repository."""
    return {m[1] or m[2] for line in lines if (m := DEFINITION.match(line))}


def exactness(files: list[Path]) -> dict[str, int]:
    """Return how many definitions are met exactly, and how the others are not."""
    counts: Counter[str] = Counter()
    for path in files:
        source = path.read_text("utf-8", "replace")
        lines = source.split("\n")
        nodes = list(definitions(ast.parse(source).body))
        names = Counter(name for name, _, _ in nodes)
        for name, first, last in nodes:
            if names[name] == 1:
                wanted, met = lines[first - 1 : last], definition(lines, name, "py")
                counts["exact" if met == wanted else "none" if not met else "other"] += 1
    print(table(["definitions", "number"], counts.items()))
    return dict(counts)


def definitions(body: list[ast.stmt], owner: str = "") -> Iterator[tuple[str, int, int]]:
    """Yield what a module or a class defines, with its first and last line."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            yield owner + node.name, first, node.end_lineno or first
            if isinstance(node, ast.ClassDef) and not owner:
                yield from definitions(node.body, f"{node.name}.")
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            yield owner + node.targets[0].id, node.lineno, node.end_lineno or node.lineno


def speed(clone: Path, runs: int) -> dict[str, Any]:
    """Return medians and 95th percentiles in milliseconds."""
    root = str(clone)
    files = [
        path
        for path in git(clone, "ls-files", "src/*.py").split()
        if 200 < lines_of(clone, path) < 400
    ]
    texts = [
        f"In {path} the function `{name}` does it."
        for path in files
        for name in functions(clone / path)[:2]
    ]
    thirty = [anchor for anchors in anchors_in(texts[:30], root) for anchor in anchors]
    paths = f"See `{files[0]}` and {files[1]}:42 for how."
    asked: dict[str, Callable[[], object]] = {
        "a text that names nothing": lambda: anchors_in(["We decided to keep it as it is."], root),
        "a text with two paths": lambda: anchors_in([paths], root),
        "a text with a symbol that no file is named for": lambda: anchors_in(
            ["`open_plain` waits"], root
        ),
        f"{len(thirty)} anchors in {len({a.path for a in thirty})} files": lambda: states(
            thirty, root
        ),
    }
    figures = {}
    for name, ask in asked.items():
        ask()
        figures[name] = {
            k: round(v, 3) for k, v in zip(("p50", "p95"), timed(ask, runs), strict=True)
        }
    print(table(["ms", "p50", "p95"], [(n, f["p50"], f["p95"]) for n, f in figures.items()]))
    return figures


def lines_of(clone: Path, path: str) -> int:
    """Return how many lines a file has."""
    return (clone / path).read_text().count("\n")


def functions(path: Path) -> list[str]:
    """Return the functions of a file."""
    return re.findall(r"(?m)^def (\w+)", path.read_text())


def timed(ask: Callable[[], object], runs: int) -> tuple[float, float]:
    """Return the median and the 95th percentile of some runs."""
    taken = []
    for _ in range(runs):
        begun = time.perf_counter()
        ask()
        taken.append((time.perf_counter() - begun) * 1e3)
    return p50_p95(taken)


if __name__ == "__main__":
    main()
