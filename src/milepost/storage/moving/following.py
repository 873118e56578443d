"""Move a space to another store while it is used: copy it, follow what changes, then switch.

Writers go on while it is copied and compared. Only for the last comparison they wait, by the lock
that every writer of a store takes: whoever kills the move ends that wait. When nothing differs that
is noted in the source, which refuses writes from then on; only then the map is switched. So a fact
is in the source until it is in both, and a move that was interrupted goes on when it is called
again.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from itertools import islice
from typing import Any, NamedTuple

from milepost.errors import ConfigError, StoreBusy
from milepost.storage.moving.copying import Copying, Progress, Side, batches, open_side
from milepost.storage.moving.neutral import row_digest
from milepost.storage.moving.parts import MEMORIES, PARTS, Part

# While a pass finds more than this, another is made before writers have to wait.
_FEW = 200
_PASSES_MAX = 5
# So many rows that differ are held; where there are more they are read again.
_KEPT = 5_000
# Whoever reads may have asked for the store just before the space was moved from there.
READERS_S = 2.0
# So many rows of each table may come while it is copied: in a file their numbers are set aside.
_ROOM = 100_000


class Moved(NamedTuple):
    """What became of a move.

    followed: how many rows were others by the time that they were compared.
    waited_s: how long writers had to wait.
    """

    space: str
    source: str
    target: str
    memories: int
    rows: int
    followed: int
    copied_s: float
    waited_s: float
    resumed: bool


class Move:
    """Moves one space from one store to another."""

    def __init__(
        self, space: str, source: str, target: str, switch: Callable[[], None], progress: Progress
    ) -> None:
        self._space, self._urls = space, (source, target)
        self._switch, self._progress = switch, progress
        self._followed = 0

    def run(self, *, replace: bool = False) -> Moved:
        """Move it, or go on with a move that was interrupted."""
        began = time.monotonic()
        with ExitStack() as stack:
            source, target = (self._entered(stack, url) for url in self._urls)
            if source.name == target.name:
                raise ConfigError(f"{self._space} is in {target.name} already.")
            resumed, held_at = target.marker() is not None, time.monotonic()
            if source.moved() is None:
                self._copy(target, replace=replace)
                held_at = self._hand_over(source, target)
            elif source.moved() != target.name:
                raise ConfigError(f"{self._space} was moved to {source.moved()} already.")
            target.move_to(None)  # it may have been there before
            self._switch()
            waited_s = time.monotonic() - held_at
            target.mark(None)
            memories = next(part for part in PARTS if part.name == MEMORIES)
            return Moved(
                self._space,
                source.name,
                target.name,
                target.count(memories),
                sum(map(target.count, PARTS)),
                self._followed,
                time.monotonic() - began - waited_s,
                waited_s,
                resumed,
            )

    def _entered(self, stack: ExitStack, url: str) -> Side:
        side = stack.enter_context(closing(open_side(url, writable=True)))
        side.enter(self._space)
        return side

    def _copy(self, target: Side, *, replace: bool) -> None:
        """Copy all, and what changed meanwhile, until little is left to follow."""
        with closing(open_side(self._urls[0], writable=False)) as source:
            copying = Copying(source, target, self._progress, _ROOM)
            # What was moved away from there before is only an old copy.
            if target.moved() is not None and target.marker() is None:
                time.sleep(READERS_S)
                replace = True
            copying.refuse(self._space, replace=replace)
            # What a copy lacks that was interrupted is followed: the source is another by now.
            if replace or target.marker() is None:
                copying.fill(self._space, replace=replace)
        for _ in range(_PASSES_MAX):
            with closing(open_side(self._urls[0], writable=False)) as source:
                source.enter(self._space)
                if self._follow(source, target) <= _FEW:
                    break
        target.prepare()

    def _hand_over(self, source: Side, target: Side) -> float:
        """Let writers wait, follow to the end, and refuse whoever writes to the source.

        Return from when they waited.
        """
        held_at = time.monotonic()
        source.hold()
        try:
            if not any(self._follow(source, target) == 0 for _ in range(_PASSES_MAX)):
                raise StoreBusy(
                    f"{self._space} in {target.name} did not become what it is in {source.name}; "
                    "it stays there. Move it again."
                )
            source.move_to(target.name)
        finally:
            source.release()
        return held_at

    def _follow(self, source: Side, target: Side) -> int:
        """Make the target what the source is by now; return how many rows differed."""
        target.enter(self._space)
        marker = target.marker()
        assert marker is not None, "nothing is followed without a copy under way"
        _refuse_crowded(source.spans(), marker["room"])
        target.use(marker["bases"])
        differing = 0
        for part in PARTS:
            gone, come, count = (_later if part.is_sequence else _other)(part, source, target)
            if gone:
                target.remove(part, gone)
            for rows in batches(come):
                target.write(part, rows, marker)
            differing += count
        self._followed += differing
        return differing


def _refuse_crowded(spans: Mapping[str, int], room: Mapping[str, int]) -> None:
    """Raise when more came while it was copied than numbers were set aside for."""
    if any(number > room[table] for table, number in spans.items()):
        raise StoreBusy(
            f"More than {_ROOM:,} rows came while the space was copied; move it again with "
            "--replace, when less is written."
        )


class _Differences(NamedTuple):
    """Keys of rows that are to go from the target, neutral rows that are to come, and how many."""

    gone: list[Sequence[Any]]
    come: Iterator[list[Any]]
    number: int


def _other(part: Part, source: Side, target: Side) -> _Differences:
    """Compare rows that a key tells apart."""
    places = part.places(part.key)

    def key_of(row: Sequence[Any]) -> Sequence[Any]:
        return tuple(row[at] for at in places)

    there = {key_of(row): row_digest(part, row) for row in target.rows(part)}
    gone, come, names = list[Sequence[Any]](), list[list[Any]](), set[Sequence[Any]]()
    for row in source.rows(part):
        key = key_of(row)
        known = there.pop(key, None)
        if known == row_digest(part, row):
            continue
        if known is not None:
            gone.append(key)
        names.add(key)
        if len(names) <= _KEPT:
            come.append(row)
    gone += there
    if len(names) <= _KEPT:
        return _Differences(gone, iter(come), max(len(gone), len(come)))
    again = (row for row in source.rows(part) if key_of(row) in names)
    return _Differences(gone, again, len(names))


def _later(part: Part, source: Side, target: Side) -> _Differences:
    """Compare rows that only their order tells apart, up to the first that differs."""
    places = part.places(part.key)
    there = [([row[at] for at in places], row_digest(part, row)) for row in target.rows(part)]
    same = 0
    for row in source.rows(part):
        if same == len(there) or there[same][1] != row_digest(part, row):
            break
        same += 1
    gone: list[Sequence[Any]] = [key for key, _ in there[same:]]
    count = source.count(part) - same
    come = islice(source.rows(part), same, None) if count else iter(())
    return _Differences(gone, come, max(len(gone), count))
