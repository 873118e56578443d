"""One SQLite file that many threads and processes share: connections, reads, transactions."""

import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISREG
from typing import Any
from weakref import WeakSet

import apsw

from milepost.deadline import check_time, seconds_left, time_is_up, without_deadline
from milepost.errors import MilepostError, StoreBusy, StoreError, StoreUnavailable
from milepost.memory.values import Filter
from milepost.phases import ran
from milepost.sealing import Key
from milepost.storage.lock import take
from milepost.storage.options import WRITES_MAX
from milepost.storage.sqlite.connection import (
    BUSY_TIMEOUT_S,
    Durable,
    NoLog,
    add_functions,
    create_private,
    open_connection,
    open_to_read,
    open_untouched,
    our_errors,
)
from milepost.storage.sqlite.keys import key_of
from milepost.storage.sqlite.migrate import migrate, refuse_foreign, refuse_outdated
from milepost.storage.sqlite.sql import in_dialect, migrations, statements
from milepost.storage.sqlite.where import as_sql

log = logging.getLogger(__name__)

# Of SQLite's machine, after which a long statement asks whether there still is time.
_STEPS = 10_000
# So long a deletion waits for readers of the log.
_LOG_WAIT_MS = 100


def index_of(path: Path) -> Path:
    """Return the folder of a store's index."""
    return Path(f"{path}.index")


