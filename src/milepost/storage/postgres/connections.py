"""Connections to PostgreSQL: a pool of them, what they know of our types, and their failures."""

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any, TypeVar
from weakref import WeakSet

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
    StoreEncrypted,
    StoreError,
    StoreUnavailable,
)
from milepost.location import shown, without_passwords
from milepost.storage.options import USUAL, DatabaseOptions
from milepost.storage.postgres.vectors import HALF, SPARSE, register

log = logging.getLogger(__name__)
T = TypeVar("T")
Connection = psycopg.Connection[tuple[Any, ...]]
Cursor = psycopg.Cursor[tuple[Any, ...]]

SCHEMA = _APPLICATION = "milepost"
# What the database says when somebody writes to a space that was moved away.
MOVED = "MPMOV"
# What a pool cannot do is said by whoever waits for it.
logging.getLogger("psycopg.pool").setLevel(logging.ERROR)
# So long somebody waits for one of the connections that a process has; and so often a database that
# is away is tried again meanwhile.
POOL_WAIT_S = 10.0
_TRY_S = 1.0
# So long what only reads is tried again when the connection breaks.
RETRY_S = 8.0
_BACKOFF_S = 0.05
# Connections that are as old as one that broke are broken too, mostly: all are let go at once, but
# not again and again.
_DRAIN_S = 1.0
# What a URL may say otherwise. Who hears nothing of the other side takes it for gone, on both
# sides: else a request would wait, and a writer's locks stay, for as long as the system likes.
_USUAL = {
    "application_name": "milepost",
    "connect_timeout": "5",
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    "tcp_user_timeout": "10000",
}
_SERVER_SIDE = (
    "SELECT set_config('tcp_keepalives_idle', '5', false), "
    "set_config('tcp_keepalives_interval', '2', false), "
    "set_config('tcp_keepalives_count', '3', false)"
)


def parameters(url: str) -> dict[str, Any]:
    """Return how a database is connected to."""
    return _USUAL | conninfo_to_dict(url)


class Connections:
    """The connections of this process to one database."""

    def __init__(
        self, url: str, options: DatabaseOptions = USUAL, wait_s: float | None = None
    ) -> None:
        self.url, self.name = url, shown(url)
        _refuse_unreadable(url, self.name)
        self._wait_s = POOL_WAIT_S if wait_s is None else wait_s
        self.statement_s = options.statement_s
        self._options = options
        self._types: dict[str, TypeInfo] = {}
        self._closed = False
        self.begin()
        _OPEN.add(self)

    def begin(self) -> None:
        """Have no connections, and none that the process had from which this was forked."""
        self.asking = threading.Lock()  # for whoever asks something on behalf of all threads
        self._lent: set[Connection] = set()
        self._drained_s = float("-inf")
        self._types_lock = threading.Lock()
        self._pool: ConnectionPool[Connection] = ConnectionPool(
            min_size=0,
            max_size=self._options.connections,
            max_idle=300.0,
            reconnect_timeout=_TRY_S / 2,  # whoever waits asks anew
            kwargs={**parameters(self.url), "autocommit": True},
            configure=self._configure,
            open=False,
        )

    def _configure(self, connection: Connection) -> None:
        connection.execute(_SERVER_SIDE)
        if not self._options.prepare:
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
        left, given = seconds_left(), parameters(self.url)
        if left is not None:
            given["connect_timeout"] = max(1, min(int(given["connect_timeout"]), int(left)))
        with our_errors(self.name):
            connection = psycopg.connect(**given, autocommit=True)
            try:
                self._configure(connection)
            except BaseException:
                connection.close()
                raise
        with closing(connection):
            yield connection

    @contextmanager
    def one(self, wait_s: float | None = None) -> Iterator[Connection]:
        """Lend a connection; what is left open on it is undone."""
        check_time()
        pool = self._pool
        with our_errors(self.name):
            if pool.closed and not self._closed:
                pool.open()  # with threads, which a forked child may never need
            connection = self._taken(pool, self._wait_s if wait_s is None else wait_s)
        self._lent.add(connection)
        try:
            yield connection
        finally:
            if pool is self._pool:  # else it is that of the process from which this was forked
                self._lent.discard(connection)
                if connection.closed:
                    self._drain()
                pool.putconn(connection)

    def _taken(self, pool: "ConnectionPool[Connection]", most_s: float) -> Connection:
        """Return a connection that is free, or as soon as one is."""
        left_s = seconds_left()
        until = time.monotonic() + (most_s if left_s is None else min(most_s, left_s))
        while True:
            wait_s = min(max(until - time.monotonic(), 0.001), _TRY_S)
            try:
                return pool.getconn(timeout=wait_s)
            except PoolTimeout as problem:
                if time.monotonic() < until:
                    continue
                check_time()
                if len(self._lent) < self._options.connections:
                    raise
                raise StoreBusy(
                    f"All {self._options.connections} connections of this process to {self.name} "
                    "are in use; try again, or let `database_connections` be more."
                ) from problem

    def _drain(self) -> None:
        """Use none of the connections again that there are when one of them broke."""
        now_s = time.monotonic()
        if now_s - self._drained_s > _DRAIN_S:
            self._drained_s = now_s
            self._pool.drain()

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
        self._closed = True
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


