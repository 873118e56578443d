"""The notes of basic-memory: Markdown files with observations and relations in them."""

import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any

import yaml

from milepost.surfaces.importing.json_files import texts_of
from milepost.surfaces.importing.markdown import passages
from milepost.surfaces.importing.source import FileContent, Wanted, moment, origin

PROGRAM = "basic-memory"
_FRONT = re.compile(r"\A---\r?\n(.*?)\r?\n---\r?\n", re.DOTALL)
_OBSERVATION = re.compile(r"^\s*[-*]\s+\[([^\]\n]{2,40})\]\s+(.+)$", re.MULTILINE)
_RELATION = re.compile(r"^\s*[-*]\s+([\w ]{1,60}?)\s*\[\[([^\]\n]{1,200})\]\]", re.MULTILINE)
_TAG = re.compile(r"(?<!\S)#([\w/-]{1,40})")
_TASKS = ("x", "X", " ", "-")
_HEADINGS = re.compile(r"^#{1,6}\s+(?:Observations|Relations)\s*$", re.MULTILINE)


def own_files() -> list[Path]:
    """Return the notes of this user."""
    return sorted(Path("~/basic-memory").expanduser().rglob("*.md"))


def read(path: Path, wanted: Wanted) -> Iterator[FileContent]:
    """Yield the observations of a note, each by itself, its relations, and the rest in passages."""
    text = path.read_text("utf-8-sig", errors="replace")
    front = _front_matter(text)
    body = _FRONT.sub("", text)
    title = str(front.get("title") or path.stem)
    about = {
        "session": str(front.get("permalink") or path.stem)[:200],
        "project": wanted.project,
        "created": _time(front.get("created")) or path.stat().st_mtime,
        "metadata": origin(PROGRAM, path, title=title, type=front.get("type")),
    }
    tags = texts_of(front.get("tags"))
    observations = [_observation(title, match, tags) for match in _OBSERVATION.finditer(body)]
    rest = _HEADINGS.sub("", _RELATION.sub("", _OBSERVATION.sub("", body)))
    prose = [
        {"content": part.text, "kind": "note", "tags": [*tags, *part.tags]}
        for part in passages(rest)
    ]
    relations = [
        {"source": title, "relation": match[1].strip() or "relates to", "target": match[2]}
        for match in _RELATION.finditer(body)
    ]
    items = tuple({**item, **about} for item in (*observations, *prose))
    yield FileContent(path, items, relations=tuple(relations))


def _observation(title: str, match: re.Match[str], tags: list[str]) -> dict[str, Any]:
    category, said = match[1].strip(), match[2].strip()
    own = _TAG.findall(said)
    return {
        "content": f"{title}: {' '.join(_TAG.sub('', said).split())}",
        "kind": "next" if category in _TASKS else category.lower(),
        "tags": [*tags, *own],
    }


def _front_matter(text: str) -> Mapping[str, Any]:
    found = _FRONT.match(text)
    try:
        said = yaml.safe_load(found[1]) if found else {}
    except yaml.YAMLError:
        return {}
    return said if isinstance(said, dict) else {}


def _time(value: object) -> float | None:
    if isinstance(value, date) and not isinstance(value, datetime):
        value = value.isoformat()
    return moment(value.isoformat() if isinstance(value, datetime) else value)