class SqliteFile:
    """Runs named statements; one connection reads and one writes, per process."""

    def __init__(
        self, path: Path, scripts: Sequence[str] | None = None, *, read_only: bool = False
    ) -> None:
        self.path = path
        self.key: Key | None = None  # by which it is encrypted
        self._read_only = read_only
        self._sql = dict(statements())
        self._write_lock = threading.RLock()
        self._read_lock = threading.RLock()
        self._users_lock = threading.Lock()  # for a moment only: who connects waits for no writer
        self._scripts = migrations() if scripts is None else scripts
        self._reader: apsw.Connection | None = None
        self._writes: apsw.Connection | None = None
        self._use: int | None = None
        self._users = 1
        self.unwritable = ""  # why it can only be read, if so
        self.would: list[str] | None = None  # what a rehearsal would have done
        self._log_is_full = False  # whether the log still holds what was deleted
        # Told that another file may be there, and that this is a child of the process that was.
        self.reopened: Callable[[], None] = lambda: None
        self.forked: Callable[[], None] = lambda: None
        # How long transactions took, from when they waited for their turn until they were on disk.
        self.write_times: deque[float] = deque(maxlen=WRITES_MAX)
        self.openings = 0  # how often it was opened: each time it may be another file
        self._last_change = 0
        self._then: list[Callable[[], None]] = []  # done when a transaction is committed
        self._owner = 0  # the thread whose transaction is under way
        self._open()
        _OPEN.add(self)

    def _open(self) -> None:
        self.openings += 1
        try:
            if self._read_only:
                raise StoreUnavailable(f"{self.path} was opened to be read alone.")
            self._open_to_write()
        except StoreUnavailable as problem:
            self._let_go()
            if not _is_file(self.path):
                raise
            self._open_to_read(problem)
        except BaseException:
            self._let_go()  # what could not be opened is not in use
            raise
        self.key = key_of(self.path)
        about = self.path.stat()
        self._inode = about.st_dev, about.st_ino

    def _open_to_write(self) -> None:
        create_private(self.path)
        with our_errors(self.path):
            refuse_foreign(self.path, len(self._scripts))
        self._use = _share(in_use(self.path))
        with our_errors(self.path):
            self._writes = open_connection(self.path)
            migrate(self._writes, self.path, self._scripts)
            self._reader = open_connection(self.path)
            self._reader.execute("SELECT 1 FROM meta").fetchall()  # now there is a log
            self._reader.set_progress_handler(time_is_up, _STEPS)
        self._log = Durable(self.path)
        self.unwritable = ""

    def _open_to_read(self, problem: StoreUnavailable) -> None:
        try:
            opened = open_untouched if self._read_only else open_to_read
            self._reader = opened(self.path)
        except apsw.Error:
            raise problem from None
        with our_errors(self.path):
            refuse_outdated(self._reader, self.path, len(self._scripts))
            self._reader.set_progress_handler(time_is_up, _STEPS)
        self._log = Durable(self.path, writable=False)
        self.unwritable = str(problem)

    def share(self) -> bool:
        """Count one more user; False when it is closed, or another file is in its place."""
        with self._users_lock:
            if self._users == 0 or not self._is_in_place():
                return False
            self._users += 1
            return True

    def _is_in_place(self) -> bool:
        try:
            about = self.path.stat()
        except FileNotFoundError:
            return False
        return (about.st_dev, about.st_ino) == self._inode

    def leave(self) -> bool:
        """Count one user less; True when nobody else uses it, and it is to be closed."""
        with self._users_lock:
            self._users -= 1
            return self._users == 0

    def close(self) -> None:
        """Let go of files and connections."""
        with self._write_lock, self._read_lock:
            self._let_go()
            self._log.close()
        _OPEN.discard(self)

    def _let_go(self, *, lost: bool = False) -> None:
        """Close what is open; what lost its log must not write what it remembers of it."""
        for connection in (self._reader, self._writes):
            if connection is not None:
                if lost:
                    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
                connection.close()
        if self._use is not None:
            os.close(self._use)
        self._reader = self._writes = self._use = None

    def _is_stale(self) -> bool:
        """Whether connections must be opened anew: after a fork, or when a file was removed."""
        if self._reader is None or self._log.is_lost() or self._is_gone():
            return True
        return self._use is not None and os.fstat(self._use).st_nlink == 0

    def _is_gone(self) -> bool:
        """Whether the database alone was taken away; with its log it was only moved."""
        return not _is_file(self.path) and self._log.is_in_place()

    def _refresh(self) -> None:
        with self._turn(self._write_lock), self._turn(self._read_lock):
            if self._is_stale():
                if self._writes is not None and self._is_gone():
                    # Moved away it gets what it lacks: whoever opens another here drops the log.
                    with suppress(apsw.Error):
                        self._writes.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
                self._let_go(lost=True)
                self._log.close()
                self._open()
                self.reopened()

    @property
    def _writer(self) -> apsw.Connection:
        assert self._writes is not None
        return self._writes

    def next_change(self) -> int:
        """Return the number of the next change to a memory, in the transaction under way."""
        self._last_change += 1
        return self._last_change

    @property
    def last_change(self) -> int:
        """The number of the last change, in the transaction under way."""
        return self._last_change

    def run(self, name: str, *values: Any) -> apsw.Cursor:
        """Run a statement of the transaction under way, with values in order or by name."""
        named = values[0] if values and isinstance(values[0], dict) else values
        return ran(name, self._writer.execute, self._sql[name], named)

    def reserve(self, table: str, count: int) -> None:
        """Do nothing: a row gets its number when it is added."""

    def insert(self, table: str, name: str, values: dict[str, Any]) -> int:
        """Run a statement that adds a row and returns its number."""
        del table
        return int(self.value(name, values))

    def run_many(self, name: str, rows: Sequence[Sequence[Any]]) -> int:
        """Run a statement once for each row of values; return how many rows were changed."""
        before = self._writer.total_changes()
        ran(name, self._writer.executemany, self._sql[name], rows)
        return self._writer.total_changes() - before

    def changed(self) -> int:
        """Return how many rows the last statement of the transaction under way changed."""
        return self._writer.changes()

    def rows(self, name: str, *values: Any) -> list[Any]:
        """Return what a statement finds, with what this thread is writing."""
        if self.is_writing:
            with our_errors(self.path):
                return self.run(name, *values).fetchall()
        return self.committed(name, *values)

    def row(self, name: str, *values: Any) -> Any:
        """Return the first of what a statement finds, with what this thread is writing."""
        rows = self.rows(name, *values)
        return rows[0] if rows else None

    def value(self, name: str, *values: Any) -> Any:
        """Return the first value of what a statement finds; None for nothing."""
        row = self.row(name, *values)
        return row[0] if row else None

    def committed(self, name: str, *values: Any) -> list[Any]:
        """Return what a statement finds, without what is being written."""
        named = values[0] if values and isinstance(values[0], dict) else values
        check_time()
        while True:
            with self._turn(self._read_lock):
                if self._reader is not None and not self._is_stale():
                    try:
                        return ran(name, _found, self._reader, self._sql[name], named)
                    except apsw.Error:  # to enter it before every read would take longer
                        with our_errors(self.path):
                            raise
            self._refresh()

    @contextmanager
    def writing(self, *, durable: bool = True, wait_s: float = BUSY_TIMEOUT_S) -> Iterator[None]:
        """Run one transaction that is on disk when it returns, or leaves nothing behind.

        One within another is a part of it.
        """
        if self.is_writing:
            with self._part():
                yield
            return
        check_time()
        began = time.perf_counter()
        with self._turn(self._write_lock, wait_s), our_errors(self.path):
            if self._is_stale():
                self._refresh()
            if self._writes is None:
                self._open_again()
            written = self._log
            with self._transaction(wait_s):
                then = self._then
                yield
                self.run("set_change", self._last_change)
                ran("commit", self._writer.execute, "COMMIT")
            if written.is_lost():
                raise StoreBusy(
                    f"Another program took the log of {self.path} away during this write, which "
                    "is gone with it; try again."
                )
        if durable:
            ran("sync", written.sync)
        self.write_times.append(time.perf_counter() - began)
        # What is committed is so, whatever becomes of what follows from it.
        with without_deadline():
            for act in then:
                _try(act)

    @contextmanager
    def _transaction(self, wait_s: float) -> Iterator[None]:
        """Begin a transaction, which is undone unless it was committed."""
        writer = self._writer
        try:
            _begin(writer, wait_s)
            self._owner, self._then = threading.get_ident(), []
            self._last_change = int(self.run("latest_change").get)
            yield
        finally:
            self._owner = 0
            # In a forked child it is another's.
            if self._writes is writer and writer.in_transaction:
                writer.execute("ROLLBACK")

    @contextmanager
    def _part(self) -> Iterator[None]:
        """Run a part of a transaction, of which nothing is left when it fails."""
        done, notes = len(self._then), len(self.would or ())
        try:
            with self._writer:
                yield
        except BaseException:
            del self._then[done:]
            if self.would is not None:
                del self.would[notes:]
            raise

    @property
    def is_writing(self) -> bool:
        """Whether this thread has a transaction under way."""
        return self._owner == threading.get_ident()

    @property
    def is_settled(self) -> bool:
        """Whether what is read as committed is so."""
        return True

    @property
    def is_alone(self) -> bool:
        """Whether one connection reads and writes."""
        return self._reader is self._writes

    @contextmanager
    def rehearsing(self) -> Iterator[list[str]]:
        """Undo at the end what this thread writes, and say in words what it would have done."""
        with self._turn(self._write_lock), our_errors(self.path):
            if self._is_stale():
                self._refresh()
            if self._writes is None:
                self._open_again()
            self.would = []
            try:
                with self._transaction(BUSY_TIMEOUT_S):
                    yield self.would
            finally:
                self.would = None

    def then(self, act: Callable[[], None]) -> None:
        """Do something when the transaction under way is committed, and not if it is undone."""
        self._then.append(act)

    def select_rows(self, statement: str, values: dict[str, Any]) -> list[Any]:
        """Return what a statement finds that is made up on the way."""
        if statement not in self._sql:
            self._sql[statement] = in_dialect(statement)
        return self.rows(statement, values)

    @property
    def reads_texts(self) -> bool:
        """Whether it can look into what it keeps: an encrypted file is decrypted page by page."""
        return True

    def kept(self, table: str, column: str, value: str | None) -> str | None:
        """Return a value of a column as it is written, which is as it is."""
        del table, column
        return value

    def condition(self, where: Filter) -> tuple[str, dict[str, Any]]:
        """Return what memories fulfil that pass a filter; their table goes by `m`."""
        return as_sql(where)

    def empty_log(self, wait_ms: int = _LOG_WAIT_MS) -> None:
        """Take what was overwritten out of the log; a reader that needs it is not waited for long.

        Then it is done after the next write, or when the last process closes the store.
        """
        self._log_is_full = True
        if self._writes is None or not self._write_lock.acquire(timeout=wait_ms / 1e3):
            return
        self._writer.set_busy_timeout(wait_ms)
        try:
            self._writer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            self._log_is_full = False
        except apsw.Error as problem:  # somebody reads, or the disk is full; it is done later
            log.debug("the log keeps what was deleted for now: %s", problem)
        finally:
            self._writer.set_busy_timeout(int(BUSY_TIMEOUT_S * 1000))
            self._write_lock.release()

    def empty_log_later(self) -> None:
        """Empty the log if that is due, unless somebody would have to wait for it."""
        if self._log_is_full:
            self.empty_log(wait_ms=0)

    def note(self, deed: str) -> None:
        """Say what is done, to whoever rehearses."""
        if self.would is not None:
            self.would.append(deed)

    def _open_again(self) -> None:
        """Try to write to what could only be read; the disk may have room by now."""
        with self._turn(self._read_lock):
            self._let_go()
            self._log.close()
            self._open()
        if self.unwritable:
            raise StoreUnavailable(self.unwritable)

    def pause(self) -> bool:
        """Close all connections and keep other threads off, for a fork; False if that cannot be.

        A connection must not be carried through one: the child would rely on locks that are its
        parent's. Whoever uses the file next, in either, opens it again.
        """
        if not self._write_lock.acquire(timeout=BUSY_TIMEOUT_S):
            return False
        if self._read_lock.acquire(timeout=BUSY_TIMEOUT_S):
            if self._writes is None or not self._writes.in_transaction:
                self._let_go(lost=True)
                return True
            self._read_lock.release()
        self._write_lock.release()
        return False

    def resume(self, *, reopen: bool) -> None:
        """Let the other threads go on after a fork; the parent is still the one who uses it."""
        try:
            if reopen:
                self._open()
        except StoreError as problem:
            log.warning("the store is opened again when it is used next: %s", problem)
        finally:
            self._read_lock.release()
            self._write_lock.release()

    def begin_anew(self, *, paused: bool) -> None:
        """Forget in a child what threads of its parent were doing."""
        if not paused:
            _INHERITED.extend((self._reader, self._writes))
            self._write_lock, self._read_lock = threading.RLock(), threading.RLock()
            self._reader = self._writes = self._use = None
        self._users_lock = threading.Lock()
        self._log = Durable(self.path)
        self._owner = 0
        self.forked()

    @contextmanager
    def _turn(self, lock: threading.RLock, wait_s: float = BUSY_TIMEOUT_S) -> Iterator[None]:
        """Hold a lock against the other threads, for which nobody waits without end."""
        if not lock.acquire(timeout=_at_most(wait_s)):
            check_time()
            raise StoreBusy(
                f"Another thread has been using {self.path} for {wait_s:.0f} s; try again."
            )
        try:
            yield
        finally:
            lock.release()


