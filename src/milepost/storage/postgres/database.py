"""A database that many servers share: named statements, each in a transaction of one home."""

import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from copy import copy
from functools import partial
from typing import Any

from milepost import own_writes
from milepost.deadline import check_time, without_deadline
from milepost.errors import MilepostError, StoreError
from milepost.memory.values import Filter
from milepost.phases import ran
from milepost.storage.options import WRITES_MAX
from milepost.storage.postgres.connections import (
    Connection,
    Connections,
    Cursor,
    log,
    our_errors,
)
from milepost.storage.postgres.homes import Homes
from milepost.storage.postgres.replica import Replica, place_in, replayed_by
from milepost.storage.postgres.sealed import WRITES, Seals
from milepost.storage.postgres.sql import statements, with_placeholders
from milepost.storage.postgres.together import Together, Wish
from milepost.storage.postgres.transaction import (
    Transaction,
    enter,
    enter_alone,
    one_round_trip,
    transaction,
)
from milepost.storage.postgres.where import as_sql


class _Local(threading.local):
    transaction: Transaction | None = None
    home: str | None = None


class PostgresDatabase:
    """Runs named statements for one home, or for whichever the caller of the moment works for."""

    def __init__(
        self,
        connections: Connections,
        homes: Homes,
        replica: Replica | None = None,
        seals: Seals | None = None,
    ) -> None:
        self.connections = connections
        self.seals = seals
        self._replica = replica
        self._together = Together(connections)
        self._homes = homes
        self._local = _Local()
        self._home: str | None = None
        self._sql = statements()
        self.write_times: deque[float] = deque(maxlen=WRITES_MAX)

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
        return self._entered().change

    def next_change(self) -> int:
        """Return the number of the transaction under way: readers wait for those before it."""
        with our_errors(self.connections.name):
            return self._entered().change

    @property
    def is_writing(self) -> bool:
        """Whether this thread has a transaction under way."""
        return self._local.transaction is not None

    @property
    def _under_way(self) -> Transaction:
        under_way = self._local.transaction
        assert under_way is not None, "a write outside of a transaction"
        return under_way

    def _entered(self) -> Transaction:
        """Return the transaction under way, working for the home of the moment."""
        under_way, home = self._under_way, self.home
        if not under_way.is_in(home):
            number = 0 if home is None else self._homes.ensure(home)
            under_way.enter(home, number)
        return under_way

    def run(self, name: str, *values: Any) -> None:
        with our_errors(self.connections.name):
            ran(name, self._entered().run, self._sql[name], self._given(name, values))

    def reserve(self, table: str, count: int) -> None:
        with our_errors(self.connections.name):
            self._entered().reserve(table, self._sql[f"reserve_{table}"], count)

    def insert(self, table: str, name: str, values: dict[str, Any]) -> int:
        with our_errors(self.connections.name):
            under_way = self._entered()
            number = under_way.next_number(table, self._sql[f"reserve_{table}"])
            given = self._given(name, (values | {"id": number},))
            ran(name, under_way.run, self._sql[name], given)
            return number

    def run_many(self, name: str, rows: Sequence[Sequence[Any]]) -> int:
        with our_errors(self.connections.name):
            under_way = self._entered()
            given = [self._given(name, row) for row in rows]
            ran(name, under_way.run_many, self._sql[name], given)
            return under_way.changed()

    def changed(self) -> int:
        with our_errors(self.connections.name):
            return self._under_way.changed()

    def rows(self, name: str, *values: Any) -> list[Any]:
        return ran(name, self._found, self._sql[name], self._given(name, values))

    def row(self, name: str, *values: Any) -> Any:
        rows = self.rows(name, *values)
        return rows[0] if rows else None

    def value(self, name: str, *values: Any) -> Any:
        row = self.row(name, *values)
        return row[0] if row else None

    def committed(self, name: str, *values: Any, binary: bool = False) -> list[Any]:
        """Return what a statement finds, without what this thread is writing."""
        return ran(name, self._read, self._sql[name], self._given(name, values), binary)

    def select_rows(self, statement: str, values: dict[str, Any]) -> list[Any]:
        return ran("selection", self._found, with_placeholders(statement), values)

    @property
    def reads_texts(self) -> bool:
        return self.seals is None

    def kept(self, table: str, column: str, value: str | None) -> str | None:
        if self.seals is None:
            return value
        return self.seals.sealed((table, column), value, self.home or "")

    def _given(self, name: str, values: Sequence[Any]) -> Any:
        """Return the values of a statement as they are sent."""
        given: Any = values[0] if values and isinstance(values[0], dict) else values
        if self.seals is None or name not in WRITES:
            return given
        # Who works for all homes names the row that is written.
        home = self.home if self.home is not None else self._homes.of_id(given["id"])
        return self.seals.given(name, given, home or "")

    def _opened(self, rows: list[Any]) -> list[Any]:
        """Return rows with what is sealed in them opened."""
        if self.seals is None:
            return rows
        return [self.seals.row(row, partial(self._home_of, row)) for row in rows]

    def _home_of(self, row: Sequence[Any]) -> str | None:
        """Return whose a row is: who asks for those of all homes asks for their ids first."""
        return self.home if self.home is not None else self._homes.of_id(row[0])

    def condition(self, where: Filter) -> tuple[str, dict[str, Any]]:
        return as_sql(where)

    def _found(self, statement: str, values: Any) -> list[Any]:
        if not self.is_writing:
            return self._read(statement, values)
        with our_errors(self.connections.name):
            under_way = self._entered()
            cursor = under_way.run(statement, values)
            # Not only until it comes: who then does nothing for long is sent away.
            under_way.settle()
            return self._opened(cursor.fetchall())

    def _read(self, statement: str, values: Any, binary: bool = False) -> list[Any]:
        check_time()
        home, number = self.home, self._homes.number(self.home)

        def ask(connection: Connection, source: Connections) -> Cursor:
            enter(connection, home, number, source.statement_s)
            return connection.execute(statement.encode(), values, binary=binary)

        def read() -> list[Any]:
            rows = self._read_replica(ask)
            if rows is not None:
                return rows
            source = self.connections
            with source.one() as connection, our_errors(source.name):
                with one_round_trip(connection):
                    cursor = ask(connection, source)
                return cursor.fetchall()

        return self._opened(self.connections.retried(read))

    def _read_replica(self, ask: Callable[[Connection, Connections], Cursor]) -> list[Any] | None:
        """Return what a replica shows that has what must be seen and is near enough; or None.

        How far it is, it tells with what it shows: behind one address there may be several.
        """
        home, replica = self.home, self._replica
        if replica is None or home is None:
            return None
        needed = replica.reached(own_writes.needed())
        if needed is None:
            return None
        source = replica.connections
        try:
            with source.one() as connection, our_errors(source.name):
                required = replica.required(needed)  # now: a connection may have been waited for
                with one_round_trip(connection):
                    replayed = replayed_by(connection)
                    cursor = ask(connection, source)
                return cursor.fetchall() if place_in(replayed) >= required else None
        except StoreError:
            replica.leave()
            return None

    @contextmanager
    def writing(self, *, durable: bool = True) -> Iterator[None]:
        """Run one transaction, which is on disk when it returns, or leaves nothing behind."""
        if self.is_writing:
            with self._under_way.part():
                yield
            return
        began = time.perf_counter()
        with self._begun() as under_way:
            if not durable:
                under_way.connection.execute("SET LOCAL synchronous_commit = off")
            yield
            under_way.commit()
        self.write_times.append(time.perf_counter() - began)
        # What is committed is so, whatever becomes of what follows from it.
        with without_deadline():
            for act in under_way.then:
                _try(act)

    def at_once(self, name: str, *values: Any) -> list[Any]:
        """Return what a statement returns that needs no other in its transaction, on disk then.

        It returns no row where no home is worked for.

        What may be done twice: should the connection break, it is not known whether it was.
        """
        check_time()
        home = self.home
        assert home is not None, "a write for no home"
        number, began = self._homes.ensure(home), time.perf_counter()
        statement, given = self._sql[name].encode(), self._given(name, values)
        rows = ran(name, self._together.run, Wish(home, number, statement, given))
        if rows is not None:
            self.write_times.append(time.perf_counter() - began)
            return rows

        def write() -> list[Any]:
            with self.connections.one() as connection, our_errors(self.connections.name):
                with one_round_trip(connection):
                    enter_alone(connection, home, number, self.connections.statement_s)
                    cursor = connection.execute(statement, given)
                return cursor.fetchall()

        rows = self.connections.retried(lambda: ran(name, write))
        self.write_times.append(time.perf_counter() - began)
        return rows

    @contextmanager
    def rehearsing(self) -> Iterator[list[str]]:
        """Undo at the end what this thread writes, and say in words what it would have done."""
        with self._begun() as under_way:
            under_way.would = []
            yield under_way.would

    @contextmanager
    def _begun(self) -> Iterator[Transaction]:
        """Begin a transaction on a connection that works, for the home of the moment."""
        check_time()
        if self.home is not None:
            self._homes.ensure(self.home)  # not while a connection is held: others may wait for it
        with our_errors(self.connections.name), ExitStack() as held:
            under_way = self.connections.retried(lambda: self._begin(held))
            self._local.transaction = under_way
            try:
                yield under_way
            finally:
                self._local.transaction = None

    def _begin(self, held: ExitStack) -> Transaction:
        with ExitStack() as mine, our_errors(self.connections.name):
            connection = mine.enter_context(self.connections.one())
            under_way = mine.enter_context(transaction(connection, self.connections.statement_s))
            if self.home is not None:
                under_way.enter(self.home, self._homes.number(self.home))
            under_way.settle()
            held.push(mine.pop_all())
        return under_way

    def written_up_to(self) -> int:
        """Return how far a replica must be to show what is written by now; 0 where none is read."""
        if self._replica is None:
            return 0
        try:
            return self._replica.written()
        except StoreError:  # what was written is so all the same
            return own_writes.EVERYTHING

    def version(self, space: str, now_us: int) -> Hashable | None:
        """Return what is another after every write; None where a replica may be read."""
        if self.is_writing or self._replica is not None:
            return None
        wanted = {"space": space, "now": now_us}
        with self.at_home(self._homes.of_space(space)):
            return tuple(self.committed("version_of", wanted)[0])

    def then(self, act: Callable[[], None]) -> None:
        self._under_way.then.append(act)

    def note(self, deed: str) -> None:
        if self.would is not None:
            self.would.append(deed)

    def empty_log(self) -> None:
        """Do nothing: what is overwritten goes with the database's own upkeep."""

    def empty_log_later(self) -> None:
        """Do nothing: what is overwritten goes with the database's own upkeep."""


def _try(act: Callable[[], None]) -> None:
    try:
        act()
    except MilepostError as problem:
        log.warning("what follows from a write is done later: %s", problem)
