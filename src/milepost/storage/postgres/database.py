"""A database that many servers share: named statements, each in a transaction of one home."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from typing import Any

from milepost.deadline import check_time, seconds_left, without_deadline
from milepost.errors import MilepostError
from milepost.memory.values import Filter
from milepost.storage.postgres.connections import (
    SCHEMA,
    Connection,
    Connections,
    log,
    our_errors,
)
from milepost.storage.postgres.homes import Homes
from milepost.storage.postgres.replica import Replica, written_up_to
from milepost.storage.postgres.sql import statements, with_placeholders
from milepost.storage.postgres.where import as_sql

MEMBER = "milepost_member"
# So long a writer waits for others who write to the same home.
LOCK_S = 30.0


class _Transaction:
    """A transaction of this thread."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.home: str | None = None
        self.homes: set[str] = set()
        self.then: list[Callable[[], None]] = []
        self.would: list[str] | None = None
        self.change = 0
        self.changed = 0


class _Local(threading.local):
    transaction: _Transaction | None = None
    home: str | None = None


class PostgresDatabase:
    """Runs named statements for one home, or for whichever the caller of the moment works for."""

    def __init__(
        self,
        connections: Connections,
        homes: Homes,
        replica: Replica | None = None,
    ) -> None:
        self.connections = connections
        self._replica = replica
        self._written: dict[str, int] = {}  # by home, how far a replica must be to show it
        self._homes = homes
        self._local = _Local()
        self._home: str | None = None
        self._sql = statements()

    def within(self, home: str) -> "PostgresDatabase":
        """Return the same for one home alone."""
        bound = copy(self)  # shares the transaction of each thread
        bound._home = home  # noqa: SLF001 -- its own kind
        return bound

    @contextmanager
    def at_home(self, home: str | None) -> Iterator[None]:
        """Let this thread work for a home, unless this is for one alone already."""
        before, self._local.home = self._local.home, home
        try:
            yield
        finally:
            self._local.home = before

    @property
    def home(self) -> str | None:
        """For whom is worked; None for all."""
        return self._home if self._home is not None else self._local.home

    @property
    def would(self) -> list[str] | None:
        under_way = self._local.transaction
        return None if under_way is None else under_way.would

    @property
    def last_change(self) -> int:
        return self._under_way.change

    def next_change(self) -> int:
        """Return the number of the transaction under way: readers wait for those before it."""
        under_way = self._under_way
        if not under_way.change:
            row = under_way.connection.execute("SELECT pg_current_xact_id()::text").fetchone()
            assert row is not None
            under_way.change = int(row[0])
        return under_way.change

    @property
    def _under_way(self) -> _Transaction:
        under_way = self._local.transaction
        assert under_way is not None, "a write outside of a transaction"
        return under_way

    @property
    def is_writing(self) -> bool:
        """Whether this thread has a transaction under way."""
        return self._local.transaction is not None

    def run(self, name: str, *values: Any) -> None:
        under_way = self._entered()
        with our_errors(self.connections.name):
            cursor = under_way.connection.execute(self._sql[name], _given(values))
            under_way.changed = max(cursor.rowcount, 0)

    def run_many(self, name: str, rows: Sequence[Sequence[Any]]) -> int:
        under_way = self._entered()
        with our_errors(self.connections.name), under_way.connection.cursor() as cursor:
            cursor.executemany(self._sql[name], rows)
            under_way.changed = max(cursor.rowcount, 0)
        return under_way.changed

    def changed(self) -> int:
        return self._under_way.changed

    def rows(self, name: str, *values: Any) -> list[Any]:
        return self._found(self._sql[name], _given(values))

    def row(self, name: str, *values: Any) -> Any:
        rows = self.rows(name, *values)
        return rows[0] if rows else None

    def value(self, name: str, *values: Any) -> Any:
        row = self.row(name, *values)
        return row[0] if row else None

    def committed(self, name: str, *values: Any, binary: bool = False) -> list[Any]:
        """Return what a statement finds, without what this thread is writing."""
        return self._read(self._sql[name], _given(values), binary=binary)

    def select_rows(self, statement: str, values: dict[str, Any]) -> list[Any]:
        return self._found(with_placeholders(statement), values)

    def condition(self, where: Filter) -> tuple[str, dict[str, Any]]:
        return as_sql(where)

    def _found(self, statement: str, values: Any) -> list[Any]:
        if not self.is_writing:
            return self._read(statement, values)
        under_way = self._entered()
        with our_errors(self.connections.name):
            cursor = under_way.connection.execute(statement, values)
            under_way.changed = max(cursor.rowcount, 0)
            return cursor.fetchall() if cursor.description else []

    def _read(self, statement: str, values: Any, *, binary: bool = False) -> list[Any]:
        check_time()
        number = self._homes.number(self.home)

        def read() -> list[Any]:
            source = self._read_from()
            with source.one() as connection, our_errors(source.name):
                # In one round trip, of which the last part ends the transaction.
                with connection.pipeline():
                    self._begin(connection, " READ ONLY")
                    self._enter(connection, self.home, number)
                    cursor = connection.execute(statement, values, binary=binary)
                    connection.execute("COMMIT")
                return cursor.fetchall()

        return self.connections.retried(read)

    def _read_from(self) -> Connections:
        """Return where is read: at a replica that is near enough and has what was written here."""
        needed = 0 if self.home is None else self._written.get(self.home, 0)
        if self._replica is not None and self.home is not None and self._replica.has(needed):
            return self._replica.connections
        return self.connections

    @contextmanager
    def writing(self, *, durable: bool = True) -> Iterator[None]:
        """Run one transaction, which is on disk when it returns, or leaves nothing behind."""
        if self.is_writing:
            with self._part():
                yield
            return
        check_time()
        if self.home is not None:
            self._homes.ensure(self.home)  # not while a connection is held: others may wait for it
        with (
            self.connections.one() as connection,
            our_errors(self.connections.name),
            self._transaction(connection) as under_way,
        ):
            if not durable:
                connection.execute("SET LOCAL synchronous_commit = off")
            yield
            self._count_write(under_way)
            connection.execute("COMMIT")
            self._remember_write(under_way)
        # What is committed is so, whatever becomes of what follows from it.
        with without_deadline():
            for act in under_way.then:
                _try(act)

    @contextmanager
    def rehearsing(self) -> Iterator[list[str]]:
        """Undo at the end what this thread writes, and say in words what it would have done."""
        with (
            self.connections.one() as connection,
            our_errors(self.connections.name),
            self._transaction(connection) as under_way,
        ):
            under_way.would = []
            yield under_way.would

    @contextmanager
    def _transaction(self, connection: Connection) -> Iterator[_Transaction]:
        """Begin a transaction, which is undone unless it was committed."""
        under_way = _Transaction(connection)
        self._begin(connection)
        self._local.transaction = under_way
        try:
            yield under_way
        finally:
            self._local.transaction = None
            if not connection.closed and connection.info.transaction_status.name != "IDLE":
                connection.execute("ROLLBACK")

    @contextmanager
    def _part(self) -> Iterator[None]:
        """Run a part of a transaction, of which nothing is left when it fails."""
        under_way = self._under_way
        done, notes = len(under_way.then), len(under_way.would or ())
        under_way.connection.execute("SAVEPOINT part")
        try:
            yield
        except BaseException:
            del under_way.then[done:]
            if under_way.would is not None:
                del under_way.would[notes:]
            under_way.connection.execute("ROLLBACK TO part; RELEASE part")
            raise
        under_way.connection.execute("RELEASE part")

    def _begin(self, connection: Connection, mode: str = "") -> None:
        left = seconds_left()
        most_s = self.connections.statement_s
        patience_s = most_s if left is None else max(min(most_s, left), 0.001)
        connection.execute(f"BEGIN{mode}")
        connection.execute(
            "SELECT set_config('search_path', %s, true), set_config('statement_timeout', %s, true)"
            ", set_config('lock_timeout', %s, true)",
            (f"{SCHEMA}, public", str(int(patience_s * 1000) or 1), str(int(LOCK_S * 1000))),
        )

    def _enter(self, connection: Connection, home: str | None, number: int) -> None:
        """Work for a home from here on; for None as the owner, who sees all."""
        role = "none" if home is None else MEMBER
        connection.execute(
            "SELECT set_config('role', %s, true), set_config('milepost.home', %s, true)"
            ", set_config('milepost.number', %s, true)",
            (role, home or "", str(number)),
        )

    def _entered(self) -> _Transaction:
        """Return the transaction under way, working for the home of the moment."""
        under_way, home = self._under_way, self.home
        if under_way.home != home:
            with our_errors(self.connections.name):
                number = 0
                if home is not None:
                    number = self._homes.ensure(home)
                    under_way.connection.execute(
                        "SELECT pg_advisory_xact_lock(hashtextextended(%s, 1))", (home,)
                    )
                    under_way.homes.add(home)
                self._enter(under_way.connection, home, number)
            under_way.home = home
        return under_way

    def _count_write(self, under_way: _Transaction) -> None:
        """Let whoever keeps answers see that they are of before."""
        if under_way.homes:
            self._enter(under_way.connection, None, 0)
            under_way.connection.execute(self._sql["count_write"], (sorted(under_way.homes),))

    def _remember_write(self, under_way: _Transaction) -> None:
        """Know how far a replica must be to show what was written here."""
        if self._replica is not None and under_way.homes:
            reached = written_up_to(under_way.connection)
            for home in under_way.homes:
                self._written[home] = reached

    def then(self, act: Callable[[], None]) -> None:
        self._under_way.then.append(act)

    def note(self, deed: str) -> None:
        if self.would is not None:
            self.would.append(deed)

    def empty_log(self) -> None:
        """Do nothing: what is overwritten goes with the database's own upkeep."""

    def empty_log_later(self) -> None:
        """Do nothing: what is overwritten goes with the database's own upkeep."""


def _given(values: tuple[Any, ...]) -> Any:
    return values[0] if values and isinstance(values[0], dict) else values


def _try(act: Callable[[], None]) -> None:
    try:
        act()
    except MilepostError as problem:
        log.warning("what follows from a write is done later: %s", problem)
