"""Let a database know which processes use it, so that nothing is taken away that they need."""

import os
import socket
from contextlib import suppress
from secrets import token_hex

from milepost.background import Background
from milepost.errors import MilepostError
from milepost.storage.postgres.connections import SCHEMA, Connections, log, our_errors

# Who is gone sooner is not worth a write; others say again and again that they are there.
_FIRST_S, _EVERY_S = 5.0, 15.0
_LEAVING_S = 2.0


class Presence:
    """Says that this process uses a database, and how many scripts it knows."""

    def __init__(self, connections: Connections, schema: int) -> None:
        self._connections, self._schema = connections, schema
        self._name = f"{socket.gethostname()}:{os.getpid()}:{token_hex(3)}"
        self._is_known = False
        self._thread = Background(
            "presence", self._tell, self.close, delay_s=_FIRST_S, poll_s=_EVERY_S
        )
        self._thread.ask()

    def tell(self) -> None:
        """Say now that this process is here, and forget those that are long gone."""
        with self._connections.one() as connection, our_errors(self._connections.name):
            connection.execute(
                f"INSERT INTO {SCHEMA}.servers (name, schema) VALUES (%s, %s) "  # noqa: S608
                "ON CONFLICT (name) DO UPDATE SET seen = now()",
                (self._name, self._schema),
            )
            self._is_known = True
            connection.execute(
                f"DELETE FROM {SCHEMA}.servers WHERE seen < now() - interval '1 day'"  # noqa: S608
            )

    def _tell(self) -> None:
        try:
            self.tell()
        except MilepostError as problem:
            log.debug("the database is not told of this process: %s", problem)

    def close(self) -> None:
        """Say that this process is here no more, if it said that it was."""
        self._thread.close(_LEAVING_S)
        if self._is_known:
            self._is_known = False
            gone = f"DELETE FROM {SCHEMA}.servers WHERE name = %s"  # noqa: S608
            with (
                suppress(MilepostError),
                self._connections.one(_LEAVING_S) as connection,
                our_errors(self._connections.name),
            ):
                connection.execute(gone, (self._name,))
