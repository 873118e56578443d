"""What tables need of a database: named statements, transactions, and what follows from them."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from milepost.memory.values import Filter
from milepost.ports import Page


class Database(Protocol):
    """Runs named statements, whose values come in order or by name."""

    @property
    def would(self) -> list[str] | None:
        """What a rehearsal would have done, None when this is none."""

    @property
    def last_change(self) -> int:
        """The number of the last change, in the transaction under way."""

    def next_change(self) -> int:
        """Return the number of the next change to a memory or a link, in the transaction under way.

        Whoever asks changes something that searches show.
        """

    def run(self, name: str, *values: Any) -> object:
        """Run a statement of the transaction under way."""

    def reserve(self, table: str, count: int) -> None:
        """Take numbers for rows that are added to a table in this transaction."""

    def insert(self, table: str, name: str, values: dict[str, Any]) -> int:
        """Run a statement that adds a row to a table, and return its number.

        Where a database gives out numbers beforehand nobody waits for the row: it is `:id`.
        """

    def run_many(self, name: str, rows: Sequence[Sequence[Any]]) -> int:
        """Run a statement once for each row of values; return how many rows were changed."""

    def changed(self) -> int:
        """Return how many rows the last statement of the transaction under way changed."""

    def rows(self, name: str, *values: Any) -> list[Any]:
        """Return what a statement finds or returns, with what this thread is writing."""

    def row(self, name: str, *values: Any) -> Any:
        """Return the first of what a statement finds; None for nothing."""

    def value(self, name: str, *values: Any) -> Any:
        """Return the first value of what a statement finds; None for nothing."""

    def select_rows(self, statement: str, values: dict[str, Any]) -> list[Any]:
        """Return what a statement finds that is made up on the way."""

    @property
    def reads_texts(self) -> bool:
        """Whether it can look into what it keeps; else whoever asks must."""

    def kept(self, table: str, column: str, value: str | None) -> str | None:
        """Return a value of a column as a statement that is made up on the way must write it."""

    def condition(self, where: Filter) -> tuple[str, dict[str, Any]]:
        """Return what memories fulfil that pass a filter; their table goes by `m`."""

    def writing(self, *, durable: bool = True) -> AbstractContextManager[None]:
        """Run one transaction, all of it or nothing; one within another is a part of it."""

    def then(self, act: Callable[[], None]) -> None:
        """Do something when the transaction under way is committed, and not if it is undone."""

    def note(self, deed: str) -> None:
        """Say what is done, to whoever rehearses."""

    def empty_log(self) -> None:
        """Take what was overwritten out of what a database keeps beside its tables."""

    def empty_log_later(self) -> None:
        """Do so now if it could not be done when it was due, and nobody has to wait for it."""


def passing(
    database: Database, where: Filter, narrower: str = "", named: Mapping[str, Any] | None = None
) -> list[int]:
    """Return the ids of the memories that pass a filter, and what narrows it, newest first."""
    clause, values = database.condition(where)
    order = "ORDER BY m.created DESC, m.id DESC"
    statement = f"SELECT m.id FROM memories AS m WHERE {clause}{narrower} {order}"  # noqa: S608 -- no input
    return [row[0] for row in database.select_rows(statement, values | dict(named or {}))]


def page_by_author(database: Database, where: Filter, limit: int, offset: int) -> Page:
    """Return some of the memories of an author, newest first; no index knows authors by name."""
    ids = passing(database, where, " AND m.author = :author", {"author": where.author})
    return Page(ids[offset : offset + limit], len(ids))
