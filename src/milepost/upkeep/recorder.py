"""Write together what many want written: whoever waits shares a transaction with the others.

Spaces are written one after the other, in the order of their names: two servers who write to the
same ones never wait for each other. What nobody waits for is written some milliseconds later; it
can be lost when the process is killed before.
"""

import os
import threading
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any, Protocol

from milepost.background import Background
from milepost.deadline import without_deadline
from milepost.errors import SpaceMoved, StoreBusy
from milepost.once import AnsweredBefore, Call, call_of
from milepost.ports import Store, Work

# Writes into a transaction, and returns what came of it; it does not fail on its own account.
Write = Callable[[Work], int]


class Joined(Protocol):
    """A write that is done in one go with those that follow it and go to the same."""

    @property
    def goes_to(self) -> object:
        """What is the same for writes that are joined."""

    def __call__(self, work: Work) -> int:
        """Write it alone."""

    def together(self, writes: "Sequence[Joined]", work: Work) -> list[int]:
        """Write several of its kind, and return what came of each."""


# A write and the space that it is for.
_Placed = tuple[str, Write]

# What nobody waits for is written after this time, or when so many writes wait.
DELAY_S = 0.02
BATCH_MAX = 500
# With so many ahead of the disk, whoever adds one writes them.
PENDING_MAX = 20_000


class Prepared:
    """A write that costs something to make: made once, by whoever writes, before he writes."""

    def __init__(self, make: Callable[[], Write]) -> None:
        self._make = make
        self._made: Write | None = None

    def prepare(self) -> Write:
        """Return what is written."""
        if self._made is None:
            self._made = self._make()
        return self._made

    def __call__(self, work: Work) -> int:
        return self.prepare()(work)


class Keeping:
    """Keeps the answer to a call that goes by a key with the writes that it wants."""

    def __init__(self, call: Call, answer: Callable[[list[int]], object]) -> None:
        self._call, self._answer = call, answer
        self.results: list[int] | None = None

    def around(self, writes: Sequence[Write]) -> "Prepared":
        """Return the writes as one, which is not done when the call was answered before."""

        def write(work: Work) -> int:
            # First: whoever has the key already must not fail what others write with this.
            if self._call.begin(work):
                self.results = [each(work) for each in writes]
                if all(self.results):
                    self._call.complete(work, self._answer(self.results))
                else:  # it may become an error, which is not kept
                    self._call.forget(work)
            return 1

        def prepare() -> Write:
            for each in writes:
                prepare_early(each)
            return write

        return Prepared(prepare)


def keeping(answer: Callable[[list[int]], object], *operations: str) -> Keeping | None:
    """Return what keeps an answer, made of what came of writes, if the call under way wants it."""
    call = call_of(*operations)
    return None if call is None else Keeping(call, answer)


def prepare_early(write: Write) -> None:
    """Make a write that costs something, before anybody waits for the store because of it."""
    if isinstance(write, Prepared):
        write.prepare()


class _Batch:
    """What is written together, and what came of it."""

    def __init__(self, early: list[_Placed]) -> None:
        # Those of a batch that failed, which nobody waits for.
        self.early = early
        self.writes: list[_Placed] = []
        self.unwaited: list[_Placed] = []
        self.results: list[int] = []
        self.problem: Exception | None = None
        self.done = False


