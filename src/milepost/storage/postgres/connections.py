"""Connections to PostgreSQL: a pool of them, what they know of our types, and their failures."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any, TypeVar

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict
from psycopg.types import TypeInfo
from psycopg.types.numeric import Int8Dumper
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout, TooManyRequests

from milepost.deadline import check_time, seconds_left
from milepost.errors import (
    ConfigError,
    OutOfTime,
    SpaceMoved,
    StoreBusy,
    StoreError,
    StoreUnavailable,
)
from milepost.location import shown, without_passwords
from milepost.storage.options import USUAL, DatabaseOptions
from milepost.storage.postgres.vectors import HALF, SPARSE, register

log = logging.getLogger(__name__)
T = TypeVar("T")
Connection = psycopg.Connection[tuple[Any, ...]]

SCHEMA = _APPLICATION = "milepost"
# What the database says when somebody writes to a space that was moved away.
MOVED = "MPMOV"
# What a pool cannot do is said by whoever waits for it.
logging.getLogger("psycopg.pool").setLevel(logging.ERROR)
# So long somebody waits for one of the connections that a process has.
POOL_WAIT_S = 10.0
CONNECT_S = 5
# So long what only reads is tried again when the connection breaks.
RETRY_S = 8.0
_BACKOFF_S = 0.05


class Connections:
    """The connections of this process to one database."""

    def __init__(self, url: str, options: DatabaseOptions = USUAL) -> None:
        self.url, self.name = url, shown(url)
        _refuse_unreadable(url, self.name)
        self.statement_s = options.statement_s
        self._prepare = options.prepare
        self._types: dict[str, TypeInfo] = {}
        self._types_lock = threading.Lock()
        self._pool: ConnectionPool[Connection] = ConnectionPool(
            url,
            min_size=0,
            max_size=options.connections,
            timeout=POOL_WAIT_S,
            max_idle=300.0,
            reconnect_timeout=RETRY_S,
            kwargs={
                "autocommit": True,
                "connect_timeout": CONNECT_S,
                "application_name": _APPLICATION,
            },
            configure=self._configure,
            open=False,
        )
        self._pool.open()

    def _configure(self, connection: Connection) -> None:
        if not self._prepare:
            connection.prepare_threshold = None  # a pooler between would mix them up
        connection.adapters.register_dumper(int, Int8Dumper)  # one statement for every size
        if not self._types:
            with self._types_lock:
                for name in (HALF, SPARSE):
                    info = TypeInfo.fetch(connection, name)
                    if info is not None:
                        self._types[name] = info
        register(connection, self._types)

    @contextmanager
    def alone(self) -> Iterator[Connection]:
        """Lend a connection outside of the pool: if there is none, it says so at once, and why."""
        check_time()
        left = seconds_left()
        with our_errors(self.name):
            connection = psycopg.connect(
                self.url,
                autocommit=True,
                connect_timeout=CONNECT_S if left is None else max(1, min(CONNECT_S, int(left))),
                application_name=_APPLICATION,
            )
            try:
                self._configure(connection)
            except BaseException:
                connection.close()
                raise
        with closing(connection):
            yield connection

    @contextmanager
    def one(self, wait_s: float = POOL_WAIT_S) -> Iterator[Connection]:
        """Lend a connection; what is left open on it is undone."""
        check_time()
        left = seconds_left()
        wait_s = wait_s if left is None else min(wait_s, left)
        with our_errors(self.name):
            connection = self._pool.getconn(timeout=wait_s)
        try:
            yield connection
        finally:
            self._pool.putconn(connection)

    def retried(self, read: Callable[[], T]) -> T:
        """Return what a read finds; one whose connection breaks is tried again for a while."""
        until, pause = time.monotonic() + RETRY_S, _BACKOFF_S
        while True:
            try:
                return read()
            except StoreUnavailable:
                left = seconds_left()
                if time.monotonic() + pause > until or (left is not None and left < pause):
                    raise
                time.sleep(pause)
                pause = min(pause * 2, 1.0)

    def close(self) -> None:
        """Let go of all connections."""
        self._pool.close()


def _refuse_unreadable(url: str, name: str) -> None:
    """Raise for what is no address, without the words of the library, which quote it."""
    try:
        conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        raise ConfigError(
            f"{name} cannot be read; give postgresql://user:password@host:port/database, with "
            "special characters of a password as %40 and so on."
        ) from None


@contextmanager
def our_errors(name: str) -> Iterator[None]:
    """Turn PostgreSQL's errors into Milepost's."""
    try:
        yield
    except (
        errors.LockNotAvailable,
        errors.DeadlockDetected,
        errors.SerializationFailure,
    ) as problem:
        raise StoreBusy(f"Others keep what is needed of {name} locked; try again.") from problem
    except errors.QueryCanceled as problem:
        left = seconds_left()
        if left is not None and left <= 0:
            raise OutOfTime("The time of this program is up; nothing was changed.") from problem
        raise StoreBusy(
            f"{name} took longer than `database_timeout` allows; try again."
        ) from problem
    except (PoolTimeout, TooManyRequests) as problem:
        check_time()
        raise StoreUnavailable(
            f"No connection to {name} came within {POOL_WAIT_S:.0f} s; check that the database "
            "runs and that it allows enough connections."
        ) from problem
    except errors.DiskFull as problem:
        raise StoreUnavailable(
            f"The disk of {name} is full; free some space, nothing was changed."
        ) from problem
    except errors.ReadOnlySqlTransaction as problem:
        raise StoreUnavailable(
            f"{name} can only be read: it is a replica, or was told so. Name the primary too and "
            "add target_session_attrs=read-write to the URL."
        ) from problem
    except (psycopg.OperationalError, PoolClosed) as problem:
        raise StoreUnavailable(f"{name} cannot be reached: {_first_line(problem)}") from problem
    except errors.InsufficientPrivilege as problem:
        raise StoreError(f"{name} does not allow this: {_first_line(problem)}") from problem
    except psycopg.Error as problem:
        raise _failed(name, problem) from problem


def _failed(name: str, problem: psycopg.Error) -> StoreError:
    if problem.sqlstate == MOVED:
        return SpaceMoved(f"The space {_first_line(problem)}; spaces.toml must say so here too.")
    return StoreError(f"The store {name} failed: {_first_line(problem)}")


def _first_line(problem: Exception) -> str:
    return without_passwords(str(problem).strip().partition("\n")[0])
