"""How memories were before a deed, written down beside the deed."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from milepost.memory.values import BIN
from milepost.storage.tables.database import Database
from milepost.text.erasing import Erasure

# What links a memory to the one that replaced it; and all that storing its text again may change.
LINKS = ("valid_to", "superseded_by")
# By the hash of which memory a deed had one replaced.
BY = "by"
STATE = (*LINKS, "tags", "projects", "kind", "metadata", "standing")
# Labels by their field, and what clears and adds them.
LABELS = (
    ("tags", "clear_tags", "insert_tags"),
    ("projects", "clear_projects", "insert_projects"),
)
DELETED, NEW = "deleted", "new"


class Former:
    """Holds former states; what a deed changed first of a memory is what it was."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def hold(self, deed: int | None, memory_id: int, fields: Iterable[str]) -> None:
        """Write down some fields of a memory as they are, if there is a deed to hold them."""
        if deed is not None and (state := self.state(memory_id)):
            self._add(deed, memory_id, {name: state[name] for name in fields})

    def state(self, memory_id: int) -> dict[str, Any]:
        """Return how a memory is now; nothing of one that is gone."""
        row = self._db.row("state", memory_id)
        if row is None:
            return {}
        plain = zip(("kind", "valid_to", "superseded_by", "standing"), row[:4], strict=True)
        lists = zip(("metadata", "tags", "projects"), map(json.loads, row[4:]), strict=True)
        return dict(plain) | dict(lists)

    def hold_link(self, deed: int | None, memory_id: int, by: int) -> None:
        """Write down by what a memory was replaced, and that another replaces it now."""
        self.hold(deed, memory_id, LINKS)
        if deed is not None and (row := self._db.row("place", by)):
            self._add(deed, memory_id, {BY: row[1]})

    def hold_new(self, deed: int | None, memory_id: int) -> None:
        """Write down that a memory was not there."""
        if deed is not None:
            self._add(deed, memory_id, {NEW: True})

    def hold_deleted(self, deed: int, memory_id: int) -> None:
        """Write down that a memory was not deleted."""
        self._add(deed, memory_id, {DELETED: True})

    def owner(self, space: str) -> str:
        """Return the space that a memory belongs to which may lie in a bin."""
        if not space.startswith(BIN):
            return space
        row = self._db.row("deed_space", int(space.removeprefix(BIN)))
        return str(row[0]) if row else space

    def erase(self, space: str, erasure: Erasure) -> None:
        """Take erased texts out of former states, and forget deeds that hold nothing."""
        self._db.run("forget_empty_deeds", space)
        rows = self._db.rows("former_of", space)
        for deed, memory_id, state in rows:
            left = erasure.without(state)
            if left is None:
                self._db.run("forget_entry", deed, memory_id)
            elif left != state:
                self.put(deed, memory_id, json.loads(left), new=False)

    def put(self, deed: int, memory_id: int, state: Mapping[str, Any], *, new: bool) -> None:
        """Write down a state, in place of the one before unless it is new."""
        own = not state.keys() <= {*LINKS, BY}
        statement = "insert_former" if new else "set_former"
        self._db.run(statement, json.dumps(state), own, deed, memory_id)

    def _add(self, deed: int, memory_id: int, state: dict[str, Any]) -> None:
        row = self._db.row("former", deed, memory_id)
        known = json.loads(row[0]) if row else {}
        # What a deed stored has no state before it.
        merged = known if NEW in known else state | known
        self.put(deed, memory_id, merged, new=row is None)
