"""A SQLite file that spaces come to: rows are written as they are, and no trigger adds to them."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from milepost.errors import StoreUnavailable
from milepost.memory.values import Analysis, Indexed
from milepost.storage import open_store
from milepost.storage.moving.neutral import shifted, shifted_key
from milepost.storage.moving.parts import LABELS, MARKER, MEMORIES, NUMBERS, PARTS, VECTORS, Part
from milepost.storage.moving.sides import Key, Marker, Reader
from milepost.storage.moving.sqlite.reading import LABEL_COLUMNS, SqliteReader
from milepost.storage.sqlite import upkeep
from milepost.storage.sqlite.connection import open_connection, our_errors

# So many rows of each table may come while it is copied: their numbers are set aside.
_ROOM = 100_000


class SqliteTarget(SqliteReader):
    """A file that is written to by nobody else at the same time."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._db.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
        self._db.execute("PRAGMA synchronous = FULL")  # what moves must be here before it goes

    def _opened(self) -> apsw.Connection:
        return open_connection(self._path)

    def _begin(self) -> None:
        """Read whatever is there at each moment."""

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Write several parts at once, all of it or nothing."""
        with our_errors(self._path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                self._db.execute("ROLLBACK")
                raise

    def begin(self, source: Reader) -> Marker:
        """Note that this space is copied, and set numbers of rows aside for what comes."""
        first = source.firsts()
        source.count_from(first)
        room = {table: span + _ROOM for table, span in source.spans().items()}
        with self.writing():
            bases = {table: self._given(table) for table in NUMBERS}
            for table, base in bases.items():
                self._set_given(table, base + room[table])
            marker = Marker(source.name, first, bases, room)
            row = (self._home, MARKER, "", json.dumps(marker._asdict()))
            self._insert("kept", ("space", "topic", "key", "value"), [row])
            self._insert("moved", ("space", "target"), [(self._home, source.name)])
        return marker

    def _set_given(self, table: str, number: int) -> None:
        self._db.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
        self._db.execute("INSERT INTO sqlite_sequence VALUES (?, ?)", (table, number))

    def put(self, part: Part, rows: Sequence[Sequence[Any]]) -> bool:
        """Write neutral rows, in place of those with the same keys.

        Whatever else stands in their way is to go as well.
        """
        own = [shifted(part, row, self._outwards) for row in rows]
        places = [at for at, column in enumerate(part.columns) if column.kind != LABELS]
        names = [part.columns[at].name for at in places]
        values = [[row[at] for at in places] for row in own]
        if part.table == MEMORIES:
            names.append("change")
            values = self._numbered(values)
            self._write_beside(part, own)
        self._insert(part.table, names, values)
        if part.table == VECTORS:
            self._touch([part.key_of(row)[0] for row in own])
        return True

    def _insert(self, table: str, names: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        columns, marks = ", ".join(names), ", ".join("?" * len(names))
        statement = f"INSERT OR REPLACE INTO {table} ({columns}) VALUES ({marks})"
        self._db.executemany(statement, rows)

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

    def _write_beside(self, part: Part, rows: Sequence[Sequence[Any]]) -> None:
        """Write labels of memories and versions of their spaces; none of them is removed."""
        number, space = part.places(("id", "space"))
        self._remove_beside([(row[number],) for row in rows])
        for field, column in LABEL_COLUMNS.items():
            (labels,) = part.places((field,))
            pairs = [(row[number], label) for row in rows for label in row[labels]]
            self._insert(field, ("memory_id", column), pairs)
        spaces = [(row[space],) for row in rows]
        self._db.executemany("INSERT OR IGNORE INTO versions VALUES (?, 0)", spaces)

    def _remove_beside(self, memories: Sequence[Sequence[Any]]) -> None:
        numbers = json.dumps([memory for (memory,) in memories])
        for table in (*LABEL_COLUMNS, "removals"):
            gone = f"DELETE FROM {table} WHERE memory_id IN (SELECT value FROM json_each(?))"
            self._db.execute(gone, (numbers,))

    def remove(self, part: Part, keys: Sequence[Key]) -> None:
        """Remove rows by their keys; the index hears of memories."""
        own = [shifted_key(part, key, self._outwards) for key in keys]
        if part.table == MEMORIES:
            self._note_removals(own)
        is_one = " AND ".join(f"{name} = ?" for name in part.key)
        self._db.executemany(f"DELETE FROM {part.table} WHERE {is_one}", own)

    def _note_removals(self, memories: Sequence[Sequence[Any]]) -> None:
        self._remove_beside(memories)
        rows = self._numbered([list(memory) for memory in memories])
        self._insert("removals", ("memory_id", "change"), rows)

    def welcome(self) -> None:
        """Make ready for rows that come to those of this space, whoever else uses it."""

    def take_numbers(self, table: str, count: int) -> Sequence[int]:
        """Return numbers for new rows of a table, in the transaction under way."""
        first = self._given(table) + 1
        self._set_given(table, first + count - 1)
        return [self._inwards(table, first + at) for at in range(count)]

    def added(self) -> None:
        """Let readers of this space know that there is more, in the transaction under way."""
        self._db.execute("UPDATE versions SET version = version + 1 WHERE of_home(space)")

    def prepare(self) -> None:
        """Let the index beside the file catch up; else whoever comes first would wait for that."""
        with upkeep.to_look_after(lambda: open_store(self.name, _refuse_older)) as store:
            store.index.segments()

    def open(self) -> None:
        """Let others read and write this space here; numbers that nobody needs are given back."""
        marker = self.marker()
        with self.writing():
            for table, last in (marker.room if marker else {}).items():
                if marker and self._given(table) == marker.bases[table] + last:
                    largest = self._db.execute(f"SELECT max({NUMBERS[table]}) FROM {table}").get
                    self._set_given(table, max(largest or 0, marker.bases[table]))
            self._db.execute("DELETE FROM moved WHERE space = ?", (self._home,))
            self.added()

    def finish(self) -> None:
        """Forget that it was copied; all of it is on disk then."""
        with self.writing():
            self._forget_marker()
        self._db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)

    def _forget_marker(self) -> None:
        row = (self._home, MARKER)
        self._db.execute("DELETE FROM kept WHERE space = ? AND topic = ?", row)

    def clear(self) -> None:
        """Remove all of this space; the index hears of it."""
        with self.writing():
            query = f"SELECT id FROM memories AS t WHERE {self._belongs(_MEMORIES)}"
            self._note_removals(self._db.execute(query).fetchall())
            for part in reversed(PARTS):
                self._db.execute(f"DELETE FROM {part.table} AS t WHERE {self._belongs(part)}")
            self._forget_marker()


def _refuse_older(memory: Indexed) -> Analysis:
    del memory
    raise StoreUnavailable("The store was written by an older Milepost; run `milepost migrate`.")


_MEMORIES = next(part for part in PARTS if part.table == MEMORIES)
