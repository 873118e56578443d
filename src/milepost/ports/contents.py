"""All that a store holds, as plain rows: for stores that sync, and for erasures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

# How the keys of events and episodes begin, among what is synced; and how one looks that a rule let
# go here, which is no word for other stores.
SYNCED_EVENT, SYNCED_EPISODE, LET_GO = "e", "ep", "let go"


class SyncedRow(NamedTuple):
    """A thing that is synced, as it was last seen here, and the number of its last change.

    ended: until when it holds and what replaced it, if anybody ever said so.
    seen: a digest of the rest.
    """

    key: str
    number: int
    alive: bool
    ended: str | None
    seen: str


class SyncedState(NamedTuple):
    """What stores know of a thing that is synced, and the number of its last change here."""

    key: str
    number: int
    state: str


class Synced(Protocol):
    """What is known of things that several stores of a person keep; it holds no text."""

    def rows(self, space: str) -> list[SyncedRow]:
        """Return all things as they were last seen."""

    def states(self, space: str, keys: Sequence[str]) -> dict[str, str]:
        """Return by key what is known of things."""

    def since(self, space: str, number: int) -> list[SyncedState]:
        """Return what changed after a number, in order."""

    def put(self, space: str, rows: Sequence[tuple[SyncedRow, str]]) -> None:
        """Write down things as they are now, and what is known of them."""

    def let_go(self, space: str, keys: Sequence[str]) -> None:
        """Write down that things went from here alone."""


class Row(NamedTuple):
    """A row of a table: what tells it from the others, and what of it is text, by column."""

    table: str
    key: Mapping[str, Any]
    texts: Mapping[str, str]


class Contents(Protocol):
    """All that a space holds in whatever table, bins and entries with it, but for its audit."""

    def memories(self, space: str, *, entries: bool = False) -> list[int]:
        """Return all memories, also those in bins; or the entries of episodes and patterns."""

    def rows(self, space: str, tables: Sequence[str] | None = None) -> Iterator[Row]:
        """Yield the rows of all tables but those of memories, or of some, that hold text."""

    def counts(self, space: str) -> dict[str, int]:
        """Return by table how many rows there are."""

    def remove(self, row: Row) -> None:
        """Delete a row for good."""

    def rewrite(self, row: Row, values: Mapping[str, str | None]) -> None:
        """Put other texts into some columns of a row."""

    def scrub(self) -> None:
        """Take what was overwritten out of what the store keeps beside its tables."""
