"""Memories with the entities and relations that a reader labelled in them.

The labels hold places in texts, not the texts: those are read from the public sets (`--data`) and
from the histories of this repository. `data/knowledge/README.md` says how they were labelled.
"""

import argparse
import gzip
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

LABELS = Path(__file__).parent / "data" / "knowledge" / "entities.jsonl"
OURS = Path(__file__).parent / "data"
_TURN = re.compile(r"(\d\S*?\.\d+) (?:[^:\n]{1,30}: )?(.+)")


class Entity(NamedTuple):
    """A name in a text, at its first mention, and other names the text gives it."""

    start: int
    end: int
    text: str
    type: str
    aliases: tuple[str, ...]


class Relation(NamedTuple):
    """What a text states between two of its entities, by their names."""

    source: str
    relation: str
    target: str


class Labelled(NamedTuple):
    """A memory and what a reader labelled in it."""

    id: str
    split: str
    set: str
    language: str
    text: str
    entities: tuple[Entity, ...]
    relations: tuple[Relation, ...]


def labelled(data: Path, split: str | None = None) -> list[Labelled]:
    """Read the labelled memories, all or those of a split ("dev" or "test")."""
    lines = [json.loads(line) for line in LABELS.read_text().splitlines()]
    return [_labelled(data, line) for line in lines if split in (None, line["split"])]


def text_of(data: Path, line: dict[str, Any]) -> str:
    """Cut the text of a memory out of its record, and refuse another edition of the data."""
    text = records(data, line["file"])[line["record"]][slice(*line["span"])]
    if digest(text) != line["digest"]:
        raise ValueError(f"{line['id']}: the text of {line['file']} is not the one labelled")
    return text


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


@cache
def records(data: Path, file: str) -> dict[str, str]:
    """Read the records of a file of a set, by their ids."""
    kind = file.partition("/")[0]
    path = (OURS if kind in ("histories", "month", "briefing") else data) / file
    if kind == "histories":
        return dict(_turns(path))
    if path.suffix == ".txt":
        return {"": path.read_text()}
    if path.suffix == ".jsonl":
        return dict(_reflections(path))
    raw = path.read_bytes()
    content = json.loads(gzip.decompress(raw) if path.suffix == ".gz" else raw)
    return dict(_READERS.get(kind, _memories)(content))


def _labelled(data: Path, line: dict[str, Any]) -> Labelled:
    text = text_of(data, line)
    entities = tuple(
        Entity(
            e["start"],
            e["end"],
            text[e["start"] : e["end"]],
            e["type"],
            tuple(text[slice(*span)] for span in e.get("aliases", ())),
        )
        for e in line["entities"]
    )
    relations = tuple(
        Relation(entities[r["source"]].text, r["relation"], entities[r["target"]].text)
        for r in line["relations"]
    )
    return Labelled(
        line["id"], line["split"], line["set"], line["language"], text, entities, relations
    )


def _turns(path: Path) -> Iterator[tuple[str, str]]:
    """Read the turns of a history without their authors."""
    for line in path.read_text("utf-8").splitlines():
        if turn := _TURN.fullmatch(line):
            yield turn[1], turn[2]


def _reflections(path: Path) -> Iterator[tuple[str, str]]:
    for line in path.read_text().splitlines():
        run = json.loads(line)
        name = run.get("name") or run["task_id"]
        for number, text in enumerate(run.get("reflections", ())):
            yield f"{name}/{number}", text


def _locomo(content: Any) -> Iterator[tuple[str, str]]:
    for talk in content:
        for name, turns in talk["conversation"].items():
            if name.startswith("session_") and isinstance(turns, list):
                yield from ((f"{talk['sample_id']}/{t['dia_id']}", t["text"]) for t in turns)


def _longmemeval(content: Any) -> Iterator[tuple[str, str]]:
    for session, turns in content["sessions"].items():
        yield from ((f"{session}/{i}", turn["content"]) for i, turn in enumerate(turns))


def _memories(content: Any) -> Iterator[tuple[str, str]]:
    yield from ((memory["id"], memory["text"]) for memory in content["memories"])


def _briefing(content: Any) -> Iterator[tuple[str, str]]:
    for history in content:
        for memory in history["memories"]:
            yield f"{history['project']}/{memory['id']}", memory["content"]


def _month(content: Any) -> Iterator[tuple[str, str]]:
    """Read what was said; what tools answered is no memory."""
    for session in content["sessions"]:
        for number, event in enumerate(session["events"]):
            if said := event.get("user") or event.get("assistant"):
                yield f"{session['id']}/{number}", said


_READERS = {
    "longmemeval_dev": _longmemeval,
    "locomo": _locomo,
    "briefing": _briefing,
    "month": _month,
}


def main() -> None:
    """Check every span against its text and count what is labelled."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    memories = labelled(parser.parse_args().data)
    for split in ("dev", "test"):
        some = [m for m in memories if m.split == split]
        print(
            f"{split}: {len(some)} memories, {sum(not m.entities for m in some)} without entities"
        )
        print("  sets", dict(Counter(m.set for m in some)))
        print("  languages", dict(Counter(m.language for m in some)))
        print("  entities", dict(Counter(e.type for m in some for e in m.entities).most_common()))
        relations = Counter(r.relation for m in some for r in m.relations)
        print("  relations", dict(relations.most_common()))


if __name__ == "__main__":
    main()
