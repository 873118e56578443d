"""Read a store with nothing but Python's own library, when the ways that need more have failed.

No index, no model and no writing: the newest memories, by what they are called.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from milepost.memory.values import Record
from milepost.storage.sqlite.sql import statements

Result = TypeVar("Result")

# So long whoever locks the store against readers is waited for.
_BUSY_S = 0.2
_COLUMNS = "SELECT name FROM pragma_table_info('memories')"
# What stands for columns that a store lacks which was not brought up to date yet.
_LACKING = {"branch": "NULL", "marks": "''", "source": "'user'", "standing": "0"}
# How the file is opened: beside those who write, else as it stands, without what is in its log.
_SHARED, _AS_IT_STANDS = "mode=ro", "mode=ro&immutable=1"


def newest(
    path: Path,
    space: str,
    project: str | None,
    branch: str | None,
    names: Sequence[str] | None,
    limit: int,
) -> list[Record]:
    """Return the newest memories of a project, and of none, that have one of some names.

    branch: what is worked on; what belongs to another one is left out, merged or not.
    names: kinds or tags; None takes any.
    """
    asked = {
        "space": space,
        "project": project,
        "branch": branch,
        "now": time.time_ns() // 1_000,
        "names": None if names is None else json.dumps(list(names)),
        "limit": limit,
    }

    def ask(db: sqlite3.Connection) -> list[Record]:
        if _is_moved(db, space):
            return []  # what is left here is an old copy
        statement = statements()["newest"]
        known = {name for (name,) in db.execute(_COLUMNS)}
        for name in _LACKING.keys() - known:
            statement = statement.replace(f"m.{name}", _LACKING[name])
        return [_record(row) for row in db.execute(statement, asked)]

    return _read(path, ask)


def _is_moved(db: sqlite3.Connection, space: str) -> bool:
    known = db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'moved'").fetchone()
    return bool(known and db.execute(statements()["moved_to"], (space,)).fetchone())


def kept(path: Path, space: str, topic: str, key: str) -> str | None:
    """Return a value that is kept beside the memories."""
    statement = statements()["kept_value"]
    row = _read(path, lambda db: db.execute(statement, (space, topic, key)).fetchone())
    return None if row is None else str(row[0])


def _read(path: Path, ask: Callable[[sqlite3.Connection], Result]) -> Result:
    try:
        return _read_as(path, _SHARED, ask)
    except sqlite3.OperationalError:
        return _read_as(path, _AS_IT_STANDS, ask)


def _read_as(path: Path, how: str, ask: Callable[[sqlite3.Connection], Result]) -> Result:
    address = f"{path.absolute().as_uri()}?{how}"
    with closing(sqlite3.connect(address, timeout=_BUSY_S, uri=True)) as db:
        return ask(db)


def _record(row: tuple[object, ...]) -> Record:
    tags, projects = (tuple(json.loads(str(names))) for names in row[13:15])
    metadata = json.loads(str(row[5]))
    known = (*row[:5], tags, metadata, *row[6:9], projects, *row[9:13], None)
    return Record(*known)._replace(marks=tuple(str(row[15]).split()), source=str(row[16]))