class SqliteInMemory(SqliteFile):
    """A database that lives in the process alone: one connection, by turns for all threads."""

    def __init__(self, scripts: Sequence[str] | None = None) -> None:
        super().__init__(Path("memory"), scripts)

    def _open(self) -> None:
        self._reader = self._writes = apsw.Connection(":memory:")
        self._writes.execute("PRAGMA foreign_keys = ON")
        add_functions(self._writes)
        migrate(self._writes, self.path, self._scripts)
        self._read_lock = self._write_lock
        self._log = NoLog()

    def _is_stale(self) -> bool:
        return False

    def _refresh(self) -> None:
        raise StoreUnavailable("This memory was closed, and is gone with that.")

    def _open_again(self) -> None:
        self._refresh()

    @property
    def is_settled(self) -> bool:
        """Whether no transaction is under way here, which the one connection sees too."""
        return not self.is_writing

    def pause(self) -> bool:
        """Keep other threads off; what is in memory goes through a fork as it is."""
        return self._write_lock.acquire(timeout=BUSY_TIMEOUT_S)

    def resume(self, *, reopen: bool) -> None:
        """Let the other threads go on after a fork."""
        del reopen
        self._write_lock.release()

    def begin_anew(self, *, paused: bool) -> None:
        """Forget in a child what threads of its parent were doing."""
        if not paused:
            self._write_lock = self._read_lock = threading.RLock()
            self._owner = 0
        self.forked()

    def empty_log(self, wait_ms: int = 0) -> None:
        """Do nothing: there is no log."""


