"""Who did what."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class AuditNote(NamedTuple):
    """What is to be noted in the audit of a space."""

    at_us: int
    operation: str
    entry: str


class AuditRow(NamedTuple):
    """An entry of the audit: its digest binds it to the one before."""

    number: int
    at_us: int
    operation: str
    entry: str
    digest: str


class Audit(Protocol):
    """Who did what in a space; it only grows.

    The digest of an entry is the SHA-256 of the digest before it, nothing for the first, and the
    entry.
    """

    def append(self, space: str, at_us: int, operation: str, entry: str) -> None:
        """Add an entry, with what is written beside it."""

    def rows(self, space: str, after: int, limit: int) -> list[AuditRow]:
        """Return the entries that follow one, by its number, in order."""

    def latest(
        self, space: str, since_us: int, operation: str | None, limit: int
    ) -> list[AuditRow]:
        """Return the last entries since a time, of all operations or of one, oldest first."""

    def head(self, space: str) -> tuple[int, str]:
        """Return the number of the last entry and its digest, as they were noted beside it."""
