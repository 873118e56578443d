"""The folder of segment files beside a database, and the manifest that says which count."""

import json
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from milepost.ranking.analysis import ANALYSIS_VERSION
from milepost.storage.index.lock import exclusive
from milepost.storage.index.segment import Segment, load_segment, scrub_segment

log = logging.getLogger(__name__)

FORMAT = [2, ANALYSIS_VERSION]


class Kept(NamedTuple):
    """A segment on disk, with its newest memory to tell whose it is."""

    file: str
    last_id: int
    fingerprint: str
    segment: Segment


class IndexFolder:
    """Reads and writes the files; every writer holds the folder first."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @contextmanager
    def held(self) -> Iterator[bool]:
        """Hold the folder against other processes; yields False when one has it."""
        self._path.mkdir(mode=0o700, parents=True, exist_ok=True)
        with exclusive(self._path, wait=False) as held:
            yield held

    def names(self) -> list[str]:
        """Return the files that the manifest lists now."""
        return [str(entry[0]) for entry in self._entries()]

    def load(self) -> list[Kept]:
        """Map the listed segments; none when any of them cannot be used."""
        try:
            return [
                Kept(file, last_id, fingerprint, load_segment(self._path / file))
                for file, last_id, fingerprint in self._entries()
            ]
        except (OSError, ValueError, KeyError) as problem:
            log.warning("search index is rebuilt: %s", problem)
            return []

    def write(self, segment: Segment, fingerprint: str) -> Kept:
        """Write a segment's file; it counts once it is committed."""
        name = f"{segment.change:012d}-{os.urandom(4).hex()}.segment"
        segment.save(self._path / name)
        last = int(segment.ids[-1])
        return Kept(name, last, fingerprint, load_segment(self._path / name))

    def commit(self, segments: list[Kept]) -> None:
        """Make these the segments that count and remove all other files."""
        entries = [kept[:3] for kept in segments]
        temporary = self._path / "manifest.tmp"
        temporary.write_text(json.dumps({"format": FORMAT, "segments": entries}))
        temporary.replace(self._path / "manifest.json")
        wanted = {kept.file for kept in segments}
        for path in self._path.iterdir():
            if path.name not in wanted and path.suffix in (".segment", ".tmp"):
                _remove(path)

    def scrub(self, ids: NDArray[np.int64]) -> None:
        """Blank memories in every file; a merge under way elsewhere is waited for."""
        if not self._path.is_dir():
            return
        with exclusive(self._path):
            for name in self.names():
                scrub_segment(self._path / name, ids)

    def _entries(self) -> list[tuple[str, int, str]]:
        try:
            manifest = json.loads((self._path / "manifest.json").read_bytes())
            if manifest["format"] != FORMAT:
                return []
            return [(str(f), int(i), str(p)) for f, i, p in manifest["segments"]]
        except FileNotFoundError:
            return []
        except (OSError, ValueError, KeyError, TypeError) as problem:
            log.warning("search index is rebuilt: %s", problem)
            return []


def _remove(path: Path) -> None:
    # A process that still maps the file keeps it; where the system refuses, a later run tries.
    try:
        path.unlink()
    except OSError:
        log.debug("cannot remove %s yet", path)
