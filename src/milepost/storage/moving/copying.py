"""Copy spaces from one store to another, so that a copy which was interrupted goes on."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from typing import Any, NamedTuple, Protocol

from milepost.errors import ConfigError, StoreError
from milepost.location import is_database, shown
from milepost.storage import store_file
from milepost.storage.moving.neutral import Digest, digest_of
from milepost.storage.moving.parts import PARTS, Part

# A batch is written at once: so many rows, or so many bytes of them.
_ROWS, _BYTES = 1_000, 4_000_000

# Called with what is done and what there is in all.
Progress = Callable[[int, int], None]


class Side(Protocol):
    """A store that spaces are copied out of or into, one space at a time."""

    name: str

    def homes(self) -> list[str]:
        """Return the spaces that hold anything, in order."""

    def moved_away(self) -> dict[str, str]:
        """Return the spaces that were moved to other stores, and where to."""

    def enter(self, home: str) -> None:
        """Read and write one space from here on."""

    def count(self, part: Part) -> int:
        """Return how many rows a part has."""

    def spans(self) -> dict[str, int]:
        """Return by table the largest number that a row was given."""

    def rows(self, part: Part, after: Sequence[Any] | None = None) -> Iterator[list[Any]]:
        """Yield neutral rows in the order of their key, those after one key."""

    def marker(self) -> dict[str, Any] | None:
        """Return the note of a copy under way into this space."""

    def is_free(self) -> bool:
        """Whether nothing is known of this space."""

    def use(self, bases: Mapping[str, int]) -> None:
        """Go on where a copy began: numbers are counted from these."""

    def begin(self, spans: Mapping[str, int]) -> dict[str, int]:
        """Set numbers of rows aside for what comes; return where they begin."""

    def write(self, part: Part, rows: Sequence[Sequence[Any]], marker: Mapping[str, Any]) -> None:
        """Write neutral rows, and how far the copy is, at once."""

    def mark(self, marker: Mapping[str, Any] | None) -> None:
        """Note how far a copy is; None when it is done."""

    def prepare(self) -> None:
        """Make what searches rest on, beside the rows themselves."""

    def remove(self, part: Part, keys: Sequence[Sequence[Any]]) -> None:
        """Remove rows by their keys, and what goes with them."""

    def moved(self) -> str | None:
        """Return where this space was moved to, if it was."""

    def hold(self) -> None:
        """Let writers wait until `release` or `move_to`; what is read is what they left."""

    def release(self) -> None:
        """Let writers go on."""

    def move_to(self, target: str | None) -> None:
        """Refuse all writes to this space from now on, for it is elsewhere; None takes them again.

        Its jobs are done where it is.
        """

    def clear(self) -> None:
        """Remove all of this space."""

    def close(self) -> None:
        """Let go of the store."""


class CopiedPart(NamedTuple):
    """A part as it is in both stores."""

    name: str
    source: Digest
    target: Digest

    @property
    def agrees(self) -> bool:
        """Whether it is the same in both."""
        return self.source == self.target


class CopiedSpace(NamedTuple):
    """What was copied of a space."""

    space: str
    parts: tuple[CopiedPart, ...]
    resumed: bool

    @property
    def agrees(self) -> bool:
        """Whether all of it is the same in both stores."""
        return all(part.agrees for part in self.parts)


class Copying:
    """Copies spaces between two stores that are open.

    room: so many numbers of rows are set aside for what comes while it is copied.
    """

    def __init__(self, source: Side, target: Side, progress: Progress, room: int = 0) -> None:
        self._source, self._target = source, target
        self._progress = progress
        self._done = self._total = 0
        self._room = room

    def copy(self, spaces: Sequence[str], *, replace: bool) -> Iterator[CopiedSpace]:
        """Copy spaces one after the other, and compare each with what was copied."""
        for space in spaces:
            self.refuse(space, replace=replace)
        for space in spaces:
            self._source.enter(space)
            self._total += 2 * sum(map(self._source.count, PARTS))
        for space in spaces:
            resumed = self.fill(space, replace=replace)
            copied = CopiedSpace(space, tuple(self._compare(space)), resumed)
            if copied.agrees:
                self._target.mark(None)
            yield copied

    def refuse(self, space: str, *, replace: bool) -> None:
        """Raise for what must not be copied, before anything is."""
        self._source.enter(space)
        if self._source.marker() is not None:
            raise StoreError(f"The copy of {space} into {self._source.name} was never finished.")
        self._target.enter(space)
        marker = self._target.marker()
        if replace or (marker is None and self._target.is_free()):
            return
        if marker is None:
            raise ConfigError(
                f"{self._target.name} has a space {space} already; --replace removes it first."
            )
        if marker["source"] != self._source.name:
            raise ConfigError(
                f"{self._target.name} has a part of {space} from {marker['source']}; go on with "
                "that, or --replace it."
            )

    def fill(self, space: str, *, replace: bool) -> bool:
        """Copy what is not there yet; return whether that went on with a copy under way."""
        self._source.enter(space)
        self._target.enter(space)
        marker = self._target.marker()
        goes_on = marker is not None and marker["source"] == self._source.name
        if replace and not goes_on:
            self._target.clear()
        if marker is None or not goes_on:
            spans = self._source.spans()
            room = {table: number + self._room for table, number in spans.items()}
            bases = self._target.begin(room)
            marker = {"source": self._source.name, "bases": bases, "part": PARTS[0].name}
            marker |= {"after": None, "rows": 0, "room": room}
            self._target.mark(marker)
        self._target.use(marker["bases"])
        self._tell(marker["rows"])
        first = [part.name for part in PARTS].index(marker["part"])
        for part in PARTS[first:]:
            after = marker["after"] if part.name == marker["part"] else None
            for rows in batches(self._source.rows(part, after)):
                last = [rows[-1][place] for place in part.places(part.key)]
                copied = marker["rows"] + len(rows)
                marker |= {"part": part.name, "after": last, "rows": copied}
                self._target.write(part, rows, marker)
                self._tell(len(rows))
        return goes_on

    def _compare(self, space: str) -> Iterator[CopiedPart]:
        self._target.enter(space)
        for part in PARTS:
            source = digest_of(part, self._source.rows(part))
            yield CopiedPart(part.name, source, digest_of(part, self._target.rows(part)))
            self._tell(source.rows)

    def _tell(self, rows: int) -> None:
        self._done += rows
        self._progress(self._done, max(self._total, self._done))


def copy_spaces(
    source_url: str,
    target_url: str,
    spaces: Sequence[str] | None,
    *,
    replace: bool = False,
    progress: Progress,
) -> list[CopiedSpace]:
    """Copy spaces, or all there are, from one store to another that is there already."""
    with ExitStack() as stack:
        source = stack.enter_context(closing(open_side(source_url, writable=False)))
        target = stack.enter_context(closing(open_side(target_url, writable=True)))
        if source.name == target.name:
            raise ConfigError("A store is not copied to itself.")
        chosen = _chosen(source, spaces)
        return list(Copying(source, target, progress).copy(chosen, replace=replace))


def _chosen(source: Side, spaces: Sequence[str] | None) -> list[str]:
    known = source.homes()
    for space in spaces or ():
        if space not in known:
            raise ConfigError(
                f"{source.name} has no space {space}; it has: {', '.join(known) or 'none'}."
            )
    return known if spaces is None else list(spaces)


def open_side(url: str, *, writable: bool) -> Side:
    """Open what a URL names, to copy out of it or into it."""
    path = store_file(url)
    if path is not None:
        from milepost.storage.moving.sqlite import SqliteSide

        return SqliteSide(path.resolve(), writable=writable)
    if is_database(url):
        from milepost.storage.moving.postgres import PostgresSide

        return PostgresSide(url, writable=writable)
    raise ConfigError(f"Only files and postgresql:// databases can be copied, not {shown(url)}.")


def batches(rows: Iterator[list[Any]]) -> Iterator[list[list[Any]]]:
    batch, size = list[list[Any]](), 0
    for row in rows:
        batch.append(row)
        size += sum(len(value) for value in row if isinstance(value, str | bytes))
        if len(batch) >= _ROWS or size >= _BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