# The connections of this process, of which a forked child can use none.
_OPEN: "WeakSet[Connections]" = WeakSet()
# What a child inherited, kept so that nothing of it is closed there: its parent uses it.
_INHERITED: list[object] = []


def _after_fork_in_child() -> None:
    for connections in list(_OPEN):
        _INHERITED.append(connections._pool)  # noqa: SLF001 -- of this file
        connections.begin()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)

# The check by which a table refuses what is not sealed as the others are.
SEALS = "sealed"

# What is told of an error: the first that fits.
_TOLD: tuple[tuple[tuple[type[Exception], ...], type[StoreError], str], ...] = (
    (
        (errors.LockNotAvailable, errors.DeadlockDetected, errors.SerializationFailure),
        StoreBusy,
        "Others keep what is needed of {name} locked; try again.",
    ),
    (
        (errors.QueryCanceled,),
        StoreBusy,
        "{name} took longer than `database_timeout` allows; try again.",
    ),
    (
        (PoolTimeout, TooManyRequests),
        StoreUnavailable,
        "No connection to {name} came in time; check that it runs and allows enough connections.",
    ),
    (
        (errors.DiskFull,),
        StoreUnavailable,
        "The disk of {name} is full; free some space, nothing was changed.",
    ),
    (
        (errors.ReadOnlySqlTransaction,),
        StoreUnavailable,
        "{name} can only be read; name the primary, with target_session_attrs=read-write.",
    ),
    (
        (psycopg.OperationalError, errors.IdleInTransactionSessionTimeout, PoolClosed),
        StoreUnavailable,
        "{name} cannot be reached: {why}",
    ),
    (
        (errors.DuplicatePreparedStatement, errors.InvalidSqlStatementName),
        StoreError,
        "A pooler before {name} mixes up prepared statements; set `database_prepare` to off.",
    ),
    ((errors.InsufficientPrivilege,), StoreError, "{name} does not allow this: {why}"),
    ((psycopg.Error,), StoreError, "The store {name} failed: {why}"),
)


@contextmanager
def our_errors(name: str) -> Iterator[None]:
    """Turn PostgreSQL's errors into Milepost's."""
    try:
        yield
    except (psycopg.Error, PoolClosed, PoolTimeout, TooManyRequests) as problem:
        if isinstance(problem, errors.QueryCanceled | PoolTimeout):
            left = seconds_left()
            if left is not None and left <= 0:
                said = "The time of this program is up; nothing was changed."
                raise OutOfTime(said) from problem
        if isinstance(problem, psycopg.Error) and problem.sqlstate == MOVED:
            said = f"The space {_first_line(problem)}; spaces.toml must say so here too."
            raise SpaceMoved(said) from problem
        if isinstance(problem, errors.CheckViolation) and problem.diag.constraint_name == SEALS:
            said = f"Texts in {name} were encrypted or decrypted meanwhile"
            raise StoreEncrypted(f"{said}; nothing was changed, try again.") from problem
        kind, told = next(row[1:] for row in _TOLD if isinstance(problem, row[0]))
        raise kind(told.format(name=name, why=_first_line(problem))) from problem


def _first_line(problem: Exception) -> str:
    return without_passwords(str(problem).strip().partition("\n")[0])
