"""Values by name, and journals, in tables."""

from collections.abc import Sequence
from random import random

from milepost.storage.tables.database import Database
from milepost.text.erasing import Erasure
from milepost.text.lines import counted

# How many memories were removed for good; it goes on counting.
REMOVED = "removed"
# What is kept under these topics has a memory of its own, and goes with that alone.
OWNED = frozenset({"skills"})
# These say what is to be kept and what is to go: they quote nothing that was erased, or must stay
# until that is done. The statements below leave them, and the receipts, when a space is bare.
STANDING = frozenset({"retention", "holds", "erasing", REMOVED})


class ValueTable:
    """Keeps values; a journal is trimmed now and then."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def get(self, space: str, topic: str, key: str) -> str | None:
        rows = self._db.rows("kept", space, topic, key)
        return str(rows[0][0]) if rows else None

    def put(self, space: str, topic: str, key: str, value: str | None) -> None:
        with self._db.writing():
            if value is None:
                self._db.run("forget_kept", space, topic, key)
            else:
                self._db.run("keep", space, topic, key, value)
            self._db.note(
                f"{'forget' if value is None else 'keep'} {f'{topic} {key}'.strip()} of {space}"
            )

    def count(self, space: str, topic: str, number: int) -> None:
        """Add to a number, in the transaction under way."""
        known = self.get(space, topic, "")
        self._db.run("keep", space, topic, "", str(int(known or 0) + number))

    def note(self, space: str, topic: str, at: int, entries: Sequence[str], most: int) -> None:
        with self._db.writing():
            for entry in entries:
                self._db.run("insert_entry", space, topic, at, entry)
            # Whoever looks for the end of many entries walks over all of them: not every time.
            if random() * most < 100 * len(entries):  # noqa: S311 -- no secret
                self._db.run("trim_journal", {"space": space, "topic": topic, "most": most})
            self._db.note(f"note {counted(len(entries), 'entry')} under {topic} of {space}")

    def notes(self, space: str, topic: str, since: int, limit: int) -> list[tuple[int, str]]:
        rows = self._db.rows("journal", space, topic, since, limit)
        return [(at, entry) for at, entry in reversed(rows)]

    def count_notes(self, space: str, topic: str, before: int) -> int:
        return int(self._db.value("count_entries", space, topic, before))

    def forget_notes(self, space: str, topic: str, before: int) -> int:
        with self._db.writing():
            count = self.count_notes(space, topic, before)
            if count:
                self._db.run("forget_entries", space, topic, before)
                self._db.note(f"forget {counted(count, 'entry')} under {topic} of {space}")
                self._db.then(self._db.empty_log)
            return count

    def erase(self, space: str, erasure: Erasure) -> None:
        """Take deleted texts out of the values of a space."""
        rows = self._db.rows("kept_of", space)
        for topic, key, value in rows:
            left = value if topic in OWNED | STANDING else erasure.without(value)
            if left is None:
                self._db.run("forget_kept", space, topic, key)
            elif left != value:
                self._db.run("keep", space, topic, key, left)

    def forget_if_bare(self, space: str) -> None:
        """Forget what is kept beside memories and episodes when there are none."""
        if self._db.value("is_bare", {"space": space}):
            for statement in ("forget_all_kept", "forget_journals", "forget_dead"):
                self._db.run(statement, space)
