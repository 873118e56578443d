"""A PostgreSQL database that spaces are copied out of, or into."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from psycopg.sql import SQL, Identifier, Literal

from milepost.errors import StoreUnavailable
from milepost.memory.values import BIN
from milepost.storage.index.vectors import pack_vectors, unpack_vectors
from milepost.storage.moving.neutral import shifted
from milepost.storage.moving.parts import (
    BY_EPISODE,
    EPISODE,
    LABELS,
    MARKER,
    MEMORIES,
    NUMBERED,
    ORDER,
    PARTS,
    VECTOR,
    Part,
)
from milepost.storage.options import DatabaseOptions
from milepost.storage.postgres.connections import SCHEMA, Connection, Connections, our_errors
from milepost.storage.postgres.homes import BITS
from milepost.storage.postgres.migrate import migrate, schema_of
from milepost.storage.postgres.sql import migrations
from milepost.storage.postgres.upkeep import tend
from milepost.storage.postgres.vectors import as_half_vector, from_half
from milepost.storage.postgres.words import searched
from milepost.text.words import ANALYSIS_VERSION

_FETCHED = 1_000
# What follows from memories, and goes with a space.
_DERIVED = ("word_counts", "space_counts", "uncounted", "removals", "graphs")
# Up to so many numbers are skipped one by one: others may take some meanwhile.
_SKIPPED = 100_000


class PostgresSide:
    """One database, by its owner, who sees all spaces; as a source at one moment of it."""

    def __init__(self, url: str, *, writable: bool) -> None:
        self._connections = Connections(url, DatabaseOptions(connections=2))
        self.name = self._connections.name
        self._home, self._number = "", 0
        self._held = ExitStack()
        self._holder: Connection | None = None  # keeps writers waiting
        self._open = ExitStack()
        self._open.callback(self._connections.close)
        try:
            if writable:
                migrate(self._connections, migrations())
            self._db = self._open.enter_context(self._connections.one())
            if not writable:
                self._refuse_outdated()
                self._begin("REPEATABLE READ, READ ONLY")
        except BaseException:
            self._open.close()
            raise
        self._types = self._column_types()

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

    def _column_types(self) -> dict[tuple[str, str], int]:
        rows = self._ask(
            "SELECT c.relname, a.attname, a.atttypid FROM pg_attribute AS a "
            "JOIN pg_class AS c ON c.oid = a.attrelid "
            "WHERE c.relnamespace = %s::regnamespace AND a.attnum > 0",
            SCHEMA,
        )
        return {(table, column): kind for table, column, kind in rows}

    def _ask(self, statement: str, *values: Any) -> list[Any]:
        with our_errors(self.name):
            return self._db.execute(statement.encode(), values).fetchall()

    def homes(self) -> list[str]:
        """Return the spaces that hold anything, in order."""
        names = [row[0] for row in self._ask(f"SELECT name FROM {SCHEMA}.homes ORDER BY name")]
        return [name for name in names if self._holds(name)]

    def _holds(self, home: str) -> bool:
        return any(self._ask(*self._query("SELECT 1", part, home, " LIMIT 1")) for part in PARTS)

    def _query(self, select: str, part: Part, home: str, end: str = "") -> tuple[str, str]:
        only = f" AND {part.only}" if part.only else ""
        return f"{select} FROM {SCHEMA}.{part.table} AS t WHERE t.home = %s{only}{end}", home

    def moved_away(self) -> dict[str, str]:
        """Return the spaces that were moved to other stores, and where to."""
        query = f"SELECT name, moved FROM {SCHEMA}.homes WHERE moved IS NOT NULL"
        return dict(self._ask(query))

    def enter(self, home: str) -> None:
        """Read and write one space from here on."""
        self._home = home
        row = self._ask(f"SELECT number FROM {SCHEMA}.homes WHERE name = %s", home)
        self._number = row[0][0] if row else 0

    def count(self, part: Part) -> int:
        """Return how many rows a part has."""
        return int(self._ask(*self._query("SELECT count(*)", part, self._home))[0][0])

    def spans(self) -> dict[str, int]:
        """Return by table the largest number that a row was given."""
        numbers = f"SELECT last, (SELECT last_value FROM ids) FROM {SCHEMA}.homes WHERE name = %s"
        memories, others = (self._ask(numbers, self._home) or [(0, 0)])[0]
        return dict.fromkeys(NUMBERED, others) | {MEMORIES: memories}

    def rows(self, part: Part, after: Sequence[Any] | None = None) -> Iterator[list[Any]]:
        """Yield neutral rows in the order of their key, those after one key."""
        columns = ", ".join(_expression(part, *column) for column in part.columns)
        key = ", ".join(_raw(part, name) for name in part.key)
        past, values = "", list[Any]()
        if after is not None:
            past = f" AND ({key}) > ({', '.join(['%s'] * len(part.key))})"
            values = self._raw_key(part, after)
        statement, home = self._query(f"SELECT {columns}", part, self._home, past)
        statement = f"{statement} ORDER BY t.home, {key}"
        with our_errors(self.name), self._reading(), self._db.cursor("rows") as cursor:
            cursor.itersize = _FETCHED
            cursor.execute(statement.encode(), [home, *values], binary=True)
            for row in cursor:
                yield shifted(part, _plain(part, row), self._inwards)

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

    def _raw_key(self, part: Part, after: Sequence[Any]) -> list[Any]:
        row: list[Any] = [None] * len(part.columns)
        places = part.places(part.key)
        for place, value in zip(places, after, strict=True):
            row[place] = value
        return [shifted(part, row, self._outwards)[place] for place in places]

    def _inwards(self, table: str, number: int) -> int:
        del table
        return number - (self._number << BITS) if number else 0

    def _outwards(self, table: str, number: int) -> int:
        del table
        return number + (self._number << BITS) if number else 0

    def marker(self) -> dict[str, Any] | None:
        """Return the note of a copy under way into this space."""
        query = f"SELECT value FROM {SCHEMA}.kept WHERE home = %s AND space = %s AND topic = %s"
        rows = self._ask(query, self._home, self._home, MARKER)
        return json.loads(rows[0][0]) if rows else None

    def is_free(self) -> bool:
        """Whether nothing is known of this space."""
        return not self._holds(self._home)

    def use(self, bases: Mapping[str, int]) -> None:
        """Go on where a copy began: numbers are counted from that of the home."""
        del bases

    def begin(self, spans: Mapping[str, int]) -> dict[str, int]:
        """Set numbers of rows aside for what comes."""
        homes = (
            f"INSERT INTO {SCHEMA}.homes (name, analysis) VALUES (%s, %s) "
            "ON CONFLICT DO NOTHING RETURNING 1"
        )
        self._ask(homes, self._home, str(ANALYSIS_VERSION))
        self.enter(self._home)
        with self._transaction():
            last = (
                f"UPDATE {SCHEMA}.homes SET last = greatest(last, %s) WHERE name = %s RETURNING 1"
            )
            self._ask(last, spans.get(MEMORIES, 0), self._home)
            self._skip_ids(max((n for table, n in spans.items() if table != MEMORIES), default=0))
        return {}

    def _skip_ids(self, number: int) -> None:
        """Let the sequence of all ids go past a number, whoever else takes some."""
        reached = self._ask("SELECT last_value FROM ids")[0][0]
        if number - reached > _SKIPPED:
            self._ask("SELECT setval('ids', %s)", number)
        elif number > reached:
            self._ask("SELECT count(nextval('ids')) FROM generate_series(1, %s)", number - reached)

    def write(self, part: Part, rows: Sequence[Sequence[Any]], marker: Mapping[str, Any]) -> None:
        """Write neutral rows, and how far the copy is, at once."""
        with self._transaction():
            own = [shifted(part, row, self._outwards) for row in rows]
            if part.by == BY_EPISODE:
                self._name_episodes(own, part.places(("episode",))[0])
            self._copy(part, own)
            self._mark(marker)

    def _copy(self, part: Part, rows: Sequence[Sequence[Any]]) -> None:
        places = [at for at, column in enumerate(part.columns) if column.kind != ORDER]
        names = ["home", *(part.columns[at].name for at in places)]
        columns = [[self._home, *(_kept(part, at, row[at]) for at in places)] for row in rows]
        if part.table == MEMORIES:
            names += _SEARCHED
            change = int(self._ask("SELECT pg_current_xact_id()::text")[0][0])
            spaces = self._owners()
            for row, values in zip(rows, columns, strict=True):
                values += [change, *_search_values(part, row, spaces)]
        statement = SQL("COPY {} ({}) FROM STDIN (FORMAT BINARY)").format(
            Identifier(SCHEMA, part.table), SQL(", ").join(map(Identifier, names))
        )
        with self._db.cursor() as cursor, cursor.copy(statement) as copying:
            copying.set_types([self._types[part.table, name] for name in names])
            for values in columns:
                copying.write_row(values)

    def _owners(self) -> dict[str, str]:
        """Return by bin the space that what lies there belongs to, and is found by."""
        rows = self._ask(f"SELECT id, space FROM {SCHEMA}.deeds WHERE home = %s", self._home)
        return {f"{BIN}{deed}": space for deed, space in rows}

    def _name_episodes(self, rows: list[list[Any]], place: int) -> None:
        names = sorted({row[place] for row in rows})
        query = f"SELECT id, row FROM {SCHEMA}.episodes WHERE home = %s AND id = ANY (%s)"
        known = dict(self._ask(query, self._home, names))
        for row in rows:
            row[place] = known[row[place]]

    def _mark(self, marker: Mapping[str, Any] | None) -> None:
        gone = f"DELETE FROM {SCHEMA}.kept WHERE home = %s AND topic = %s RETURNING 1"
        self._ask(gone, self._home, MARKER)
        if marker is not None:
            note = (
                f"INSERT INTO {SCHEMA}.kept (home, space, topic, key, value) "
                "VALUES (%s, %s, %s, '', %s) RETURNING 1"
            )
            self._ask(note, self._home, self._home, MARKER, json.dumps(marker))

    def mark(self, marker: Mapping[str, Any] | None) -> None:
        """Note how far a copy is; None when it is done, and what follows from it is too."""
        if marker is None:
            self.prepare()
        with self._transaction():
            self._mark(marker)

    def prepare(self) -> None:
        """Make what searches rest on, beside the rows themselves."""
        with self._transaction():
            self._db.execute("SELECT count_words(%s)", (self._home,))
            for table in dict.fromkeys(part.table for part in PARTS):
                self._db.execute(SQL("ANALYZE {}").format(Identifier(SCHEMA, table)))
        tend(self._connections, self._home)

    def remove(self, part: Part, keys: Sequence[Sequence[Any]]) -> None:
        """Remove rows by their keys, and what goes with them."""
        keys = [[self._home, *self._raw_key(part, key)] for key in keys]
        where = " AND ".join(f"{_raw(part, name)} = %s" for name in part.key)
        statement = f"DELETE FROM {SCHEMA}.{part.table} AS t WHERE t.home = %s AND {where}"
        with self._transaction(), self._db.cursor() as cursor:
            cursor.executemany(statement.encode(), keys)

    def moved(self) -> str | None:
        """Return where this space was moved to, if it was."""
        rows = self._ask(f"SELECT moved FROM {SCHEMA}.homes WHERE name = %s", self._home)
        return rows[0][0] if rows else None

    def hold(self) -> None:
        """Let writers wait until `release` or `move_to`; what is read is what they left."""
        with our_errors(self.name):
            holder = self._held.enter_context(self._connections.one())
            holder.execute("BEGIN")
            holder.execute(
                "SELECT set_config('statement_timeout', '0', true), "
                "pg_advisory_xact_lock(hashtextextended(%s, 1))",
                (self._home,),
            )
            # Only what is seen from now on has all that they wrote.
            if self._db.info.transaction_status.name != "IDLE":
                self._db.execute("ROLLBACK")
        self._holder = holder
        self._begin("REPEATABLE READ, READ ONLY")

    def release(self) -> None:
        """Let writers go on."""
        self._holder = None
        self._held.close()  # what is left open is undone
        if not self._db.closed and self._db.info.transaction_status.name != "IDLE":
            self._db.execute("ROLLBACK")

    def move_to(self, target: str | None) -> None:
        """Refuse all writes to this space from now on, for it is elsewhere; None takes them again.

        Its jobs are done where it is.
        """
        if self._holder is None:
            self.hold()
        assert self._holder is not None
        with our_errors(self.name):
            note = f"UPDATE {SCHEMA}.homes SET moved = %s, version = version + 1 WHERE name = %s"
            self._holder.execute(note.encode(), (target, self._home))
            if target is not None:
                jobs = f"DELETE FROM {SCHEMA}.jobs WHERE home = %s"
                self._holder.execute(jobs.encode(), (self._home,))
            self._holder.execute("COMMIT")
        self.release()

    def clear(self) -> None:
        """Remove all of this space."""
        with self._transaction():
            for table in (*(part.table for part in reversed(PARTS)), *_DERIVED):
                statement = SQL("DELETE FROM {} WHERE home = {}")
                where = Identifier(SCHEMA, table), Literal(self._home)
                self._db.execute(statement.format(*where))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Run one transaction as whoever writes to the home does: alone, and seen by others."""
        self._begin("READ COMMITTED")
        try:
            with our_errors(self.name):
                lock = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 1))"
                self._db.execute(lock, (self._home,))
                yield
                seen = "UPDATE homes SET version = version + 1 WHERE name = %s"
                self._db.execute(seen, (self._home,))
                self._db.execute("COMMIT")
        finally:
            if not self._db.closed and self._db.info.transaction_status.name != "IDLE":
                self._db.execute("ROLLBACK")

    def close(self) -> None:
        """Let go of the connections."""
        self._held.close()
        if not self._db.closed and self._db.info.transaction_status.name != "IDLE":
            self._db.execute("ROLLBACK")
        self._open.close()


