"""A PostgreSQL database that a space leaves while it is used."""

from contextlib import ExitStack
from typing import Any

from milepost.storage.moving.postgres.reading import LOCK, PostgresReader
from milepost.storage.postgres.connections import SCHEMA, Connection, our_errors


class PostgresSource(PostgresReader):
    """A database where the writers of a home can be let wait, and its changes are noted."""

    is_writable = True

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self._held = ExitStack()
        self._holder: Connection | None = None  # keeps writers waiting

    def watch(self) -> None:
        """Note from now on what is changed, also when whoever asked for it is killed."""
        self.hold()
        self._write("DELETE FROM {}.touched WHERE home = %s", self._home)
        self._write("UPDATE {}.homes SET watched = true WHERE name = %s", self._home)
        self._commit()

    def hold(self) -> None:
        """Let writers wait until `release` or `move_to`; what is read is what they left."""
        with our_errors(self.name):
            self._holder = self._held.enter_context(self._connections.one())
            self._holder.execute("BEGIN")
            self._holder.execute("SELECT set_config('statement_timeout', '0', true)")
            self._holder.execute(LOCK, (self._home,))
        # Only what is seen from now on has all that they wrote.
        self._end()
        self._begin("REPEATABLE READ, READ ONLY")

    def release(self) -> None:
        """Let writers go on."""
        self._holder = None
        self._held.close()  # what is left open is undone
        self._end()

    def move_to(self, target: str) -> None:
        """Refuse all writes to this space from now on, for it is elsewhere.

        Its jobs are done where it is, and nothing is noted any more.
        """
        note = (
            "UPDATE {}.homes SET moved = %s, watched = false, version = version + 1 WHERE name = %s"
        )
        self._write(note, target, self._home)
        for table in ("jobs", "touched"):
            self._write(f"DELETE FROM {{}}.{table} WHERE home = %s", self._home)
        self._commit()

    def _write(self, statement: str, *values: Any) -> None:
        assert self._holder is not None, "nothing is written without writers waiting"
        with our_errors(self.name):
            self._holder.execute(statement.format(SCHEMA).encode(), values)

    def _commit(self) -> None:
        assert self._holder is not None, "nothing is written without writers waiting"
        with our_errors(self.name):
            self._holder.execute("COMMIT")
        self.release()

    def close(self) -> None:
        """Let go of the connections."""
        self._held.close()
        super().close()
