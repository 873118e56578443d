"""Stores on a disk that fails when told, and connections as from another process."""

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from unittest.mock import patch
from weakref import WeakValueDictionary

import apsw

import milepost


def connect_apart(path: str | PathLike[str]) -> "milepost.Milepost":
    """Connect as another process would, with a store of its own."""
    with patch("milepost.storage._STORES", WeakValueDictionary()):
        return milepost.connect(path)


class Disk(apsw.VFS):
    """A disk that has no room left, or takes nothing at all, while it is told so."""

    full = broken = False

    def __init__(self) -> None:
        self.below = apsw.vfs_names()[0]
        super().__init__("milepost-testing", self.below, makedefault=True)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> "_File":  # noqa: N802
        """Open a file of this disk."""
        return _File(self, name, flags)


class _File(apsw.VFSFile):
    def __init__(self, disk: Disk, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        self._disk = disk
        super().__init__(disk.below, name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        if self._disk.broken or self._disk.full:
            raise apsw.IOError("broken") if self._disk.broken else apsw.FullError("full")
        super().xWrite(data, offset)


@contextmanager
def failing_disk() -> Iterator[Disk]:
    """Put the SQLite files that are opened inside, not the index, on a disk of their own."""
    disk = Disk()
    try:
        yield disk
    finally:
        disk.unregister()
