"""The table and the plot of a run, and their place in the documents."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from common import RESULTS, table
from versus.sample import TITLES

ROOT = Path(__file__).parents[2]
BEGIN, END = "<!-- {}, by bench/versus -->\n", "<!-- end -->"

Memories = dict[str, Any]


def ran(memories: Memories) -> Memories:
    """Return those that could be measured."""
    return {name: figures for name, figures in memories.items() if "error" not in figures}


def _named(name: str, figures: dict[str, Any]) -> str:
    return f"{name} {figures['version']}"


def table_of(memories: Memories) -> str:
    """Return what each costs, and what it finds on the mean."""
    rows = []
    for name, told in ran(memories).items():
        tools = told["tokens"]["tools"]
        rows.append([
            _named(name, told),
            f"{told['mean']['R@5']:.1f} / {told['mean']['MRR']:.1f}",
            f"{tools:,}" if tools else "–",
            f"{told['tokens']['search p50']:,.0f}",
            _pair(told["search ms"]),
            _pair(told["store ms"]),
            f"{told['first answer ms']:,}",
            f"{told['resident MB']:,.0f}",
            f"{told['installed']['MB']:,.0f}",
        ])  # fmt: skip
    headers = [
        "", "R@5 / MRR", "tokens of its tools", "of a search", "search, ms", "store, ms",
        "first answer, ms", "resident, MB", "installed, MB",
    ]  # fmt: skip
    return _plain(headers, rows)


def finds_of(memories: Memories) -> str:
    """Return what each finds in each source."""
    sources = list(next(iter(ran(memories).values()))["finds"])
    rows = []
    for name, told in ran(memories).items():
        cells = [f"{told['finds'][s]['R@5']:.1f} / {told['finds'][s]['MRR']:.1f}" for s in sources]
        rows.append([_named(name, told), told["embedder"], *cells])
    first = next(iter(ran(memories).values()))["finds"]
    titles = [f"{TITLES[source]}, {first[source]['questions']}" for source in sources]
    return _plain(["R@5 / MRR", "by", *titles], rows)


def _pair(times: dict[str, float]) -> str:
    """Return the median by the clock, and what a call computes."""

    def shown(ms: float) -> str:
        return f"{ms:.1f}" if ms < 10 else f"{ms:,.0f}"

    return f"{shown(times['p50'])} / {shown(times['computed'])}"


def _plain(headers: list[str], rows: list[list[str]]) -> str:
    """Return a table without the spaces that line it up."""
    lines = table(headers, rows).splitlines()
    return "\n".join(re.sub(r" +\|", " |", re.sub(r"-{3,}", "---", line)) for line in lines)


def write(figures: dict[str, Any]) -> None:
    """Put the tables between their marks, and draw the plot."""
    memories = figures["memories"]
    day = figures["machine"]["when"].split()[0]
    left_out = [f"{name} ({one['error']})" for name, one in memories.items() if "error" in one]
    tail = (
        f"\n\nMeasured {day}, {figures['machine']['cpu']}, {figures['machine']['cores']} cores.\n"
    )
    put(ROOT / "README.md", "costs", table_of(memories) + tail)
    missing = f"Not measured: {'; '.join(left_out)}.\n" if left_out else ""
    put(ROOT / "docs" / "why.md", "costs", table_of(memories) + tail + missing)
    put(ROOT / "docs" / "why.md", "finds", finds_of(memories) + "\n")
    plot(memories)


def put(path: Path, name: str, text: str) -> None:
    """Replace what stands between a name's marks."""
    begin = BEGIN.format(name)
    before, mark, rest = path.read_text().partition(begin)
    if not mark:
        raise SystemExit(f"{path} has no mark {begin.strip()}")
    path.write_text(before + begin + "\n" + text + "\n" + END + rest.partition(END)[2])


def plot(memories: Memories) -> Path:
    """Draw what is found against what a search costs, in tokens and in time."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, sides = pyplot.subplots(1, 2, figsize=(11, 4.6), sharey=True)
    for side, (name, unit) in zip(
        sides,
        (("tokens", "tokens of a search of five"), ("search ms", "a search computes, ms")),
        strict=True,
    ):
        for label, told in ran(memories).items():
            x = told[name]["search p50" if name == "tokens" else "computed"]
            ours = label.startswith("Milepost")
            side.scatter(x, told["mean"]["R@5"], color="C3" if ours else "C0", zorder=3)
            side.annotate(
                label, (x, told["mean"]["R@5"]), xytext=(5, 4), textcoords="offset points",
                fontsize=8,
            )  # fmt: skip
        side.set(xscale="log", xlabel=unit)
        side.grid(alpha=0.3)
    sides[0].set(ylabel="R@5, mean of the sources, %")
    path = RESULTS / "versus.svg"
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None})
    pyplot.close(figure)
    return path
