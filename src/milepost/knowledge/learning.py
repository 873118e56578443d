"""Learn from memories, as they are stored, how things hang together."""

from collections.abc import Callable, Sequence

from milepost.knowledge.values import Learned
from milepost.memory.backlog import look_at_stored
from milepost.memory.context import Context, Learner
from milepost.memory.values import INSTRUCTS, Draft, Record
from milepost.ports import Work
from milepost.text.entities.values import Extraction
from milepost.upkeep.values import Job

# Reads off a text, and who said it, what it names and how that hangs together.
Extract = Callable[[str, str | None], Extraction]


def learner(extract: Extract) -> Learner:
    """Return what reads texts, and writes what they say in the transaction that stores them."""

    def learn(context: Context, drafts: Sequence[Draft | Record]) -> Callable[[Work], None] | None:
        # What wants to instruct a model has nothing to say about the world.
        believed = (draft for draft in drafts if INSTRUCTS not in draft.marks)
        found = (Learned(each.hash, extract(each.content, each.author)) for each in believed)
        telling = [item for item in found if any(item.extraction)]

        def write(work: Work) -> None:
            work.entities.learn(context.space, telling, context.clock())

        return write if telling else None

    return learn


# The work that learns from memories which were stored before anything did.
TOPIC = "graph"


def learn_stored(context: Context, job: Job) -> None:
    """Learn from some memories past an id; a job, which comes again for the rest."""
    look_at_stored(context, job, learn_entities)


def learn_entities(
    context: Context, drafts: Sequence[Draft | Record]
) -> Callable[[Work], None] | None:
    """Read what texts name and say between names; return what writes it down."""
    from milepost.text.entities import entities_in

    return learner(entities_in)(context, drafts)
