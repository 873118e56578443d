"""Work for later, in a table that many processes take from."""

import json
from collections.abc import Sequence
from secrets import token_hex

from milepost.storage.sqlite.file import SqliteFile
from milepost.upkeep.values import Job


class SqliteJobs(SqliteFile):
    """Keeps jobs; whoever claims one has it until the claim ends."""

    def enqueue(self, space: str, topic: str, key: str, payload: str, at: int) -> None:
        with self._writing():
            self._enqueue(space, topic, key, payload, at)

    def claim(self, topics: Sequence[str], now: int, lease_us: int) -> Job | None:
        wanted = {"topics": json.dumps(list(topics)), "now": now}
        # Looked at first without the lock: most of the time there is nothing to do.
        if not self._rows("due_job", wanted):
            return None
        with self._writing():
            found = self._do("due_job", wanted).fetchone()
            if found is None:
                return None
            terms = {"id": found[0], "claim": token_hex(8), "until": now + lease_us}
            return Job(*self._do("claim_job", terms).get)

    def finish(self, job_id: int, claim: str) -> bool:
        with self._writing():
            self._do("finish_job", job_id, claim)
            if self._writer.changes():
                return True
            self._do("repeat_job", job_id, claim)
            return bool(self._writer.changes())

    def fail(self, job_id: int, claim: str, problem: str, retry_at: int | None) -> bool:
        with self._writing():
            terms = {"id": job_id, "claim": claim, "problem": problem, "retry_at": retry_at}
            self._do("fail_job", terms)
            return bool(self._writer.changes())

    def jobs(self, space: str, state: str | None, limit: int) -> list[Job]:
        wanted = {"space": space, "state": state, "limit": limit}
        return [Job(*row) for row in self._rows("jobs", wanted)]

    def retry(self, space: str, now: int) -> int:
        with self._writing():
            self._do("retry_jobs", now, space)
            return self._writer.changes()

    def _enqueue(self, space: str, topic: str, key: str, payload: str, at: int) -> None:
        names = {"space": space, "topic": topic, "key": key, "payload": payload, "at": at}
        self._do("enqueue", names)
