"""Open SQLite the way Milepost uses it, and speak of its failures in our own words."""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from shutil import disk_usage
from typing import Any
from urllib.parse import quote

import apsw

from milepost.errors import (
    OutOfTime,
    SpaceMoved,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreUnavailable,
)
from milepost.sealing import Key
from milepost.storage.sqlite.keys import give, key_of, key_of_new

BUSY_TIMEOUT_S = 30.0
# With less than this free, what SQLite calls an I/O error is a full disk.
DISK_BYTES_MIN = 256 << 10
_SETTINGS = (
    "PRAGMA foreign_keys = ON",
    "PRAGMA synchronous = NORMAL",  # commits are made durable by Durable.sync, outside the lock
    "PRAGMA cache_size = -8000",
    "PRAGMA temp_store = MEMORY",
)
_SHARED, _AS_IT_STANDS = "mode=ro", "mode=ro&immutable=1"


@contextmanager
def our_errors(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into Milepost's."""
    try:
        yield
    except (apsw.BusyError, apsw.LockedError) as problem:
        raise StoreBusy(
            f"Another process keeps {path} locked for too long; try again."
        ) from problem
    except apsw.InterruptError as problem:
        raise OutOfTime("The time of this program is up; nothing was changed.") from problem
    except apsw.NotADBError as problem:
        raise StoreCorrupt(
            f"{path} is not a Milepost store; give another path or move the file away."
        ) from problem
    except apsw.CorruptError as problem:
        raise StoreCorrupt(
            f"{path} is damaged ({problem}); restore a backup, or recover what is left of it "
            f"with `sqlite3 {path} .recover`."
        ) from problem
    except apsw.FullError as problem:
        raise _full(path) from problem
    except apsw.IOError as problem:
        if disk_usage(path.parent).free < DISK_BYTES_MIN:
            raise _full(path) from problem
        raise _unusable(path, problem) from problem
    except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.PermissionsError) as problem:
        raise _unusable(path, problem) from problem
    except apsw.Error as problem:
        raise _failed(path, problem) from problem


def _failed(path: Path, problem: apsw.Error) -> StoreError:
    if getattr(problem, "extendedresult", 0) == apsw.SQLITE_CONSTRAINT_TRIGGER:
        return SpaceMoved(
            f"This space was moved out of {path}; `milepost space list` shows where it is, and "
            "spaces.toml must say so here too."
        )
    return StoreError(f"The store {path} failed: {problem}.")


def _full(path: Path) -> StoreUnavailable:
    return StoreUnavailable(
        f"The disk that holds {path} is full; free some space, nothing was changed."
    )


def _unusable(path: Path, problem: Exception) -> StoreUnavailable:
    return StoreUnavailable(
        f"Cannot use the store {path} ({problem}); check that its folder exists and that "
        "you may write there."
    )


def connect(path: Path, flags: int, options: str = "") -> apsw.Connection:
    """Open a connection that waits for its turn, with the key of the file if it has one."""
    key = key_of(path)
    address = f"file:{quote(str(path))}?{options}" if options else os.fspath(path)
    connection = apsw.Connection(address, flags=flags | apsw.SQLITE_OPEN_URI)
    connection.set_busy_timeout(int(BUSY_TIMEOUT_S * 1000))
    give(connection, key)
    return connection


def open_connection(path: Path) -> apsw.Connection:
    """Open a connection in WAL mode that waits for its turn."""
    connection = connect(path, apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
    _switch_to_wal(connection)
    for setting in _SETTINGS:
        connection.execute(setting)
    add_functions(connection)
    return connection


def add_functions(connection: apsw.Connection) -> None:
    """Add what our statements need and SQLite does not have."""
    connection.create_scalar_function("sha256", _sha256, 1, deterministic=True)


def _sha256(*texts: Any) -> str:
    return sha256("".join(texts).encode("utf-8", "surrogatepass")).hexdigest()


def open_to_read(path: Path) -> apsw.Connection:
    """Open a connection to a store that cannot be written: on a read-only or full disk."""
    for options in (_SHARED, _AS_IT_STANDS):
        connection = _open_read_only(path, options)
        try:
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.IOError, apsw.FullError):
            connection.close()
            # Without a log nobody writes, and the file can be read as it stands.
            if size_of(Path(f"{path}-wal")) or options == _AS_IT_STANDS:
                raise
        else:
            return connection
    raise AssertionError


def open_untouched(path: Path) -> apsw.Connection:
    """Open a connection that changes no file of a store, and makes none beside it."""
    has_log = Path(f"{path}-wal").exists()
    return open_to_read(path) if has_log else _open_read_only(path, _AS_IT_STANDS)


