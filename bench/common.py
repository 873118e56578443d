"""What every benchmark shares: the machine it ran on, tables, JSON and plots."""

import json
import os
import platform
import statistics
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
# Where a benchmark is run from says nothing of whose memories it makes; hooks look themselves.
os.environ.setdefault("MILEPOST_PROJECT", "everywhere")
# A search is measured, not an answer that is given again.
os.environ.setdefault("MILEPOST_CACHE_MB", "0")


def machine() -> dict[str, Any]:
    """Describe where and when a benchmark ran."""
    cpu = "unknown"
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = [x for x in cpuinfo.read_text().splitlines() if x.startswith("model name")]
        cpu = lines[0].partition(":")[2].strip() if lines else cpu
    return {
        "when": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "cpu": cpu,
        "cores": os.cpu_count(),
        "load_before": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
        "system": platform.platform(terse=True),
    }


def table(headers: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table."""
    cells = [[_cell(value) for value in row] for row in rows]
    widths = [max(len(str(h)), *(len(r[i]) for r in cells), 3) for i, h in enumerate(headers)]
    lines = [[str(h).ljust(w) for h, w in zip(headers, widths, strict=True)]]
    lines.append(["-" * w for w in widths])
    lines += [[c.ljust(w) for c, w in zip(row, widths, strict=True)] for row in cells]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.1f}" if abs(value) >= 10 else f"{value:.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def save(name: str, figures: dict[str, Any]) -> Path:
    """Write a benchmark's JSON, with the machine, beside the others."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps({"machine": machine(), **figures}, indent=1) + "\n")
    return path


def p50_p95(values: Sequence[float]) -> tuple[float, float]:
    """Return the median and the 95th percentile."""
    ordered = sorted(values)
    return statistics.median(ordered), ordered[min(int(len(ordered) * 0.95), len(ordered) - 1)]


def plot_lines(
    name: str,
    title: str,
    x: Sequence[float],
    lines: dict[str, Sequence[float]],
    axes: tuple[str, str],
) -> Path:
    """Draw lines over a logarithmic x axis."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, plot = pyplot.subplots(figsize=(7, 4))
    for label, values in lines.items():
        plot.plot(x, values, marker="o", label=label)
    plot.set(xscale="log", yscale="log", title=title, xlabel=axes[0], ylabel=axes[1])
    plot.grid(alpha=0.3)
    plot.legend()
    path = RESULTS / f"{name}.png"
    figure.savefig(path, dpi=110, bbox_inches="tight")
    pyplot.close(figure)
    return path


def plot_bars(name: str, title: str, bars: dict[str, dict[str, float]], unit: str) -> Path:
    """Draw groups of bars: {group: {label: value}}."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, plot = pyplot.subplots(figsize=(7, 4))
    labels = list(dict.fromkeys(label for group in bars.values() for label in group))
    width = 0.8 / len(labels)
    for i, label in enumerate(labels):
        places = [g + i * width for g in range(len(bars))]
        drawn = plot.bar(places, [g.get(label, 0) for g in bars.values()], width, label=label)
        plot.bar_label(drawn, fmt="{:,.0f}", fontsize=7)
    plot.set(title=title, ylabel=unit)
    plot.set_xticks([g + 0.4 - width / 2 for g in range(len(bars))], list(bars))
    plot.legend()
    path = RESULTS / f"{name}.png"
    figure.savefig(path, dpi=110, bbox_inches="tight")
    pyplot.close(figure)
    return path
