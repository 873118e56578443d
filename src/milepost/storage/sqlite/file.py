"""One SQLite file that many threads and processes share: connections, reads, transactions."""

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from milepost.deadline import check_time, held_in_time, seconds_left, time_is_up
from milepost.storage.sqlite.connection import (
    BUSY_TIMEOUT_S,
    Durable,
    create_private,
    open_connection,
    our_errors,
)
from milepost.storage.sqlite.migrate import migrate, refuse_foreign
from milepost.storage.sqlite.sql import migrations, statements

# Of SQLite's machine, after which a long statement asks whether there still is time.
_STEPS = 10_000
_STATEMENTS = ("queries.sql", "jobs.sql", "experience.sql")


class SqliteFile:
    """Runs named statements; one connection reads and one writes, per process."""

    def __init__(self, path: Path, scripts: Sequence[str] | None = None) -> None:
        self.path = path
        self._sql = {n: text for file in _STATEMENTS for n, text in statements(file).items()}
        self._write_lock = threading.RLock()
        self._read_lock = threading.RLock()
        self._scripts = migrations() if scripts is None else scripts
        self._open()

    def _open(self) -> None:
        create_private(self.path)
        with our_errors(self.path):
            refuse_foreign(self.path, len(self._scripts))
            self._writer = open_connection(self.path)
            migrate(self._writer, self.path, self._scripts)
            self._reader = open_connection(self.path)
            self._reader.set_progress_handler(time_is_up, _STEPS)
        self._durable = Durable(self.path)
        self._process = os.getpid()
        self._last_change = 0

    def close(self) -> None:
        with self._write_lock, self._read_lock:
            self._durable.close()
            self._reader.close()
            self._writer.close()

    def _next_change(self) -> int:
        self._last_change += 1
        return self._last_change

    def _do(self, name: str, *values: Any) -> apsw.Cursor:
        """Run a statement of the transaction under way, with values in order or by name."""
        named = values[0] if values and isinstance(values[0], dict) else values
        return self._writer.execute(self._sql[name], named)

    def _rows(self, name: str, *values: Any) -> list[Any]:
        self._follow_fork()
        named = values[0] if values and isinstance(values[0], dict) else values
        check_time()
        with held_in_time(self._read_lock), our_errors(self.path):
            return self._reader.execute(self._sql[name], named).fetchall()

    @contextmanager
    def _writing(self, *, durable: bool = True) -> Iterator[None]:
        """Run one transaction that is on disk when it returns, or leaves nothing behind."""
        self._follow_fork()
        check_time()
        with held_in_time(self._write_lock), our_errors(self.path):
            self._begin_writing()
            try:
                self._last_change = int(self._do("latest_change").get)
                yield
                self._do("set_change", self._last_change)
                self._writer.execute("COMMIT")
            except BaseException:
                if self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")
                raise
        if durable:
            self._durable.sync()

    def _begin_writing(self) -> None:
        """Wait for other processes as long as there is time."""
        left = seconds_left()
        if left is None:
            self._writer.execute("BEGIN IMMEDIATE")
            return
        self._writer.set_busy_timeout(int(min(left, BUSY_TIMEOUT_S) * 1000))
        try:
            self._writer.execute("BEGIN IMMEDIATE")
        except apsw.BusyError:
            check_time()
            raise
        finally:
            self._writer.set_busy_timeout(int(BUSY_TIMEOUT_S * 1000))

    def _follow_fork(self) -> None:
        """Open connections of our own in a forked child; the parent's must not be touched."""
        if os.getpid() != self._process:
            _INHERITED.append((self._writer, self._reader))
            self._write_lock, self._read_lock = threading.RLock(), threading.RLock()
            self._open()


# Connections of a parent process, kept so that their destructors do not run in the child.
_INHERITED: list[tuple[apsw.Connection, apsw.Connection]] = []
