"""Copies of a store: make one while others write, tell whether it is whole, put it back."""

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import apsw

from milepost.errors import (
    InvalidInput,
    StoreBusy,
    StoreCorrupt,
    StoreEncrypted,
    StoreUnavailable,
)
from milepost.storage.lock import take
from milepost.storage.sqlite.connection import connect, our_errors
from milepost.storage.sqlite.copies import before_restore, copies_of, remove_leftovers, unfinished
from milepost.storage.sqlite.copying import (
    Progress,
    copy_database,
    open_plainly,
    quiet,
    rewrite,
    sync,
)
from milepost.storage.sqlite.file import in_use
from milepost.storage.sqlite.keys import give, is_of_copies, key_of, key_of_new
from milepost.storage.sqlite.migrate import APPLICATION_ID, schema_version
from milepost.storage.sqlite.sql import statements
from milepost.storage.sqlite.upkeep import check, open_known
from milepost.upkeep.values import LEFTOVER, Copy, CopyInfo, Restored


def back_up(path: Path, target: Path, progress: Progress = quiet) -> CopyInfo:
    """Copy a store to a new file, which takes its name once it is known to be whole."""
    if target.exists():
        raise InvalidInput(f"{target} exists already; give another name.")
    open_known(path).close()
    remove_leftovers(path, target)
    partial = unfinished(target)
    try:
        with our_errors(path), disk_named(target):
            copy_database(path, partial, progress)
        about = verify(partial)
        settle(partial, target)
    finally:
        partial.unlink(missing_ok=True)
    return about._replace(file=str(target))


def verify(path: Path) -> CopyInfo:
    """Return what a copy holds; raise when it is not a whole store."""
    if not path.is_file():
        raise StoreUnavailable(f"There is no file {path}.")
    problems = check(path)
    if problems:
        raise StoreCorrupt(f"{path} is not a whole copy: {problems[0]}")
    with our_errors(path), closing(open_known(path)) as connection:
        if connection.execute("PRAGMA application_id").get != APPLICATION_ID:
            raise StoreCorrupt(f"{path} is empty or not a copy of a Milepost store.")
        counts: Any = connection.execute(statements()["counts"], (0,)).fetchone()
        state, schema = path.stat(), schema_version(connection)
        return CopyInfo(str(path), state.st_size, counts[0], schema, state.st_mtime)


def restore(path: Path, source: Path, progress: Progress = quiet) -> Restored:
    """Replace a store by a copy; what is replaced is kept beside it.

    Refused while another process uses the store: it would go on with an index of what was there.
    """
    about = restorable(path, source)
    fresh = unfinished(path)
    try:
        with our_errors(path), disk_named(path):
            _copy_for(path, source, fresh, progress)
            # Whatever index lies beside the store was not made from this copy.
            _set_index_stamp(fresh, int.from_bytes(os.urandom(7)))
            with alone(path):
                before = _put_in_place(path, fresh)
    finally:
        fresh.unlink(missing_ok=True)
    return Restored(str(path), str(source), about.memories, None if before is None else str(before))


def restorable(path: Path, source: Path) -> CopyInfo:
    """Return what a copy holds that can take the place of a store."""
    if source.exists() and path.exists() and source.samefile(path):
        raise InvalidInput(f"{source} is the store itself.")
    return verify(source)


def copies(path: Path) -> list[Copy]:
    """Return all that is copied of a store beside it, newest first."""
    listed = [_described(kind, file) for kind, file in copies_of(path)]
    return sorted(filter(None, listed), key=lambda copy: copy.made, reverse=True)


def _described(kind: str, file: Path) -> Copy | None:
    try:
        state = file.stat()
    except FileNotFoundError:
        return None  # it became a whole copy, or was removed
    held = None if kind == LEFTOVER else _memories(file)
    return Copy(str(file), kind, state.st_size, state.st_mtime, held)


def _memories(copy: Path) -> int | None:
    try:
        with closing(connect(copy, apsw.SQLITE_OPEN_READONLY)) as connection:
            counts: Any = connection.execute(statements()["counts"], (0,)).fetchone()
            return int(counts[0])
    except (apsw.Error, StoreEncrypted):
        return None