class Recorder:
    """Takes writes from all threads; those of a space are done in the order in which they came."""

    def __init__(
        self, store: Store, hand_on: Callable[[str, Write], bool] = lambda _space, _write: False
    ) -> None:
        self._store = store
        self._hand_on = hand_on  # gives a write to where its space was moved to
        self.waits = False  # whether all that is put is written at once, as in a rehearsal
        self._background = Background(
            "recorder", lambda: self.flush(durable=True), self.close, delay_s=DELAY_S
        )
        self._start()

    def _start(self) -> None:
        self._process = os.getpid()
        self._adding = threading.Lock()
        self._writing = threading.Lock()
        self._batch = _Batch([])

    def write(self, space: str, writes: Sequence[Write], keep: Keeping | None = None) -> list[int]:
        """Return when writes to a space are on disk, with what came of each."""
        if keep is None:
            return self._written(space, writes)
        self._written(space, [keep.around(writes)])
        if keep.results is None:
            raise AnsweredBefore
        return keep.results

    def _written(self, space: str, writes: Sequence[Write]) -> list[int]:
        self._follow_fork()
        with self._adding:
            batch = self._batch
            first = len(batch.writes)
            batch.writes += [(space, write) for write in writes]
        self._settle(batch)
        if batch.problem is not None:
            raise batch.problem
        return batch.results[len(batch.early) + first :][: len(writes)]

    def put(self, space: str, write: Write) -> None:
        """Let something be written to a space soon."""
        self._follow_fork()
        if self.waits:
            self.write(space, [write])
            return
        with self._adding:
            batch = self._batch
            batch.writes.append((space, write))
            batch.unwaited.append((space, write))
            waiting = len(batch.writes)
        if waiting >= PENDING_MAX:
            self.flush()
        self._background.ask(now=waiting >= BATCH_MAX)

    def flush(self, *, durable: bool = False) -> None:
        """Return when all is in the store for all to see, or even on disk."""
        self._follow_fork()
        with self._writing:
            # Whoever was writing is done; what failed then waits again.
            batch = self._batch
        if batch.writes or batch.early:
            self._settle(batch, durable=durable)
            if batch.problem is not None:
                raise batch.problem

    def close(self) -> None:
        """Write what waits and end."""
        try:
            self.flush(durable=True)
        finally:
            self._background.close()

    def _settle(self, batch: _Batch, *, durable: bool = True) -> None:
        """Return when a batch was written, by this thread or by another that had it first."""
        with self._writing:
            if not batch.done:
                with self._adding:
                    self._batch = _Batch([])
                # Whoever waits for the disk must not be answered by one who does not.
                waited = len(batch.unwaited) < len(batch.writes)
                self._write(batch, durable=durable or waited)

    def _write(self, batch: _Batch, *, durable: bool) -> None:
        try:
            writes = (*batch.early, *batch.writes)
            # Those of others are among them, who may have more time.
            with without_deadline():
                for _, write in writes:
                    prepare_early(write)
                with self._store.writing(durable=durable) as work:
                    batch.results = _in_order(writes, work)
        except BaseException as problem:
            interrupted = StoreBusy("Whoever wrote for all was interrupted; try again.")
            # All who wait are told, and what nobody waits for is written later.
            batch.problem = problem if isinstance(problem, Exception) else interrupted
            later = [*batch.early, *batch.unwaited]
            if isinstance(problem, SpaceMoved):
                later = [each for each in later if not self._hand_on(*each)]
            with self._adding:
                self._batch.early = later
            if batch.problem is interrupted:
                raise
        finally:
            batch.done = True

    def _follow_fork(self) -> None:
        """Begin anew in a forked child: the parent writes what it has taken."""
        if os.getpid() != self._process:
            self._start()


def _in_order(writes: Sequence[_Placed], work: Work) -> list[int]:
    """Do writes space by space; return what came of them in the order in which they are given."""
    order = sorted(range(len(writes)), key=lambda place: writes[place][0])
    results = dict.fromkeys(range(len(writes)), 0)
    for goes_to, run in groupby(order, key=lambda place: _goes_to(*writes[place])):
        places = list(run)
        done: list[Any] = [_made(writes[place][1]) for place in places]
        told = [each(work) for each in done] if goes_to is None else done[0].together(done, work)
        results |= zip(places, told, strict=True)
    return list(results.values())


def _made(write: Write) -> Write:
    return write.prepare() if isinstance(write, Prepared) else write


def _goes_to(space: str, write: Write) -> object:
    goes_to = getattr(_made(write), "goes_to", None)
    return None if goes_to is None else (space, goes_to)
