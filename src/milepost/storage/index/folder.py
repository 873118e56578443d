"""The folder of segment files beside a database, and the manifest that says which count."""

import json
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from milepost.ranking.analysis import ANALYSIS_VERSION
from milepost.storage.index.segment import Segment, load_segment
from milepost.storage.lock import exclusive

log = logging.getLogger(__name__)

FORMAT = [4, ANALYSIS_VERSION]


class Kept(NamedTuple):
    """A segment on disk."""

    file: str
    segment: Segment


class Manifest(NamedTuple):
    """The files that count, and the stamp by which the database knows them as its own."""

    files: tuple[str, ...]
    stamp: int


class IndexFolder:
    """Reads and writes the files; every writer holds the folder first."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextmanager
    def held(self, *, wait: bool = False) -> Iterator[bool]:
        """Hold the folder against other processes; yields False when one has it."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        with exclusive(self.path, wait=wait) as held:
            yield held

    def manifest(self) -> Manifest:
        """Return which files count now."""
        try:
            found = json.loads((self.path / "manifest.json").read_bytes())
            if found["format"] == FORMAT:
                return Manifest(tuple(str(file) for file in found["files"]), int(found["stamp"]))
        except FileNotFoundError:
            pass
        except (OSError, ValueError, KeyError, TypeError) as problem:
            log.warning("search index is rebuilt: %s", problem)
        return Manifest((), 0)

    def load(self, manifest: Manifest) -> list[Kept] | None:
        """Map the listed segments; None when any of them cannot be used."""
        try:
            return [Kept(file, load_segment(self.path / file)) for file in manifest.files]
        except (OSError, ValueError, KeyError, TypeError) as problem:
            log.warning("search index is rebuilt: %s", problem)
            return None

    def write(self, segment: Segment) -> Kept:
        """Write a segment's file; it counts once it is committed."""
        name = f"{segment.change:012d}-{os.urandom(4).hex()}.segment"
        segment.save(self.path / name)
        return Kept(name, load_segment(self.path / name))

    def commit(self, segments: list[Kept], stamp: int) -> None:
        """Make these the segments that count and remove all other files."""
        files = [kept.file for kept in segments]
        temporary = self.path / "manifest.tmp"
        temporary.write_text(json.dumps({"format": FORMAT, "files": files, "stamp": stamp}))
        temporary.replace(self.path / "manifest.json")
        for path in self.path.iterdir():
            if path.name not in files and path.suffix in (".segment", ".tmp"):
                _remove(path)


def _remove(path: Path) -> None:
    # A process that still maps the file keeps it; where the system refuses, a later run tries.
    try:
        path.unlink()
    except OSError:
        log.debug("cannot remove %s yet", path)
