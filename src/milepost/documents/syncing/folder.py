"""Stores that meet in a folder, as a cloud or a stick keeps one: each appends to a file of its own.

Nobody writes to another's file, so the folder may be copied about in any order. A store writes its
file anew, under the next number, when something was erased: then that leaves the folder.
"""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from milepost.documents.syncing.replica import Heard, Replica, Told, line_of, told_in
from milepost.documents.syncing.state import State
from milepost.errors import ConfigError, InvalidInput
from milepost.memory.context import Context
from milepost.sealing import Lines

_NAME = re.compile(r"([0-9a-f]{16})-(\d+)\.sync")
_FORMAT, _VERSION = "milepost sync", 1
# How far what is known here was written, and how far a file was read.
_WRITTEN, _READ = "written", "read "


class Synced(NamedTuple):
    """What came of a sync: what others changed here, and how much was told to them."""

    heard: Heard
    told: int

    def __str__(self) -> str:
        stored, changed, deleted, held = self.heard
        kept = f", {held:,} deleted elsewhere but held here" if held else ""
        heard = f"heard: {stored:,} new, {changed:,} changed, {deleted:,} deleted{kept}"
        return f"{heard}; told: {self.told:,}"


def sync_folder(context: Context, folder: Path, lines: Lines) -> Synced:
    """Make a space and the folder hold the same."""
    replica = Replica(context)
    replica.observe()
    told, read = list[Told](), dict[str, str]()
    for file in _files(folder):
        key = f"{_READ}{file.name}"
        known = int(replica.noted(key) or 0)
        reached = _read(file, known, context.space, lines, told)
        if reached != known:
            read[key] = str(reached)
    heard = replica.hear(told, read) if told or read or replica.keeps_any() else Heard()
    return Synced(heard, _write(context, replica, folder, lines, told))


def _files(folder: Path) -> list[Path]:
    files = (file for file in folder.iterdir() if _NAME.fullmatch(file.name))
    return sorted(files, key=lambda file: (file.name[:16], _generation(file)))


def _generation(file: Path) -> int:
    return int(file.stem.partition("-")[2])


def _read(file: Path, since: int, space: str, lines: Lines, told: list[Told]) -> int:
    """Add what a file tells past a byte; return how far whole lines go."""
    try:
        with file.open("rb") as opened:
            header = opened.readline()
            if not header.endswith(b"\n") or not _is_of(header, space, lines, file):
                return since
            start = opened.tell()
            size = opened.seek(0, os.SEEK_END)
            at = opened.seek(since if start <= since <= size else start)
            for line in opened:
                if not line.endswith(b"\n"):
                    break  # the rest of it is on its way
                at += len(line)
                _add(line, lines, file, told)
            return at
    except OSError as problem:
        raise InvalidInput(f"Cannot read {file} ({problem.strerror}).") from problem


def _is_of(header: bytes, space: str, lines: Lines, file: Path) -> bool:
    text = lines.opened(header)
    if text is None:
        raise ConfigError(f"{file} is sealed by another key than encryption_key names.")
    try:
        said = json.loads(text)
        is_known, version = said["format"] == _FORMAT, int(said["version"])
    except (ValueError, TypeError, KeyError) as problem:
        raise InvalidInput(f"{file} is no file of a sync.") from problem
    if not is_known or version > _VERSION:
        raise InvalidInput(f"{file} is of a later Milepost; bring this one up to date.")
    return bool(said.get("space") == space)


def _add(line: bytes, lines: Lines, file: Path, told: list[Told]) -> None:
    text = lines.opened(line)
    if text is None:
        raise ConfigError(f"{file} is sealed by another key than encryption_key names.")
    if not text.strip():
        return  # it was cut off, and is told again further down
    try:
        told.append(told_in(text))
    except (ValueError, TypeError, KeyError, AttributeError):
        return  # cut off, too


def _write(
    context: Context, replica: Replica, folder: Path, lines: Lines, known: list[Told]
) -> int:
    """Append what the folder does not have yet; return how much that is."""
    name = replica.name
    own = [file for file in _files(folder) if file.name.startswith(name)]
    written = int(replica.noted(_WRITTEN) or 0) if own else 0
    told, number = replica.since(written)
    there: dict[str, list[State]] = {}
    for each in known:
        there.setdefault(each.key, []).append(each.state)
    new = [each for each in told if each.state not in there.get(each.key, ())]
    if not own or any(each.state.erased for each in told):
        generation = max(map(_generation, own), default=0) + 1
        everything = replica.since(0)[0]
        _begin(folder / f"{name}-{generation}.sync", context.space, lines, everything)
        for file in own:
            file.unlink(missing_ok=True)
    elif new:
        _append(own[-1], lines, new)
    if number != written:
        replica.note({_WRITTEN: str(number)})
    return len(new)


def _begin(file: Path, space: str, lines: Lines, told: list[Told]) -> None:
    header = {"format": _FORMAT, "version": _VERSION, "space": space}
    part = file.with_suffix(".part")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as opened:
        opened.write(lines.sealed(json.dumps(header).encode()) + b"\n")
        opened.writelines(_sealed(told, lines))
        opened.flush()
        os.fsync(opened.fileno())
    part.replace(file)


def _append(file: Path, lines: Lines, told: list[Told]) -> None:
    with file.open("r+b") as opened:
        end = opened.seek(0, os.SEEK_END)
        opened.seek(end - 1)
        if opened.read(1) != b"\n":
            opened.write(b"\n")  # what was cut off here is told again
        opened.writelines(_sealed(told, lines))
        opened.flush()
        os.fsync(opened.fileno())


def _sealed(told: list[Told], lines: Lines) -> Iterator[bytes]:
    for each in told:
        yield lines.sealed(line_of(each).encode()) + b"\n"
