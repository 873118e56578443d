"""Learn from memories, as they are stored, how things hang together."""

import json
from collections.abc import Callable, Sequence

from milepost.knowledge.values import Learned
from milepost.memory.context import Context, Learner
from milepost.memory.reserved import RESERVED
from milepost.memory.values import Draft, Filter, Record
from milepost.ports import Work
from milepost.text.entities.values import Extraction
from milepost.upkeep.values import Job

# Reads off a text, and who said it, what it names and how that hangs together.
Extract = Callable[[str, str | None], Extraction]


def learner(extract: Extract) -> Learner:
    """Return what writes down what texts say in the transaction that stores them."""

    def learn(context: Context, work: Work, drafts: Sequence[Draft | Record]) -> None:
        found = (Learned(draft.hash, extract(draft.content, draft.author)) for draft in drafts)
        telling = [item for item in found if any(item.extraction)]
        if telling:
            work.entities.learn(context.space, telling, context.clock())

    return learn


# The work that learns from memories which were stored before anything did.
TOPIC = "graph"
_AT_A_TIME = 500


def learn_stored(context: Context, job: Job) -> None:
    """Learn from some memories past an id; a job, which comes again for the rest."""
    after = int(json.loads(job.payload)["after"])
    everything = Filter(context.space, context.clock(), include_superseded=True)
    ids = sorted(i for i in context.store.candidates.page(everything, 1 << 40).ids if i > after)
    some = ids[:_AT_A_TIME]
    records = context.store.memories.records(some)
    with context.store.writing() as work:
        learn_entities(context, work, [record for record in records if record.kind not in RESERVED])
        if len(ids) > len(some):
            payload = json.dumps({"after": some[-1]})
            work.jobs.enqueue(context.space, TOPIC, "", payload, context.clock())


def learn_entities(context: Context, work: Work, drafts: Sequence[Draft | Record]) -> None:
    """Write down what texts name and say between names."""
    from milepost.text.entities import entities_in

    learner(entities_in)(context, work, drafts)
