"""A PostgreSQL database of which spaces are read, a row as every database would give it."""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

from milepost.errors import StoreUnavailable
from milepost.storage.index.vectors import pack_vectors
from milepost.storage.moving.neutral import keys_by_table, shifted, shifted_key
from milepost.storage.moving.parts import LABELS, MARKER, MEMORIES, NUMBERS, PARTS, VECTOR, Part
from milepost.storage.moving.sides import Key, Marker, Numbers
from milepost.storage.options import DatabaseOptions
from milepost.storage.postgres.connections import SCHEMA, Connections, our_errors
from milepost.storage.postgres.homes import BITS
from milepost.storage.postgres.keys import key_in
from milepost.storage.postgres.migrate import migrate, schema_of
from milepost.storage.postgres.sealed import COLUMNS, TERMS, Seals
from milepost.storage.postgres.sql import migrations
from milepost.storage.postgres.vectors import from_half

_FETCHED = 1_000
LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 1))"


class PostgresReader:
    """One database as it is at one moment, by its owner, who sees all spaces."""

    is_writable = False

    def __init__(self, url: str) -> None:
        self._connections = Connections(url, DatabaseOptions(connections=2))
        self.name = self._connections.name
        self._home, self._number = "", 0
        self._open = ExitStack()
        self._open.callback(self._connections.close)
        try:
            if self.is_writable:
                migrate(self._connections, migrations())
            self._db = self._open.enter_context(self._connections.one())
            with our_errors(self.name):
                key = key_in(self._db, url, self.name)
            self._seals = None if key is None else Seals(key)
            if not self.is_writable:
                self._refuse_outdated()
                self._begin("REPEATABLE READ, READ ONLY")
        except BaseException:
            self._open.close()
            raise

    def _refuse_outdated(self) -> None:
        with our_errors(self.name):
            version = schema_of(self._db).version
        if version < len(migrations()):
            raise StoreUnavailable(
                f"{self.name} was made by an older Milepost, or by none; run `milepost migrate` "
                "there first, which brings it up to date."
            )

    def _begin(self, mode: str) -> None:
        with our_errors(self.name):
            self._db.execute(f"BEGIN ISOLATION LEVEL {mode}".encode())
            self._db.execute(
                "SELECT set_config('search_path', %s, true), set_config('role', 'none', true), "
                "set_config('statement_timeout', '0', true), "
                "set_config('milepost.home', %s, true), set_config('milepost.number', %s, true)",
                (f"{SCHEMA}, public", self._home, str(self._number)),
            )

    def _end(self) -> None:
        """Undo what is left of a transaction."""
        if not self._db.closed and self._db.info.transaction_status.name != "IDLE":
            self._db.execute("ROLLBACK")

    def _ask(self, statement: str, *values: Any) -> list[Any]:
        with our_errors(self.name):
            return self._db.execute(statement.encode(), values).fetchall()

    def homes(self) -> list[str]:
        """Return the spaces that hold anything, in order."""
        names = [row[0] for row in self._ask(f"SELECT name FROM {SCHEMA}.homes ORDER BY name")]
        return [name for name in names if self._holds(name)]

    def _holds(self, home: str) -> bool:
        return any(self._ask(f"SELECT 1{_of_home(part)} LIMIT 1", home) for part in PARTS)

    def moved_away(self) -> dict[str, str]:
        """Return the spaces that were moved to other stores, and where to."""
        return dict(self._ask(f"SELECT name, moved FROM {SCHEMA}.homes WHERE moved IS NOT NULL"))

    def enter(self, home: str) -> None:
        """Read one space from here on."""
        self._home = home
        row = self._ask(f"SELECT number FROM {SCHEMA}.homes WHERE name = %s", home)
        self._number = row[0][0] if row else 0

    def firsts(self) -> Numbers:
        """Return nothing: numbers are counted from that of the home."""
        return {}

    def count_from(self, bases: Numbers) -> None:
        """Do nothing: numbers are counted from that of the home."""

    def spans(self) -> Numbers:
        """Return by table how far numbers of rows go."""
        numbers = f"SELECT last, (SELECT last_value FROM {SCHEMA}.ids) FROM {SCHEMA}.homes"
        memories, others = (self._ask(f"{numbers} WHERE name = %s", self._home) or [(0, 0)])[0]
        return dict.fromkeys(NUMBERS, others) | {MEMORIES: memories}

    def count(self, part: Part) -> int:
        """Return how many rows a part has."""
        return int(self._ask(f"SELECT count(*){_of_home(part)}", self._home)[0][0])

    def rows(self, part: Part) -> Iterator[list[Any]]:
        """Yield all neutral rows in the order of their key."""
        order = ", ".join(f"t.{name}" for name in part.key)
        statement = f"{_select(part)}{_of_home(part)} ORDER BY t.home, {order}"
        with our_errors(self.name), self._reading(), self._db.cursor("rows") as cursor:
            cursor.itersize = _FETCHED
            cursor.execute(statement.encode(), [self._home], binary=True)
            for row in cursor:
                yield shifted(part, self._plain(part, row), self._inwards)

    def _sealed(self, part: Part) -> tuple[str, ...]:
        """Return the columns of a part that the database cannot read."""
        return () if self._seals is None else COLUMNS.get(part.table, ())

    def _opened(self, value: Any) -> Any:
        return value if self._seals is None else self._seals.opened(value, self._home)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Have a transaction for a cursor, unless one is open for all reads."""
        if self._db.info.transaction_status.name == "INTRANS":
            yield
            return
        self._begin("READ COMMITTED, READ ONLY")
        try:
            yield
        finally:
            self._db.execute("ROLLBACK")

    def find(self, part: Part, keys: Iterable[Key]) -> list[list[Any]]:
        """Return the neutral rows that have one of some keys, in their order."""
        is_one = " AND ".join(f"t.{name} = %s" for name in part.key)
        statement = f"{_select(part)}{_of_home(part)} AND {is_one}".encode()
        found = list[list[Any]]()
        with our_errors(self.name):
            for key in sorted({tuple(key) for key in keys}):
                values = [self._home, *shifted_key(part, key, self._outwards)]
                for row in self._db.execute(statement, values, binary=True):
                    found.append(shifted(part, self._plain(part, row), self._inwards))
        return found

    def alike(self, part: Part, names: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[int]:
        """Return of each neutral row the number of one that has the same in some columns, or 0."""
        places, numbers = part.places(tuple(names)), list[int]()
        with our_errors(self.name):
            for row in rows:
                own = shifted(part, row, self._outwards)
                values = [own[place] for place in places]
                told = dict(zip(names, values, strict=True))
                sealed = [name for name in self._sealed(part) if name in told]
                plain = {name: value for name, value in told.items() if name not in sealed}
                where = " AND ".join(map(_is, plain, plain.values()))
                columns = ", ".join(f"t.{name}" for name in (part.key[0], *sealed))
                limit = "" if sealed else " LIMIT 1"
                statement = f"SELECT {columns}{_of_home(part)} AND {where}{limit}"
                given = [self._home, *(value for value in plain.values() if value is not None)]
                found = (
                    number
                    for number, *texts in self._db.execute(statement.encode(), given)
                    if [self._opened(text) for text in texts] == [told[name] for name in sealed]
                )
                number = next(found, None)
                numbers.append(0 if number is None else self._inwards(part.table, number))
        return numbers

    def _plain(self, part: Part, row: Sequence[Any]) -> list[Any]:
        """Return a row as every database would give it."""
        seals = self._seals
        values = list(row if seals is None else seals.row(row, lambda: self._home))
        for place, (name, kind) in enumerate(part.columns):
            if kind == VECTOR:
                values[place] = pack_vectors([from_half(values[place])])[0]
            elif kind == LABELS:
                values[place] = sorted(values[place])
            elif seals is not None and (part.table, name) == TERMS:
                values[place] = seals.clear_words(np.frombuffer(values[place], np.uint32)).tobytes()
        return values

    def _inwards(self, table: str, number: int) -> int:
        del table
        return number - (self._number << BITS) if number else 0

    def _outwards(self, table: str, number: int) -> int:
        del table
        return number + (self._number << BITS) if number else 0

    def marker(self) -> Marker | None:
        """Return the note of a copy under way into this space."""
        query = f"SELECT value FROM {SCHEMA}.kept WHERE home = %s AND space = %s AND topic = %s"
        rows = self._ask(query, self._home, self._home, MARKER)
        return Marker(**json.loads(rows[0][0])) if rows else None

    def position(self) -> int:
        """Return from where to ask for what is changed from this moment on."""
        last = f"SELECT coalesce(max(touch), 0) FROM {SCHEMA}.touched WHERE home = %s"
        return int(self._ask(last, self._home)[0][0])

    def touched(self, since: int) -> dict[str, list[tuple[Any, ...]]]:
        """Return by table the keys of rows that were changed since."""
        query = f"SELECT part, key FROM {SCHEMA}.touched WHERE home = %s AND touch > %s"
        return keys_by_table(self._ask(query, self._home, since), self._inwards)

    def close(self) -> None:
        """Let go of the connections."""
        self._end()
        self._open.close()


def _is(name: str, value: Any) -> str:
    """Return a condition that an index is used for."""
    return f"t.{name} IS NULL" if value is None else f"t.{name} = %s"


def _of_home(part: Part) -> str:
    only = f" AND {part.only}" if part.only else ""
    return f" FROM {SCHEMA}.{part.table} AS t WHERE t.home = %s{only}"


def _select(part: Part) -> str:
    return f"SELECT {', '.join(f't.{column.name}' for column in part.columns)}"