def _found(reader: apsw.Connection, sql: str, values: Any) -> list[Any]:
    return reader.execute(sql, values).fetchall()


def _try(act: Callable[[], None]) -> None:
    try:
        act()
    except MilepostError as problem:
        log.warning("what follows from a write is done later: %s", problem)


def _begin(writer: apsw.Connection, wait_s: float) -> None:
    """Begin a transaction; wait for other processes as long as there is time."""
    writer.set_busy_timeout(int(_at_most(wait_s) * 1000))
    try:
        writer.execute("BEGIN IMMEDIATE")
    except apsw.BusyError:
        check_time()
        raise
    finally:
        writer.set_busy_timeout(int(BUSY_TIMEOUT_S * 1000))


def _at_most(wait_s: float) -> float:
    left = seconds_left()
    return wait_s if left is None else min(wait_s, left)


def in_use(path: Path) -> Path:
    """Return the file that everyone holds who uses a store, beside SQLite's own locks.

    Those are lost when anything in the same process opens and closes the database's file.
    """
    return index_of(path) / "in-use"


def is_in_use(path: Path) -> bool:
    """Whether a process has a store open."""
    place = in_use(path)
    held = take(place) if place.exists() else -1
    if held is not None and held >= 0:
        os.close(held)
    return held is None


