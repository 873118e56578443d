"""Memories in PostgreSQL: one whose text is new is stored by a single statement."""

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

from milepost.memory.values import Draft
from milepost.ports import AuditNote, Stored
from milepost.storage.postgres.database import PostgresDatabase
from milepost.storage.postgres.vectors import HalfVectors, half_vectors
from milepost.storage.postgres.words import search_columns
from milepost.storage.tables.anchors import AnchorTable
from milepost.storage.tables.memories import Erase, MemoryTable, Quoting, telling_prefix
from milepost.storage.tables.named_values import ValueTable


class PostgresMemories(MemoryTable):
    """Keeps memories where every statement is a way to the database and back."""

    def __init__(
        self,
        database: PostgresDatabase,
        anchors: AnchorTable,
        values: ValueTable,
        quoting: Sequence[Quoting],
        erase_beside: Erase,
    ) -> None:
        super().__init__(
            database,
            None,
            anchors,
            values,
            quoting,
            erase_beside,
            pack=half_vectors,
            search_columns=lambda draft: search_columns(draft, database.seals),
        )
        self._database = database

    def store(
        self, drafts: Sequence[Draft], digits: int, since_us: int, deed: int | None = None
    ) -> Stored:
        if len(drafts) == 1 and deed is None and _is_plain(drafts[0]):
            stored = self._store_fresh(drafts[0], digits, since_us)
            if stored is not None:
                return stored
        return super().store(drafts, digits, since_us, deed)

    def store_alone(
        self, draft: Draft, digits: int, since_us: int, noted: AuditNote | None
    ) -> str | None:
        if self._database.is_writing or not _is_plain(draft) or draft.anchors:
            return None
        at_us, operation, entry = noted or (None, None, None)
        given = self._given(draft) | {"since": since_us, "unless_said": True}
        given |= {"noted_at": at_us, "noted_as": operation, "entry": entry}
        ((_, is_stored, before, after, _),) = self._database.at_once("add_memory", given)
        return telling_prefix(draft.hash, (before, after), digits) if is_stored else None

    def _store_fresh(self, draft: Draft, digits: int, since_us: int) -> Stored | None:
        """Store a memory; None, with nothing stored, when its text is known."""
        # What is a single statement needs no part of its own in a transaction.
        with nullcontext() if self._database.is_writing else self._database.writing():
            given = self._given(draft) | {"since": since_us, "unless_said": False}
            given |= dict.fromkeys(("noted_at", "noted_as", "entry"))
            memory_id, is_stored, before, after, said_lately = self._db.row("add_memory", given)
            if not is_stored:
                return None
            self._anchors.add(memory_id, draft.anchors)
            if self._db.would is not None:
                self._note_added([draft], [False])
            name = telling_prefix(draft.hash, (before, after), digits)
            keys = [draft.said] if said_lately and draft.said is not None else []
            again = self.said_twice(draft.space, keys, since_us) if keys else []
            return Stored([name], again)

    def _given(self, draft: Draft) -> dict[str, Any]:
        (vectors,) = self._packed([draft.analysis.vectors])
        models = {"models": list(vectors), "vectors": HalfVectors(list(vectors.values()))}
        return self._unnumbered(draft) | models


def _is_plain(draft: Draft) -> bool:
    """Whether a memory replaces none and waits for nobody."""
    return draft.supersedes is None and not draft.standing
