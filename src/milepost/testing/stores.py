"""Stores on a disk that fails when told, and connections as from another process."""

from os import PathLike
from typing import TYPE_CHECKING
from unittest.mock import patch
from weakref import WeakValueDictionary

import apsw

if TYPE_CHECKING:
    from milepost.app import Milepost


def connect_apart(path: str | PathLike[str]) -> "Milepost":
    """Connect as another process would, with a store of its own."""
    from milepost.app import open_memory
    from milepost.opening import settings_for

    with patch("milepost.storage._STORES", WeakValueDictionary()):
        return open_memory(settings_for(path))


class Disk(apsw.VFS):
    """Holds the SQLite files that are opened `with` it; is full or broken while told so."""

    full = broken = False

    def __init__(self) -> None:
        self.below = apsw.vfs_names()[0]
        super().__init__("milepost-testing", self.below, makedefault=True)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> "_File":  # noqa: N802
        return _File(self, name, flags)

    def __enter__(self) -> "Disk":
        return self

    def __exit__(self, *_: object) -> None:
        self.unregister()


class _File(apsw.VFSFile):
    def __init__(self, disk: Disk, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        self._disk, self._is_database = disk, bool(flags[0] & apsw.SQLITE_OPEN_MAIN_DB)
        super().__init__(disk.below, name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        # What goes into the database itself was taken by the log before, and is moved at any time.
        if not self._is_database and (self._disk.broken or self._disk.full):
            raise apsw.IOError("broken") if self._disk.broken else apsw.FullError("full")
        super().xWrite(data, offset)
