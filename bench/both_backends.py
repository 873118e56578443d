"""Ask SQLite and another store the same questions about the same memories.

The other store keeps them, in spaces that are called bench-….
"""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from math import ceil
from pathlib import Path
from secrets import token_hex
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from tqdm import tqdm

from common import save, table
from datasets import Case, cases
from fusion import fill_case
from milepost.app import Milepost


class Asked(NamedTuple):
    """What two stores answered to one question, SQLite first: hashes, recall, milliseconds."""

    first: tuple[list[str], list[str]]
    recall: tuple[float, float] | None
    spent_ms: tuple[float, float]


def compare(options: argparse.Namespace) -> None:
    """Print and save how far both agree, by source."""
    figures = {}
    for source in options.sources.split(","):
        histories = sorted(cases(source, options.data), key=lambda case: len(case.memories))
        step = ceil(len(histories) / options.cases) if options.cases else 1
        figures[source] = _figures(list(_asked(histories[::step], options.url)))
    headers = list(next(iter(figures.values())))
    print(table(["source", *headers], [[name, *row.values()] for name, row in figures.items()]))
    save("retrieval-both-backends", figures)


def _asked(histories: Sequence[Case], url: str) -> Iterator[Asked]:
    run = token_hex(4)
    for number, case in enumerate(tqdm(histories, desc=histories[0].source, unit="case")):
        here, hashes = fill_case(case)
        there, _ = fill_case(case, url=url, space=f"bench-{run}-{case.source}-{number}")
        for question in case.questions:
            answers = [_first_five(memory, question.text) for memory in (here, there)]
            (one, one_ms), (other, other_ms) = answers
            wanted = {hashes[place] for place in question.evidence}
            recall = (_recall(one, wanted), _recall(other, wanted)) if wanted else None
            yield Asked((one, other), recall, (one_ms, other_ms))
        here.close()
        there.close()


def _first_five(memory: Milepost, question: str) -> tuple[list[str], float]:
    began = time.perf_counter()
    found = memory.search(question, limit=5, min_score=0.0)
    return [row.hash for row in found], 1_000 * (time.perf_counter() - began)


def _recall(found: Sequence[str], wanted: set[str]) -> float:
    return sum(any(full.startswith(hash_) for full in wanted) for hash_ in found) / min(
        len(wanted), 5
    )


def _figures(asked: Sequence[Asked]) -> dict[str, Any]:
    same = [a.first[0] == a.first[1] for a in asked]
    same_set = [set(a.first[0]) == set(a.first[1]) for a in asked]
    shared = [
        len({*a.first[0]} & {*a.first[1]}) / max(len({*a.first[0]} | {*a.first[1]}), 1)
        for a in asked
    ]
    recall = np.array([a.recall for a in asked if a.recall is not None])
    spent = np.median([a.spent_ms for a in asked], axis=0)
    return {
        "questions": len(asked),
        "same first five %": round(100 * float(np.mean(same)), 1),
        "in any order %": round(100 * float(np.mean(same_set)), 1),
        "shared %": round(100 * float(np.mean(shared)), 1),
        "R@5 SQLite": round(100 * float(recall[:, 0].mean()), 1),
        "R@5 there": round(100 * float(recall[:, 1].mean()), 1),
        "p50 ms SQLite": round(float(spent[0]), 1),
        "p50 ms there": round(float(spent[1]), 1),
    }
