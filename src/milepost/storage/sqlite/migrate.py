"""Bring a database file to the schema this version knows."""

from collections.abc import Callable, Sequence
from pathlib import Path

import apsw

from milepost.errors import StoreCorrupt, StoreTooNew, StoreUnavailable
from milepost.storage.sqlite.copies import before_migration, unfinished
from milepost.storage.sqlite.copying import copy_database, open_plainly

APPLICATION_ID = 0x4D50_5354


def migrate(connection: apsw.Connection, path: Path, scripts: Sequence[str]) -> None:
    """Apply the scripts a file lacks, after a backup copy when it holds anything."""
    version = schema_version(connection)
    if version == len(scripts) and _application(connection) == APPLICATION_ID:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = schema_version(connection)
        if 0 < version < len(scripts):
            _back_up(path, version)
        for script in scripts[version:]:
            connection.execute(script)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(scripts)}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def schema_version(connection: apsw.Connection) -> int:
    """Return how many migrations a file has seen."""
    return int(connection.execute("PRAGMA user_version").get)


def _application(connection: apsw.Connection) -> int:
    return int(connection.execute("PRAGMA application_id").get)


def refuse_foreign(
    path: Path, known: int, opened: Callable[[Path], apsw.Connection] = open_plainly
) -> None:
    """Raise when a file is not a store this version can use, before anything is written to it."""
    connection = opened(path)
    connection.set_busy_timeout(5_000)
    try:
        tables = connection.execute("SELECT count(*) FROM sqlite_schema").get
        application, version = _application(connection), schema_version(connection)
    finally:
        connection.close()
    if tables and application != APPLICATION_ID:
        raise StoreCorrupt(f"{path} is another program's database; give another path.")
    if version > known:
        raise StoreTooNew(
            f"{path} was written by a newer Milepost (schema {version}, this one knows {known}); "
            "upgrade with `pip install -U milepost`."
        )


def refuse_outdated(connection: apsw.Connection, path: Path, known: int) -> None:
    """Raise when a store that can only be read lacks migrations."""
    version = schema_version(connection)
    if version != known or _application(connection) != APPLICATION_ID:
        raise StoreUnavailable(
            f"{path} has schema {version} and must be brought to {known} first; open it once where "
            "it can be written."
        )


def _back_up(path: Path, version: int) -> None:
    """Copy the file as it is before the migration begins, complete with its log."""
    copy = before_migration(path, version)
    partial = unfinished(copy)
    copy_database(path, partial)
    partial.replace(copy)
