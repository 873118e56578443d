"""What `milepost measure recall` found as one page with plots: no script, nothing from outside."""

from collections.abc import Callable, Iterator, Sequence
from html import escape

from milepost.measuring.values import RecallFigures, RecallReport
from milepost.text.fence import as_data
from milepost.text.lines import counted, day, minute

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 720, 230, 44, 14, 14, 34
# A label below a plot takes so much, and a strip is drawn in so many parts.
_LABEL_WIDTH, _STRIP = 110, 200
_STYLE = """
:root { --paper: #fbfbf9; --line: #dcded8; --ink: #1c2321; --soft: #58625e; --accent: #17695c;
  --band: #cfe3dc; --floor: #b3701c; --bad: #a3261c; color-scheme: light dark; }
@media (prefers-color-scheme: dark) { :root { --paper: #141817; --line: #323a38; --ink: #e4e8e5;
  --soft: #a3ada8; --accent: #6cc5b2; --band: #24433d; --floor: #e0a658; --bad: #f2958a; } }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif; margin: 0 auto;
  max-width: 980px; padding: 28px 18px 48px; color: var(--ink); background: var(--paper); }
h1 { font-size: 1.35rem; margin: 0; } h2 { font-size: 1.02rem; margin: 2.2rem 0 .5rem; }
p { margin: .3rem 0 .7rem; max-width: 68ch; } .soft { color: var(--soft); }
.worse { color: var(--bad); font-weight: 600; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .3rem .55rem; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 400; font-size: .86rem; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
table.groups th:first-child { width: 22%; min-width: 8em; }
td.strip { width: 34%; min-width: 150px; }
svg { display: block; } .strip svg { width: 100%; height: 18px; } .plot { min-width: 560px; }
text { font-size: 11px; fill: var(--soft); font-variant-numeric: tabular-nums; }
.grid { stroke: var(--line); } .band { fill: var(--band); } .found { stroke: var(--accent); }
.dot { fill: var(--accent); } .floor { stroke: var(--floor); } .change { stroke: var(--soft); }
.key { display: inline-block; width: 1.1em; height: 3px; vertical-align: middle; margin: 0 .35em; }
"""
_MEANING = (
    "Memories are asked for by half a sentence of their own, as if they had kept one in three of "
    "these words, and word for word; and by what was asked here and then used. Found is the share "
    "that stands among the first five; the bar is the interval that holds the true share in 95 of "
    "100 cases. Compare runs of one memory with each other: what people would ask is not in it."
)


def page_of(runs: Sequence[RecallReport]) -> str:
    """Return a page about runs, of which there is at least one, the latest first."""
    latest = runs[0]
    parts = [
        f"<h1>How well this memory finds what it has</h1><p class='soft'>{_head(latest)}</p>",
        f"<p>{_MEANING}</p>{_legend()}",
        *_changed(latest),
        *_group("By where the questions come from", latest.sources),
        *_group("By kind of memory", latest.kinds),
        *_group("By age, as of the newest memory", latest.ages),
        *_over_time([run for run in reversed(runs) if run.own]),
        _history(runs),
    ]
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        "<meta http-equiv='Content-Security-Policy' "
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>Recall, {day(latest.at)}</title><style>{_STYLE}</style></head>"
        f"<body>{''.join(parts)}</body></html>\n"
    )


def _told(text: str) -> str:
    return escape(as_data(text))


def _head(run: RecallReport) -> str:
    about = f"{minute(run.at)}, {counted(run.memories, 'memory')}, milepost {run.version}"
    return _told(f"{about}, {run.embedder}, measured by {run.by}")


def _legend() -> str:
    keys = (("accent", "found, with its interval"), ("floor", "by BM25 alone"))
    shown = (
        f"<span class='key' style='background: var(--{colour})'></span>{text}"
        for colour, text in keys
    )
    return f"<p class='soft'>{' &nbsp; '.join(shown)}</p>"


def _changed(run: RecallReport) -> Iterator[str]:
    if run.change is not None:
        kind = "worse" if run.is_worse else "soft"
        told = str(run.change)
        yield f"<p class='{kind}'>{_told(told[:1].upper() + told[1:])}.</p>"


def _group(title: str, rows: Sequence[RecallFigures]) -> Iterator[str]:
    if not rows:
        return
    head = ("", "", "found", "MRR", "empty", "tokens", "BM25", "questions")
    cells = "".join(map(_row, rows))
    named = "".join(f"<th>{name}</th>" for name in head)
    yield f"<h2>{title}</h2><div class='wide'><table class='groups'><tr>{named}</tr>"
    yield f"{cells}</table></div>"


def _row(row: RecallFigures) -> str:
    figures = (f"{row.recall:.0%}", f"{row.mrr:.2f}", f"{row.empty:.0%}", f"{row.tokens:.0f}",
               f"{row.floor:.0%}", f"{row.questions:,}")  # fmt: skip
    cells = "".join(f"<td>{figure}</td>" for figure in figures)
    return f"<tr><td>{_told(row.name)}</td><td class='strip'>{_strip(row)}</td>{cells}</tr>"