# What of a memory follows from the rest of it.
_SEARCHED = ["change", "speaker", "terms_once", "keys", "words"]


def _search_values(part: Part, row: Sequence[Any], owners: Mapping[str, str]) -> list[Any]:
    places = part.places(("space", "author", "content", "terms"))
    space, author, content, terms = (row[place] for place in places)
    columns = searched(owners.get(space, space), author, content, terms)
    return [columns[name] for name in _SEARCHED[1:]]


def _expression(part: Part, name: str, kind: str) -> str:
    if kind == EPISODE:
        return (
            f"(SELECT e.id FROM {SCHEMA}.episodes AS e WHERE e.home = t.home AND e.row = t.episode)"
        )
    return _raw(part, name)


def _raw(part: Part, name: str) -> str:
    return "t.episode" if part.by == BY_EPISODE and name == "row" else f"t.{name}"


def _plain(part: Part, row: Sequence[Any]) -> list[Any]:
    """Return a row as every database would give it."""
    values = list(row)
    for place, (_, kind) in enumerate(part.columns):
        if kind == VECTOR:
            values[place] = pack_vectors([from_half(values[place])])[0]
        elif kind == LABELS:
            values[place] = sorted(values[place])
    return values


def _kept(part: Part, place: int, value: Any) -> Any:
    """Return a neutral value as this database keeps it."""
    if part.columns[place].kind != VECTOR:
        return value
    numbers, scales = unpack_vectors([value])
    return as_half_vector(numbers[0] * scales[0])
