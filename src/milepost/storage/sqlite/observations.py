"""What is said of entities, in a table."""

import json
from typing import Any

from milepost.knowledge.values import Observation, Span
from milepost.memory.values import FOREVER
from milepost.storage.sqlite.file import SqliteFile
from milepost.text.erasing import Erasure


class SqliteObservations:
    """Keeps texts about entities."""

    def __init__(self, file: SqliteFile) -> None:
        self._file = file

    def put(self, space: str, entity: int, text: str, span: Span, now_us: int) -> bool:
        about = {"space": space, "entity": entity, "text": text, "now": now_us}
        with self._file.writing():
            if self._file.run("known_observation", about).fetchone():
                return False
            self._file.run("insert_observation", about | {"from": span.from_us, "to": span.to_us})
            self._file.note("write down 1 observation")
            return True

    def remove(self, space: str, entity: int, text: str) -> int:
        with self._file.writing():
            fields = {"space": space, "entity": entity, "text": text}
            self._file.run("delete_observation", fields)
            self._file.then(self._file.empty_log)
            return self._file.changed()

    def changed(
        self, space: str, entity: int | None, after_us: int, until_us: int, limit: int
    ) -> tuple[list[Observation], list[Observation]]:
        wanted = {"space": space, "entity": entity, "after": after_us, "until": until_us}
        wanted["limit"] = limit
        statements = ("observations_between", "observations_ended")
        said, unsaid = (
            [_observation(row) for row in self._file.rows(name, wanted)] for name in statements
        )
        return said, unsaid

    def erase(self, space: str, erasure: Erasure) -> None:
        """Forget what callers said that quotes deleted texts."""
        rows: Any = self._file.run("stated_observations", space).fetchall()
        gone = [number for number, text in rows if erasure.quoted_in(text)]
        if gone:
            self._file.run("delete_observations", json.dumps(gone))
            self._file.then(self._file.empty_log)


def _observation(row: Any) -> Observation:
    name, text, valid_from, valid_to, recorded, origin, memory = row
    until = None if valid_to == FOREVER else valid_to / 1e6
    return Observation(name, text, valid_from / 1e6, until, recorded / 1e6, origin, memory)
