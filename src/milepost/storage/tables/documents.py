"""Documents and the memories that they were cut into, in tables."""

import json
from collections.abc import Sequence

from milepost.documents.values import Piece, Place, StoredDocument
from milepost.storage.tables.database import Database

# What a document no longer says is nobody's neighbour.
_FAR = 1_000_000_000
# What comes right after all paths below a folder.
_AFTER = chr(ord("/") + 1)


class DocumentTable:
    """Keeps documents; what they say lies among the memories."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def at(self, space: str, path: str) -> StoredDocument | None:
        rows = self._db.rows("document_at", {"space": space, "path": path})
        return StoredDocument(*rows[0]) if rows else None

    def below(self, space: str, folder: str) -> list[StoredDocument]:
        folder = folder.rstrip("/")
        wanted = {"space": space, "first": f"{folder}/", "after": f"{folder}{_AFTER}"}
        return [StoredDocument(*row) for row in self._db.rows("documents_below", wanted)]

    def like(self, space: str, digest: str) -> list[StoredDocument]:
        wanted = {"space": space, "digest": digest}
        return [StoredDocument(*row) for row in self._db.rows("documents_like", wanted)]

    def every(self, space: str) -> list[StoredDocument]:
        return [StoredDocument(*row) for row in self._db.rows("documents", {"space": space})]

    def shares_session(self, space: str, session: str, path: str) -> bool:
        wanted = {"space": space, "session": session, "path": path}
        return bool(self._db.rows("documents_of_session", wanted)[0][0])

    def put(self, space: str, document: StoredDocument, pieces: Sequence[Piece] | None) -> int:
        with self._db.writing():
            number = self._put(space, document)
            self._db.next_change()
            if pieces is None:
                return number
            self._db.run("leave_pieces", number)
            first = {piece.hash: piece for piece in reversed(pieces)}
            rows = [(number, one.number, one.place, space, one.hash) for one in first.values()]
            self._db.run_many("set_piece", rows)
            places = [(one.number, one.place, number, space, one.hash) for one in first.values()]
            self._db.run_many("place_piece", places)
            self._order(space, number, document.session)
            return number

    def _order(self, space: str, document: int, session: str) -> None:
        """Let memories stand in their session as in the document, and what it left far before."""
        wanted = {"space": space, "document": document, "session": session}
        for memory_id, number, position in self._db.rows("places_in_session", wanted):
            away = position if position < 0 else position - _FAR
            place = number if number >= 0 else away
            if place != position:
                self._db.run("order_memory", place, self._db.next_change(), memory_id)

    def _put(self, space: str, document: StoredDocument) -> int:
        given = document._asdict() | {"space": space}
        if document.id:
            self._db.run("set_document", given)
            return document.id
        return int(self._db.value("insert_document", given))

    def end(self, document: int, at_us: int) -> None:
        with self._db.writing():
            self._db.run("end_document", at_us, document)

    def pieces(self, space: str, document: int) -> list[Piece]:
        wanted = {"space": space, "document": document}
        return [Piece(*row) for row in self._db.rows("pieces_of", wanted)]

    def said_elsewhere(self, document: int, ids: Sequence[int]) -> set[int]:
        wanted = {"document": document, "ids": json.dumps(list(ids))}
        return {row[0] for row in self._db.rows("said_elsewhere", wanted)}

    def places(self, ids: Sequence[int]) -> dict[int, Place]:
        found: dict[int, Place] = {}
        for memory_id, name, place in self._db.rows("places", json.dumps(list(ids))):
            found.setdefault(memory_id, Place(name, place))
        return found
