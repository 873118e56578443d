"""All that a space holds, table by table, for whoever looks for words or removes by age.

What the tables are is said once, where they are copied between stores (`storage/moving/parts`).
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from milepost.memory.values import BIN, ENTRIES
from milepost.ports import Row
from milepost.storage.moving.parts import (
    BY_DEED,
    BY_EPISODE,
    BY_MEMORY,
    BY_SPACE,
    KEPT,
    NUMBERED,
    PARTS,
    PAYLOAD,
    PLAIN,
    STATE,
    UNDO,
    Part,
)
from milepost.storage.tables.database import Database

_WITH_TEXT = frozenset({PLAIN, STATE, UNDO, KEPT, PAYLOAD})
# What only grows, and what memories are read for themselves.
AUDIT_TABLES = frozenset({"audit", "audit_heads"})
_ELSEWHERE = AUDIT_TABLES | {"memories"}
# Columns that hold words of ours, never a caller's.
_OURS = frozenset({
    ("deeds", "kind"), ("links", "kind"), ("links", "run"), ("relations", "origin"),
    ("observations", "origin"), ("graph_deeds", "kind"), ("kept", "topic"), ("journal", "topic"),
    ("patterns", "kind"), ("patterns", "id"), ("jobs", "topic"), ("jobs", "state"),
    ("jobs", "claim"), ("answers", "call"), ("vectors", "model"), ("anchors", "digest"),
    ("documents", "digest"), ("documents", "signature"), ("documents", "media"),
    ("episodes", "outcome"), ("episodes", "terms"), ("events", "id"),
})  # fmt: skip
# Where the space stands that a row is of.
_WHOSE = {
    BY_SPACE: "t.space IN ({0})",
    BY_MEMORY: "t.memory_id IN (SELECT id FROM memories WHERE space IN ({0}))",
    BY_DEED: "t.deed IN (SELECT id FROM deeds WHERE space IN ({0}))",
    BY_EPISODE: "t.episode IN (SELECT row FROM episodes WHERE space IN ({0}))",
}
# The first sign that a name of somebody's may begin with.
_AFTER_ENTRIES = " "
_AT_ONCE = 5_000
_SPACES = "SELECT value FROM texts(:spaces)"


class ContentTable:
    """Reads, counts and removes the rows of every table of a space alike."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def memories(self, space: str, *, entries: bool = False) -> list[int]:
        every = self._spaces(space)
        spaces = [each for each in every if each.startswith(ENTRIES)] if entries else [
            each for each in every if not each.startswith(ENTRIES)
        ]  # fmt: skip
        wanted = {"spaces": json.dumps(spaces)}
        return [row[0] for row in self._db.rows("memories_of_spaces", wanted)]

    def rows(self, space: str, tables: Sequence[str] | None = None) -> Iterator[Row]:
        spaces = self._spaces(space)
        for part in PARTS:
            if part.table in _ELSEWHERE or (tables is not None and part.table not in tables):
                continue
            yield from self._rows(part, spaces)

    def counts(self, space: str) -> dict[str, int]:
        spaces, counts = json.dumps(self._spaces(space)), dict[str, int]()
        for part in PARTS:
            if part.table not in AUDIT_TABLES:
                statement = f"SELECT count(*){_of(part)}"
                found = self._db.select_rows(statement, {"spaces": spaces})
                counts[part.table] = counts.get(part.table, 0) + int(found[0][0])
        return counts

    def remove(self, row: Row) -> None:
        with self._db.writing():
            is_one = " AND ".join(f"{name} = :{name}" for name in row.key)
            statement = f"DELETE FROM {row.table} WHERE {is_one} RETURNING 1"  # noqa: S608 -- names of tables
            self._db.select_rows(statement, dict(row.key))
            self._db.then(self._db.empty_log)

    def rewrite(self, row: Row, values: Mapping[str, str | None]) -> None:
        with self._db.writing():
            fields = ", ".join(f"{name} = :new_{name}" for name in values)
            is_one = " AND ".join(f"{name} = :{name}" for name in row.key)
            statement = f"UPDATE {row.table} SET {fields} WHERE {is_one} RETURNING 1"  # noqa: S608 -- names of tables
            new = {f"new_{n}": self._db.kept(row.table, n, v) for n, v in values.items()}
            self._db.select_rows(statement, dict(row.key) | new)
            self._db.then(self._db.empty_log)

    def scrub(self) -> None:
        with self._db.writing():
            self._db.then(self._db.empty_log)

    def _spaces(self, space: str) -> list[str]:
        """Return a space, its bins, and where what finds episodes and patterns lies."""
        bins = [row[0] for row in self._db.rows("bins", space)]
        entries = [row[0] for row in self._db.rows("entry_spaces", ENTRIES, _AFTER_ENTRIES)]
        own = [each for each in entries if each.partition(" ")[2] == space]
        assert not space.startswith((BIN, ENTRIES)), "a space that somebody named"
        return [space, *own, *bins]

    def _rows(self, part: Part, spaces: Sequence[str]) -> Iterator[Row]:
        texts = [
            name
            for name, kind in part.columns
            if kind in _WITH_TEXT and kind not in NUMBERED and (part.table, name) not in _OURS
        ]
        if not texts:
            return
        columns = ", ".join(f"t.{name}" for name in (*part.key, *texts))
        order = ", ".join(f"t.{name}" for name in part.key)
        # Very many rows are read bit by bit, where a number tells how far that is.
        by_number = len(part.key) == 1 and part.columns[0].kind in NUMBERED
        further = f" AND t.{part.key[0]} > :after" if by_number else ""
        limit = f" LIMIT {_AT_ONCE}" if by_number else ""
        statement = f"SELECT {columns}{_of(part)}{further} ORDER BY {order}{limit}"
        wanted: dict[str, Any] = {"spaces": json.dumps(list(spaces))}
        wanted |= {"after": -1} if by_number else {}
        while found := self._db.select_rows(statement, wanted):
            for values in found:
                key = dict(zip(part.key, values, strict=False))
                told = dict(zip(texts, values[len(part.key) :], strict=True))
                yield Row(part.table, key, {k: v for k, v in told.items() if isinstance(v, str)})
            if not by_number or len(found) < _AT_ONCE:
                return
            wanted["after"] = found[-1][0]


def _of(part: Part) -> str:
    only = f" AND {part.only}" if part.only else ""
    return f" FROM {part.table} AS t WHERE {_WHOSE[part.by].format(_SPACES)}{only}"
