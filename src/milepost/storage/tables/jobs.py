"""Work for later, in a table that many processes take from."""

import json
from collections.abc import Sequence
from secrets import token_hex

from milepost.storage.tables.database import Database
from milepost.text.erasing import Erasure
from milepost.text.lines import counted
from milepost.upkeep.values import Job


class JobTable:
    """Keeps jobs; whoever claims one has it until the claim ends."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def enqueue(self, space: str, topic: str, key: str, payload: str, at: int) -> None:
        with self._db.writing():
            names = {"space": space, "topic": topic, "key": key, "payload": payload, "at": at}
            self._db.run("enqueue", names)

    def claim(self, topics: Sequence[str], now: int, lease_us: int) -> Job | None:
        wanted = {"topics": json.dumps(list(topics)), "now": now}
        # Looked at first without the lock: most of the time there is nothing to do.
        if not self._db.rows("due_job", wanted):
            return None
        with self._db.writing():
            due = self._db.row("free_job", wanted)
            if due is None:
                return None
            terms = {"id": due[0], "claim": token_hex(8), "until": now + lease_us}
            return Job(*self._db.row("claim_job", terms))

    def prolong(self, job_id: int, claim: str, until: int) -> None:
        with self._db.writing():
            self._db.run("prolong_job", until, job_id, claim)

    def finish(self, job_id: int, claim: str) -> bool:
        with self._db.writing():
            self._db.run("finish_job", job_id, claim)
            if self._db.changed():
                return True
            self._db.run("repeat_job", job_id, claim)
            return bool(self._db.changed())

    def fail(self, job_id: int, claim: str, problem: str, retry_at: int | None) -> bool:
        with self._db.writing():
            terms = {"id": job_id, "claim": claim, "problem": problem, "retry_at": retry_at}
            self._db.run("fail_job", terms)
            return bool(self._db.changed())

    def list(self, space: str, state: str | None, limit: int) -> Sequence[Job]:
        wanted = {"space": space, "state": state, "limit": limit}
        return [Job(*row) for row in self._db.rows("jobs", wanted)]

    def backlog(self, of: str | None) -> Sequence[tuple[str, str, int, int]]:
        return [tuple(row) for row in self._db.rows("backlog", {"space": of})]

    def retry(self, space: str, now: int, job_id: int | None = None) -> int:
        with self._db.writing():
            self._db.run("retry_jobs", {"now": now, "space": space, "id": job_id})
            revived = self._db.changed()
            self._db.note(f"let {counted(revived, 'job')} be tried again")
            return revived

    def drop(self, space: str, job_id: int) -> bool:
        with self._db.writing():
            self._db.run("drop_job", {"space": space, "id": job_id})
            dropped = bool(self._db.changed())
            if dropped:
                self._db.note(f"forget job {job_id}")
            return dropped

    def erase(self, space: str, erasure: Erasure) -> None:
        """Take deleted texts out of the work of a space."""
        rows = self._db.rows("work_of", space)
        for job, *texts in rows:
            cleaned = [erasure.without(text) or "" for text in texts]
            if cleaned != texts:
                self._db.run("set_work", *cleaned, job)
