"""See the work that was put off, and have what was given up tried again or forgotten."""

from collections.abc import Sequence

from milepost.access.values import ADMIN, CALLER
from milepost.errors import InvalidInput, NotFound
from milepost.memory import validation
from milepost.memory.context import Context, Service
from milepost.memory.values import OWN_SPACE
from milepost.once import settle
from milepost.operation import operation
from milepost.upkeep.jobs import Worker
from milepost.upkeep.values import DEAD, RUNNING, WAITING, Job, JobsRetried, JobState

_STATES = (WAITING, RUNNING, DEAD)
# A number of 64 bits; what is larger no store can be asked for.
_NUMBER_MAX = (1 << 63) - 1
# How many pieces of dead work are looked through for one.
_DEAD_MAX = 10_000


class JobControl(Service):
    """The operations on work that was put off."""

    @operation("jobs", example='list_jobs(state="dead")', read_only=True, scope=ADMIN)
    def list_jobs(self, state: str | None = None, limit: int = 50) -> list[JobState]:
        """Show the work that was put off: what waits, what runs, what was given up and why.

        state: only what is "waiting", "running" or "dead".
        limit: how many to show at most.
        """
        if state is not None and state not in _STATES:
            raise InvalidInput(f"state must be {', '.join(_STATES)}, not {state!r}.")
        context = self._context
        count = validation.limit(limit)
        jobs = [
            job
            for space in _spaces(context)
            for job in context.store.jobs.list(space, state, count)
        ]
        return _told(sorted(jobs, key=lambda job: (job.due, job.id))[:count])

    @operation("jobs", example="retry_jobs(number=12)", scope=ADMIN)
    def retry_jobs(self, number: int | None = None) -> JobsRetried:
        """Let work that was given up be tried again.

        number: only this piece of it, as list_jobs shows its number.
        """
        context = self._context
        one = None if number is None else _number(number)
        own = sum(
            context.store.jobs.retry(space, context.clock(), one)
            for space in _spaces(context)
            if space == OWN_SPACE
        )
        with context.store.writing() as work:
            retried = JobsRetried(own + work.jobs.retry(context.space, context.clock(), one))
            if one is not None and not retried.jobs:
                raise _unknown(one)
            settle(work, retried, "retry_jobs")
        context.part(Worker).wake()
        return retried

    @operation("jobs", example="drop_job(12)", destructive=True, scope=ADMIN)
    def drop_job(self, number: int) -> JobState:
        """Forget a piece of work that was given up; nothing does it any more.

        number: which, as list_jobs shows its number.
        """
        context = self._context
        one = _number(number)
        dead = [
            job
            for space in _spaces(context)
            for job in context.store.jobs.list(space, DEAD, _DEAD_MAX)
            if job.id == one
        ]
        if dead and dead[0].space == OWN_SPACE:
            context.store.jobs.drop(OWN_SPACE, one)
        with context.store.writing() as work:
            is_own = bool(dead) and dead[0].space == OWN_SPACE
            if not dead or not (is_own or work.jobs.drop(context.space, one)):
                raise _unknown(one)
            (found,) = _told(dead)
            settle(work, found, "drop_job")
        return found


def _spaces(context: Context) -> list[str]:
    """Return whose work is meant: that of the space, and of the store for who may see all of it."""
    return [context.space] if CALLER.get().spaces is not None else [context.space, OWN_SPACE]


def _told(jobs: Sequence[Job]) -> list[JobState]:
    return [
        JobState(job.id, job.state, job.due / 1e6, job.attempts, job.topic, job.key, job.problem)
        for job in jobs
    ]


def _number(value: object) -> int:
    return validation.whole("number", value, 1, _NUMBER_MAX)


def _unknown(number: int) -> NotFound:
    return NotFound(
        f"No work under the number {number} was given up; list_jobs(state='dead') shows what was."
    )
