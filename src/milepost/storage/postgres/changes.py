"""What was written since a moment, in an order that misses nothing however many write at once."""

from typing import NamedTuple

from milepost.storage.postgres.database import PostgresDatabase


class Changed(NamedTuple):
    """The memories that were written or removed since, and from where to ask next."""

    written: tuple[int, ...]
    removed: tuple[int, ...]
    next: int


class Changes:
    """Tells of changes by the numbers of transactions.

    Those that end later may have begun earlier. So nothing is told of a transaction as long as one
    that began before it is under way, and then of all of them.
    """

    def __init__(self, database: PostgresDatabase) -> None:
        self._db = database

    def now(self) -> int:
        """Return from where to ask for all that comes from now on."""
        return int(self._db.committed("horizon")[0][0])

    def since(self, place: int) -> Changed:
        """Return what was written from a place on, as far as it is settled."""
        rows = self._db.committed("changed_since", {"place": place})
        written = tuple(row[0] for row in rows if row[1] == "written")
        removed = tuple(row[0] for row in rows if row[1] == "removed")
        (horizon,) = (row[0] for row in rows if row[1] == "horizon")
        return Changed(written, removed, horizon)
