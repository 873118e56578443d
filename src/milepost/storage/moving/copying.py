"""Copy spaces from one store to another, so that a copy which was interrupted goes on.

To copy is to compare: what the target lacks is written there, batch by batch, what it has too much
is removed. So a copy goes on where it ended, and one that is compared again without a difference is
complete.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from typing import Any, NamedTuple

from milepost.errors import ConfigError, StoreBusy, StoreError
from milepost.storage.moving.neutral import Digest, digest_of, row_digest
from milepost.storage.moving.parts import PARTS, Part
from milepost.storage.moving.sides import Marker, Reader, Target, open_reader, open_target

# A batch is written at once: so many rows, or so many bytes of them.
_ROWS, _BYTES = 1_000, 4_000_000
# A row may have to go before another can come in its place; then all is compared again.
PASSES_MAX = 5

# Called with what is done and what there is in all.
Progress = Callable[[int, int], None]


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
    """Copies spaces between two stores that are open."""

    def __init__(self, source: Reader, target: Target, progress: Progress) -> None:
        self._source, self._target = source, target
        self._progress = progress
        self._done = self._total = 0
        self._space = ""

    def copy(self, spaces: Sequence[str], *, replace: bool) -> Iterator[CopiedSpace]:
        """Copy spaces one after the other, and compare each with what was copied."""
        for space in spaces:
            self._refuse(space, replace=replace)
        for space in spaces:
            self._source.enter(space)
            self._total += 2 * sum(map(self._source.count, PARTS))
        for space in spaces:
            resumed = self.begin(space, replace=replace)
            yield self._copied(space, resumed=resumed)

    def _copied(self, space: str, *, resumed: bool) -> CopiedSpace:
        for _ in range(PASSES_MAX):
            self.bring(PARTS)
            copied = CopiedSpace(space, tuple(self._compare()), resumed)
            if copied.agrees:
                self._target.prepare()
                self._target.open()
                self._target.finish()
                break
        return copied

    def _refuse(self, space: str, *, replace: bool) -> None:
        """Raise for what must not be copied, before anything is."""
        self._source.enter(space)
        if self._source.marker() is not None:
            raise StoreError(f"The copy of {space} into {self._source.name} was never finished.")
        self._target.enter(space)
        marker = self._target.marker()
        if replace or (marker is None and not any(map(self._target.count, PARTS))):
            return
        if marker is None:
            raise ConfigError(
                f"{self._target.name} has a space {space} already; --replace removes it first."
            )
        if marker.source != self._source.name:
            raise ConfigError(
                f"{self._target.name} has a part of {space} from {marker.source}; go on with "
                "that, or --replace it."
            )

    def begin(self, space: str, *, replace: bool) -> bool:
        """Make ready to copy; return whether a copy under way goes on."""
        self._refuse(space, replace=replace)
        self._space = space
        marker = self._target.marker()
        goes_on = marker is not None and marker.source == self._source.name
        if marker is None or not goes_on:
            if replace:
                self._target.clear()
            marker = self._target.begin(self._source)
        use(marker, self._source, self._target)
        return goes_on

    def bring(self, parts: Iterable[Part]) -> int:
        """Make parts in the target what they are in the source; return how many rows differed."""
        self._target.enter(self._space)
        return sum(self._bring(part) for part in parts)

    def _bring(self, part: Part) -> int:
        differing = 0
        for _ in range(PASSES_MAX):
            there = {part.key_of(row): row_digest(part, row) for row in self._target.rows(part)}
            all_had_room = True
            for rows in _batches(self._other(part, there)):
                with self._target.writing():
                    all_had_room &= self._target.put(part, rows)
                differing += len(rows)
            if there:
                with self._target.writing():
                    self._target.remove(part, list(there))
                differing += len(there)
            if all_had_room:
                break
        return differing

    def _other(self, part: Part, there: dict[tuple[Any, ...], bytes]) -> Iterator[list[Any]]:
        """Yield rows that the target has otherwise or not; what is left is there alone."""
        for row in self._source.rows(part):
            if there.pop(part.key_of(row), None) != row_digest(part, row):
                yield row
            self._tell(1)

    def _compare(self) -> Iterator[CopiedPart]:
        self._target.enter(self._space)
        for part in PARTS:
            source = digest_of(part, self._source.rows(part))
            yield CopiedPart(part.name, source, digest_of(part, self._target.rows(part)))
            self._tell(source.rows)

    def _tell(self, rows: int) -> None:
        self._done += rows
        if rows > 1 or not self._done % _ROWS:
            self._progress(self._done, max(self._total, self._done))


def use(marker: Marker, source: Reader, target: Reader) -> None:
    """Count numbers of rows as the copy does that is under way."""
    source.count_from(marker.source_bases)
    target.count_from(marker.bases)


def refuse_crowded(source: Reader, marker: Marker) -> None:
    """Raise when more came while it was copied than numbers were set aside for."""
    spans = source.spans()
    if any(spans[table] > last for table, last in marker.room.items()):
        raise StoreBusy(
            "More rows came while the space was copied than numbers were set aside for; copy it "
            "again with --replace, when less is written."
        )


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
        source = stack.enter_context(closing(open_reader(source_url)))
        target = stack.enter_context(closing(open_target(target_url)))
        if source.name == target.name:
            raise ConfigError("A store is not copied to itself.")
        chosen = _chosen(source, spaces)
        return list(Copying(source, target, progress).copy(chosen, replace=replace))


def _chosen(source: Reader, spaces: Sequence[str] | None) -> list[str]:
    known = source.homes()
    for space in spaces or ():
        if space not in known:
            raise ConfigError(
                f"{source.name} has no space {space}; it has: {', '.join(known) or 'none'}."
            )
    return known if spaces is None else list(spaces)


def _batches(rows: Iterable[list[Any]]) -> Iterator[list[list[Any]]]:
    batch, size = list[list[Any]](), 0
    for row in rows:
        batch.append(row)
        size += sum(len(value) for value in row if isinstance(value, str | bytes))
        if len(batch) >= _ROWS or size >= _BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
