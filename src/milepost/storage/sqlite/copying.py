"""Copy a database as it is at one moment, while others write to it."""

import os
from collections.abc import Callable
from pathlib import Path

import apsw

from milepost.errors import StoreUnavailable
from milepost.storage.sqlite.connection import BUSY_TIMEOUT_S, open_to_read

# Called with what is done and what there is in all.
Progress = Callable[[int, int], None]

_PAGES = 1_000


def quiet(_done: int, _total: int) -> None:
    """Show no progress."""


def open_plainly(path: Path) -> apsw.Connection:
    """Open a database that exists without changing how it is kept."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    connection.set_busy_timeout(int(BUSY_TIMEOUT_S * 1000))
    return connection


def open_to_look(path: Path) -> apsw.Connection:
    """Open a database that exists, be it on a disk that is full or can only be read."""
    connection = open_plainly(path)
    try:
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
    except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.IOError, apsw.FullError):
        connection.close()
        return open_to_read(path)
    except BaseException:
        connection.close()
        raise
    return connection


def copy_database(source: Path, target: Path, progress: Progress = quiet) -> None:
    """Write a database, complete with its log, to a file of its owner alone; replace what is there.

    The copy has no log of its own, so that it can be moved and read anywhere.
    """
    _make_private(target)
    reader, writer = open_to_look(source), open_plainly(target)
    try:
        writer.execute("PRAGMA journal_mode = OFF").fetchall()  # it is whole at the end or gone
        # A transaction of our own: otherwise every write of others makes the copy begin anew.
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        with writer.backup("main", reader, "main") as copying:
            while not copying.done:
                copying.step(_PAGES)
                progress(copying.page_count - copying.remaining, copying.page_count)
        writer.execute("PRAGMA journal_mode = DELETE").fetchall()
    except BaseException:
        writer.close()
        target.unlink(missing_ok=True)
        raise
    finally:
        reader.close()
        writer.close()
    sync(target)


def _make_private(path: Path) -> None:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError as problem:
        raise StoreUnavailable(f"Cannot write {path} ({problem.strerror}).") from problem


def sync(path: Path) -> None:
    """Return when a file, or the names in a folder, are on disk."""
    if path.is_dir() and os.name != "posix":
        return
    fd = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
