"""What talk around a question costs: the same questions plain and inside each kind of talk.

usage: python bench/wrapped.py --data ../shared/data [--questions 300] [--show KIND]

Prints R@5 and the share of empty answers of `search`, and the share of prompts that `remind` takes
for asking among those whose question alone it takes for asking.
"""

import argparse
import random
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).parent))
from common import save, table
from datasets import Case, Question, cases, wrappers
from fusion import fill_case
from milepost.sessions.requests import request_in

COLUMNS = ("R@5", "empty %", "remind asks %")
SOURCES = ("locomo", "talk", "notes", "languages", "faq")


@cache
def talk_by_kind() -> dict[str, list[dict[str, str]]]:
    """Return the talk to put around questions, by kind."""
    kinds = defaultdict(list)
    for wrapper in wrappers():
        kinds[wrapper["kind"]].append(wrapper)
    return dict(kinds)


def wrapped(question: str, wrapper: dict[str, str]) -> str:
    """Return a question inside of talk."""
    return " ".join(filter(None, (wrapper["before"], question, wrapper["after"])))


def sampled(histories: list[Case], count: int) -> list[Case]:
    """Return the cases with so many of their questions in all."""
    every = [(i, q) for i, case in enumerate(histories) for q in case.questions if q.evidence]
    chosen = random.Random(13).sample(every, min(count, len(every)))
    return [c._replace(questions=[q for j, q in chosen if j == i]) for i, c in enumerate(histories)]


def prompts(question: Question, number: int) -> Iterator[tuple[str, str]]:
    """Yield a question plain and inside one talk of each kind."""
    yield "plain", question.text
    for kind, talks in talk_by_kind().items():
        yield kind, wrapped(question.text, talks[number % len(talks)])


def measure(histories: list[Case], show: str | None) -> dict[str, list[float]]:
    """Return recall, empty answers and recognised prompts in percent, by kind of talk."""
    recall, empty, asks = defaultdict(list), defaultdict(list), defaultdict(list)
    for case in histories:
        memory, hashes = fill_case(case)
        for number, question in enumerate(tqdm(case.questions, desc=case.name, disable=None)):
            wanted = {hashes[i][:8] for i in question.evidence}
            alone = request_in(question.text).asks
            for kind, text in prompts(question, number):
                found = {m.hash[:8] for m in memory.search(text, limit=5).memories}
                recall[kind].append(len(found & wanted) / len(wanted))
                empty[kind].append(not found)
                if alone:
                    asks[kind].append(request_in(text).asks)
                if kind == show and recall[kind][-1] < recall["plain"][-1]:
                    _explain(text)
        memory.close()
    return {kind: [_mean(recall[kind]), _mean(empty[kind]), _mean(asks[kind])] for kind in recall}


def _explain(text: str) -> None:
    from milepost.text.asking import the_part_that_asks

    print(f"\n{text}\n  → {the_part_that_asks(text)}")


def _mean(values: list[Any]) -> float:
    return round(100 * sum(values) / len(values), 1) if values else 0.0


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--show", help="print what was lost in talk of this kind")
    given = parser.parse_args()
    measured: dict[str, Any] = {}
    for name in SOURCES:
        chosen = sampled(cases(name, given.data), given.questions)
        measured[name] = measure([case for case in chosen if case.questions], given.show)
        print(f"\n{name}")
        rows = [[kind, *values] for kind, values in measured[name].items()]
        print(table(["talk", *COLUMNS], rows), flush=True)
    save("wrapped", {"columns": COLUMNS, "sources": measured})


if __name__ == "__main__":
    main()
