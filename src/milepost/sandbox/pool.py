"""A few workers for many callers: whoever comes first is served first, too many are refused."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from milepost.deadline import check_time, seconds_left
from milepost.errors import Overloaded, SandboxUnavailable
from milepost.sandbox.guest_cache import Cache
from milepost.sandbox.process import WorkerFailed, WorkerProcess
from milepost.waiting import Progress

RUNS_MAX = 500
GROWTH_MB_MAX = 64
WAIT_S_MAX = 300
_TELL_S = 2.0
_CLOSE_S_MAX = 1.0

_log = logging.getLogger("milepost.sandbox")


class _Place:
    """Someone's place in the queue."""

    def __init__(self) -> None:
        self.served = threading.Event()
        self.worker: WorkerProcess | None = None
        self.problem = ""


def _patience_s() -> float:
    left = seconds_left()
    return _TELL_S if left is None else min(left, _TELL_S)


class Pool:
    """Starts workers, lends them, replaces those that are used up."""

    def __init__(
        self,
        cache: Cache,
        workers: int,
        waiting_max: int,
        memory_mb_max: int,
        accept: Callable[[WorkerProcess], None],
    ) -> None:
        self._cache, self._workers_max, self._waiting_max = cache, workers, waiting_max
        self._memory_mb_max, self._accept = memory_mb_max, accept
        self._changed = threading.Condition()
        self._idle: deque[WorkerProcess] = deque()
        self._busy: set[WorkerProcess] = set()
        self._queue: deque[_Place] = deque()
        self._kept = 0
        self._component: int | None = None
        self._keeper: threading.Thread | None = None
        self.closed = False
        self._process = os.getpid()
        self.doing = ""
        self.problem = ""

    def prepare(self) -> None:
        """Start all workers in the background."""
        with self._changed:
            self._kept = self._workers_max
            self._wake()

    def lease(self, progress: Progress | None) -> WorkerProcess:
        """Wait for a worker."""
        with self._changed:
            if self.closed:
                raise SandboxUnavailable("The sandbox is closed.")
            if self._process != os.getpid():
                raise SandboxUnavailable("The sandbox belongs to another process; open it anew.")
            if self._idle and not self._queue:
                # The one that has rested longest has its next interpreter ready.
                worker = self._idle.popleft()
                self._busy.add(worker)
                return worker
            if len(self._queue) >= self._waiting_max:
                raise Overloaded(
                    f"{len(self._queue)} programs wait already; try again in a moment."
                )
            place = _Place()
            self._queue.append(place)
            self._wake()
        return self._waited(place, progress)

    def _waited(self, place: _Place, progress: Progress | None) -> WorkerProcess:
        since = time.monotonic()
        try:
            while not place.served.wait(_patience_s()):
                check_time()
                spent = time.monotonic() - since
                if spent > WAIT_S_MAX:
                    raise Overloaded(f"No worker was free for {WAIT_S_MAX} s.")
                if progress is not None:
                    progress(self.doing or "waiting for a free worker", spent)
        except BaseException:
            self._leave(place)
            raise
        if place.problem:
            raise SandboxUnavailable(place.problem)
        assert place.worker is not None
        return place.worker

    def _leave(self, place: _Place) -> None:
        """Give up a place, and the worker if one came meanwhile."""
        with self._changed, suppress(ValueError):
            self._queue.remove(place)
        if place.worker is not None:
            self.give_back(place.worker, usable=True)

    def give_back(self, worker: WorkerProcess, *, usable: bool) -> None:
        """Take a worker back; one that is used up is replaced."""
        stays = usable and worker.runs < RUNS_MAX and worker.growth_mb < GROWTH_MB_MAX
        with self._changed:
            self._busy.discard(worker)
            stays = stays and not self.closed
            if stays:
                self._hand_on(worker)
            else:
                self._wake()
        if not stays:
            worker.stop()

    def _hand_on(self, worker: WorkerProcess) -> None:
        """Give a worker to whoever waits longest, else let it rest."""
        if self._queue:
            place = self._queue.popleft()
            self._busy.add(worker)
            place.worker = worker
            place.served.set()
        else:
            self._idle.append(worker)

    def _wake(self) -> None:
        """Have the keeper look; it is the thread whose end would end the workers."""
        if self._keeper is None and not self.closed:
            self._keeper = threading.Thread(target=self._keep, name="sandbox-keeper", daemon=True)
            self._keeper.start()
        self._changed.notify_all()

    def _keep(self) -> None:
        """Start workers whenever there are too few."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self.closed or self._lacking())
                if self.closed:
                    return
            self._start_one()

    def _lacking(self) -> bool:
        alive = len(self._idle) + len(self._busy)
        return alive < min(self._workers_max, max(self._kept, len(self._busy) + len(self._queue)))

    def _start_one(self) -> None:
        try:
            worker = self._started()
        except Exception as problem:  # noqa: BLE001 -- the keeper must live: callers wait for it
            _log.warning("no worker could be started: %s", problem)
            self._fail(problem)
            return
        with self._changed:
            self.doing = self.problem = ""
            if not self.closed:
                self._hand_on(worker)
                self._kept = max(self._kept, len(self._idle) + len(self._busy))
                return
        worker.stop()

    def _fail(self, problem: Exception) -> None:
        """Tell all who wait; the next one to come has it tried again."""
        clear = isinstance(problem, SandboxUnavailable)
        with self._changed:
            self.doing = ""
            self.problem = str(problem) if clear else f"Programs cannot be run: {problem}."
            self._kept = 0
            while self._queue:
                place = self._queue.popleft()
                place.problem = self.problem
                place.served.set()

    def _started(self) -> WorkerProcess:
        if self._component is None:
            self.doing = "compiling the sandbox for this machine, once"
            self._component = self._cache.open()
        self.doing = "starting a worker"
        try:
            return self._ready()
        except WorkerFailed as problem:
            # What was compiled may not fit this processor, though its hash is right.
            _log.warning("compiling the guest anew: %s", problem)
            os.close(self._component)
            self._component = None
            self._cache.forget()
            self.doing = "compiling the sandbox for this machine again"
            self._component = self._cache.open()
            return self._ready()

    def _ready(self) -> WorkerProcess:
        assert self._component is not None
        worker = WorkerProcess(self._component, self._memory_mb_max)
        worker.wait_until_ready()
        try:
            self._accept(worker)
        except SandboxUnavailable:
            worker.stop()
            raise
        return worker

    def counts(self) -> tuple[int, int]:
        """Return how many workers there are and how many callers wait."""
        return len(self._idle) + len(self._busy), len(self._queue)

    def close(self) -> None:
        """Stop all workers; those that run are killed."""
        if self._process != os.getpid():
            return
        with self._changed:
            self.closed = True
            resting, self._idle = self._idle, deque()
            for worker in self._busy:
                # Whoever runs a program in it sees that it is gone, and gives it back.
                worker.process.kill()
            self._changed.notify_all()
        for worker in resting:
            worker.stop()
        self._fail(SandboxUnavailable("The sandbox is closed."))
        if self._keeper is not None:
            # Compiling goes on, for the next process, unless this one ends.
            self._keeper.join(_CLOSE_S_MAX)
        if self._component is not None:
            os.close(self._component)
            self._component = None