def _open_read_only(path: Path, options: str) -> apsw.Connection:
    return connect(path, apsw.SQLITE_OPEN_READONLY, options)


def size_of(path: Path) -> int:
    """Return how large a file is, 0 for one that is not there."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _switch_to_wal(connection: apsw.Connection) -> None:
    # SQLite does not wait when several processes switch a new file at once, so we do.
    deadline = time.monotonic() + BUSY_TIMEOUT_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except apsw.BusyError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.005)


def create_private(path: Path) -> None:
    """Make the file unless it is there, readable by its owner alone, with the folders above it.

    A database that exists is never opened outside of SQLite: closing it again would drop the locks
    that SQLite holds on it in this process.
    """
    try:
        key = None if size_of(path) else key_of_new(path)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if key is not None:
            _create_encrypted(path, key)
        elif not path.exists():
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        if path.exists():
            return  # another process was faster
        raise _no_place(path, "a file is in the way of its folder") from None
    except OSError as problem:
        raise _no_place(path, str(problem.strerror)) from problem


def _create_encrypted(path: Path, key: Key) -> None:
    """Make a database that is encrypted before it has its name: another process has another key."""
    partial = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    partial.unlink(missing_ok=True)
    os.close(os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        with closing(apsw.Connection(os.fspath(partial))) as connection:
            give(connection, key)
            connection.execute("CREATE TABLE written (x); DROP TABLE written")
        try:
            os.link(partial, path)
        except FileExistsError:
            if size_of(path):
                return  # another process was faster, and has its own key
            partial.replace(path)  # an empty file, which nobody has used yet
    finally:
        partial.unlink(missing_ok=True)


def _no_place(path: Path, problem: str) -> StoreUnavailable:
    return StoreUnavailable(
        f"Cannot write to the store {path} ({problem}); choose another place with "
        "MILEPOST_URL or connect(path)."
    )


class Durable:
    """Makes commits survive a power cut, after the write lock is released.

    SQLite's own synchronous=FULL waits for the disk while it holds the lock, which stalls other
    writers for seconds; this way all of them wait for the disk together, and threads that commit
    at the same time share one sync.
    """

    def __init__(self, path: Path, *, writable: bool = True) -> None:
        self._path = Path(f"{path}-wal")
        try:
            self._fd = os.open(self._path, os.O_RDWR if writable else os.O_RDONLY)
        except FileNotFoundError:
            self._fd = -1  # a file system without shared memory has no log; SQLite syncs itself
        except OSError as problem:
            raise _unusable(path, problem) from problem
        self._turn = threading.Condition()
        self._syncing = False
        self._asked = 0
        self._done = 0

    def sync(self) -> None:
        """Return when all that was committed is on disk."""
        mine, covered = False, 0
        try:
            with self._turn:
                self._asked += 1
                wanted = self._asked
                while self._syncing and self._done < wanted:
                    self._turn.wait()
                if self._done >= wanted:
                    return
                # Said first, so that an interrupt leaves nobody waiting.
                mine = self._syncing = True
                asked = self._asked
            self._sync()
            covered = asked
        finally:
            if mine:
                with self._turn:
                    self._syncing = False
                    self._done = max(self._done, covered)
                    self._turn.notify_all()

    def _sync(self) -> None:
        if self._fd >= 0:
            getattr(os, "fdatasync", os.fsync)(self._fd)

    def is_lost(self) -> bool:
        """Whether another program removed the log, or began one where there was none.

        Locks protect from that, unless something else in this process opened and closed the
        database's file: then they are gone without a word.
        """
        if self._fd < 0:
            return size_of(self._path) > 0
        return os.fstat(self._fd).st_nlink == 0

    def is_in_place(self) -> bool:
        """Whether the log has the name that it had."""
        try:
            return self._fd >= 0 and os.path.samestat(os.fstat(self._fd), self._path.stat())
        except OSError:
            return False

    def __del__(self) -> None:
        # A fork leaves it to those who still wait for the disk, and then to nobody.
        if getattr(self, "_fd", -1) >= 0:
            os.close(self._fd)

    def close(self) -> None:
        """Let go of the file when nobody syncs it."""
        with self._turn:
            self._turn.wait_for(lambda: not self._syncing)
            if self._fd >= 0:
                os.close(self._fd)
            self._fd = -1


class NoLog(Durable):
    """The log of what is never on disk."""

    def __init__(self) -> None:
        super().__init__(Path(os.devnull))

    def is_lost(self) -> bool:
        """Return that it is not."""
        return False
