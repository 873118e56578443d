"""A transaction on PostgreSQL, whose statements are sent without waiting for each of them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
from psycopg import Pipeline

from milepost.deadline import seconds_left
from milepost.storage.postgres.connections import SCHEMA, Connection, Cursor

MEMBER = "milepost_member"
# So long a writer waits for others who write to the same home.
LOCK_S = 30.0
# So long a writer may do nothing with a home: one that hangs is sent away while others still wait.
IDLE_S = 20.0
# For whom is worked until the end of the transaction: a pooler gives the connection to others then.
_ENTER = (
    "SELECT set_config('search_path', %s, true), set_config('statement_timeout', %s, true), "
    "set_config('role', %s, true), set_config('milepost.home', %s, true), "
    "set_config('milepost.number', %s, true)"
)
# Writers of a home come one after the other, as they do in a file.
_ENTER_ALONE = (
    f"{_ENTER}, set_config('lock_timeout', %s, true), "
    "set_config('idle_in_transaction_session_timeout', %s, true), "
    f"pg_advisory_xact_lock(hashtextextended(%s, 1)), {SCHEMA}.enter_unmoved(%s), "
    "pg_current_xact_id()::text::bigint"
)
# The same for who waits for nobody: where somebody writes, no home is worked for.
_ENTER_IF_FREE = (
    "SELECT set_config('search_path', %s, true), set_config('statement_timeout', %s, true), "
    "set_config('role', %s, true), set_config('milepost.home', CASE "
    "WHEN pg_try_advisory_xact_lock(hashtextextended(%s, 1)) THEN %s ELSE '' END, true), "
    f"set_config('milepost.number', %s, true), {SCHEMA}.enter_unmoved(%s)"
)
_COUNT = "UPDATE homes SET version = version + 1 WHERE name = here()"
_NOWHERE = "\0"


@contextmanager
def one_round_trip(connection: Connection) -> Iterator[None]:
    """Send statements that are one transaction together, of which all are run or none."""
    try:
        with connection.pipeline():
            yield
    except psycopg.Error:
        # What was to be prepared after the one that failed is not, and psycopg believes that it is.
        connection.close()
        raise


def enter(connection: Connection, home: str | None, number: int, most_s: float) -> None:
    """Work for a home from here on; for None as the owner, who sees all."""
    connection.execute(_ENTER, _settings(home, number, most_s))


def enter_alone(connection: Connection, home: str, number: int, most_s: float) -> Cursor:
    """Write to a home from here on; others who write there are waited for."""
    waits = str(int(LOCK_S * 1000)), str(int(IDLE_S * 1000))
    values = (*_settings(home, number, most_s), *waits, home, home)
    return connection.execute(_ENTER_ALONE, values)


def enter_if_free(connection: Connection, home: str, number: int, most_s: float) -> None:
    """Write to a home from here on, unless others do; then for none."""
    path, patience, role, named, numbered = _settings(home, number, most_s)
    values = (path, patience, role, named, named, numbered, named)
    connection.execute(_ENTER_IF_FREE, values)


def _settings(home: str | None, number: int, most_s: float) -> tuple[str, ...]:
    left = seconds_left()
    patience_s = most_s if left is None else max(min(most_s, left), 0.001)
    role = "none" if home is None else MEMBER
    patience = str(max(int(patience_s * 1000), 1))
    return f"{SCHEMA}, public", patience, role, home or "", str(number)


class Transaction:
    """A transaction of one thread."""

    def __init__(self, connection: Connection, pipeline: Pipeline, most_s: float) -> None:
        self.connection, self._pipeline, self._most_s = connection, pipeline, most_s
        self._home: str | None = _NOWHERE
        self._has_changed = False
        self._counted: set[str | None] = set()
        self.then: list[Callable[[], None]] = []
        self.would: list[str] | None = None
        self._change: Cursor | int = 0
        self._numbers: dict[tuple[str, str | None], list[int]] = {}
        self._last: Cursor | None = None
        self.is_committed = False

    @property
    def change(self) -> int:
        """Its number, for memories that it changes; 0 before a home was entered."""
        self._has_changed = True
        if not isinstance(self._change, int):
            row = self._change.fetchone()
            self._change = int(row[-1]) if row else 0
        return self._change

    def is_in(self, home: str | None) -> bool:
        """Whether is worked for a home, or for none."""
        return self._home == home

    def enter(self, home: str | None, number: int) -> None:
        """Work for another home, or for none; others who write there are waited for."""
        self._leave()
        if home is None:
            enter(self.connection, None, number, self._most_s)
        else:
            self._change = enter_alone(self.connection, home, number, self._most_s)
        self._home = home

    def _leave(self) -> None:
        """Let whoever keeps answers of a home see that they are of before."""
        counted = self._home is None or self._home in self._counted
        if self._has_changed and not counted and self.would is None:
            self.connection.execute(_COUNT)
        self._has_changed = False

    def run(self, statement: str, values: Any) -> Cursor:
        """Send a statement; whoever fetches what it finds waits for it."""
        self._last = self.connection.execute(statement.encode(), values)
        return self._last

    def reserve(self, table: str, statement: str, count: int) -> None:
        """Take numbers for rows of a table; they come one after the other."""
        if count:
            rows = self.run(statement, (count,)).fetchall()
            self._numbers[table, self._home] = [row[0] for row in reversed(rows)]
            self._counted.add(self._home)

    def next_number(self, table: str, statement: str) -> int:
        """Return the number of the next row of a table, taken before or now."""
        if not self._numbers.get((table, self._home)):
            self.reserve(table, statement, 1)
        return int(self._numbers[table, self._home].pop())

    def run_many(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        """Send a statement once for each row of values."""
        self._last = self.connection.cursor()
        self._last.executemany(statement.encode(), rows)

    def changed(self) -> int:
        """Return how many rows the last statement changed."""
        self.settle()
        return 0 if self._last is None else max(self._last.rowcount, 0)

    def settle(self) -> None:
        """Wait for all that was sent, and fail if any of it failed."""
        self._pipeline.sync()

    @contextmanager
    def part(self) -> Iterator[None]:
        """Run a part, of which nothing is left when it fails."""
        done, notes = len(self.then), len(self.would or ())
        home, change = self._home, self._change
        self.connection.execute("SAVEPOINT part")
        try:
            yield
        except BaseException:
            del self.then[done:]
            # For whom is worked, and what was taken and counted, is as it was before the part.
            self._home, self._change = home, change
            self._numbers.clear()
            self._counted.clear()
            if self.would is not None:
                del self.would[notes:]
            with suppress(psycopg.Error):
                self.settle()
            with suppress(psycopg.OperationalError):  # then all of it is gone
                self.connection.execute("ROLLBACK TO part")
                self.connection.execute("RELEASE part")
                self.settle()
            raise
        self.connection.execute("RELEASE part")

    def commit(self) -> None:
        """Let all of it be so; it is on disk then."""
        self._leave()
        self.connection.execute("COMMIT")
        self.settle()
        self.is_committed = True


@contextmanager
def transaction(connection: Connection, most_s: float) -> Iterator[Transaction]:
    """Begin a transaction, which is undone unless it was committed."""
    under_way: Transaction | None = None
    try:
        with connection.pipeline() as pipeline:
            connection.execute("BEGIN")
            under_way = Transaction(connection, pipeline, most_s)
            try:
                yield under_way
            finally:
                _undo(under_way)
    except psycopg.Error:
        # What is committed is so, though the connection broke a moment later.
        if under_way is None or not under_way.is_committed:
            raise


def _undo(under_way: Transaction) -> None:
    """Take back what is not committed, as far as there still is a connection."""
    connection = under_way.connection
    if under_way.is_committed:
        return
    if not connection.closed:
        with suppress(psycopg.Error):
            under_way.settle()
    if not connection.closed and connection.info.transaction_status.name != "IDLE":
        with suppress(psycopg.Error):
            connection.execute("ROLLBACK")
            under_way.settle()
