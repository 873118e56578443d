"""Show all figures about knowledge that are kept as one table and one plot."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from common import RESULTS, save, table


class Row(NamedTuple):
    """A figure, the simplest floor beside it, and the target, which is a limit if `most`."""

    panel: str
    figure: str
    value: float | None
    floor: float | None = None
    target: float | None = None
    most: bool = False

    @property
    def verdict(self) -> str:
        """Whether the target is met, if there is one."""
        if self.target is None or self.value is None:
            return ""
        return (
            "yes"
            if (self.value <= self.target if self.most else self.value >= self.target)
            else "no"
        )


def rows() -> Iterator[Row]:
    """Yield the figures of all sections that were measured."""
    for name, read in READERS.items():
        file = RESULTS / f"{name}.json"
        if file.exists():
            yield from read(json.loads(file.read_text()))


def _events(kept: dict[str, Any]) -> Iterator[Row]:
    panel = "Events written a second"
    inserts = (
        "floor: bare inserts in one transaction/s",
        "floor: bare inserts, each a transaction/s",
    )
    yield Row(panel, "in batches", kept["batch/s"], kept[inserts[0]], 10_000)
    buffered = kept["one by one, buffered, all on disk at the end/s"]
    yield Row(panel, "one by one, buffered", buffered, kept[inserts[0]], 2_000)
    yield Row(
        panel, "one by one, each on disk", kept["one by one, each on disk/s"], kept[inserts[1]]
    )


def _extraction(kept: dict[str, Any]) -> Iterator[Row]:
    test, floor = kept["test"]["rules"], kept["test"]["floor"]
    for side, least in (("precision", 0.9), ("recall", None)):
        panel = f"Extraction: {side} by type (test)"
        yield Row(panel, "all", test["all"]["types"][side], floor["all"]["types"][side], least)
        for name, found in sorted(test["type"].items()):
            beside = floor["type"].get(name, {"given": 0})
            yield Row(
                panel,
                f"{name} ({found['wanted']})",
                found[side] if found["given"] or side == "recall" else None,
                beside[side] if beside["given"] else None,
            )


def _traversal(kept: dict[str, Any]) -> Iterator[Row]:
    panel = f"Walks, ms p95 ({kept['entities']:,} entities, {kept['relations']:,} relations)"
    for drawn in ("evenly", "by degree"):
        found = kept[drawn]
        bare = found["two joins in bare SQL, without bounds"]["p95_ms"]
        yield Row(panel, f"depth 1, {drawn}", found["depth 1"]["p95_ms"])
        yield Row(panel, f"depth 2, {drawn}", found["depth 2"]["p95_ms"], bare, 20, most=True)
        yield Row(panel, f"path up to 4, {drawn}", found["path of up to 4"]["p95_ms"])
    yield Row(panel, "search_graph", kept["search_graph"]["p95_ms"])


def _consolidation(kept: dict[str, Any]) -> Iterator[Row]:
    sizes = {name: found for name, found in kept.items() if name.isdigit()}
    for size, found in sizes.items():
        for name, one in found.items():
            limit = 180 if (name, size) == ("balanced", "100000") else None
            seconds = round(one["plan_s"] + one["apply_s"], 2)
            yield Row("Consolidation, s", f"{int(size):,}, {name}", seconds, None, limit, most=True)
    for size, found in sizes.items():
        for name, one in found.items():
            label = f"{int(size):,}, {name}"
            yield Row(
                "Consolidation, MB at its peak (floor: before)",
                label,
                one["peak_mb"],
                one["baseline_mb"],
            )


def _clusters(kept: dict[str, Any]) -> Iterator[Row]:
    for side in ("precision", "recall", "F0.5"):
        for name, found in kept["test"].items():
            yield Row("Clusters, B-cubed, mean of four sets (test)", f"{name}: {side}", found[side])


def _merges(kept: dict[str, Any]) -> Iterator[Row]:
    least = {"duplicates": 0.98, "restatements": 0.98}
    for side in ("precision", "recall"):
        for name, splits in kept.items():
            if "rule" not in splits.get("test", {}):
                continue
            rule, floor = splits["test"]["rule"], splits["test"].get("floor", {})
            target = least.get(name, 0.9) if side == "precision" else None
            yield Row(
                "Merges and updates (test)", f"{name}: {side}", rule[side], floor.get(side), target
            )


def _door(kept: dict[str, Any]) -> Iterator[Row]:
    for name, found in kept["gate"]["test"].items():
        for side in ("precision", "recall"):
            yield Row("Door (test)", f"{name}: {side}", found[side])
    one = kept["ms"]["one store"]
    yield Row(
        "Door, ms p50 more a store",
        "one store",
        round(one["read"] - one["open"], 3),
        None,
        1,
        most=True,
    )


def _multihop(kept: dict[str, Any]) -> Iterator[Row]:
    panel = "Multi-hop, R@5 % (floor: without)"
    for name, source in (("LoCoMo", "locomo"), ("written worlds (test)", "planted-test")):
        found = kept["figures"][source]["multi-hop"]
        for way in ("rare words", "entities", "second search"):
            label = "graph" if way == "entities" else way
            yield Row(panel, f"{name}: {label}", found[way]["R@5"], found["floor"]["R@5"])


def _statistics(kept: dict[str, Any]) -> Iterator[Row]:
    panel = "Statistics over episodes, shares"
    covered = [row["coverage"] for row in kept["coverage of the intervals of rates (exact)"]]
    yield Row(panel, "intervals that hold the rate, least", round(min(covered), 3))
    wrong = kept["false alarms, no change"]
    named, floors = (max(row[side] for row in wrong) for side in ("named", "floor"))
    yield Row(panel, "false alarms, most", named, floors)
    for row in kept["a planted change"][1:]:
        found, floor = (row[f"{who}named within 300"] for who in ("", "floor "))
        yield Row(panel, f"change {row['from']} to {row['to']} named", found, floor)
    patterns = {
        (r["pattern"], r["seen"], r["asked for"], r["way"]): r for r in kept["planted patterns"]
    }
    for pattern in ("holds everywhere", "holds in one language", "holds nowhere"):
        ours = patterns[pattern, 60, "python", "pattern_fit"]["right"]
        floor = patterns[pattern, 60, "python", "floor: here alone"]["right"]
        yield Row(panel, f"pattern {pattern}: rightly told after 60", ours, floor)


def _episodes(kept: dict[str, Any]) -> Iterator[Row]:
    limits = {"create": 20, "step": 10, "complete": 300}
    for name, limit in limits.items():
        value = round(kept["calls"][f"{name} buffered p50 µs"], 1)
        yield Row("Episodes, buffered, µs p50", name, value, None, limit, most=True)
    panel, job = "Episodes, ms", kept["calls"]["whole job p50 µs"] / 1e3
    yield Row(panel, "learning from one, p50", round(job, 2), None, 20, most=True)
    for found in kept["retrieval"]:
        limit = {10_000: 10, 100_000: 15}.get(found["episodes"])
        for name in ("similar_episodes", "similar_episodes narrowed"):
            label = f"{name}, {found['episodes']:,}, p95"
            yield Row(panel, label, round(found[f"{name} p95 ms"], 2), None, limit, most=True)


# By the file that keeps them, in the order of the table.
READERS = {
    "events": _events,
    "extraction": _extraction,
    "traversal": _traversal,
    "consolidation": _consolidation,
    "clusters": _clusters,
    "merges": _merges,
    "door": _door,
    "multihop": _multihop,
    "experience_statistics": _statistics,
    "episodes": _episodes,
}


def show() -> None:
    """Print the table, and keep it and the plot."""
    found = list(rows())
    limit = {True: "at most ", False: "at least "}
    lines = [
        [
            row.panel,
            row.figure,
            "nothing told" if row.value is None else row.value,
            "" if row.floor is None else row.floor,
            "" if row.target is None else f"{limit[row.most]}{row.target:,}",
            row.verdict,
        ]
        for row in found
    ]
    text = table(("what", "figure", "measured", "floor", "target", "met"), lines)
    print(text)
    (RESULTS / "knowledge.md").write_text(f"{HEAD}\n{text}\n")
    save("knowledge", {"rows": [row._asdict() | {"met": row.verdict} for row in found]})
    _plot(found)


HEAD = """# What is known: all figures

