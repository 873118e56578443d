"""Move a space to another store while it is used: copy it, follow what changes, then switch.

The source notes which rows are changed from before the copy begins. Writers go on while it is
copied and compared, row by row, as it was at one moment; then only rows follow that were touched
since, until few are left. For those writers wait, by the lock that every writer of a store takes:
whoever kills the move ends that wait. When nothing differs that is noted in the source, which
refuses writes from then on; only then the map is switched. So a fact is in the source until it is
in both, and a move that was interrupted goes on when it is called again.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing, suppress
from typing import NamedTuple

from milepost.errors import ConfigError, StoreBusy
from milepost.storage.moving.copying import (
    PASSES_MAX,
    Copying,
    Progress,
    refuse_crowded,
    use,
)
from milepost.storage.moving.neutral import row_digest
from milepost.storage.moving.parts import MEMORIES, PARTS, Part
from milepost.storage.moving.sides import (
    Key,
    Reader,
    Source,
    Target,
    open_reader,
    open_source,
    open_target,
)

# While more rows than this were touched, they follow before writers have to wait.
_FEW = 100
# Whoever reads may not have heard yet that the space was moved from there (placing.MOVED_S), or be
# at it still.
READERS_S = 2.0


class Moved(NamedTuple):
    """What became of a move.

    followed: how many rows were others after they had been copied.
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
            source = stack.enter_context(closing(open_source(self._urls[0])))
            target = stack.enter_context(closing(open_target(self._urls[1])))
            if source.name == target.name:
                raise ConfigError(f"{self._space} is in {target.name} already.")
            source.enter(self._space)
            target.enter(self._space)
            resumed, held_at = target.marker() is not None, time.monotonic()
            moved = source.moved_away().get(self._space)
            if moved is None:
                held_at = self._hand_over(source, target, replace=replace)
            elif moved != target.name:
                raise ConfigError(f"{self._space} was moved to {moved} already.")
            target.open()
            self._switch()
            waited_s = time.monotonic() - held_at
            target.finish()
            target.enter(self._space)
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

    def _hand_over(self, source: Source, target: Target, *, replace: bool) -> float:
        """Copy all, let writers wait, follow to the end, and refuse whoever writes to the source.

        Return from when they waited.
        """
        # What was moved away from there before is only an old copy.
        if self._space in target.moved_away() and target.marker() is None:
            time.sleep(READERS_S)
            replace = True
        with closing(open_reader(self._urls[0])) as reader:
            Copying(reader, target, self._progress).begin(self._space, replace=replace)
        source.watch()
        for _ in range(PASSES_MAX):
            position = self._copy(target)
            with suppress(_InTheWay):
                position = self._follow(target, position)
                held_at = time.monotonic()
                source.hold()
                try:
                    if self._ends(source, target, position):
                        source.move_to(target.name)
                        return held_at
                finally:
                    source.release()
        raise StoreBusy(
            f"{self._space} in {target.name} did not become what it is in {source.name}; it stays "
            "there. Move it again."
        )

    def _copy(self, target: Target) -> int:
        """Copy all of one moment; return from where to follow."""
        parts = [part for part in PARTS if not part.is_work]
        with closing(open_reader(self._urls[0])) as source:
            copying = Copying(source, target, self._progress)
            copying.begin(self._space, replace=False)
            if not any(copying.bring(parts) == 0 for _ in range(PASSES_MAX)):
                raise StoreBusy(f"{self._space} in {target.name} is not what was copied.")
            target.prepare()
            return source.position()

    def _follow(self, target: Target, position: int) -> int:
        """Follow what changed meanwhile until little is left; return from where to go on."""
        for _ in range(PASSES_MAX):
            with closing(open_reader(self._urls[0])) as source:
                source.enter(self._space)
                differing = self._touched(source, target, position)
                position = source.position()
            if differing <= _FEW:
                break
        return position

    def _ends(self, source: Source, target: Target, position: int) -> bool:
        """Follow what is left while writers wait; whether nothing differs then."""
        return any(
            self._touched(source, target, position, is_last=True) == 0 for _ in range(PASSES_MAX)
        )

    def _touched(self, source: Reader, target: Target, since: int, *, is_last: bool = False) -> int:
        """Make rows that were touched since what they are in the source; at last jobs, too.

        Return how many differed.
        """
        marker = target.marker()
        assert marker is not None, "nothing is followed without a copy under way"
        use(marker, source, target)
        refuse_crowded(source, marker)
        touched, differing = source.touched(since), 0
        with target.writing():
            for part in PARTS:
                keys = touched.get(part.table, [])
                if part.is_work and is_last:
                    keys = [part.key_of(row) for row in (*source.rows(part), *target.rows(part))]
                differing += _make_alike(part, keys, source, target)
        self._followed += differing
        return differing


class _InTheWay(Exception):
    """A row cannot be written before another has gone: all must be compared."""


def _make_alike(part: Part, keys: Sequence[Key], source: Reader, target: Target) -> int:
    """Make rows with some keys in the target what they are in the source; return how many."""
    there = {part.key_of(row): row_digest(part, row) for row in target.find(part, keys)}
    come = [
        row
        for row in source.find(part, keys)
        if there.pop(part.key_of(row), None) != row_digest(part, row)
    ]
    if there:
        target.remove(part, list(there))
    if come and not target.put(part, come):
        raise _InTheWay
    return len(come) + len(there)
