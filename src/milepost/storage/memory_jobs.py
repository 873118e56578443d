"""Work for later, in a dictionary."""

import threading
from collections.abc import Sequence
from secrets import token_hex

from milepost.text.erasing import Erasure
from milepost.upkeep.values import DEAD, RUNNING, WAITING, Job


class MemoryJobs:
    """Keeps jobs; whoever claims one has it until the claim ends."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._jobs: dict[tuple[str, str, str], Job] = {}
        # When work is due again that was asked for while it ran.
        self._again: dict[int, int] = {}
        self._last_job = 0

    def enqueue(self, space: str, topic: str, key: str, payload: str, at: int) -> None:
        with self._lock:
            known = self._jobs.get((space, topic, key))
            if known is None:
                self._last_job += 1
                known = Job(self._last_job, space, topic, key, payload, WAITING, at, 0)
            if known.state == RUNNING:
                self._again[known.id] = min(self._again.get(known.id, at), at)
            elif known.state == DEAD:
                known = known._replace(state=WAITING, due=at, attempts=0)
            else:
                known = known._replace(due=min(known.due, at))
            self._jobs[space, topic, key] = known._replace(payload=payload)

    def claim(self, topics: Sequence[str], now: int, lease_us: int) -> Job | None:
        with self._lock:
            due = [
                job
                for job in self._jobs.values()
                if job.topic in topics and job.state != DEAD and job.due <= now
            ]
            if not due:
                return None
            first = min(due, key=lambda job: (job.due, job.id))
            self._again.pop(first.id, None)
            return self._set_job(
                first,
                state=RUNNING,
                claim=token_hex(8),
                due=now + lease_us,
                attempts=first.attempts + 1,
            )

    def finish(self, job_id: int, claim: str) -> bool:
        with self._lock:
            job = self._claimed(job_id, claim)
            if job is None:
                return False
            again = self._again.pop(job.id, None)
            if again is None:
                del self._jobs[job.space, job.topic, job.key]
            else:
                self._set_job(job, state=WAITING, due=again, attempts=0, claim="", problem="")
            return True

    def fail(self, job_id: int, claim: str, problem: str, retry_at: int | None) -> bool:
        with self._lock:
            job = self._claimed(job_id, claim)
            if job is None:
                return False
            again = self._again.pop(job.id, None)
            due = again if retry_at is None else retry_at
            self._set_job(
                job,
                state=DEAD if due is None else WAITING,
                due=job.due if due is None else due,
                attempts=job.attempts if again is None else 0,
                problem=problem,
                claim="",
            )
            return True

    def jobs(self, space: str, state: str | None, limit: int) -> list[Job]:
        with self._lock:
            found = [
                job
                for job in self._jobs.values()
                if job.space == space and state in (None, job.state)
            ]
        return sorted(found, key=lambda job: (job.due, job.id))[:limit]

    def retry(self, space: str, now: int) -> int:
        with self._lock:
            dead = self.jobs(space, DEAD, len(self._jobs))
            for job in dead:
                self._set_job(job, state=WAITING, due=now, attempts=0)
            return len(dead)

    def _erase_work(self, space: str, erasure: Erasure) -> None:
        """Take deleted texts out of the work of a space."""
        for job in self.jobs(space, None, len(self._jobs)):
            payload, problem = (erasure.without(text) or "" for text in (job.payload, job.problem))
            self._set_job(job, payload=payload, problem=problem)

    def _forget_dead(self, space: str) -> None:
        for job in self.jobs(space, DEAD, len(self._jobs)):
            del self._jobs[job.space, job.topic, job.key]

    def _claimed(self, job_id: int, claim: str) -> Job | None:
        return next((j for j in self._jobs.values() if j.id == job_id and j.claim == claim), None)

    def _set_job(self, job: Job, **fields: object) -> Job:
        changed = job._replace(**fields)  # type: ignore[arg-type]
        self._jobs[job.space, job.topic, job.key] = changed
        return changed
