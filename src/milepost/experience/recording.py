"""Write down what happens in episodes: together with others, and if wished without waiting.

Whoever waits shares one transaction with all who wait at the same time. What nobody waits for is
written some milliseconds later; it can be lost when the process is killed before.
"""

import atexit
import logging
import os
import threading
from collections.abc import Callable, Sequence

from milepost.deadline import without_deadline
from milepost.errors import NotFound
from milepost.experience.values import ClosingEntry, EpisodeEntry, StepEntry
from milepost.ports import Store

log = logging.getLogger(__name__)

Entry = EpisodeEntry | StepEntry | ClosingEntry

# What nobody waits for is written after this time, or when so many entries wait.
DELAY_S = 0.02
BATCH_MAX = 500
# With so many entries ahead of the disk, whoever adds one writes them.
PENDING_MAX = 20_000
_EPISODES_REMEMBERED = 100_000
_RETRY_S = 1.0


class _Batch:
    """Entries that are written together, and what came of it."""

    def __init__(self, early: list[Entry]) -> None:
        # Those of a batch that failed, which nobody waits for.
        self.early = early
        self.entries: list[Entry] = []
        self.unwaited: list[Entry] = []
        self.numbers: list[int] = []
        self.problem: Exception | None = None
        self.done = False


class Recorder:
    """Takes entries from all threads and writes them in the order in which they came."""

    def __init__(self, store: Store, prepare: Callable[[list[Entry]], list[Entry]]) -> None:
        self._store = store
        # Gives entries what they are found by, many at once and not while a caller waits.
        self._prepare = prepare
        self._start()

    def _start(self) -> None:
        self._process = os.getpid()
        self._adding = threading.Lock()
        self._writing = threading.Lock()
        self._batch = _Batch([])
        self._last: dict[tuple[str, str], int] = {}
        self._some = threading.Event()
        self._many = threading.Event()
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None

    def write(self, entries: Sequence[Entry]) -> list[int]:
        """Return when entries are on disk, with what the store says of each."""
        self._follow_fork()
        with self._adding:
            batch = self._batch
            first = len(batch.entries)
            batch.entries += entries
        self._settle(batch)
        if batch.problem is not None:
            raise batch.problem
        numbers = batch.numbers[len(batch.early) + first :][: len(entries)]
        for entry, number in zip(entries, numbers, strict=True):
            self._remember(entry, number)
        return numbers

    def put(self, entry: Entry) -> int:
        """Let an entry be written soon; return the number that a step will have.

        Should another process add steps to the same episode meanwhile, it may get a later one.
        """
        self._follow_fork()
        number = self._number(entry)
        with self._adding:
            batch = self._batch
            batch.entries.append(entry)
            batch.unwaited.append(entry)
            waiting = len(batch.entries)
        self._remember(entry, number)
        if waiting >= PENDING_MAX:
            self.flush()
        elif waiting >= BATCH_MAX:
            self._many.set()
        if self._thread is None:
            self._begin_thread()
        self._some.set()
        return number

    def flush(self, *, durable: bool = False) -> None:
        """Return when all entries are in the store for all to see, or even on disk."""
        self._follow_fork()
        with self._writing:
            # Whoever was writing is done; what failed then waits again.
            batch = self._batch
        if batch.entries or batch.early:
            self._settle(batch, durable=durable)
            if batch.problem is not None:
                raise batch.problem

    def forget(self, space: str, episode: str) -> None:
        """Forget how far the steps of an episode go."""
        self._last.pop((space, episode), None)

    def close(self) -> None:
        """Write what waits and end."""
        try:
            self.flush(durable=True)
        finally:
            self._closed.set()
            self._some.set()
            self._many.set()
            atexit.unregister(self.close)

    def _number(self, entry: Entry) -> int:
        if not isinstance(entry, StepEntry):
            return 0
        known = self._last.get((entry.space, entry.episode))
        if known is None:
            known = self._store.last_step(entry.space, entry.episode)
        if known is None:
            raise NotFound(f"There is no episode {entry.episode}; create_episode begins one.")
        return entry.step.number or known + 1

    def _remember(self, entry: Entry, number: int) -> None:
        if len(self._last) > _EPISODES_REMEMBERED:
            self._last.clear()
        if isinstance(entry, EpisodeEntry):
            self._last.setdefault((entry.space, entry.episode.id), 0)
        elif isinstance(entry, StepEntry) and number:
            key = (entry.space, entry.episode)
            self._last[key] = max(number, self._last.get(key, 0))

    def _settle(self, batch: _Batch, *, durable: bool = True) -> None:
        """Return when a batch was written, by this thread or by another that had it first."""
        with self._writing:
            if not batch.done:
                with self._adding:
                    self._batch = _Batch([])
                # Whoever waits for the disk must not be answered by one who does not.
                waited = len(batch.unwaited) < len(batch.entries)
                self._write(batch, durable=durable or waited)

    def _write(self, batch: _Batch, *, durable: bool) -> None:
        try:
            # Those of others are among them, who may have more time.
            with without_deadline():
                entries = self._prepare([*batch.early, *batch.entries])
                batch.numbers = self._store.log(entries, durable=durable)
        except Exception as problem:  # noqa: BLE001 -- all who wait are told
            batch.problem = problem
            with self._adding:
                self._batch.early = [*batch.early, *batch.unwaited]
        finally:
            batch.done = True

    def _begin_thread(self) -> None:
        with self._adding:
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, daemon=True, name="milepost-recorder"
                )
                self._thread.start()
                atexit.register(self.close)

    def _run(self) -> None:
        while not self._closed.is_set():
            self._some.wait()
            self._some.clear()
            self._many.wait(DELAY_S)
            self._many.clear()
            try:
                self.flush(durable=True)
            except Exception as problem:
                log.warning("steps wait to be written: %s", problem, exc_info=True)
                self._closed.wait(_RETRY_S)
                self._some.set()

    def _follow_fork(self) -> None:
        """Begin anew in a forked child: the parent writes what it has taken."""
        if os.getpid() != self._process:
            self._start()
