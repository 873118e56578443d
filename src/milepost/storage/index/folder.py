"""The folder of segment files beside a database, and the manifest that says which count."""

import json
import logging
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from numpy.typing import NDArray

from milepost.sealing import Key
from milepost.storage.index.arrays import IndexDamaged
from milepost.storage.index.segment import Segment, load_segment
from milepost.storage.lock import take
from milepost.text.words import ANALYSIS_VERSION

log = logging.getLogger(__name__)

FORMAT = [8, ANALYSIS_VERSION]
CHECKED_ROWS = 50_000  # the lists of a larger segment are not looked through when it is opened
_CHANGED = "its manifest differs from what was written"


class SegmentFile(NamedTuple):
    """A segment on disk."""

    file: str
    segment: Segment

    def check(self) -> None:
        """Raise IndexDamaged when the file differs from what was written; reads all of it."""
        if self.segment.file is not None and (damage := self.segment.file.damage()):
            raise IndexDamaged(damage)


class Manifest(NamedTuple):
    """The files that count, and the stamp by which the database knows them as its own."""

    files: tuple[str, ...]
    stamp: int
    problem: str = ""


_NONE = Manifest((), 0)


class IndexFolder:
    """Reads and writes the files; every writer holds the folder first."""

    def __init__(self, path: Path, key: Callable[[], Key | None] = lambda: None) -> None:
        self.path, self.key = path, key

    @contextmanager
    def held(self, *, wait_s: float = 0.0) -> Iterator[bool]:
        """Hold the folder against other processes; yields False when one has it for so long."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        fd = take(self.path / "lock", wait_s=wait_s)
        try:
            yield fd is not None
        finally:
            if fd is not None:
                os.close(fd)

    def manifest(self) -> Manifest:
        """Return which files count now; none when that cannot be told."""
        try:
            text = (self.path / "manifest.json").read_text("utf-8")
            fields = json.loads(text)
            manifest = Manifest(tuple(map(str, fields["files"])), int(fields["stamp"]))
            if fields["format"] == FORMAT:
                return manifest if _text(manifest) == text else _NONE._replace(problem=_CHANGED)
            # Another version's: the oldest have no checksum.
            whole = fields.get("check", 0) in (0, _check(fields["format"], manifest))
            return _NONE if whole else _NONE._replace(problem=_CHANGED)
        except FileNotFoundError:
            return _NONE
        except (OSError, ValueError, KeyError, TypeError) as problem:
            return _NONE._replace(problem=f"its manifest cannot be read ({problem})")

    def load(self, manifest: Manifest) -> list[SegmentFile] | None:
        """Map the listed segments; None when any of them cannot be used."""
        try:
            return [self._load(file) for file in manifest.files]
        except (OSError, IndexDamaged) as problem:
            log.warning("search index is made again: %s", problem)
            return None

    def _load(self, file: str) -> SegmentFile:
        try:
            segment = load_segment(self.path / file, self.key())
        except (ValueError, KeyError, TypeError) as problem:
            raise IndexDamaged(f"{file} cannot be read ({problem!r})") from problem
        if not file.startswith(_beginning(segment)):
            raise IndexDamaged(f"{file} holds another segment than the one of its name")
        if not _lists_fit(segment):
            raise IndexDamaged(f"{file} differs from what was written (its lists)")
        return SegmentFile(file, segment)

    def write(self, segment: Segment) -> SegmentFile:
        """Write a segment's file; it counts once it is committed."""
        name = f"{_beginning(segment)}{os.urandom(4).hex()}.segment"
        segment.save(self.path / name, self.key())
        return self._load(name)

    def commit(
        self, segments: list[SegmentFile], stamp: int, set_stamp: Callable[[], None]
    ) -> None:
        """Make these the segments that count and remove all other files.

        The database is stamped in between, when all that needs room on the disk is written: what
        fails before leaves everything as it was.
        """
        files = tuple(item.file for item in segments)
        temporary = self.path / "manifest.tmp"
        try:
            temporary.write_text(_text(Manifest(files, stamp)))
            set_stamp()
            temporary.replace(self.path / "manifest.json")
        finally:
            self._clear(files if not temporary.exists() else self.manifest().files)

    def _clear(self, files: tuple[str, ...]) -> None:
        for path in self.path.iterdir():
            if path.name not in files and path.suffix in (".segment", ".tmp"):
                _remove(path)


def _beginning(segment: Segment) -> str:
    return f"{segment.change:012d}-"


def _lists_fit(segment: Segment) -> bool:
    """Whether what questions look up lies within: else they would fail in the midst of it."""
    lists: tuple[tuple[NDArray[Any], NDArray[Any], int], ...] = (
        (segment.forward_starts, segment.forward_terms, len(segment.term_keys)),
        (segment.term_starts, segment.posting_docs, len(segment)),
        (segment.label_starts, segment.label_docs, len(segment)),
    )
    for starts, entries, bound in lists:
        if starts[0] != 0 or starts[-1] != len(entries) or (starts[1:] < starts[:-1]).any():
            return False
        # The entries of a large segment would all become resident: a thread compares the file.
        if len(entries) > 0 and len(segment) <= CHECKED_ROWS and entries.max() >= bound:
            return False
    docs = segment.place_docs
    return len(docs) == 0 or len(segment) > CHECKED_ROWS or bool(docs.max() < len(segment))


def _text(manifest: Manifest) -> str:
    """Return a manifest as it is written; every character of it counts."""
    fields = {"format": FORMAT, "files": list(manifest.files), "stamp": manifest.stamp}
    return json.dumps({**fields, "check": _check(FORMAT, manifest)})


def _check(form: list[int], manifest: Manifest) -> int:
    return zlib.crc32(json.dumps([form, manifest.files, manifest.stamp]).encode())


def _remove(path: Path) -> None:
    # A process that still maps the file keeps it; where the system refuses, a later run tries.
    try:
        path.unlink()
    except OSError:
        log.debug("cannot remove %s yet", path)
