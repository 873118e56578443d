"""A PostgreSQL database that spaces come to."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from psycopg.errors import UniqueViolation
from psycopg.sql import SQL, Identifier, Literal

from milepost.errors import ConfigError
from milepost.memory.values import BIN
from milepost.storage.index.vectors import unpack_vectors
from milepost.storage.moving.neutral import shifted, shifted_key
from milepost.storage.moving.parts import MARKER, MEMORIES, NUMBERS, PARTS, VECTOR, Part
from milepost.storage.moving.postgres.reading import LOCK, PostgresReader
from milepost.storage.moving.sides import Key, Marker, Reader
from milepost.storage.postgres.connections import SCHEMA, our_errors
from milepost.storage.postgres.homes import BITS
from milepost.storage.postgres.sealed import Seals
from milepost.storage.postgres.upkeep import tend
from milepost.storage.postgres.vectors import as_half_vector
from milepost.storage.postgres.words import searched
from milepost.text.words import ANALYSIS_VERSION

# What follows from memories, and goes with a space.
_DERIVED = ("word_counts", "space_counts", "uncounted", "removals", "graphs")
# Up to so many numbers are skipped one by one: others may take some meanwhile.
_SKIPPED = 100_000
# Of fewer rows the database takes statistics itself, in its own time.
_ANALYZED = 1_000


class PostgresTarget(PostgresReader):
    """A database to which one space at a time is written."""

    is_writable = True

    def __init__(self, url: str) -> None:
        super().__init__(url)
        rows = self._ask(
            "SELECT c.relname, a.attname, a.atttypid FROM pg_attribute AS a "
            "JOIN pg_class AS c ON c.oid = a.attrelid "
            "WHERE c.relnamespace = %s::regnamespace AND a.attnum > 0",
            SCHEMA,
        )
        self._types = {(table, column): kind for table, column, kind in rows}
        # How many rows came to the space, by table, since its statistics were taken.
        self._came = Counter[str]()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Write as whoever writes to the home does: alone, seen by others, all or nothing."""
        self._begin("READ COMMITTED")
        try:
            with our_errors(self.name):
                self._db.execute("SELECT set_config('milepost.copying', 'yes', true)")
                self._db.execute(LOCK, (self._home,))
                yield
                seen = "UPDATE homes SET version = version + 1 WHERE name = %s"
                self._db.execute(seen, (self._home,))
                self._db.execute("COMMIT")
        finally:
            self._end()

    def begin(self, source: Reader) -> Marker:
        """Note that this space is copied; its numbers are its own."""
        firsts = source.firsts()
        source.count_from(firsts)
        if max(source.spans().values()) >> BITS:
            raise ConfigError(
                f"{source.name} gave more numbers to rows since {self._home} began there than a "
                f"space has in a database ({1 << BITS:,}); it stays in files."
            )
        marker = Marker(source.name, firsts, {}, {})
        self.welcome()
        with self.writing():
            self._forget_marker()
            note = "INSERT INTO kept (home, space, topic, key, value) VALUES (%s, %s, %s, '', %s)"
            values = (self._home, self._home, MARKER, json.dumps(marker._asdict()))
            self._db.execute(note, values)
            moved = "UPDATE homes SET moved = %s WHERE name = %s"
            self._db.execute(moved, (source.name, self._home))
        return marker

    def put(self, part: Part, rows: Sequence[Sequence[Any]]) -> bool:
        """Write neutral rows, in place of those with the same keys.

        False when another stood in the way of one: then all of them are gone, and what rests on
        them, and there is room for them next time.
        """
        own = [shifted(part, row, self._outwards) for row in rows]
        names = ["home", *(column.name for column in part.columns)]
        if part.table == MEMORIES:
            names += _SEARCHED
        self._db.execute("SAVEPOINT put")
        try:
            self._copy(part, names, self._values(part, own))
            self._db.execute(_upsert(part, names))
        except UniqueViolation:
            self._db.execute("ROLLBACK TO put")
            self._delete(part, [part.key_of(row) for row in own])
            return False
        self._db.execute("DROP TABLE incoming")
        self._came[part.table] += len(rows)
        return True

    def _values(self, part: Part, rows: Sequence[Sequence[Any]]) -> Iterator[list[Any]]:
        is_memory = part.table == MEMORIES
        change = int(self._ask("SELECT pg_current_xact_id()::text")[0][0]) if is_memory else 0
        owners = (
            self._owners({row[part.places(("space",))[0]] for row in rows}) if is_memory else {}
        )
        for row in rows:
            columns = _search_columns(part, row, owners, self._seals) if is_memory else {}
            values = [self._home, *(self._kept(part, at, value) for at, value in enumerate(row))]
            if is_memory:
                values[1 + part.places(("terms",))[0]] = columns["terms"]
                values += [change, *(columns[name] for name in _SEARCHED[1:])]
            yield values

    def _kept(self, part: Part, place: int, value: Any) -> Any:
        """Return a neutral value as this database keeps it."""
        name, kind = part.columns[place]
        if kind == VECTOR:
            numbers, scales = unpack_vectors([value])
            return as_half_vector(numbers[0] * scales[0])
        if self._seals is None or not isinstance(value, str):
            return value
        return self._seals.sealed((part.table, name), value, self._home)

    def _copy(self, part: Part, names: Sequence[str], rows: Iterator[list[Any]]) -> None:
        columns = SQL(", ").join(map(Identifier, names))
        self._db.execute(
            SQL(
                "CREATE TEMP TABLE incoming ON COMMIT DROP AS SELECT {} FROM {} WITH NO DATA"
            ).format(columns, Identifier(SCHEMA, part.table))
        )
        statement = SQL("COPY incoming ({}) FROM STDIN (FORMAT BINARY)").format(columns)
        values = list(rows)
        with self._db.cursor() as cursor, cursor.copy(statement) as copying:
            copying.set_types([self._types[part.table, name] for name in names])
            for each in values:
                copying.write_row(each)

    def _owners(self, spaces: set[str]) -> dict[str, str]:
        """Return by bin the space that what lies there belongs to, and is found by."""
        deeds = [int(space.removeprefix(BIN)) for space in spaces if space.startswith(BIN)]
        query = f"SELECT id, space FROM {SCHEMA}.deeds WHERE home = %s AND id = ANY (%s)"
        return {f"{BIN}{deed}": space for deed, space in self._ask(query, self._home, deeds)}

    def remove(self, part: Part, keys: Sequence[Key]) -> None:
        """Remove rows by their keys, and what goes with them."""
        self._delete(part, [shifted_key(part, key, self._outwards) for key in keys])

    def _delete(self, part: Part, keys: Sequence[Key]) -> None:
        is_one = " AND ".join(f"t.{name} = %s" for name in part.key)
        statement = f"DELETE FROM {SCHEMA}.{part.table} AS t WHERE t.home = %s AND {is_one}"
        with self._db.cursor() as cursor:
            cursor.executemany(statement.encode(), [[self._home, *key] for key in keys])

    def welcome(self) -> None:
        """Make ready for rows that come to those of this space, whoever else uses it."""
        homes = "INSERT INTO {}.homes (name, analysis) VALUES (%s, %s) ON CONFLICT DO NOTHING"
        with our_errors(self.name):
            self._db.execute(homes.format(SCHEMA).encode(), (self._home, str(ANALYSIS_VERSION)))
        self.enter(self._home)

    def take_numbers(self, table: str, count: int) -> Sequence[int]:
        """Return numbers for new rows of a table, in the transaction under way."""
        if table == MEMORIES:
            taken = "UPDATE homes SET last = last + %s WHERE name = %s RETURNING last"
            last = int(self._ask(taken, count, self._home)[0][0])
            return range(last - count + 1, last + 1)
        rows = self._ask("SELECT nextval('ids') FROM generate_series(1, %s)", count)
        return [int(number) & ((1 << BITS) - 1) for (number,) in rows]

    def added(self) -> None:
        """Do nothing: every transaction that writes tells it."""

    def prepare(self) -> None:
        """Make what searches rest on, beside the rows themselves."""
        with self.writing():
            self._db.execute("SELECT count_words(%s)", (self._home,))
            for table, count in self._came.items():
                if count >= _ANALYZED:
                    self._analyze(table)
        self._came.clear()
        tend(self._connections, self._home)

    def _analyze(self, table: str) -> None:
        """Take statistics of a table, or of its part that the space lies in."""
        ours = f"SELECT tableoid::regclass::text FROM {SCHEMA}.{table} WHERE home = %s LIMIT 1"
        for (part,) in self._ask(ours, self._home):
            self._db.execute(f"ANALYZE {part}".encode())

    def open(self) -> None:
        """Let others read and write this space here; their rows get numbers after all of these."""
        with self.writing():
            largest = {table: self._largest(table) for table in NUMBERS}
            note = "UPDATE homes SET moved = NULL, last = %s WHERE name = %s"
            self._db.execute(note, (largest.pop(MEMORIES), self._home))
            self._skip_ids(max(largest.values()))

    def _largest(self, table: str) -> int:
        query = f"SELECT coalesce(max({NUMBERS[table]}), 0) FROM {SCHEMA}.{table} WHERE home = %s"
        return self._inwards(table, int(self._ask(query, self._home)[0][0]))

    def _skip_ids(self, number: int) -> None:
        """Let the sequence of all ids go past a number, whoever else takes some."""
        reached = self._ask("SELECT last_value FROM ids")[0][0]
        if number - reached > _SKIPPED:
            self._ask("SELECT setval('ids', %s)", number)
        elif number > reached:
            self._ask("SELECT count(nextval('ids')) FROM generate_series(1, %s)", number - reached)

    def finish(self) -> None:
        """Forget that it was copied."""
        with self.writing():
            self._forget_marker()

    def _forget_marker(self) -> None:
        gone = "DELETE FROM kept WHERE home = %s AND topic = %s"
        self._db.execute(gone, (self._home, MARKER))

    def clear(self) -> None:
        """Remove all of this space."""
        with self.writing():
            for table in (*(part.table for part in reversed(PARTS)), *_DERIVED):
                statement = SQL("DELETE FROM {} WHERE home = {}")
                where = Identifier(SCHEMA, table), Literal(self._home)
                self._db.execute(statement.format(*where))


# What of a memory follows from the rest of it.
_SEARCHED = ["change", "speaker", "terms_once", "keys", "words"]


def _upsert(part: Part, names: Sequence[str]) -> bytes:
    columns = ", ".join(names)
    rest = [name for name in names if name not in ("home", *part.key)]
    news = ", ".join(f"{name} = excluded.{name}" for name in rest)
    return (
        f"INSERT INTO {SCHEMA}.{part.table} ({columns}) SELECT {columns} FROM incoming "
        f"ON CONFLICT (home, {', '.join(part.key)}) "
        f"DO {f'UPDATE SET {news}' if news else 'NOTHING'}"
    ).encode()


def _search_columns(
    part: Part, row: Sequence[Any], owners: Mapping[str, str], seals: Seals | None
) -> dict[str, Any]:
    places = part.places(("space", "author", "content", "terms"))
    space, author, content, terms = (row[place] for place in places)
    return searched(owners.get(space, space), author, content, terms, seals)