def _is_file(path: Path) -> bool:
    try:
        return S_ISREG(os.stat(path).st_mode)  # noqa: PTH116 -- at every read; pathlib takes longer
    except (OSError, ValueError):
        return False  # in a folder that may not be looked into, or of a name that none can have


def _share(place: Path) -> int | None:
    """Say that a store is in use; None where nothing can be written."""
    try:
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        held = take(place, wait_s=BUSY_TIMEOUT_S, shared=True)
    except OSError:
        return None
    if held is None:
        raise StoreBusy(f"{place.parent.stem} is being restored; try again in a moment.")
    return held


# All files that are open in this process.
_OPEN: "WeakSet[SqliteFile]" = WeakSet()
# Those whose threads are held while this process forks.
_PAUSED: "list[SqliteFile]" = []
# Held by the thread that forks: what one of them paused, no other may let go.
_FORKING = threading.RLock()


def _before_fork() -> None:
    _FORKING.acquire()
    _PAUSED.extend(file for file in list(_OPEN) if file.pause())


def _after_fork() -> None:
    while _PAUSED:
        _PAUSED.pop().resume(reopen=True)
    _FORKING.release()


def _after_fork_in_child() -> None:
    for file in list(_OPEN):
        file.begin_anew(paused=file in _PAUSED)
    while _PAUSED:
        _PAUSED.pop().resume(reopen=False)
    _FORKING.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork_in_child
    )
# Connections that a parent process could not close before its fork, kept so that no destructor
# runs in the child.
_INHERITED: list[apsw.Connection | None] = []
