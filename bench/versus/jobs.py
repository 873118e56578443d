"""The jobs: store a source's notes, ask its questions, start anew, and count what it takes."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tqdm import tqdm

from common import p50_p95
from versus import minilm
from versus.peer import LIMIT, Environment, Peer, Session, computed_by, memory_of
from versus.sample import Sample

STARTS = 3

Count = Callable[[str], int]


class Asking(NamedTuple):
    """What asking all questions of a source gave."""

    recalls: list[float]
    reciprocals: list[float]
    tokens: list[int]
    ms: list[float]


class Measured(NamedTuple):
    """What one memory gave and took over all sources."""

    finds: dict[str, dict[str, float]]
    listing_tokens: int
    stored_ms: list[float]
    searched_ms: list[float]
    tokens: list[int]
    store_computed_ms: float
    search_computed_ms: float
    settled_s: float
    first_answer_ms: float
    megabytes: float

    def figures(self) -> dict[str, Any]:
        """Return what is kept."""
        stored, searched = p50_p95(self.stored_ms), p50_p95(self.searched_ms)
        mean = {
            name: round(statistics.mean(one[name] for one in self.finds.values()), 1)
            for name in ("R@5", "MRR")
        }
        return {
            "finds": self.finds,
            "mean": mean,
            "tokens": {
                "tools": self.listing_tokens,
                "search p50": statistics.median(self.tokens),
                "search p95": p50_p95(self.tokens)[1],
            },
            "store ms": {
                "p50": round(stored[0], 2),
                "p95": round(stored[1], 2),
                "computed": round(self.store_computed_ms, 2),
            },
            "search ms": {
                "p50": round(searched[0], 2),
                "p95": round(searched[1], 2),
                "computed": round(self.search_computed_ms, 2),
            },
            "settled s": round(self.settled_s, 1),
            "first answer ms": round(self.first_answer_ms),
            "resident MB": round(self.megabytes, 1),
        }


def measure(
    peer: Peer, environment: Environment, sources: Sequence[Sample], model: Path, count: Count
) -> Measured:
    """Run all jobs with one memory."""
    finds: dict[str, dict[str, float]] = {}
    stored: list[float] = []
    settled, asked = 0.0, []
    computed = {"store": 0.0, "search": 0.0}
    listing = ""
    with tempfile.TemporaryDirectory(prefix="versus-") as folder:
        for sample in tqdm(sources, desc=peer.name, unit="source"):
            home = Path(folder) / sample.source
            home.mkdir()
            minilm.lay_out(model, home)
            peer.prepare(environment, sample.source)
            with peer.started(environment, home) as session:
                listing = session.listing
                pid = session.process.pid
                before = computed_by(pid)
                places, ms = fill(session, sample)
                stored += ms
                began = time.perf_counter()
                session.settle(sample.notes[-1])
                settled += time.perf_counter() - began
                between = computed_by(pid)
                asked.append(ask(session, sample, places, count))
                computed["store"] += between - before
                computed["search"] += computed_by(pid) - between
            finds[sample.source] = {
                "questions": len(sample.questions),
                "R@5": round(100 * statistics.mean(asked[-1].recalls), 1),
                "MRR": round(100 * statistics.mean(asked[-1].reciprocals), 1),
            }
        first_answer, megabytes = starts(peer, environment, home, sample)
    searched = [ms for asking in asked for ms in asking.ms]
    return Measured(
        finds,
        count(listing),
        stored,
        searched,
        [tokens for asking in asked for tokens in asking.tokens],
        1e3 * computed["store"] / len(stored),
        1e3 * computed["search"] / len(searched),
        settled,
        first_answer,
        megabytes,
    )


def fill(session: Session, sample: Sample) -> tuple[dict[str, set[int]], list[float]]:
    """Store each text once; return the places that an id stands for, and what each call took."""
    alike: dict[str, set[int]] = defaultdict(set)
    for place, note in enumerate(sample.notes):
        alike[note.content].add(place)
    places: dict[str, set[int]] = {}
    spent = []
    for note in {note.said: note for note in sample.notes}.values():
        began = time.perf_counter()
        number = session.store(note)
        spent.append((time.perf_counter() - began) * 1e3)
        places[number] = alike[note.content]
    return places, spent


def ask(session: Session, sample: Sample, places: dict[str, set[int]], count: Count) -> Asking:
    """Ask all questions, and judge what is found."""
    asking = Asking([], [], [], [])
    for question in sample.questions:
        began = time.perf_counter()
        found = session.search(question.text)
        asking.ms.append((time.perf_counter() - began) * 1e3)
        asking.tokens.append(count(found.text))
        hits = [places.get(number, set()) & question.evidence for number in found.ids[:LIMIT]]
        met = len(set().union(*hits))
        first = next((place for place, hit in enumerate(hits, 1) if hit), None)
        asking.recalls.append(min(met / min(len(question.evidence), LIMIT), 1.0))
        asking.reciprocals.append(1 / first if first else 0.0)
    return asking


def starts(peer: Peer, environment: Environment, home: Path, sample: Sample) -> tuple[float, float]:
    """Time new processes until they answer on what is stored, and weigh the last."""
    spent = []
    megabytes = 0.0
    for number in range(STARTS):
        began = time.perf_counter()
        with peer.started(environment, home) as session:
            session.search(sample.questions[number % len(sample.questions)].text)
            spent.append((time.perf_counter() - began) * 1e3)
            for question in sample.questions[:20]:
                session.search(question.text)
            megabytes = memory_of(session.process.pid)
    return statistics.median(spent), megabytes
