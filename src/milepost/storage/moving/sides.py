"""The two sides of a copy: a store that a space is read from, and one that it is written to."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol

from milepost.errors import ConfigError
from milepost.location import is_database, shown
from milepost.storage import store_file
from milepost.storage.moving.parts import Part

# By table, what numbers are counted from, or how far they go.
Numbers = Mapping[str, int]
Key = Sequence[Any]


class Marker(NamedTuple):
    """The note of a copy under way, in the store that it is made in.

    room: how far the numbers go that were set aside there for what comes while it is copied.
    """

    source: str
    source_bases: Numbers
    bases: Numbers
    room: Numbers


class Reader(Protocol):
    """A store as it is at one moment, of which one space is read at a time."""

    name: str

    def homes(self) -> list[str]:
        """Return the spaces that hold anything, in order."""

    def moved_away(self) -> dict[str, str]:
        """Return the spaces that were moved to other stores, and where to."""

    def enter(self, home: str) -> None:
        """Read one space from here on."""

    def firsts(self) -> Numbers:
        """Return by table what the numbers of this space are best counted from."""

    def count_from(self, bases: Numbers) -> None:
        """Count numbers of rows from these."""

    def spans(self) -> Numbers:
        """Return by table how far numbers of rows go."""

    def count(self, part: Part) -> int:
        """Return how many rows a part has."""

    def rows(self, part: Part) -> Iterator[list[Any]]:
        """Yield all neutral rows in the order of their key."""

    def find(self, part: Part, keys: Iterable[Key]) -> list[list[Any]]:
        """Return the neutral rows that have one of some keys, in their order."""

    def alike(self, part: Part, names: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[int]:
        """Return of each neutral row the number of one that has the same in some columns, or 0."""

    def marker(self) -> Marker | None:
        """Return the note of a copy under way into this space."""

    def position(self) -> int:
        """Return from where to ask for what is changed from this moment on."""

    def touched(self, since: int) -> dict[str, list[tuple[Any, ...]]]:
        """Return by table the keys of rows that were changed since, of this space at least."""

    def close(self) -> None:
        """Let go of the store."""


class Source(Reader, Protocol):
    """A store that a space leaves while it is used."""

    def watch(self) -> None:
        """Note from now on what is changed, also when whoever asked for it is killed."""

    def hold(self) -> None:
        """Let writers wait until `release` or `move_to`; what is read is what they left."""

    def release(self) -> None:
        """Let writers go on."""

    def move_to(self, target: str) -> None:
        """Refuse all writes to this space from now on, for it is elsewhere.

        Its jobs are done where it is, and nothing is noted any more.
        """


class Target(Reader, Protocol):
    """A store that a space comes to; others are kept from it until it is open."""

    def begin(self, source: Reader) -> Marker:
        """Note that this space is copied, and set numbers of rows aside for what comes."""

    def writing(self) -> AbstractContextManager[None]:
        """Write several parts at once, all of it or nothing."""

    def put(self, part: Part, rows: Sequence[Sequence[Any]]) -> bool:
        """Write neutral rows, in place of those with the same keys.

        False when another stood in the way of one: then all of them are gone, and what rests on
        them, and there is room for them next time.
        """

    def remove(self, part: Part, keys: Sequence[Key]) -> None:
        """Remove rows by their keys."""

    def welcome(self) -> None:
        """Make ready for rows that come to those of this space, whoever else uses it."""

    def take_numbers(self, table: str, count: int) -> Sequence[int]:
        """Return numbers for new rows of a table, in the transaction under way."""

    def added(self) -> None:
        """Let readers of this space know that there is more, in the transaction under way."""

    def prepare(self) -> None:
        """Make what searches rest on, beside the rows themselves."""

    def open(self) -> None:
        """Let others read and write this space here."""

    def finish(self) -> None:
        """Forget that it was copied; all of it is on disk then."""

    def clear(self) -> None:
        """Remove all of this space."""


def open_reader(url: str) -> Reader:
    """Open a store to read all of it as it is at this moment; nothing of it is changed."""
    path = store_file(url)
    if path is not None:
        from milepost.storage.moving.sqlite.reading import SqliteReader

        return SqliteReader(path)
    from milepost.storage.moving.postgres.reading import PostgresReader

    return PostgresReader(_database(url))


def open_source(url: str) -> Source:
    """Open a store that a space shall leave."""
    path = store_file(url)
    if path is not None:
        from milepost.storage.moving.sqlite.leaving import SqliteSource

        return SqliteSource(path)
    from milepost.storage.moving.postgres.leaving import PostgresSource

    return PostgresSource(_database(url))


def open_target(url: str) -> Target:
    """Open a store that spaces shall come to."""
    path = store_file(url)
    if path is not None:
        from milepost.storage.moving.sqlite.coming import SqliteTarget

        return SqliteTarget(path)
    from milepost.storage.moving.postgres.coming import PostgresTarget

    return PostgresTarget(_database(url))


def _database(url: str) -> str:
    if not is_database(url):
        raise ConfigError(
            f"Only files and postgresql:// databases can be copied, not {shown(url)}."
        )
    return url
