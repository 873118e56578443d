"""Judge what is read out of memories without a model: entities by type and set, relations."""

import argparse
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

from common import save
from entity_labels import Labelled, labelled
from milepost.text.entities import Extraction, Link, Mention, entities_in

_FLOOR = re.compile(r"`([^`\n]+)`|\b([A-Z][\w-]*(?: [A-Z][\w-]*)*)")


def floor(text: str) -> Extraction:
    """Take every capitalised or backticked word for a name; a type that is most often right."""
    found: dict[str, Mention] = {}
    for match in _FLOOR.finditer(text):
        name, type_ = (match[1], "symbol") if match[1] else (match[2], "person")
        found.setdefault(name, Mention(name, type_, match.start()))
    return Extraction(tuple(found.values()), ())


class Score:
    """How many were given, right and wanted, by what they are counted under."""

    def __init__(self) -> None:
        self.given: Counter[str] = Counter()
        self.right: Counter[str] = Counter()
        self.wanted: Counter[str] = Counter()
        self.met: Counter[str] = Counter()

    def figures(self) -> dict[str, dict[str, float | int]]:
        """Return precision and recall under each heading."""
        return {key: self._figures(key) for key in sorted(self.given | self.wanted)}

    def _figures(self, key: str) -> dict[str, float | int]:
        given, wanted = self.given[key], self.wanted[key]
        return {
            "given": given,
            "wanted": wanted,
            "precision": round(self.right[key] / given, 3) if given else 1.0,
            "recall": round(self.met[key] / wanted, 3) if wanted else 1.0,
        }


def judged(
    memories: Iterable[Labelled], extract: Callable[[str], Extraction]
) -> dict[str, dict[str, dict[str, float | int]]]:
    """Judge an extractor: all, spans alone, by type, by set, by language, relations."""
    scores = {name: Score() for name in ("all", "type", "set", "language", "relations")}
    for memory in memories:
        extraction = extract(memory.text)
        _count_entities(memory, extraction.entities, scores)
        _count_relations(memory, extraction.relations, scores["relations"])
    return {name: score.figures() for name, score in scores.items()}


def _count_entities(
    memory: Labelled, mentions: Iterable[Mention], scores: dict[str, Score]
) -> None:
    """Count what is right: the name of an entity or an alias of it, and its type."""
    types = {n: e.type for e in memory.entities for n in (*e.aliases, e.text)}
    given = {m.name: m.type for m in mentions if m.start >= 0}
    for name, type_ in given.items():
        right = types.get(name) == type_
        _add(scores, memory, type_, "given", "right" if right else None)
        scores["all"].given["spans"] += 1
        scores["all"].right["spans"] += name in types
    for entity in memory.entities:
        names = (entity.text, *entity.aliases)
        right = any(given.get(name) == entity.type for name in names)
        _add(scores, memory, entity.type, "wanted", "met" if right else None)
        scores["all"].wanted["spans"] += 1
        scores["all"].met["spans"] += any(name in given for name in names)


def _add(
    scores: dict[str, Score], memory: Labelled, type_: str, total: str, part: str | None
) -> None:
    keys = {"all": "types", "type": type_, "set": memory.set, "language": memory.language}
    for name, key in keys.items():
        getattr(scores[name], total)[key] += 1
        if part is not None:
            getattr(scores[name], part)[key] += 1


def _count_relations(memory: Labelled, links: Iterable[Link], score: Score) -> None:
    wanted = {(r.source, r.relation, r.target) for r in memory.relations}
    given = {(link.source, link.relation, link.target) for link in links}
    score.given["all"] += len(given)
    score.wanted["all"] += len(wanted)
    score.right["all"] += len(wanted & given)
    score.met["all"] += len(wanted & given)


def timed(memories: list[Labelled], rounds: int = 7) -> dict[str, float]:
    """Time texts of 300 characters (each with the next behind it), each at its best of some."""
    texts = [(m.text + " " + n.text)[:300] for m, n in pairwise(memories)]
    times = sorted(min(_seconds(text) for _ in range(rounds)) for text in texts if len(text) == 300)
    half, most = times[len(times) // 2], times[int(len(times) * 0.95)]
    return {"ms_p50": round(half * 1e3, 3), "ms_p95": round(most * 1e3, 3)}


def _seconds(text: str) -> float:
    begun = time.perf_counter()
    entities_in(text)
    return time.perf_counter() - begun


def extraction(data: Path) -> dict[str, Any]:
    """Return all figures, with the floor beside them."""
    figures: dict[str, Any] = {}
    for split in ("dev", "test"):
        memories = labelled(data, split)
        figures[split] = {"rules": judged(memories, entities_in), "floor": judged(memories, floor)}
    figures["speed_300_characters"] = timed(labelled(data, "dev"))
    return figures


def main() -> None:
    """Print and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    figures = extraction(parser.parse_args().data)
    save("extraction", figures)
    for split in ("dev", "test"):
        for name, headings in figures[split]["rules"].items():
            for key, row in headings.items():
                print(f"{split:5}{name:10}{key:20}{row}")
        print(f"{split:5}floor     {figures[split]['floor']['all']}")
    print(figures["speed_300_characters"])


if __name__ == "__main__":
    main()
