"""Write down what happens in episodes: together with others, and if wished without waiting.

Whoever waits shares one transaction with all who wait at the same time. What nobody waits for is
written some milliseconds later; it can be lost when the process is killed before.
"""

import os
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from milepost.deadline import without_deadline
from milepost.experience.values import Episode, Step
from milepost.memory.values import Draft
from milepost.ports import Store, Work
from milepost.upkeep.background import Background

if TYPE_CHECKING:
    from milepost.experience.closing import Closed

# The topics of what is learned from an episode after its end, and of looking after all of them.
LEARN, UPKEEP = "episode", "experience"
# Writes into a transaction, and returns what came of it; it does not fail on its own account.
Write = Callable[[Work], int]
Key = tuple[str, str]

# What nobody waits for is written after this time, or when so many writes wait.
DELAY_S = 0.02
BATCH_MAX = 500
# With so many ahead of the disk, whoever adds one writes them.
PENDING_MAX = 20_000
_EPISODES_REMEMBERED = 100_000


class _Batch:
    """What is written together, and what came of it."""

    def __init__(self, early: list[Write]) -> None:
        # Those of a batch that failed, which nobody waits for.
        self.early = early
        self.writes: list[Write] = []
        self.unwaited: list[Write] = []
        self.results: list[int] = []
        self.problem: Exception | None = None
        self.done = False


class Recorder:
    """Takes writes from all threads and does them in the order in which they came."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._background = Background(
            "recorder", lambda: self.flush(durable=True), self.close, delay_s=DELAY_S
        )
        self._start()

    def _start(self) -> None:
        self._process = os.getpid()
        self._adding = threading.Lock()
        self._writing = threading.Lock()
        self._batch = _Batch([])
        self._last: dict[Key, int] = {}

    def write(self, writes: Sequence[Write]) -> list[int]:
        """Return when writes are on disk, with what came of each."""
        self._follow_fork()
        with self._adding:
            batch = self._batch
            first = len(batch.writes)
            batch.writes += writes
        self._settle(batch)
        if batch.problem is not None:
            raise batch.problem
        return batch.results[len(batch.early) + first :][: len(writes)]

    def put(self, write: Write) -> None:
        """Let something be written soon."""
        self._follow_fork()
        with self._adding:
            batch = self._batch
            batch.writes.append(write)
            batch.unwaited.append(write)
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

    def next_step(self, episode: Key) -> int | None:
        """Return the number that the next step of an episode gets; None without the episode.

        Should another process add steps to it meanwhile, it may get a later one.
        """
        known = self._last.get(episode)
        if known is None:
            known = self._store.episodes.last_step(*episode)
        return None if known is None else known + 1

    def remember(self, episode: Key, number: int) -> None:
        """Remember how far the steps of an episode go."""
        if len(self._last) > _EPISODES_REMEMBERED:
            self._last.clear()
        self._last[episode] = max(number, self._last.get(episode, 0))

    def forget(self, episode: Key) -> None:
        """Forget how far the steps of an episode go."""
        self._last.pop(episode, None)

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
            # Those of others are among them, who may have more time.
            with without_deadline(), self._store.writing(durable=durable) as work:
                batch.results = [write(work) for write in (*batch.early, *batch.writes)]
        except Exception as problem:  # noqa: BLE001 -- all who wait are told
            batch.problem = problem
            with self._adding:
                self._batch.early = [*batch.early, *batch.unwaited]
        finally:
            batch.done = True

    def _follow_fork(self) -> None:
        """Begin anew in a forked child: the parent writes what it has taken."""
        if os.getpid() != self._process:
            self._start()


def beginning(space: str, episode: Episode, entry: Draft, upkeep_at: int) -> Write:
    """Return what writes that an episode begins, with what it is found by."""

    def write(work: Work) -> int:
        if not work.episodes.begin(space, episode):
            return 0
        work.memories.put(entry)
        work.jobs.enqueue(space, UPKEEP, "", "", upkeep_at)
        return 1

    return write


def stepping(space: str, episode: str, steps: Sequence[Step]) -> Write:
    """Return what adds steps to an episode; it comes to the number of the last, 0 without one."""
    return lambda work: work.episodes.add_steps(space, episode, steps)[-1]


def ending(space: str, closed: "Closed", entry: Draft, now: int) -> Write:
    """Return what writes that an episode ended, unless it has already, and puts off learning."""

    def write(work: Work) -> int:
        name = closed.episode.id
        if not work.episodes.change(space, name, closed.changes, now, unless_ended=True):
            return 0
        work.memories.put(entry)
        work.jobs.enqueue(space, LEARN, name, "", now)
        return 1

    return write
