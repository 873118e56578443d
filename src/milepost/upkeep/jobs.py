"""Do work that was put off: claim it, run it, try again later when it fails, at last give up."""

import atexit
import logging
import threading
from collections.abc import Callable, Mapping
from random import random

from milepost.errors import MilepostError
from milepost.ports import Clock, Store
from milepost.upkeep.values import Job

log = logging.getLogger(__name__)

# A job that is not done after so many attempts is dead: kept, and not tried unless asked for.
ATTEMPTS_MAX = 6
# Whoever has a job that takes longer than this is taken for dead, and another does it.
LEASE_S = 120.0
BACKOFF_S = 2.0
_PROBLEM_CHARS = 500
_POLL_S = 2.0
# So long whoever asked for work may go on before it begins in his own process.
_DELAY_S = 0.05
_EXIT_S = 2.0

# What does the work of each topic. A job may be done twice when a process dies after its work and
# before the job is forgotten: what is done a second time must change nothing.
Handlers = Mapping[str, Callable[[Job], None]]


def run_due(
    handlers: Handlers,
    store: Store,
    clock: Clock,
    limit: int | None = None,
    stopping: Callable[[], bool] = lambda: False,
) -> int:
    """Do the work that is due, oldest first, until none is left; return how many jobs were run."""
    done = 0
    while (limit is None or done < limit) and not stopping():
        job = store.claim(list(handlers), clock(), int(LEASE_S * 1e6))
        if job is None:
            break
        _run(job, handlers[job.topic], store, clock)
        done += 1
    return done


def _run(job: Job, handle: Callable[[Job], None], store: Store, clock: Clock) -> None:
    if job.attempts > ATTEMPTS_MAX:
        # Claimed again and again and never given back: it takes the process with it.
        store.fail(job.id, job.claim, job.problem or "whoever tried it died", None)
        return
    try:
        handle(job)
    except Exception as problem:
        log.warning("%s %s failed: %s", job.topic, job.key, problem, exc_info=True)
        _give_back(job, f"{type(problem).__name__}: {problem}", store, clock)
    else:
        store.finish(job.id, job.claim)


def _give_back(job: Job, problem: str, store: Store, clock: Clock) -> None:
    # Half of the wait is left to chance: what failed together must not come back together.
    wait_s = BACKOFF_S * 2 ** (job.attempts - 1) * (0.5 + random())  # noqa: S311
    retry_at = clock() + int(wait_s * 1e6) if job.attempts < ATTEMPTS_MAX else None
    store.fail(job.id, job.claim, problem[:_PROBLEM_CHARS], retry_at)


class Worker:
    """A thread that does work as it becomes due; it starts when it is first woken."""

    def __init__(
        self,
        handlers: Callable[[], Handlers],
        store: Store,
        clock: Clock,
        collect: Callable[[], None] = lambda: None,
    ) -> None:
        self._handlers = handlers
        self._collect = collect
        self._store = store
        self._clock = clock
        self._lock = threading.Lock()
        self._woken = threading.Event()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def wake(self) -> None:
        """Look for work soon."""
        with self._lock:
            if not self._stopping.is_set() and (
                self._thread is None or not self._thread.is_alive()  # a fork leaves it behind
            ):
                self._thread = threading.Thread(
                    target=self._work, daemon=True, name="milepost-worker"
                )
                self._thread.start()
                # A job that is cut off by the end of the program waits until its lease ends.
                atexit.register(self.stop, _EXIT_S)
        self._woken.set()

    def stop(self, most_s: float | None = None) -> None:
        """End after the job under way, for which is waited so long at most."""
        atexit.unregister(self.stop)
        with self._lock:
            self._stopping.set()
            self._woken.set()
        if self._thread is not None:
            self._thread.join(most_s)

    def _work(self) -> None:
        while not self._stopping.is_set():
            self._woken.wait(_POLL_S)
            self._woken.clear()
            if self._stopping.wait(_DELAY_S):
                return
            try:
                self._collect()
                run_due(self._handlers(), self._store, self._clock, stopping=self._stopping.is_set)
            except MilepostError as problem:
                log.warning("work waits for the store: %s", problem)
