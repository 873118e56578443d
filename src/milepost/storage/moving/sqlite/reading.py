"""A SQLite file of which spaces are read, a row as every database would give it."""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import apsw

from milepost.errors import StoreUnavailable
from milepost.storage.homes import home_of
from milepost.storage.moving.neutral import keys_by_table, shifted, shifted_key
from milepost.storage.moving.parts import (
    BY_DEED,
    BY_EPISODE,
    BY_MEMORY,
    BY_SPACE,
    FLAG,
    LABELS,
    MARKER,
    NUMBERS,
    PARTS,
    REAL,
    Part,
)
from milepost.storage.moving.sides import Key, Marker, Numbers
from milepost.storage.sqlite.connection import open_untouched, our_errors
from milepost.storage.sqlite.migrate import refuse_foreign, schema_version
from milepost.storage.sqlite.sql import migrations
from milepost.text.words import ANALYSIS_VERSION

LABEL_COLUMNS = {"tags": "tag", "projects": "project"}
# A home with more than this share of all memories is read by going through all.
_LARGE = 0.1
# Where the space stands that a row is of, and how rows of a few spaces are found by an index.
_WHOSE = {
    BY_SPACE: "t.space",
    BY_MEMORY: "(SELECT space FROM memories WHERE id = t.memory_id)",
    BY_DEED: "(SELECT space FROM deeds WHERE id = t.deed)",
    BY_EPISODE: "(SELECT space FROM episodes WHERE row = t.episode)",
}
_OF_FEW = {
    BY_SPACE: "t.space IN temp.home",
    BY_MEMORY: "t.memory_id IN (SELECT id FROM memories WHERE space IN temp.home)",
    BY_DEED: "t.deed IN (SELECT id FROM deeds WHERE space IN temp.home)",
    BY_EPISODE: "t.episode IN (SELECT row FROM episodes WHERE space IN temp.home)",
}


