"""How a folder of notes and the memory were when they last agreed: `.milepost/base.json`."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from milepost.documents.markdown.files import FOLDER, write_whole
from milepost.documents.markdown.note import Note
from milepost.errors import InvalidInput

_FILE, _FORMAT, _VERSION = "base.json", "milepost notes", 1


class Entry(NamedTuple):
    """A memory and its file.

    note: what both said last; None where they never agreed.
    digest: of the file as it was then.
    links, supersedes: what Milepost wrote of these.
    beside: the file with the memory's version, while there is a conflict, and what that says.
    """

    hash: str
    path: str
    digest: str
    note: Note | None
    links: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    beside: str = ""
    beside_note: Note | None = None


class Base(NamedTuple):
    """What was agreed, of which memory, and of which of its projects."""

    store: str
    space: str
    project: str | None = None
    entries: tuple[Entry, ...] = ()


def is_notes(folder: Path) -> bool:
    """Whether a folder is one of notes."""
    return (folder / FOLDER / _FILE).is_file()


def load(folder: Path) -> Base:
    """Read what was agreed."""
    file = folder / FOLDER / _FILE
    try:
        said = json.loads(file.read_bytes())
        if said["format"] != _FORMAT or said["version"] != _VERSION:
            raise InvalidInput(f"{file} is of a later Milepost; bring this one up to date.")
        entries = tuple(_entry(one) for one in said["entries"])
        return Base(str(said["store"]), str(said["space"]), said["project"], entries)
    except OSError as problem:
        raise InvalidInput(f"Cannot read {file} ({problem.strerror}).") from problem
    except (ValueError, TypeError, KeyError) as problem:
        raise InvalidInput(
            f"{file} is damaged; export to a new folder and compare the two."
        ) from problem


def save(folder: Path, base: Base) -> None:
    """Write down what is agreed, unless that stands there already."""
    about = {"format": _FORMAT, "version": _VERSION, "store": base.store, "space": base.space}
    head = json.dumps(about | {"project": base.project}, ensure_ascii=False)
    lines = ",\n".join(_line(entry) for entry in sorted(base.entries))
    write_whole(folder, f"{FOLDER}/{_FILE}", f'{head[:-1]}, "entries": [\n{lines}\n]}}\n'.encode())


def _line(entry: Entry) -> str:
    said = entry._asdict()
    for name in ("note", "beside_note"):
        said[name] = None if said[name] is None else said[name]._asdict()
    return json.dumps({name: value for name, value in said.items() if value}, ensure_ascii=False)


def _entry(said: Mapping[str, Any]) -> Entry:
    paths = [str(said["path"]), str(said.get("beside") or "")]
    for path in filter(None, paths):
        if PurePosixPath(path).is_absolute() or {"..", FOLDER} & set(PurePosixPath(path).parts):
            raise ValueError(path)
    return Entry(
        str(said["hash"]),
        paths[0],
        str(said.get("digest", "")),
        _note(said.get("note")),
        _strings(said.get("links", ())),
        _strings(said.get("supersedes", ())),
        paths[1],
        _note(said.get("beside_note")),
    )


def _note(said: Mapping[str, Any] | None) -> Note | None:
    if said is None:
        return None
    lists = {name: _strings(said[name]) for name in ("tags", "projects")}
    return Note(**{**said, **lists})


def _strings(said: Iterable[object]) -> tuple[str, ...]:
    return tuple(map(str, said))
