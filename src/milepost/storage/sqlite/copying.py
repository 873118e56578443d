"""Copy a database as it is at one moment, while others write to it."""

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import apsw

from milepost.errors import StoreUnavailable
from milepost.sealing import Key
from milepost.storage.sqlite.connection import connect, open_to_read, size_of
from milepost.storage.sqlite.keys import as_option, give, key_of

# Called with what is done and what there is in all.
Progress = Callable[[int, int], None]

_PAGES = 1_000
# Of SQLite's machine, after which it is told how far a copy is.
_STEPS = 50_000
_SIZE = (
    "SELECT (page_count - freelist_count) * page_size "
    "FROM pragma_page_count, pragma_freelist_count, pragma_page_size"
)


def quiet(_done: int, _total: int) -> None:
    """Show no progress."""


def open_plainly(path: Path) -> apsw.Connection:
    """Open a database that exists without changing how it is kept."""
    return connect(path, apsw.SQLITE_OPEN_READWRITE)


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
    give(writer, key_of(source))
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


def rewrite(source: Path, target: Path, key: Key | None, progress: Progress = quiet) -> None:
    """Write a database to a file of its owner alone, encrypted by another key or by none."""
    with closing(open_to_look(source)) as reader:
        write_under(reader, target, key, progress)


def write_under(
    reader: apsw.Connection, target: Path, key: Key | None, progress: Progress = quiet
) -> None:
    """Write all that a connection reads to a file, encrypted by a key or by none."""
    _make_private(target)
    total = int(reader.execute(_SIZE).get)

    def tell() -> bool:
        progress(min(size_of(target), total), total)
        return False

    reader.set_progress_handler(tell, _STEPS)
    try:
        # On one connection, so that nothing of it is in clear text on the way.
        reader.execute("VACUUM INTO ?", (f"file:{quote(str(target))}?{as_option(key)}",))
    except BaseException:
        target.unlink(missing_ok=True)
        raise
    finally:
        reader.set_progress_handler(None)
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