def _strip(row: RecallFigures) -> str:
    """Draw a share between nothing and all, with its interval and the floor."""
    low, high, found, floor = (
        round(share * _STRIP, 1) for share in (row.low, row.high, row.recall, row.floor)
    )
    label = (
        f"{row.recall:.0%} found, between {row.low:.0%} and {row.high:.0%}; BM25 {row.floor:.0%}"
    )
    return (
        f"<svg viewBox='0 0 {_STRIP} 18' preserveAspectRatio='none' role='img' "
        f"aria-label='{label}'><title>{label}</title>"
        f"<path class='grid' d='M0 9H{_STRIP}' vector-effect='non-scaling-stroke'/>"
        f"<rect class='band' x='{low}' y='4' width='{max(high - low, 0.5):.1f}' height='10'/>"
        f"<path class='found' stroke-width='3' d='M{found} 2V16' "
        "vector-effect='non-scaling-stroke'/>"
        f"<path class='floor' stroke-width='2' stroke-dasharray='3 2' d='M{floor} 2V16' "
        "vector-effect='non-scaling-stroke'/></svg>"
    )


def _over_time(runs: Sequence[RecallReport]) -> Iterator[str]:
    if len(runs) < 2:
        return
    yield "<h2>Found over time, in other words</h2><div class='wide'>"
    yield _lines(runs, lambda share: f"{share:.0%}", 1.0, lambda row: row.recall, banded=True)
    most = max(run.own.tokens for run in runs if run.own)
    yield "</div><h2>Tokens of an answer over time</h2><div class='wide'>"
    top = max(100.0, -(-most // 100) * 100)
    yield f"{_lines(runs, '{:.0f}'.format, top, lambda row: row.tokens)}</div>"


def _lines(
    runs: Sequence[RecallReport],
    written: Callable[[float], str],
    top: float,
    figure: Callable[[RecallFigures], float],
    *,
    banded: bool = False,
) -> str:
    rows = [run.own for run in runs if run.own]
    step = (_WIDTH - _LEFT - _RIGHT) / (len(runs) - 1)
    xs = [_LEFT + at * step for at in range(len(runs))]

    def y(value: float) -> float:
        return _TOP + (1 - value / top) * (_HEIGHT - _TOP - _BOTTOM)

    def path(values: Sequence[float]) -> str:
        return "M" + "L".join(f"{x:.1f} {y(v):.1f}" for x, v in zip(xs, values, strict=True))

    drawn = [_axis(written, top, y), _dates(runs, xs), *_changes(runs, xs)]
    if banded:
        above = (f"{x:.1f} {y(row.high):.1f}" for x, row in zip(xs, rows, strict=True))
        turned = "L".join(reversed(list(above)))
        drawn.insert(0, f"<path class='band' d='{path([row.low for row in rows])}L{turned}Z'/>")
        floors = path([row.floor for row in rows])
        drawn.append(f"<path class='floor' fill='none' stroke-dasharray='5 3' d='{floors}'/>")
    values = [figure(row) for row in rows]
    drawn.append(f"<path class='found' fill='none' stroke-width='2' d='{path(values)}'/>")
    drawn += [
        f"<circle class='dot' cx='{x:.1f}' cy='{y(v):.1f}' r='3'><title>{_told(_head(run))}: "
        f"{written(v)}</title></circle>"
        for x, v, run in zip(xs, values, runs, strict=True)
    ]
    return f"<svg class='plot' viewBox='0 0 {_WIDTH} {_HEIGHT}' role='img'>{''.join(drawn)}</svg>"


def _axis(written: Callable[[float], str], top: float, y: Callable[[float], float]) -> str:
    parts = (top * part for part in (0, 0.25, 0.5, 0.75, 1))
    return "".join(
        f"<path class='grid' d='M{_LEFT} {y(v):.1f}H{_WIDTH - _RIGHT}'/>"
        f"<text x='{_LEFT - 6}' y='{y(v) + 4:.1f}' text-anchor='end'>{written(v)}</text>"
        for v in parts
    )


def _dates(runs: Sequence[RecallReport], xs: Sequence[float]) -> str:
    every = max(1, -(-len(runs) * _LABEL_WIDTH // (_WIDTH - _LEFT)))
    last = len(runs) - 1
    return "".join(
        f"<text x='{x:.1f}' y='{_HEIGHT - _BOTTOM + 18}' "
        f"text-anchor='{'end' if at == last else 'start' if at == 0 else 'middle'}'>"
        f"{day(run.at)}</text>"
        for at, (run, x) in enumerate(zip(runs, xs, strict=True))
        if (last - at) % every == 0
    )


def _changes(runs: Sequence[RecallReport], xs: Sequence[float]) -> Iterator[str]:
    """Draw a line where the version or the embedder became another."""
    for at in range(1, len(runs)):
        before, run, x = runs[at - 1], runs[at], (xs[at - 1] + xs[at]) / 2
        told = [run.version] if run.version != before.version else []
        told += [run.embedder] if run.embedder != before.embedder else []
        if told:
            yield (
                f"<path class='change' stroke-dasharray='2 3' d='M{x:.1f} {_TOP}"
                f"V{_HEIGHT - _BOTTOM}'/><text x='{x - 4:.1f}' y='{_HEIGHT - _BOTTOM - 6}' "
                f"text-anchor='end'>{_told(', '.join(told))}</text>"
            )


def _history(runs: Sequence[RecallReport]) -> str:
    head = ("when", "version", "embedder", "memories", "found", "MRR", "since the run before")
    named = "".join(f"<th>{name}</th>" for name in head)
    return (
        f"<h2>Runs</h2><div class='wide'><table><tr>{named}</tr>"
        f"{''.join(map(_run, runs))}</table></div>"
    )


def _run(run: RecallReport) -> str:
    found = f"{run.own.recall:.0%}" if run.own else ""
    mrr = f"{run.own.mrr:.2f}" if run.own else ""
    since = run.change.verdict if run.change else "the first"
    cells = (minute(run.at), run.version, run.embedder, f"{run.memories:,}", found, mrr, since)
    return f"<tr>{''.join(f'<td>{_told(cell)}</td>' for cell in cells)}</tr>"
