"""What talk around a question costs: the same questions plain and inside each kind of talk.

usage: python bench/wrapped.py --data ../shared/data [--splits tuned,sealed] [--show KIND]

Prints R@5 and the share of empty answers of `search`, and the share of prompts that `remind` takes
for asking among those whose question alone it takes for asking. Talk without a mark has the
question without its question mark, beginning with a small letter.
"""

import argparse
import random
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).parent))
from common import save, table
from datasets import Case, cases, wrappers
from fusion import fill_case
from milepost.sessions.requests import request_in
from milepost.text.asking import the_part_that_asks

COLUMNS = ("R@5", "lost", "empty %", "remind asks %")
SOURCES = {"locomo": 150, "faq": 150, "changes": 100, "talk": 100, "notes": 100, "languages": 160}
LANGUAGES = {"werkstatt-de": "de", "equipo-es": "es", "xiangmu-zh": "zh"}
PLAIN = "plain"


class Talk:
    """Talk of one split to put around questions, by kind."""

    def __init__(self, split: str) -> None:
        self._kinds: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
        for wrapper in wrappers():
            if wrapper["split"] == split:
                self._kinds[_kind(wrapper), wrapper["language"]].append(wrapper)

    def around(self, question: str, number: int, language: str) -> Iterator[tuple[str, str]]:
        """Yield a question plain and inside one talk of each kind that speaks its language."""
        yield PLAIN, question
        yield f"{PLAIN}, no mark", unmarked(question)
        for (kind, spoken), talks in self._kinds.items():
            # Talk of the first split is in English around questions of all languages.
            if spoken == language or talks[0]["split"] == "first":
                yield kind, wrapped(question, talks[number % len(talks)])


def _kind(wrapper: dict[str, Any]) -> str:
    return wrapper["kind"] if wrapper["mark"] else f"{wrapper['kind']}, no mark"


def wrapped(question: str, wrapper: dict[str, Any]) -> str:
    """Return a question inside of talk."""
    asked = question if wrapper["mark"] else unmarked(question)
    return wrapper["text"].replace("{question}", asked)


def unmarked(question: str) -> str:
    """Return a question as it is typed in a hurry."""
    bare = question.strip().strip("?？¿.").replace("¿", "")
    bare = bare.replace("? ", ", ").replace("？", "，")
    return bare[:1].lower() + bare[1:]


def sampled(histories: list[Case], count: int) -> list[Case]:
    """Return the cases with so many of their questions in all."""
    every = [(i, q) for i, case in enumerate(histories) for q in case.questions if q.evidence]
    chosen = random.Random(13).sample(every, min(count, len(every)))
    return [c._replace(questions=[q for j, q in chosen if j == i]) for i, c in enumerate(histories)]


class Tally(NamedTuple):
    """What was measured of one kind of talk, a value a question."""

    recall: list[float]
    lost: list[float]
    empty: list[bool]
    asks: list[bool]

    def row(self) -> list[float]:
        """Return the means in percent."""
        return [round(100 * sum(values) / len(values), 1) if values else 0.0 for values in self]


def measure(histories: list[Case], talk: Talk, show: str | None) -> dict[str, list[float]]:
    """Return recall, loss, empty answers and recognised prompts in percent, by kind of talk."""
    tallies: dict[str, Tally] = defaultdict(lambda: Tally([], [], [], []))
    for case in histories:
        memory, hashes = fill_case(case)
        language = LANGUAGES.get(case.name, "en")
        for number, question in enumerate(tqdm(case.questions, desc=case.name, disable=None)):
            wanted = {hashes[i][:8] for i in question.evidence}
            alone, plain = request_in(question.text).asks, None
            for kind, text in talk.around(question.text, number, language):
                found = {m.hash[:8] for m in memory.search(text, limit=5).memories}
                recall = len(found & wanted) / len(wanted)
                plain = recall if plain is None else plain
                tally = tallies[kind]
                tally.recall.append(recall)
                tally.lost.append(plain - recall)
                tally.empty.append(not found)
                tally.asks.extend([request_in(text).asks] if alone else [])
                if kind == show and recall < plain:
                    print(f"\n{text}\n  → {the_part_that_asks(text)}")
        memory.close()
    return {kind: tally.row() for kind, tally in tallies.items()}


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--splits", default="first,tuned,sealed")
    parser.add_argument("--sources", default=",".join(SOURCES))
    parser.add_argument("--show", help="print what was lost in talk of this kind")
    parser.add_argument("--name", default="wrapped", help="the file of results")
    given = parser.parse_args()
    measured: dict[str, Any] = {}
    for split in given.splits.split(","):
        talk = Talk(split)
        for name in given.sources.split(","):
            chosen = sampled(cases(name, given.data), SOURCES[name])
            tallies = measure([case for case in chosen if case.questions], talk, given.show)
            measured.setdefault(split, {})[name] = tallies
            print(f"\n{name}, {split} talk")
            print(table(["talk", *COLUMNS], [[k, *row] for k, row in tallies.items()]), flush=True)
    save(given.name, {"columns": COLUMNS, "talk": measured})


if __name__ == "__main__":
    main()
