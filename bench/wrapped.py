"""What talk around a question costs: the same questions plain and inside each kind of talk.

usage: python bench/wrapped.py --data ../shared/data [--questions 300] [--show KIND]

Prints R@5 and the share of empty answers of `search`, and the share of prompts that `remind` takes
for asking among those whose question alone it takes for asking.
"""

import argparse
import gzip
import json
import random
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).parent))
from common import table
from datasets import Case, Question, locomo
from fusion import fill_case
from milepost.sessions.requests import request_in

HISTORIES = Path(__file__).parent / "data" / "histories"
TALKS = ("friends", "team-channel", "team-notes", "werkstatt-de", "equipo-es", "xiangmu-zh")
PROJECTS = ("borgbackup+borg", "curl+curl")
_TURN = re.compile(r"(\d+\.\d+) (?:([A-Z][\w .-]{0,30}): )?(.*)", re.DOTALL)


def wrappers() -> dict[str, list[dict[str, str]]]:
    """Return the talk to put around questions, by kind."""
    kinds = defaultdict(list)
    for line in (HISTORIES / "wrappers.jsonl").read_text("utf-8").splitlines():
        found = json.loads(line)
        kinds[found["kind"]].append(found)
    return dict(kinds)


def wrapped(question: str, wrapper: dict[str, str]) -> str:
    """Return a question inside of talk."""
    return " ".join(filter(None, (wrapper["before"], question, wrapper["after"])))


def history(name: str) -> Case:
    """Return one of our own histories; notes have no authors."""
    memories: list[dict[str, Any]] = []
    places: dict[str, int] = {}
    session, when = "", datetime.now(UTC)
    for line in (HISTORIES / f"{name}.txt").read_text("utf-8").splitlines():
        if line.startswith("@@ "):
            _, session, date = line.split(" ", 2)
            when = datetime.fromisoformat(date.strip()).replace(tzinfo=UTC)
        elif turn := _TURN.fullmatch(line):
            places[turn[1]] = len(memories)
            author = turn[2] if "notes" not in name else None
            text = turn[3] if author else line.partition(" ")[2]
            memories.append(_memory(text, session, author, when.timestamp()))
    asked = (HISTORIES / f"{name}.questions.jsonl").read_text("utf-8").splitlines()
    return _case(name, memories, places, [json.loads(line) for line in asked])


def project(data: Path, name: str) -> Case:
    """Return the documentation of a project and the questions of its FAQ."""
    found = json.loads(gzip.decompress((data / "developer" / f"faq.{name}.json.gz").read_bytes()))
    places = {memory["id"]: place for place, memory in enumerate(found["memories"])}
    memories = [
        _memory(m["text"], m["session"], None, datetime.fromisoformat(m["created"]).timestamp())
        for m in found["memories"]
    ]
    return _case(name, memories, places, found["questions"])


def _memory(text: str, session: str, author: str | None, created: float) -> dict[str, Any]:
    return {"content": text, "session": session, "author": author, "created": created}


def _case(name: str, memories: list[Any], places: dict[str, int], asked: list[Any]) -> Case:
    questions = [
        Question(q["question"], frozenset(places[i] for i in q["gold"]), "")
        for q in asked
        if q["gold"]
    ]
    return Case(name, memories, questions)


def sampled(cases: list[Case], count: int) -> list[Case]:
    """Return the cases with so many of their questions in all."""
    every = [(i, q) for i, case in enumerate(cases) for q in case.questions]
    chosen = random.Random(13).sample(every, min(count, len(every)))
    return [c._replace(questions=[q for j, q in chosen if j == i]) for i, c in enumerate(cases)]


def prompts(question: Question, number: int) -> Iterator[tuple[str, str]]:
    """Yield a question plain and inside one talk of each kind."""
    yield "plain", question.text
    for kind, talks in wrappers().items():
        yield kind, wrapped(question.text, talks[number % len(talks)])


def measure(cases: list[Case], show: str | None) -> dict[str, list[float]]:
    """Return recall, empty answers and recognised prompts in percent, by kind of talk."""
    recall, empty, asks = defaultdict(list), defaultdict(list), defaultdict(list)
    for case in cases:
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
    sources = {
        "LoCoMo": locomo(given.data),
        **{name: [history(name)] for name in TALKS},
        **{name: [project(given.data, name)] for name in PROJECTS},
    }
    for name, cases in sources.items():
        figures = measure(sampled(cases, given.questions), given.show)
        print(f"\n{name}")
        rows = [[kind, *values] for kind, values in figures.items()]
        print(table(["talk", "R@5", "empty", "remind asks"], rows), flush=True)


if __name__ == "__main__":
    main()
