"""Do work that was put off: claim it, run it, try again later when it fails, at last give up."""

import logging
import time
from collections.abc import Callable, Mapping
from contextvars import copy_context
from functools import partial
from random import random
from typing import Any

from milepost.background import Background
from milepost.ports import Clock, Store
from milepost.request import DOING, begin
from milepost.upkeep.metrics import DONE, JOB
from milepost.upkeep.values import DEAD, Job

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
FAILED = "failed"
_TEND_S = 60.0

# What does the work of each topic. A job may be done twice when a process dies after its work and
# before the job is forgotten: what is done a second time must change nothing.
Handlers = Mapping[str, Callable[[Job], None]]
# Told of every job: its space, what it is, its topic, how it ended, and when it began.
Seen = Callable[[str, str, str, str, float], Any]


def run_due(
    handlers: Handlers,
    store: Store,
    clock: Clock,
    limit: int | None = None,
    stopping: Callable[[], bool] = lambda: False,
    seen: Seen = lambda *_: None,
) -> int:
    """Do the work that is due, oldest first, until none is left; return how many jobs were run."""
    done = 0
    while (limit is None or done < limit) and not stopping():
        job = store.jobs.claim(list(handlers), clock(), int(LEASE_S * 1e6))
        if job is None:
            break
        began = time.perf_counter()
        code = copy_context().run(_run, job, handlers[job.topic], store, clock)
        seen(job.space, JOB, job.topic, code, began)
        done += 1
    return done


def _run(job: Job, handle: Callable[[Job], None], store: Store, clock: Clock) -> str:
    """Do a job; return how it ended."""
    if job.attempts > ATTEMPTS_MAX:
        # Claimed again and again and never given back: it takes the process with it.
        store.jobs.fail(job.id, job.claim, job.problem or "whoever tried it died", None)
        return DEAD
    begin()
    DOING.set((f"job {job.topic}", lambda: job.space))
    try:
        handle(job)
    except Exception as problem:
        log.warning("%s %s failed: %s", job.topic, job.key, problem, exc_info=True)
        _give_back(job, f"{type(problem).__name__}: {problem}", store, clock)
        return FAILED if job.attempts < ATTEMPTS_MAX else DEAD
    store.jobs.finish(job.id, job.claim)
    return DONE


def _give_back(job: Job, problem: str, store: Store, clock: Clock) -> None:
    # Half of the wait is left to chance: what failed together must not come back together.
    wait_s = BACKOFF_S * 2 ** (job.attempts - 1) * (0.5 + random())  # noqa: S311
    retry_at = clock() + int(wait_s * 1e6) if job.attempts < ATTEMPTS_MAX else None
    store.jobs.fail(job.id, job.claim, problem[:_PROBLEM_CHARS], retry_at)


class Worker:
    """Does work as it becomes due, in the background from when it is first woken."""

    def __init__(
        self,
        handlers: Callable[[], Handlers],
        store: Store,
        clock: Clock,
        collect: Callable[[], None] = lambda: None,
        seen: Seen = lambda *_: None,
    ) -> None:
        self._handlers = handlers
        self._collect = collect
        self._seen = seen
        self._store = store
        self._clock = clock
        self._listening = False
        self._tend_at = 0.0
        # A job that is cut off by the end of the program waits until its lease ends.
        self._background = Background(
            "worker", self._work, partial(self.close, _EXIT_S), delay_s=_DELAY_S, poll_s=_POLL_S
        )

    def wake(self) -> None:
        """Look for work soon, and from now on when others put some off."""
        if not self._listening:
            self._listening = True
            self._store.when_work_comes(self._background.ask)
        self._background.ask()

    def close(self, most_s: float | None = None) -> None:
        """End after the job under way, for which is waited so long at most."""
        self._background.close(most_s)

    def _work(self) -> None:
        self._collect()
        stopping = self._background
        run_due(
            self._handlers(),
            self._store,
            self._clock,
            stopping=lambda: stopping.is_closed,
            seen=self._seen,
        )
        if time.monotonic() > self._tend_at and not stopping.is_closed:
            self._tend_at = time.monotonic() + _TEND_S
            self._store.tend()
