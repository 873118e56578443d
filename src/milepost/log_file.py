"""The log beside a store: where it lies, and what its lines tell."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from milepost.config import Settings, data_folder
from milepost.storage import store_file
from milepost.upkeep.logs import Log

FILE = "milepost.log"
# Those that were rotated away, the oldest last.
FILES_KEPT = 3


def log_file(settings: Settings) -> Path:
    """Return the log of the processes of a store; it lies beside the store."""
    store = store_file(settings.url)
    return (Path(data_folder()) if store is None else store.parent) / FILE


class LogFiles(Log):
    """The lines of a log and of those that it took the place of."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def lines(self) -> Iterator[str]:
        """Yield the lines, the oldest first; a file that is rotated meanwhile is read once."""
        seen = set[int]()
        files = [Path(f"{self._path}.{n}") for n in range(FILES_KEPT, 0, -1)]
        for path in (*files, self._path):
            try:
                with path.open(encoding="utf-8", errors="replace") as file:
                    number = os.fstat(file.fileno()).st_ino
                    if number not in seen:
                        seen.add(number)
                        yield from file
            except FileNotFoundError:
                continue
