"""What files said, and what reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from milepost.documents.values import Document, Piece, StoredDocument
from milepost.documents.values import Place as PlaceInDocument

if TYPE_CHECKING:
    from os import stat_result
    from pathlib import Path


class Documents(Protocol):
    """Documents that were read; which memories each was cut into, and where those stand in it.

    What is said of a memory goes with it, and a document with the last of its memories.
    """

    def at(self, space: str, path: str) -> StoredDocument | None:
        """Return the document that was read from a file."""

    def below(self, space: str, folder: str) -> list[StoredDocument]:
        """Return the documents that were read from below a folder, by path."""

    def like(self, space: str, digest: str) -> list[StoredDocument]:
        """Return the documents whose files have a digest."""

    def every(self, space: str) -> list[StoredDocument]:
        """Return all documents by name."""

    def shares_session(self, space: str, session: str, path: str) -> bool:
        """Whether another document than that of a file has its memories in a session."""

    def put(self, space: str, document: StoredDocument, pieces: Sequence[Piece] | None) -> int:
        """Write down a document, a new one if it has no number, and return its number.

        pieces: its memories by their hashes, in its order, in place of those before; None leaves
            them. In the session of the document they stand in that order.
        """

    def end(self, document: int, at_us: int) -> None:
        """Write down that the file of a document is gone."""

    def pieces(self, space: str, document: int) -> list[Piece]:
        """Return the memories that a document is and was cut into, by their numbers."""

    def said_elsewhere(self, document: int, ids: Sequence[int]) -> set[int]:
        """Return those of some memories that another document has too."""

    def places(self, ids: Sequence[int]) -> dict[int, PlaceInDocument]:
        """Return by memory where it stands in a document."""


class DocumentReader(Protocol):
    """Reads documents of many formats, of which none is trusted; for any number of threads."""

    def read(self, path: Path, media: str | None = None, *, file: int | None = None) -> Document:
        """Return what a document says; raise Unreadable, which says why, when that fails.

        media: what it is, such as "pdf", where that is known; else its content and name tell.
        file: a descriptor of the very file, where whoever asks has opened it; it stays theirs, and
            `path` is but its name then.
        """

    def check(self, name: str, about: stat_result) -> None:
        """Raise Unreadable for what is not read whatever it holds, such as a file too large."""

    def close(self) -> None:
        """Stop all that reads."""