class SqliteReader:
    """One file as it is at one moment; it is opened so that nothing of it changes."""

    def __init__(self, path: Path) -> None:
        self._path = path.resolve()
        self.name = str(self._path)
        self._bases: Numbers = dict.fromkeys(NUMBERS, 0)
        self._home = ""
        self._homes: dict[str, str] = {}  # of bins, which stay whose they are
        self._is_large = True
        with our_errors(self._path):
            if not self._path.is_file():
                raise StoreUnavailable(f"There is no store at {self._path}.")
            self._db = self._opened()
            self._db.execute("PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = OFF")
            self._db.execute("CREATE TABLE temp.home (space TEXT PRIMARY KEY) WITHOUT ROWID")
            self._db.create_scalar_function("of_home", lambda *of: self._is_of_home(of[0]), 1)
            self._begin()

    def _opened(self) -> apsw.Connection:
        return open_untouched(self._path)

    def _begin(self) -> None:
        refuse_foreign(self._path, len(migrations()), open_untouched)
        known = schema_version(self._db) == len(migrations())
        query = "SELECT value FROM meta WHERE key = 'analysis'"
        if not known or self._db.execute(query).get != ANALYSIS_VERSION:
            raise StoreUnavailable(
                f"{self._path} was written by an older Milepost; run "
                f"`MILEPOST_URL={self._path} milepost migrate` first, which brings it up to date."
            )
        self._db.execute("BEGIN")  # all of it as it was at one moment

    def _is_of_home(self, space: Any) -> bool:
        return space is not None and (space == self._home or self._home_of(space) == self._home)

    def _home_of(self, space: str) -> str:
        home = self._homes.get(space) or home_of(space, self._home_of_deed)
        if home:
            self._homes[space] = home
        return home or ""

    def _home_of_deed(self, deed: int) -> str:
        space = self._db.execute("SELECT space FROM deeds WHERE id = ?", (deed,)).get
        return "" if space is None else self._home_of(space)

    def _spaces(self) -> Iterator[str]:
        tables = sorted({part.table for part in PARTS if part.by == BY_SPACE})
        every = " UNION ".join(f"SELECT space FROM {table}" for table in tables)
        for (space,) in self._db.execute(every).fetchall():
            yield str(space)

    def homes(self) -> list[str]:
        """Return the spaces that hold anything, in order."""
        return sorted({self._home_of(space) for space in self._spaces()} - {""})

    def moved_away(self) -> dict[str, str]:
        """Return the spaces that were moved to other stores, and where to."""
        rows: list[Any] = self._db.execute("SELECT space, target FROM moved").fetchall()
        return dict(rows)

    def enter(self, home: str) -> None:
        """Read one space from here on."""
        self._home = home
        spaces = {home, *(space for space in self._spaces() if self._is_of_home(space))}
        self._db.execute("DELETE FROM temp.home")
        self._db.executemany("INSERT INTO temp.home VALUES (?)", [(space,) for space in spaces])
        query = "SELECT total(space IN temp.home) > ? * count(*) FROM memories"
        self._is_large = bool(self._db.execute(query, (_LARGE,)).get)

    def firsts(self) -> Numbers:
        """Return by table what the numbers of this space are best counted from."""
        return {table: self._first(table) for table in NUMBERS}

    def _first(self, table: str) -> int:
        parts = [part for part in PARTS if part.table == table]
        every = " UNION ALL ".join(
            f"SELECT min({NUMBERS[table]}) AS n FROM {table} AS t WHERE {self._belongs(part)}"
            for part in parts
        )
        first = self._db.execute(f"SELECT min(n) FROM ({every})").get
        return self._given(table) if first is None else first - 1

    def count_from(self, bases: Numbers) -> None:
        """Count numbers of rows from these."""
        self._bases = bases

    def spans(self) -> Numbers:
        """Return by table how far numbers of rows go."""
        return {table: self._given(table) - self._bases[table] for table in NUMBERS}

    def _given(self, table: str) -> int:
        query = "SELECT seq FROM sqlite_sequence WHERE name = ?"
        return int(self._db.execute(query, (table,)).get or 0)

    def _belongs(self, part: Part) -> str:
        of_home = f"of_home({_WHOSE[part.by]})" if self._is_large else _OF_FEW[part.by]
        return of_home + _only(part)

    def count(self, part: Part) -> int:
        """Return how many rows a part has."""
        query = f"SELECT count(*) FROM {part.table} AS t WHERE {self._belongs(part)}"
        return int(self._db.execute(query).get)

    def rows(self, part: Part) -> Iterator[list[Any]]:
        """Yield all neutral rows in the order of their key."""
        order = ", ".join(f"t.{name}" for name in part.key)
        with our_errors(self._path):
            query = f"{_select(part)} WHERE {self._belongs(part)} ORDER BY {order}"
            for row in self._db.execute(query):
                yield shifted(part, _plain(part, row), self._inwards)

    def find(self, part: Part, keys: Iterable[Key]) -> list[list[Any]]:
        """Return the neutral rows that have one of some keys, in their order."""
        is_one = " AND ".join(f"t.{name} = ?" for name in part.key)
        query = f"{_select(part)} WHERE {is_one} AND of_home({_WHOSE[part.by]}){_only(part)}"
        found = list[list[Any]]()
        with our_errors(self._path):
            for key in sorted({tuple(key) for key in keys}):
                for row in self._db.execute(query, shifted_key(part, key, self._outwards)):
                    found.append(shifted(part, _plain(part, row), self._inwards))
        return found

    def alike(self, part: Part, names: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[int]:
        """Return of each neutral row the number of one that has the same in some columns, or 0."""
        places, numbers = part.places(tuple(names)), list[int]()
        number = f"SELECT t.{part.key[0]} FROM {part.table} AS t WHERE "
        with our_errors(self._path):
            for row in rows:
                own = shifted(part, row, self._outwards)
                values = [own[place] for place in places]
                # `IS` finds what is NULL, too, and by an index.
                where = " AND ".join(f"t.{name} IS ?" for name in names)
                found = self._db.execute(f"{number}{where}{_only(part)} LIMIT 1", values).get
                numbers.append(0 if found is None else self._inwards(part.table, found))
        return numbers

    def _inwards(self, table: str, number: int) -> int:
        # What is before the first row of the space is none of its rows, and never was.
        return max(number - self._bases[table], 0)

    def _outwards(self, table: str, number: int) -> int:
        return number + self._bases[table] if number else 0

    def marker(self) -> Marker | None:
        """Return the note of a copy under way into this space."""
        query = "SELECT value FROM kept WHERE space = ? AND topic = ?"
        text = self._db.execute(query, (self._home, MARKER)).get
        return None if text is None else Marker(**json.loads(text))

    def position(self) -> int:
        """Return from where to ask for what is changed from this moment on."""
        return self._given("touched")

    def touched(self, since: int) -> dict[str, list[tuple[Any, ...]]]:
        """Return by table the keys of rows that were changed since, of all spaces."""
        query = "SELECT part, key FROM touched WHERE touch > ?"
        noted: Any = self._db.execute(query, (since,))
        return keys_by_table(noted, self._inwards)

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()


def _only(part: Part) -> str:
    return f" AND {part.only}" if part.only else ""


def _select(part: Part) -> str:
    columns = ", ".join(_expression(*column) for column in part.columns)
    return f"SELECT {columns} FROM {part.table} AS t"


def _expression(name: str, kind: str) -> str:
    if kind != LABELS:
        return f"t.{name}"
    return f"(SELECT json_group_array({LABEL_COLUMNS[name]}) FROM {name} WHERE memory_id = t.id)"


def _plain(part: Part, row: Sequence[Any]) -> list[Any]:
    """Return a row as every database would give it."""
    values = list(row)
    for place, (_, kind) in enumerate(part.columns):
        value = values[place]
        if value is not None and kind in _PLAIN:
            values[place] = _PLAIN[kind](value)
    return values


_PLAIN: dict[str, Any] = {
    FLAG: bool,
    REAL: float,
    LABELS: lambda text: sorted(json.loads(text)),
}
