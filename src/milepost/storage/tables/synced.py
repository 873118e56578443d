"""What other stores of the same person were told, in a table without texts."""

import json
from collections.abc import Sequence

from milepost.ports import LET_GO, SyncedRow, SyncedState
from milepost.storage.tables.database import Database

_AT_A_TIME = 500


class SyncedTable:
    """Keeps of each thing that is synced when it came, went and changed."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def rows(self, space: str) -> list[SyncedRow]:
        rows = self._db.rows("synced", space)
        return [SyncedRow(key, number, bool(alive), *rest) for key, number, alive, *rest in rows]

    def states(self, space: str, keys: Sequence[str]) -> dict[str, str]:
        found: dict[str, str] = {}
        for first in range(0, len(keys), _AT_A_TIME):
            some = json.dumps(list(keys[first : first + _AT_A_TIME]))
            found.update(self._db.rows("synced_states", {"space": space, "keys": some}))
        return found

    def since(self, space: str, number: int) -> list[SyncedState]:
        rows = self._db.rows("synced_since", {"space": space, "since": number})
        return [SyncedState(*row) for row in rows]

    def put(self, space: str, rows: Sequence[tuple[SyncedRow, str]]) -> None:
        with self._db.writing():
            for row, state in rows:
                self._db.run("put_synced", row._asdict() | {"space": space, "state": state})

    def let_go(self, space: str, keys: Sequence[str]) -> None:
        with self._db.writing():
            for first in range(0, len(keys), _AT_A_TIME):
                some = json.dumps(list(keys[first : first + _AT_A_TIME]))
                self._db.run("let_go", {"space": space, "keys": some, "seen": LET_GO})