def _put_in_place(path: Path, fresh: Path) -> Path | None:
    if not path.exists():
        settle(fresh, path)
        return None
    before = before_restore(path)
    try:
        if key_of(path) == key_of(fresh):
            _overwrite(path, fresh, before)
            return before
        with closing(held_alone(path)) as connection:  # a copy is encrypted, the store was not
            _copy_held(connection, path, before)
    except (apsw.NotADBError, apsw.CorruptError):
        _swap(path, fresh, before)
    else:
        settle(fresh, path)
    return before


def _overwrite(path: Path, fresh: Path, before: Path) -> None:
    """Write a copy into the store's own file, so that whoever opens it meanwhile waits for it."""
    with closing(held_alone(path)) as connection, closing(open_plainly(fresh)) as source:
        try:
            _copy_held(connection, path, before)
            with connection.backup("main", source, "main") as copying:
                copying.step()
        except BaseException:
            before.unlink(missing_ok=True)
            raise


def held_alone(path: Path) -> apsw.Connection:
    """Open a database that nobody else has open, and keep others off; it has no log then."""
    connection = open_plainly(path)
    try:
        connection.set_busy_timeout(1_000)
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        # Only the last connection may leave the log mode, and so learns that it is the last.
        connection.execute("PRAGMA journal_mode = DELETE").fetchall()
        connection.execute("BEGIN EXCLUSIVE; COMMIT")
    except apsw.BusyError as problem:
        connection.close()
        raise _in_use(path) from problem
    except BaseException:
        connection.close()
        raise
    return connection


def _copy_held(connection: apsw.Connection, path: Path, before: Path) -> None:
    partial = unfinished(before)
    os.close(os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        with closing(open_plainly(partial)) as target:
            give(target, key_of(path))
            target.execute("PRAGMA journal_mode = OFF").fetchall()
            with target.backup("main", connection, "main") as copying:
                copying.step()
        sync(partial)
        settle(partial, before)
    finally:
        partial.unlink(missing_ok=True)


def _swap(path: Path, fresh: Path, before: Path) -> None:
    """Move a file that SQLite cannot read out of the way, with its log, and a copy in its place."""
    for suffix in ("-wal", "-shm", "-journal"):
        with suppress(FileNotFoundError):
            Path(f"{path}{suffix}").replace(f"{before}{suffix}")
    path.replace(before)
    settle(fresh, path)


def _copy_for(path: Path, source: Path, fresh: Path, progress: Progress) -> None:
    """Copy what shall take the place of a store, encrypted if the store or its copy is."""
    key = key_of(path) if path.exists() else key_of_new(path)
    if key is None and is_of_copies(source):
        rewrite(source, fresh, None, progress)
    elif key is None or key == key_of(source):
        copy_database(source, fresh, progress)
    else:
        rewrite(source, fresh, key, progress)


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Hold a store against everyone who uses it, whatever became of SQLite's own locks."""
    place = in_use(path)
    try:
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        held = take(place, wait_s=1.0)
    except OSError as problem:
        raise StoreUnavailable(
            f"Cannot hold {place} ({problem.strerror}); remove what is in the place of the search "
            "index and try again, nothing was changed."
        ) from problem
    if held is None:
        raise _in_use(path)
    try:
        yield
    finally:
        os.close(held)


def _in_use(path: Path) -> StoreBusy:
    return StoreBusy(
        f"{path} is in use; stop what uses it (`milepost daemon stop`, a server, an agent) "
        "and try again."
    )


def _set_index_stamp(path: Path, stamp: int) -> None:
    with closing(open_plainly(path)) as connection:
        connection.execute(statements()["set_index_stamp"], (stamp,))


def settle(partial: Path, target: Path) -> None:
    """Give a file that is whole its name."""
    partial.replace(target)
    sync(target.parent)


@contextmanager
def disk_named(target: Path) -> Iterator[None]:
    """Say which disk is full or failed: the one that is written to, not the one of the store."""
    try:
        yield
    except (apsw.FullError, apsw.IOError) as problem:
        # SQLite's own text is "not an error" here.
        raise StoreUnavailable(
            f"Cannot write to {target.parent}, its disk is full or fails; free some space or "
            "choose another place, nothing was changed."
        ) from problem
