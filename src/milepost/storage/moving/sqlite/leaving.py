"""A SQLite file that a space leaves while it is used."""

from collections.abc import Iterator

import apsw

from milepost.storage.moving.parts import PARTS
from milepost.storage.moving.sqlite.reading import SqliteReader
from milepost.storage.sqlite.connection import open_connection, our_errors

_SIDES = {"INSERT": ("new",), "UPDATE": ("old", "new"), "DELETE": ("old",)}


class SqliteSource(SqliteReader):
    """A file whose writers can be let wait, and whose changes are noted by triggers."""

    def _opened(self) -> apsw.Connection:
        return open_connection(self._path)

    def _begin(self) -> None:
        """Read whatever is there at each moment; what is noted is on disk before it counts."""
        self._db.execute("PRAGMA synchronous = FULL")

    def watch(self) -> None:
        """Note from now on what is changed, also when whoever asked for it is killed."""
        self.hold()
        self._db.execute("INSERT OR IGNORE INTO watched VALUES (?)", (self._home,))
        for name, statement in _triggers():
            self._db.execute(f"CREATE TRIGGER IF NOT EXISTS {name} {statement}")
        self._commit()

    def hold(self) -> None:
        """Let writers wait until `release` or `move_to`; what is read is what they left."""
        with our_errors(self._path):
            self._db.execute("BEGIN IMMEDIATE")

    def release(self) -> None:
        """Let writers go on."""
        if self._db.in_transaction:
            self._db.execute("ROLLBACK")

    def move_to(self, target: str) -> None:
        """Refuse all writes to this space from now on, for it is elsewhere.

        Its jobs are done where it is, and nothing is noted any more.
        """
        with our_errors(self._path):
            self._db.execute("DELETE FROM watched WHERE space = ?", (self._home,))
            if not self._db.execute("SELECT count(*) FROM watched").get:
                self._db.execute("DELETE FROM touched")
                for name, _ in _triggers():
                    self._db.execute(f"DROP TRIGGER IF EXISTS {name}")
            self._db.execute("DELETE FROM jobs WHERE of_home(space)")
            self._db.execute("INSERT INTO moved VALUES (?, ?)", (self._home, target))
        self._commit()

    def _commit(self) -> None:
        with our_errors(self._path):
            self._db.execute("COMMIT")


def _triggers() -> Iterator[tuple[str, str]]:
    """Yield the triggers that note the keys of rows, before and after.

    No conflict clause is in them: that of the statement which fires them would count instead.
    """
    keys = {part.table: part.key for part in PARTS if not part.is_work}
    for table, names in keys.items():
        for event, sides in _SIDES.items():
            notes = ""
            for side in sides:
                key = f"json_array({', '.join(f'{side}.{name}' for name in names)})"
                notes += f"DELETE FROM touched WHERE part = '{table}' AND key = {key}; "
                notes += f"INSERT INTO touched (part, key) VALUES ('{table}', {key}); "
            yield f"touched_{table}_{event.lower()}", f"AFTER {event} ON {table} BEGIN {notes}END"
