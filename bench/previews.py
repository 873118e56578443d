"""Whether what is shown of a long memory holds the answer, beside the floors.

usage: python bench/previews.py --data ../shared/data [--sources faq,talk] [--questions N]
           [--chars 200,240,300]

Asks each question of a store of long memories and takes the preview of the memory that answers it,
whether or not it was found. `long_memories.py` says where the memories come from and when an answer
is held. Counted are the answers that some passage of the length could hold.
"""

import argparse
import random
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from tqdm import tqdm

from common import save, table
from datasets import Case
from floors import StemmedBM25
from fusion import fill_case
from long_memories import SOURCES, LongCase, Span, Target, holds, long_cases
from milepost.memory.previews import PREVIEW_CHARS, passage
from milepost.memory.search import filter_for, rank_for
from milepost.ranking.passages import ELLIPSIS, Sought
from milepost.text.tokens import ceiling

DATE_CHARS = len("2026-01-01 ")
_WORD = re.compile(r"\S+")


def first(_: Target, room: int) -> list[Span]:
    """Show the beginning."""
    return [(0, room)]


def bm25(target: Target, room: int) -> list[Span]:
    """Show the best of overlapping windows by BM25 over stems."""
    starts = [0]
    for word in _WORD.finditer(target.text):
        if word.start() - starts[-1] >= room // 4:
            starts.append(word.start())
    windows = [target.text[start : start + room] for start in starts]
    best = starts[next(iter(StemmedBM25(windows).best(target.question, 1)), 0)]
    return [(best, best + room)]


def could(target: Target, room: int) -> bool:
    """Tell whether any passage holds the answer."""
    text = target.text
    near = (word.start() for a, b in target.spans for word in _WORD.finditer(text, a, b))
    starts = [*(start for start, _ in target.spans), *near]
    return any(holds(target, [(start, start + room)]) for start in starts)


def seen(text: str, shown: str) -> list[Span]:
    """Return which parts of a text a preview shows."""
    spans, after = [], 0
    for piece in filter(None, map(str.strip, shown.split(ELLIPSIS))):
        start = text.find(piece, after)
        if start >= 0:
            after = start + len(piece)
            spans.append((start, after))
    return spans


def judged(case: LongCase, widths: Sequence[int]) -> Iterator[dict[str, float]]:
    """Ask the questions of a store, and yield what each way of showing holds."""
    memory, _ = fill_case(Case("", "", case.memories, []), plain=True)
    context = memory._context
    for target in case.targets:
        wanted = rank_for(context, target.question, filter_for(context), 5).sought
        yield _figures(target, wanted, widths)
    memory.close()


def _figures(target: Target, wanted: Sought | None, widths: Sequence[int]) -> dict[str, float]:
    room = PREVIEW_CHARS - DATE_CHARS - 2 * len(ELLIPSIS)
    floors: dict[str, Callable[[Target, int], list[Span]]] = {"first": first, "BM25": bm25}
    figures: dict[str, float] = {"could": could(target, room)}
    figures |= {name: holds(target, show(target, room)) for name, show in floors.items()}
    for width in widths:
        shown = passage(target.content, wanted, width)
        figures[f"Milepost, {width}"] = holds(target, seen(target.text, shown))
        figures[f"tokens, {width}"] = ceiling(f"2026-01-01 {shown}")
    return figures


def chosen(cases: list[LongCase], count: int) -> list[LongCase]:
    """Return the stores with so many of their questions in all."""
    every = [(i, target) for i, case in enumerate(cases) for target in case.targets]
    few = random.Random(13).sample(every, min(count, len(every)))
    some = [c._replace(targets=[t for j, t in few if j == i]) for i, c in enumerate(cases)]
    return [case for case in some if case.targets]


def means(rows: Sequence[dict[str, float]]) -> dict[str, Any]:
    """Return shares in percent of what could be held, and tokens a preview."""
    able = [row for row in rows if row["could"]]
    sums: dict[str, float] = defaultdict(float)
    for row in able:
        for name, value in row.items():
            sums[name] += value if name.startswith("tokens") else 100 * value
    shares = {name: round(total / len(able), 1) for name, total in sums.items() if name != "could"}
    return {"questions": len(rows), "could %": round(100 * len(able) / len(rows), 1), **shares}


def main() -> None:
    """Judge every source."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sources", default=",".join(SOURCES))
    parser.add_argument("--questions", type=int, default=600, help="at most, of each source")
    parser.add_argument("--chars", default=str(PREVIEW_CHARS), help="lengths of previews")
    given = parser.parse_args()
    widths = [int(width) for width in given.chars.split(",")]
    figures: dict[str, dict[str, Any]] = {}
    for source in given.sources.split(","):
        cases = chosen(list(long_cases(source, given.data)), given.questions)
        asked = tqdm(cases, desc=source, unit="store", disable=None)
        figures[source] = means([row for case in asked for row in judged(case, widths)])
    names = list(next(iter(figures.values())))
    macro = {n: round(sum(f[n] for f in figures.values()) / len(figures), 1) for n in names[1:]}
    rows = [[source, *values.values()] for source, values in figures.items()]
    print(table(["source", *names], [*rows, ["macro", "", *macro.values()]]))
    save("previews", {"sources": figures, "macro": macro})


if __name__ == "__main__":
    main()
