"""Read the SQLite files of other programs, which may be running."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from milepost.errors import InvalidInput

_BESIDE = ("-wal", "-shm")


class Database:
    """A file of another program, as it was a moment ago."""

    def __init__(self, connection: Any, path: Path) -> None:
        self._connection, self._path = connection, path

    def columns(self, table: str) -> set[str]:
        """Return the columns of a table; none where there is no such table."""
        return {row["name"] for row in self.rows(f"pragma table_info({table})")}

    def rows(self, sql: str, *values: object) -> Iterator[Mapping[str, Any]]:
        """Yield the rows that a statement answers with, by the names of their columns."""
        import apsw

        try:
            cursor = self._connection.cursor().execute(sql, values)
            for row in cursor:
                yield dict(zip((about[0] for about in cursor.description), row, strict=True))
        except apsw.ExecutionCompleteError:
            return
        except apsw.Error as problem:
            raise InvalidInput(f"{self._path} cannot be read as expected ({problem}).") from problem


@contextmanager
def opened(path: Path) -> Iterator[Database]:
    """Open a copy of a file together with its log, so that nobody waits and nothing is changed."""
    import apsw

    with TemporaryDirectory(prefix="milepost-import-") as folder:
        copy = Path(folder, "copy.db")
        shutil.copyfile(path, copy)
        for ending in _BESIDE:
            log = path.with_name(path.name + ending)
            if log.exists():
                shutil.copyfile(log, copy.with_name(copy.name + ending))
        connection = apsw.Connection(str(copy))
        try:
            yield Database(connection, path)
        finally:
            connection.close()


def tables(path: Path) -> set[str]:
    """Return the tables of a file; none where it is no SQLite file."""
    try:
        with path.open("rb") as file:
            if not file.read(16).startswith(b"SQLite format 3"):
                return set()
        with opened(path) as database:
            return {row["name"] for row in database.rows("select name from sqlite_master")}
    except (OSError, InvalidInput):
        return set()
