"""How often lines of an answer are joined or marked as older, and how often rightly.

usage: python bench/lines.py --data ../shared/data [--sources updates,locomo] [--cases N] [--show]

A line is rightly marked where the question knows the memory as one that the answer replaced, and
the newer of the two is shown too. Sources that know of no replaced memories tell how seldom a line
is marked where nothing was replaced; --show prints what was joined and marked there.
"""

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).parent))
from common import save, table
from datasets import LICENCES, Case, Question, cases
from fusion import fill_case
from milepost.memory.values import CompactMemory

_MARK = re.compile(r"(older)?(?:, )?(x\d+)?")


def asked(histories: Sequence[Case]) -> Iterator[tuple[list[str], Question, Sequence[Any]]]:
    """Ask every question; yield it with the hashes of the history and the lines of its answer."""
    for case in tqdm(histories, desc=histories[0].source, unit="case"):
        memory, hashes = fill_case(case)
        for question in case.questions:
            yield hashes, question, memory.search(question.text).memories
        memory.close()


def measured(histories: Sequence[Case], *, show: bool) -> dict[str, Any]:
    """Count the lines of all answers to the questions of a source."""
    count: Counter[str] = Counter()
    for hashes, question, lines in asked(histories):
        older = {hashes[place] for place in question.older}
        newer = {hashes[place] for place in question.evidence - question.older}
        with_newer = any(_is_one_of(line, newer) for line in lines)
        for line in lines:
            marked = _MARK.match(line.mark) if line.mark else None
            replaced = with_newer and _is_one_of(line, older)
            count["lines"] += 1
            count["joined"] += bool(marked and marked[2])
            count["marked"] += bool(marked and marked[1])
            count["replaced"] += replaced
            count["rightly marked"] += bool(marked and marked[1] and replaced)
            if show and marked:
                print(f"{question.text}\n    {line}")
    return {
        **{name: count[name] for name in ("lines", "joined", "marked", "replaced")},
        "marked of 100 lines": 100 * count["marked"] / max(count["lines"], 1),
        "of replaced marked %": _share(count["rightly marked"], count["replaced"]),
        "of marked replaced %": _share(count["rightly marked"], count["marked"])
        if count["replaced"]
        else None,
    }


def _is_one_of(line: CompactMemory, hashes: set[str]) -> bool:
    return any(full.startswith(line.hash) for full in hashes)


def _share(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sources", default=",".join(LICENCES))
    parser.add_argument("--cases", type=int, help="at most so many histories of a source")
    parser.add_argument("--show", action="store_true", help="print what was joined or marked")
    options = parser.parse_args()
    figures = {
        source: measured(cases(source, options.data)[: options.cases], show=options.show)
        for source in options.sources.split(",")
    }
    headers = ["source", *next(iter(figures.values()))]
    rows = [[s, *("" if v is None else v for v in f.values())] for s, f in figures.items()]
    print(table(headers, rows))
    if not options.show:
        save("lines", {"cases": options.cases, "sources": figures})


if __name__ == "__main__":
    main()
