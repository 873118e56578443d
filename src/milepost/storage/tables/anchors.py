"""What memories rest on, in a table."""

import json
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter

from milepost.storage.tables.database import Database
from milepost.workspace.values import Anchor


class AnchorTable:
    """Keeps anchors, which go with their memories."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def of(self, ids: Sequence[int]) -> dict[int, tuple[Anchor, ...]]:
        rows = self._db.rows("anchors_of", json.dumps(list(ids)))
        groups = groupby(rows, itemgetter(0))
        return {key: tuple(Anchor(*row[1:]) for row in group) for key, group in groups}

    def anchored(self, space: str, project: str, now_us: int) -> list[int]:
        named = {"space": space, "project": project, "now": now_us}
        return [row[0] for row in self._db.rows("anchored", named)]

    def put(self, memory_id: int, anchors: Sequence[Anchor]) -> None:
        with self._db.writing():
            self._db.run("clear_anchors", memory_id)
            self.add(memory_id, anchors)

    def add(self, memory_id: int, anchors: Sequence[Anchor]) -> None:
        """Let a memory rest on these too, in the transaction under way."""
        for anchor in anchors:
            self._db.run("insert_anchor", memory_id, *anchor)
