"""Bring the texts of a database under a key, under another, or back into clear text.

All of it is one transaction: whoever is killed leaves the database as it was. From then on the
database itself refuses texts of a process that did not hear of it.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from psycopg.sql import SQL, Composable, Identifier, Literal

from milepost.errors import StoreBusy
from milepost.location import shown
from milepost.sealing import Key
from milepost.storage.moving.parts import MARKER, PARTS
from milepost.storage.options import DatabaseOptions
from milepost.storage.postgres.connections import (
    SCHEMA,
    SEALS,
    Connection,
    Connections,
    our_errors,
)
from milepost.storage.postgres.keys import header_in, key_in, put_header
from milepost.storage.postgres.migrate import migrate, older_servers
from milepost.storage.postgres.sealed import COLUMNS, EMPTY, METADATA, Seals
from milepost.storage.postgres.sql import migrations
from milepost.storage.postgres.transaction import LOCK_S
from milepost.storage.postgres.words import searched
from milepost.text.lines import counted
from milepost.upkeep.values import Reencrypted

Progress = Callable[[int, int], None]
_AT_ONCE = 1_000
# Noted until the files are written anew, also by who runs it again after a kill.
_UNFREED = "unfreed"
_EVERYBODY = 1 << 30
_KEYS = {part.table: part.key for part in PARTS}
# What lies in a bin is found by the space that it came from.
_FOUND_IN = """coalesce((SELECT d.space FROM deeds AS d
    WHERE d.home = t.home AND t.space = chr(30) || d.id), t.space)"""


def recode(
    url: str,
    chosen: Callable[[Key | None], Key | None],
    beside: Callable[[Key | None], int],
    progress: Progress,
) -> Reencrypted:
    """Write the texts of a database under the key that is chosen for it, and say what was written.

    beside: does the same for what sessions left here, and returns how many files it wrote.
    """
    with _alone(url) as connection:
        with connection.transaction():
            _have_to_ourselves(connection, shown(url))
            before = key_in(connection, url, shown(url))
            after = chosen(before)
            if before != after:
                _write_anew(connection, before, after, progress)
        tables = _free_files(connection)
    place = shown(url)
    return Reencrypted(place, after is not None, tuple(tables), 0, beside(after), ())


def planned(url: str, chosen: Callable[[Key | None], Key | None]) -> list[str]:
    """Return the tables whose texts would be written anew, without changing any."""
    with _connected(url) as connection:
        before = key_in(connection, url, shown(url))
        return [] if before == chosen(before) else [f"{table} in {shown(url)}" for table in COLUMNS]


def is_sealed(url: str) -> bool:
    """Return whether the texts of a database are sealed."""
    with _connected(url) as connection:
        return header_in(connection) is not None


def key_of(url: str) -> Key | None:
    """Return the key by which the texts of a database are sealed; None for clear text."""
    with _connected(url) as connection:
        return key_in(connection, url, shown(url))


@contextmanager
def _connected(url: str) -> Iterator[Connection]:
    connections = Connections(url, DatabaseOptions(connections=1, prepare=False))
    try:
        with connections.alone() as connection, our_errors(connections.name):
            yield connection
    finally:
        connections.close()


@contextmanager
def _alone(url: str) -> Iterator[Connection]:
    connections = Connections(url, DatabaseOptions(connections=1, prepare=False))
    try:
        migrate(connections, migrations())
        with connections.alone() as connection, our_errors(connections.name):
            yield connection
    finally:
        connections.close()


def _have_to_ourselves(connection: Connection, name: str) -> None:
    """Let nobody else read or write until the end of the transaction; refuse where servers run."""
    living = older_servers(connection, _EVERYBODY)
    if living:
        names = ", ".join(server.name for server in living[:3])
        raise StoreBusy(
            f"{counted(len(living), 'process')} used {name} within the last minute ({names}); stop "
            "them, and try again."
        )
    connection.execute(
        "SELECT set_config('search_path', %s, true), set_config('statement_timeout', '0', true), "
        "set_config('lock_timeout', %s, true)",
        (f"{SCHEMA}, public", str(int(LOCK_S * 1000))),
    )
    tables = SQL(", ").join(map(Identifier, COLUMNS))
    connection.execute(SQL("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE").format(tables))


def _write_anew(
    connection: Connection, before: Key | None, after: Key | None, progress: Progress
) -> None:
    old, new = (None if key is None else Seals(key) for key in (before, after))
    for table in COLUMNS:
        drop = SQL("ALTER TABLE {} DROP CONSTRAINT IF EXISTS {}")
        connection.execute(drop.format(Identifier(table), Identifier(SEALS)))
    counting = SQL(" + ").join(
        SQL("(SELECT count(*) FROM {})").format(Identifier(table)) for table in COLUMNS
    )
    row = connection.execute(SQL("SELECT {}").format(counting)).fetchone()
    total, done = int(row[0]) if row else 0, 0
    for table in COLUMNS:
        for count in _write_table(connection, table, old, new):
            done += count
            progress(done, total)
    for table, columns in COLUMNS.items():
        conditions = SQL(" AND ").join(_condition(table, name, old, new) for name in columns)
        add = SQL("ALTER TABLE {} ADD CONSTRAINT {} CHECK ({})")
        connection.execute(add.format(Identifier(table), Identifier(SEALS), conditions))
    put_header(connection, after)
    note = f"INSERT INTO meta (key, value) VALUES ('{_UNFREED}', '') ON CONFLICT DO NOTHING"  # noqa: S608 -- no input
    connection.execute(note.encode())
    connection.execute("UPDATE homes SET version = version + 1")


def _free_files(connection: Connection) -> list[str]:
    """Write the files of the tables anew, unless that was done since their rows were; return them.

    What was there lies in them, and in statistics, until then.
    """
    noted = f"SELECT 1 FROM {SCHEMA}.meta WHERE key = '{_UNFREED}'"  # noqa: S608 -- no input
    if connection.execute(noted.encode()).fetchone() is None:
        return []
    for table in COLUMNS:
        connection.execute(f"VACUUM (FULL, ANALYZE) {SCHEMA}.{table}".encode())
    connection.execute(f"DELETE FROM {SCHEMA}.meta WHERE key = '{_UNFREED}'".encode())  # noqa: S608 -- no input
    return list(COLUMNS)


def _condition(table: str, column: str, old: Seals | None, new: Seals | None) -> Composable:
    """Return what every value must be from now on: none comes of who knows only what was before."""
    name, seals = Identifier(column), new or old
    assert seals is not None, "something changes"
    beginning = seals.mapping if (table, column) == METADATA else seals.beginning
    begins = SQL("starts_with({}, {})").format(name, Literal(beginning))
    if new is None:
        return SQL("NOT {}").format(begins)
    empty = SQL(", ").join(map(Literal, EMPTY))
    marker = SQL(" OR topic = {}").format(Literal(MARKER)) if table == "kept" else SQL("")
    return SQL("({} IN ({}) OR {}{})").format(name, empty, begins, marker)


def _write_table(
    connection: Connection, table: str, old: Seals | None, new: Seals | None
) -> Iterator[int]:
    """Write the rows of a table anew; yield how many were, again and again."""
    key, texts = ("home", *_KEYS[table]), COLUMNS[table]
    more = f", t.author, t.terms, {_FOUND_IN}" if table == METADATA[0] else ""
    columns = ", ".join(f"t.{name}" for name in (*key, *texts))
    read = f"SELECT {columns}{more} FROM {table} AS t"  # noqa: S608 -- names of tables
    searches = ("terms", "terms_once", "keys", "words") if more else ()
    fields = ", ".join(f"{name} = %s" for name in (*texts, *searches))
    is_one = " AND ".join(f"{name} = %s" for name in key)
    write = f"UPDATE {table} SET {fields} WHERE {is_one}"  # noqa: S608 -- names of tables
    with connection.cursor("rows") as reader, connection.cursor() as writer:
        reader.execute(read.encode())
        while rows := reader.fetchmany(_AT_ONCE):
            writer.executemany(write.encode(), [_anew(table, row, old, new) for row in rows])
            yield len(rows)


def _anew(table: str, row: Sequence[Any], old: Seals | None, new: Seals | None) -> list[Any]:
    """Return the values that a row gets, and its key."""
    texts, key = COLUMNS[table], row[: 1 + len(_KEYS[table])]
    home, rest = row[0], row[len(key) :]
    said = [text if old is None else old.opened(text, home) for text in rest[: len(texts)]]
    columns = zip(texts, said, strict=True)
    kept = [text if new is None else new.sealed((table, n), text, home) for n, text in columns]
    if table == METADATA[0]:
        author, terms, space = rest[len(texts) :]
        if old is not None:
            terms = old.clear_words(np.frombuffer(terms, np.uint32)).tobytes()
        found = searched(space, author, said[0], terms, new)
        kept += [found[name] for name in ("terms", "terms_once", "keys", "words")]
    return [*kept, *key]
