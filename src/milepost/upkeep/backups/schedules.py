"""What a store keeps of its backups: when and where to they are made, and how that went."""

import json
from typing import Any, NamedTuple

from milepost.memory.context import Context
from milepost.memory.values import OWN_SPACE
from milepost.ports import Work
from milepost.upkeep.backups.values import BackupStatus, Drill
from milepost.upkeep.values import DEAD, WAITING, CopyInfo

TOPIC = "backup"
OFF = "off"
EVERY_S = {"hourly": 3_600, "daily": 86_400, "weekly": 7 * 86_400}
_JOBS = 1_000
_SCHEDULE, _LAST, _FAILED, _DRILL, _DRILLED = "schedule", "last", "failed", "drill", "drilled"


class Schedule(NamedTuple):
    """How often the store is copied, how many copies stay, where, and by what name they go."""

    every: str
    keep: int
    to: str
    name: str
    drill: str
    since: int

    def work_at(self, due_s: int) -> str:
        """Return the key of the work that is due then; each is told of and retried by itself."""
        return f"{self.since}-{due_s}"

    def due_of(self, key: str) -> int | None:
        """Return when some work was due; None for that of a schedule of before."""
        since, _, due_s = key.partition("-")
        return int(due_s) if since == str(self.since) and self.every != OFF else None

    def next_after(self, due_s: int, now_s: float) -> int:
        """Return when the next copy is due; those that nobody was there to make are left out."""
        every = EVERY_S[self.every]
        return due_s + every * max(1, int((now_s - due_s) // every) + 1)


def schedule_of(context: Context) -> Schedule | None:
    """Return the schedule of a store, if it ever had one: copies of one that is off are there."""
    known = _read(_own(context), _SCHEDULE)
    return None if known is None else Schedule(**known)


def put_schedule(work: Work, schedule: Schedule) -> None:
    """Keep a schedule, in the transaction under way."""
    _write(work, _SCHEDULE, schedule._asdict())


def note_copy(work: Work, copy: CopyInfo) -> None:
    """Note the newest copy; what had failed before is over, and nobody has to try it again."""
    _write(work, _LAST, copy._asdict())
    _write(work, _FAILED, None)
    for job in work.jobs.list(OWN_SPACE, DEAD, _JOBS):
        if job.topic == TOPIC:
            work.jobs.drop(OWN_SPACE, job.id)


def note_failure(work: Work, problem: str, at_s: float) -> None:
    """Note why a copy could not be made."""
    _write(work, _FAILED, {"problem": problem, "at": at_s})


def note_drill(work: Work, drill: Drill) -> None:
    """Note what a drill found."""
    _write(work, _DRILL, drill._asdict())
    if drill.ready:
        _write(work, _DRILLED, drill.at)


def status_of(context: Context) -> BackupStatus:
    """Return how the backups of a store stand."""
    own, schedule = _own(context), schedule_of(context)
    last, failed, drill = (_read(own, key) for key in (_LAST, _FAILED, _DRILL))
    due = (
        []
        if schedule is None
        else [
            job.due
            for job in own.jobs.list(OWN_SPACE, WAITING, _JOBS)
            if job.topic == TOPIC and schedule.due_of(job.key) is not None
        ]
    )
    tried = None if drill is None else Drill(**drill | {"problems": tuple(drill["problems"])})
    return BackupStatus(
        every=OFF if schedule is None else schedule.every,
        keep=0 if schedule is None else schedule.keep,
        to="" if schedule is None else schedule.to,
        due=min(due) / 1e6 if due else None,
        last=None if last is None else CopyInfo(**last),
        problem="" if failed is None else failed["problem"],
        failed=None if failed is None else failed["at"],
        drill=tried,
        drilled=_read(own, _DRILLED),
        drill_every=OFF if schedule is None else schedule.drill,
    )


def _own(context: Context) -> Work:
    return context.store.within(OWN_SPACE)


def _read(work: Work, key: str) -> Any:
    return json.loads(work.values.get(OWN_SPACE, TOPIC, key) or "null")


def _write(work: Work, key: str, value: Any) -> None:
    work.values.put(OWN_SPACE, TOPIC, key, None if value is None else json.dumps(value))
