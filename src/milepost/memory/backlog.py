"""Look at memories that were stored before anybody looked, some at a time, as a job."""

import json
from collections.abc import Callable, Sequence

from milepost.memory.context import Context
from milepost.memory.reserved import RESERVED
from milepost.memory.values import Filter, Record
from milepost.ports import Work
from milepost.upkeep.values import Job

_AT_A_TIME = 500

# Looks at memories and returns what it writes of them, if anything.
Look = Callable[[Context, Sequence[Record]], Callable[[Work], None] | None]


def look_at_stored(context: Context, job: Job, look: Look) -> None:
    """Look at some memories past the id that a job names; it comes again for the rest."""
    after = int(json.loads(job.payload)["after"])
    everything = Filter(context.space, context.clock(), include_superseded=True)
    ids = sorted(i for i in context.store.candidates.page(everything, 1 << 40).ids if i > after)
    some = ids[:_AT_A_TIME]
    records = context.store.memories.records(some)
    write = look(context, [record for record in records if record.kind not in RESERVED])
    with context.store.writing() as work:
        if write is not None:
            write(work)
        if len(ids) > len(some):
            payload = json.dumps({"after": some[-1]})
            work.jobs.enqueue(context.space, job.topic, "", payload, context.clock())