Written by `bench/knowledge.py`; how each is measured stands in [bench/README](../README.md), the
figures in full in the JSON of each section. A floor is the simplest thing that could be done
instead.

![All figures](knowledge.svg)
"""


def _plot(found: list[Row]) -> None:
    """Draw a panel for each kind of figure: bars, with floors as circles and targets as lines."""
    import matplotlib

    matplotlib.use("Agg")
    # The same figures give the same file, with text as text.
    matplotlib.rcParams.update(
        {"svg.hashsalt": "knowledge", "svg.fonttype": "none", "font.size": 7}
    )
    from matplotlib import pyplot

    panels = list(dict.fromkeys(row.panel for row in found))
    figure, plots = pyplot.subplots((len(panels) + 2) // 3, 3, figsize=(15, 2.6 * len(panels) / 3))
    for plot, panel in zip(plots.flat, panels, strict=False):
        _panel(plot, panel, [row for row in found if row.panel == panel][::-1])
    for plot in plots.flat[len(panels) :]:
        plot.axis("off")
    figure.tight_layout()
    figure.text(0.02, 1.0, "bars: measured; circles: floor; red lines: target", fontsize=8)
    figure.savefig(RESULTS / "knowledge.svg", metadata={"Date": None}, bbox_inches="tight")
    pyplot.close(figure)


def _panel(plot: Any, title: str, found: list[Row]) -> None:
    places = range(len(found))
    values = [row.value or 0.0 for row in found]
    bars = plot.barh(places, values, color="#4878a8")
    labels = ["nothing told" if row.value is None else f" {_number(row.value)}" for row in found]
    plot.bar_label(bars, labels, fontsize=6)
    for place, row in zip(places, found, strict=True):
        if row.floor is not None:
            plot.plot(row.floor, place, "o", color="#999999", markersize=4)
        if row.target is not None:
            plot.plot(
                [row.target] * 2, [place - 0.45, place + 0.45], color="#c03030", linewidth=1.5
            )
    shown = [x for row in found for x in (row.value, row.floor, row.target) if x]
    if max(shown) > 50 * min(shown):
        plot.set_xscale("log")
    plot.margins(x=0.15)
    plot.set_yticks(places, [row.figure for row in found])
    plot.set_title(title, fontsize=8)


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.3g}"


if __name__ == "__main__":
    show()
