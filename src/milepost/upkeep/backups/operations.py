"""Backups that are made by themselves, and drills that show whether they can be relied on."""

from secrets import token_hex
from time import monotonic

from milepost.access.values import ADMIN, CALLER, OWNER
from milepost.errors import Forbidden, InvalidInput, MilepostError
from milepost.memory import validation
from milepost.memory.context import Context, Service
from milepost.memory.values import OWN_SPACE
from milepost.operation import operation
from milepost.upkeep.backups.schedules import (
    EVERY_S,
    OFF,
    TOPIC,
    Schedule,
    note_copy,
    note_drill,
    note_failure,
    put_schedule,
    schedule_of,
    status_of,
)
from milepost.upkeep.backups.values import BackupStatus, Drill
from milepost.upkeep.jobs import LEASE_S, Worker
from milepost.upkeep.storage import StoreCare, Told, care_of_the_whole
from milepost.upkeep.values import Job

_KEEP_MAX = 1_000
_DRILLS = ("daily", "weekly", OFF)
_PROBLEM_CHARS = 500
# So often who makes a copy says that he lives.
_TOLD_S = LEASE_S / 4


class Backups(Service):
    """The operations on backups by schedule."""

    @operation("backup", example='schedule_backup("daily", keep=7)', scope=ADMIN, idempotent=True)
    def schedule_backup(
        self, every: str, keep: int = 7, to: str | None = None, drill: str = "weekly"
    ) -> BackupStatus:
        """Copy the whole store by itself from now on, first at once, or no longer.

        every: "hourly", "daily", "weekly" or "off".
        keep: how many of the newest copies stay.
        to: a folder, as a whole path, or s3://bucket/prefix; by default beside the store, or where
            it was before.
        drill: how often the newest copy is restored for a trial: "daily", "weekly" or "off".
        """
        context = self._context
        care = care_of_the_whole(context, "schedule_backup")
        if every not in (*EVERY_S, OFF):
            raise InvalidInput(f"every must be {', '.join(EVERY_S)} or off, not {every!r}.")
        if drill not in _DRILLS:
            raise InvalidInput(f"drill must be daily, weekly or off, not {drill!r}.")
        count = validation.whole("keep", keep, 1, _KEEP_MAX)
        known = schedule_of(context)
        if to is not None:
            _refuse_afar()
        place = care.place(to or (known.to if known else "")) if every != OFF or to else ""
        name = known.name if known else token_hex(4)
        place = place or (known.to if known else "")
        now_s = int(context.now_s)
        schedule = Schedule(every, count, place, name, drill, now_s)
        with context.store.within(OWN_SPACE).writing() as work:
            put_schedule(work, schedule)
            if every != OFF:
                key = schedule.work_at(now_s)
                work.jobs.enqueue(OWN_SPACE, TOPIC, key, "{}", context.clock())
        context.part(Worker).wake()
        return status_of(context)

    @operation("backup", example="backup_status()", read_only=True, scope=ADMIN)
    def backup_status(self) -> BackupStatus:
        """Show when and where to the store is copied by itself, and how copies and drills went."""
        care_of_the_whole(self._context, "backup_status")
        return status_of(self._context)

    @operation("backup", example="drill_backup()", scope=ADMIN, begins=True)
    def drill_backup(self) -> Drill:
        """Restore the newest copy into a temporary store, compare it and search there.

        What it holds is compared with what it says of itself, and with the store as it is now.
        """
        care_of_the_whole(self._context, "drill_backup")
        return _drill(self._context, lambda: None)


def by_schedule(context: Context, job: Job) -> None:
    """Make a copy when that was asked for; a job, of which each is followed by the next."""
    schedule = schedule_of(context)
    due_s = None if schedule is None else schedule.due_of(job.key)
    if schedule is None or due_s is None:
        return
    own, pulse = context.store.within(OWN_SPACE), _Pulse(context, job)
    next_s = schedule.next_after(due_s, context.now_s)
    own.jobs.enqueue(OWN_SPACE, TOPIC, schedule.work_at(next_s), "{}", next_s * 1_000_000)
    try:
        copy = context.part(StoreCare).copy_to(schedule.to, schedule.name, schedule.keep, pulse)
    except (MilepostError, OSError) as problem:
        with own.writing() as work:
            note_failure(work, f"{problem}"[:_PROBLEM_CHARS], context.now_s)
        raise
    with own.writing() as work:
        note_copy(work, copy)
    if _is_drill_due(context, schedule):
        _drill(context, pulse)


def _is_drill_due(context: Context, schedule: Schedule) -> bool:
    if schedule.drill == OFF:
        return False
    last = status_of(context).drill
    # As often as copies are made at most; a little earlier is better than one copy later.
    return last is None or context.now_s - last.at > 0.9 * EVERY_S[schedule.drill]


def _drill(context: Context, told: Told) -> Drill:
    schedule = schedule_of(context)
    to, name = ("", "") if schedule is None else (schedule.to, schedule.name)
    drill = context.part(StoreCare).drill(to, name, told)
    with context.store.within(OWN_SPACE).writing() as work:
        note_drill(work, drill)
    return drill


class _Pulse:
    """Keeps a job from being taken for that of a dead process while it is done."""

    def __init__(self, context: Context, job: Job) -> None:
        self._context, self._job = context, job
        self._due = monotonic() + _TOLD_S

    def __call__(self) -> None:
        """Say that whoever has the job lives, now and then."""
        if monotonic() > self._due:
            self._due = monotonic() + _TOLD_S
            until = self._context.clock() + int(LEASE_S * 1e6)
            self._context.store.jobs.prolong(self._job.id, self._job.claim, until)


def _refuse_afar() -> None:
    """Refuse those who may name a place but could not write there by themselves."""
    caller = CALLER.get()
    if caller.key or caller.address != OWNER.address or caller.surface == "program":
        raise Forbidden(
            "Where copies go is said by who runs the memory, on its own machine: `milepost backup "
            "schedule daily --to …`."
        )
