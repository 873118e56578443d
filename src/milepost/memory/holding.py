"""For how long a deletion or a change can be taken back, and what ends that."""

from milepost.memory.context import Context
from milepost.memory.keeping import spared_by
from milepost.memory.values import FOREVER
from milepost.ports import Work
from milepost.text.lines import day
from milepost.upkeep.values import Job

# What a deed is called: what did it. `undo` by count leaves out what hooks and undo itself did.
DELETE, UPDATE, STORE, NOTICE, UNDO, CONSOLIDATION = (
    "delete", "update", "store", "notice", "undo", "consolidation",
)  # fmt: skip
ASKED_FOR = (DELETE, UPDATE, STORE)
# The work that deletes for good what was held long enough.
TOPIC = "bin"
_DAY_US = 86_400 * 1_000_000


def begin_deed(context: Context, work: Work, kind: str) -> int | None:
    """Begin what can be taken back, in the transaction under way; None where nothing is held."""
    if not context.held_us:
        return None
    now = context.clock()
    work.deeds.forget(context.space, now - context.held_us, spared_by(work, context.space))
    work.jobs.enqueue(context.space, TOPIC, "", "{}", now + context.held_us)
    return work.deeds.begin(context.space, kind, now)


def held_until(context: Context) -> str | None:
    """Return the day until which what is done now can be taken back."""
    return day((context.clock() + context.held_us) / 1e6) if context.held_us else None


def expire(context: Context, job: Job) -> None:
    """Delete for good what was held long enough; a job, which comes again for the rest."""
    del job
    with context.store.writing() as work:
        now, spared = context.clock(), spared_by(work, context.space)
        work.deeds.forget(context.space, now - context.held_us, spared)
        oldest = work.deeds.oldest_us(context.space)
        if oldest is not None:
            # What a hold keeps is looked at again every day.
            due = oldest + context.held_us
            work.jobs.enqueue(context.space, TOPIC, "", "{}", due if due > now else now + _DAY_US)


def empty_bin(context: Context) -> int:
    """Delete for good all that is held, and forget how it was; return how many memories it was."""
    with context.store.writing() as work:
        return work.deeds.forget(context.space, FOREVER, spared_by(work, context.space))
