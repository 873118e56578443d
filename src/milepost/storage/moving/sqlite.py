"""A SQLite file that spaces are copied out of, or into."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from milepost.errors import StoreUnavailable
from milepost.storage.homes import home_of
from milepost.storage.moving.neutral import shifted
from milepost.storage.moving.parts import (
    BY_DEED,
    BY_EPISODE,
    BY_MEMORY,
    BY_SPACE,
    EPISODE,
    FLAG,
    LABELS,
    MARKER,
    MEMORIES,
    NUMBERED,
    ORDER,
    PARTS,
    REAL,
    VECTORS,
    Part,
)
from milepost.storage.sqlite.connection import open_connection, open_untouched, our_errors
from milepost.storage.sqlite.migrate import refuse_foreign, schema_version
from milepost.storage.sqlite.sql import migrations
from milepost.text.words import ANALYSIS_VERSION

_LABELS = {"tags": "tag", "projects": "project"}
# A home with more than this share of all memories is read by going through all.
_LARGE = 0.1
_OF_HOME = "IN (SELECT space FROM temp.home)"
# How a row is known to be of the home that is read: of a large one looked up for each row, which
# keeps the order and holds nothing; of a small one found by an index.
_BELONGS = {
    BY_SPACE: (f"+t.space {_OF_HOME}", f"t.space {_OF_HOME}"),
    BY_MEMORY: (
        f"EXISTS (SELECT 1 FROM memories WHERE id = t.memory_id AND +space {_OF_HOME})",
        f"t.memory_id IN (SELECT id FROM memories WHERE space {_OF_HOME})",
    ),
    BY_DEED: (
        f"EXISTS (SELECT 1 FROM deeds WHERE id = t.deed AND +space {_OF_HOME})",
        f"t.deed IN (SELECT id FROM deeds WHERE space {_OF_HOME})",
    ),
    BY_EPISODE: (
        f"EXISTS (SELECT 1 FROM episodes WHERE row = t.episode AND +space {_OF_HOME})",
        f"t.episode IN (SELECT row FROM episodes WHERE space {_OF_HOME})",
    ),
}


class SqliteSide:
    """One file; as a source it is opened so that nothing of it changes."""

    def __init__(self, path: Path, *, writable: bool) -> None:
        self.name, self._path, self._writable = str(path), path, writable
        self._bases: Mapping[str, int] = dict.fromkeys(NUMBERED, 0)
        self._home: str | None = None
        self._is_large = True
        with our_errors(path):
            if not path.is_file():
                raise StoreUnavailable(f"There is no store at {path}.")
            self._db = open_connection(path) if writable else open_untouched(path)
            self._db.execute("PRAGMA synchronous = FULL")  # what moves must be here before it goes
            self._db.execute("PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = OFF")
            self._db.execute("CREATE TABLE temp.home (space TEXT PRIMARY KEY) WITHOUT ROWID")
            if not writable:
                refuse_foreign(path, len(migrations()), open_untouched)
                self._refuse_outdated()
                self._db.execute("BEGIN")  # all of it as it was at one moment
        self._homes = self._spaces_by_home()

    def _refuse_outdated(self) -> None:
        known = schema_version(self._db) == len(migrations())
        query = "SELECT value FROM meta WHERE key = 'analysis'"
        if not known or self._db.execute(query).get != ANALYSIS_VERSION:
            raise StoreUnavailable(
                f"{self._path} was written by an older Milepost; run "
                f"`MILEPOST_URL={self._path} milepost migrate` first, which brings it up to date."
            )

    def _spaces_by_home(self) -> dict[str, list[str]]:
        tables = sorted({part.table for part in PARTS if part.by == BY_SPACE})
        every = " UNION ".join(f"SELECT space FROM {table}" for table in tables)
        rows: list[Any] = self._db.execute("SELECT id, space FROM deeds").fetchall()
        deeds: dict[int, str] = dict(rows)
        homes: dict[str, list[str]] = {}
        for (space,) in self._db.execute(every):
            home = home_of(space, lambda deed: home_of(deeds.get(deed, ""), deeds.get))
            if home:
                homes.setdefault(home, []).append(space)
        return homes

    def homes(self) -> list[str]:
        """Return the spaces that hold anything, in order."""
        return sorted(self._homes)

    def moved_away(self) -> dict[str, str]:
        """Return the spaces that were moved to other stores, and where to."""
        rows: list[Any] = self._db.execute("SELECT space, target FROM moved").fetchall()
        return dict(rows)

    def enter(self, home: str) -> None:
        """Read and write one space from here on."""
        if self._writable:
            self._homes = self._spaces_by_home()
        self._home = home
        self._choose()

    def _choose(self) -> None:
        home = str(self._home)
        self._db.execute("DELETE FROM temp.home")
        spaces = [(space,) for space in self._homes.get(home, [home])]
        self._db.executemany("INSERT INTO temp.home VALUES (?)", spaces)
        query = f"SELECT total(space {_OF_HOME}) > ? * count(*) FROM memories"
        self._is_large = bool(self._db.execute(query, (_LARGE,)).get)

    def _belongs(self, part: Part) -> str:
        large, small = _BELONGS[part.by]
        only = f" AND {part.only}" if part.only else ""
        return (large if self._is_large else small) + only

    def count(self, part: Part) -> int:
        """Return how many rows a part has."""
        query = f"SELECT count(*) FROM {part.table} AS t WHERE {self._belongs(part)}"
        return int(self._db.execute(query).get)

    def spans(self) -> dict[str, int]:
        """Return by table the largest number that a row was given."""
        return {table: self._given(table) for table in NUMBERED}

    def _given(self, table: str) -> int:
        return self._db.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).get or 0

    def rows(self, part: Part, after: Sequence[Any] | None = None) -> Iterator[list[Any]]:
        """Yield neutral rows in the order of their key, those after one key."""
        columns = ", ".join(_expression(part, *column) for column in part.columns)
        key = ", ".join(_raw(part, name) for name in part.key)
        past, values = "", ()
        if after is not None:
            past = f" AND ({key}) > ({', '.join('?' * len(part.key))})"
            values = tuple(self._raw_key(part, after))
        query = (
            f"SELECT {columns} FROM {part.table} AS t "
            f"WHERE {self._belongs(part)}{past} ORDER BY {key}"
        )
        with our_errors(self._path):
            for row in self._db.execute(query, values):
                yield shifted(part, _plain(part, row), self._inwards)

    def _raw_key(self, part: Part, after: Sequence[Any]) -> list[Any]:
        row: list[Any] = [None] * len(part.columns)
        places = part.places(part.key)
        for place, value in zip(places, after, strict=True):
            row[place] = value
        return [shifted(part, row, self._outwards)[place] for place in places]

    def _inwards(self, table: str, number: int) -> int:
        return number - self._bases[table] if number else 0

    def _outwards(self, table: str, number: int) -> int:
        return number + self._bases[table] if number else 0

    def marker(self) -> dict[str, Any] | None:
        """Return the note of a copy under way into this space."""
        query = "SELECT value FROM kept WHERE space = ? AND topic = ?"
        text = self._db.execute(query, (self._home, MARKER)).get
        return None if text is None else json.loads(text)

    def is_free(self) -> bool:
        """Whether nothing is known of this space."""
        return not any(self.count(part) for part in PARTS)

    def use(self, bases: Mapping[str, int]) -> None:
        """Go on where a copy began: numbers are counted from these."""
        self._bases = bases

    def begin(self, spans: Mapping[str, int]) -> dict[str, int]:
        """Set numbers of rows aside for what comes; return where they begin."""
        with self._transaction():
            bases = {}
            for table, span in spans.items():
                bases[table] = self._given(table)
                self._db.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
                last = (table, bases[table] + span)
                self._db.execute("INSERT INTO sqlite_sequence VALUES (?, ?)", last)
        self._bases = bases
        return bases

    def write(self, part: Part, rows: Sequence[Sequence[Any]], marker: Mapping[str, Any]) -> None:
        """Write neutral rows, and how far the copy is, at once."""
        with self._transaction():
            own = [shifted(part, row, self._outwards) for row in rows]
            places = [at for at, c in enumerate(part.columns) if c.kind not in (ORDER, LABELS)]
            names = [part.columns[at].name for at in places]
            values = [[row[at] for at in places] for row in own]
            if part.table == MEMORIES:
                names.append("change")
                values = self._numbered(values)
                back = [(row[part.places(("id",))[0]],) for row in own]
                self._db.executemany("DELETE FROM removals WHERE memory_id = ?", back)
                self._write_labels(part, own)
            if part.by == BY_EPISODE:
                self._name_episodes(values, names.index("episode"))
            self._insert(part.table, names, values)
            if part.table == VECTORS:
                self._touch([row[places.index(part.places(("memory_id",))[0])] for row in values])
            self._mark(marker)

    def _insert(self, table: str, names: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        columns, marks = ", ".join(names), ", ".join("?" * len(names))
        self._db.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks})", rows)

    def _numbered(self, rows: list[list[Any]]) -> list[list[Any]]:
        """Give each memory the number of a change, by which the index hears of it."""
        last = int(self._db.execute("SELECT value FROM meta WHERE key = 'change'").get)
        change = "UPDATE meta SET value = ? WHERE key = 'change'"
        self._db.execute(change, (last + len(rows),))
        return [[*row, last + 1 + at] for at, row in enumerate(rows)]

    def _touch(self, memories: Sequence[int]) -> None:
        """Let the index look again at memories that it may know without their vectors."""
        rows = self._numbered([[memory] for memory in dict.fromkeys(memories)])
        self._db.executemany("UPDATE memories SET change = ?2 WHERE id = ?1", rows)

    def _write_labels(self, part: Part, rows: Sequence[Sequence[Any]]) -> None:
        for field, column in _LABELS.items():
            number, labels = part.places(("id", field))
            pairs = [(row[number], label) for row in rows for label in row[labels]]
            self._insert(field, ("memory_id", column), pairs)

    def _name_episodes(self, rows: list[list[Any]], place: int) -> None:
        query = "SELECT row FROM episodes WHERE space = ? AND id = ?"
        known: dict[str, int] = {}
        for row in rows:
            name = row[place]
            if name not in known:
                known[name] = self._db.execute(query, (self._home, name)).get
            row[place] = known[name]

    def _mark(self, marker: Mapping[str, Any] | None) -> None:
        self._db.execute("DELETE FROM kept WHERE space = ? AND topic = ?", (self._home, MARKER))
        if marker is not None:
            row = (self._home, MARKER, "", json.dumps(marker))
            self._db.execute("INSERT INTO kept (space, topic, key, value) VALUES (?, ?, ?, ?)", row)

    def mark(self, marker: Mapping[str, Any] | None) -> None:
        """Note how far a copy is; None when it is done, which is on disk then."""
        with self._transaction():
            self._mark(marker)
        if marker is None:
            self._db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)

    def prepare(self) -> None:
        """Do nothing: whoever opens the file makes its index."""

    def remove(self, part: Part, keys: Sequence[Sequence[Any]]) -> None:
        """Remove rows by their keys, and what goes with them."""
        keys = [self._raw_key(part, key) for key in keys]
        self._db.execute("PRAGMA foreign_keys = ON")
        try:
            with self._transaction():
                if part.table == MEMORIES:
                    self._db.execute("CREATE TEMP TABLE gone (n INTEGER PRIMARY KEY, id INTEGER)")
                    self._db.executemany("INSERT INTO gone (id) VALUES (?)", keys)
                    self._note_removals()
                where = " AND ".join(f"{_column(part, name)} IS ?" for name in part.key)
                self._db.executemany(f"DELETE FROM {part.table} WHERE {where}", keys)
        finally:
            self._db.execute("PRAGMA foreign_keys = OFF")

    def clear(self) -> None:
        """Remove all of this space; the index hears of it."""
        with self._transaction():
            self._db.execute(
                "CREATE TEMP TABLE gone AS SELECT id, row_number() OVER () AS n FROM memories "
                f"WHERE space {_OF_HOME}"
            )
            self._note_removals()
            for part in reversed(PARTS):
                self._db.execute(f"DELETE FROM {part.table} AS t WHERE {self._belongs(part)}")
            self._mark(None)

    def _note_removals(self) -> None:
        """Let the index hear that memories are gone, and take their labels away."""
        last = int(self._db.execute("SELECT value FROM meta WHERE key = 'change'").get)
        count = self._db.execute("SELECT count(*) FROM gone").get
        removal = "INSERT INTO removals (change, memory_id) SELECT ? + n, id FROM gone"
        self._db.execute(removal, (last,))
        change = "UPDATE meta SET value = ? WHERE key = 'change'"
        self._db.execute(change, (last + count,))
        for table in _LABELS:
            self._db.execute(f"DELETE FROM {table} WHERE memory_id IN (SELECT id FROM gone)")
        self._db.execute("DROP TABLE temp.gone")

    def moved(self) -> str | None:
        """Return where this space was moved to, if it was."""
        target = self._db.execute("SELECT target FROM moved WHERE space = ?", (self._home,)).get
        return None if target is None else str(target)

    def hold(self) -> None:
        """Let writers wait until `release` or `move_to`; what is read is what they left."""
        with our_errors(self._path):
            self._db.execute("BEGIN IMMEDIATE")
        self._homes = self._spaces_by_home()
        self._choose()

    def release(self) -> None:
        """Let writers go on."""
        if self._db.in_transaction:
            self._db.execute("ROLLBACK")

    def move_to(self, target: str | None) -> None:
        """Refuse all writes to this space from now on, for it is elsewhere; None takes them again.

        Its jobs are done where it is.
        """
        if not self._db.in_transaction:
            self.hold()
        with our_errors(self._path):
            self._db.execute("DELETE FROM moved WHERE space = ?", (self._home,))
            if target is not None:
                self._db.execute(f"DELETE FROM jobs AS t WHERE t.space {_OF_HOME}")
                self._db.execute("INSERT INTO moved VALUES (?, ?)", (self._home, target))
            self._db.execute("COMMIT")

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with our_errors(self._path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                # Whoever copies back writes where others are refused.
                moved = self.moved()
                self._db.execute("DELETE FROM moved WHERE space = ?", (self._home,))
                yield
                if moved is not None:
                    self._db.execute("INSERT INTO moved VALUES (?, ?)", (self._home, moved))
                self._db.execute("COMMIT")
            except BaseException:
                self._db.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()


def _expression(part: Part, name: str, kind: str) -> str:
    if kind == LABELS:
        return f"(SELECT json_group_array({_LABELS[name]}) FROM {name} WHERE memory_id = t.id)"
    if kind == EPISODE:
        return "(SELECT id FROM episodes WHERE row = t.episode)"
    return _raw(part, name)


def _raw(part: Part, name: str) -> str:
    return "t.episode" if part.by == BY_EPISODE and name == "row" else f"t.{name}"


def _column(part: Part, name: str) -> str:
    return "episode" if part.by == BY_EPISODE and name == "row" else name


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
