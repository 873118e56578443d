"""What is said of entities, in a table."""

import json
from collections.abc import Mapping
from typing import Any

from milepost.knowledge.values import Observation, Span
from milepost.memory.values import FOREVER
from milepost.storage.tables.database import Database
from milepost.text.erasing import Erasure


class ObservationTable:
    """Keeps texts about entities."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def put(self, space: str, entity: int, text: str, span: Span, now_us: int) -> bool:
        about = {"space": space, "entity": entity, "text": text, "now": now_us}
        with self._db.writing():
            if self._known(about):
                return False
            self._db.run("insert_observation", about | {"from": span.from_us, "to": span.to_us})
            self._db.note("write down 1 observation")
            return True

    def remove(self, space: str, entity: int, text: str) -> int:
        with self._db.writing():
            gone = self._known({"space": space, "entity": entity, "text": text, "now": None})
            self._db.run("delete_observations", json.dumps(gone))
            self._db.then(self._db.empty_log)
            return len(gone)

    def _known(self, about: Mapping[str, Any]) -> list[int]:
        """Return the numbers of those that say a text of an entity."""
        read = about["text"] if self._db.reads_texts else None
        rows = self._db.rows("known_observations", {**about, "read": read})
        return [number for number, text in rows if text == about["text"]]

    def changed(
        self, space: str, entity: int | None, after_us: int, until_us: int, limit: int
    ) -> tuple[list[Observation], list[Observation]]:
        wanted = {"space": space, "entity": entity, "after": after_us, "until": until_us}
        wanted["limit"] = limit
        statements = ("observations_between", "observations_ended")
        said, unsaid = (
            [_observation(row) for row in self._db.rows(name, wanted)] for name in statements
        )
        return said, unsaid

    def erase(self, space: str, erasure: Erasure) -> None:
        """Forget what callers said that quotes deleted texts."""
        rows = self._db.rows("stated_observations", space)
        gone = [number for number, text in rows if erasure.quoted_in(text)]
        if gone:
            self._db.run("delete_observations", json.dumps(gone))
            self._db.then(self._db.empty_log)


def _observation(row: Any) -> Observation:
    name, text, valid_from, valid_to, recorded, origin, memory = row
    until = None if valid_to == FOREVER else valid_to / 1e6
    return Observation(name, text, valid_from / 1e6, until, recorded / 1e6, origin, memory)
