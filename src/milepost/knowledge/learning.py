"""Learn from memories, as they are stored, how things hang together."""

from collections.abc import Callable, Sequence

from milepost.knowledge.values import Extraction, Learned
from milepost.memory.context import Context, Learner
from milepost.memory.values import Draft
from milepost.ports import Work

# Reads off a text what it names, and how that hangs together.
Extract = Callable[[str], Extraction]


def learner(extract: Extract) -> Learner:
    """Return what writes down what texts say in the transaction that stores them."""

    def learn(context: Context, work: Work, drafts: Sequence[Draft]) -> None:
        found = (Learned(draft.hash, extract(draft.content)) for draft in drafts)
        telling = [item for item in found if any(item.extraction)]
        if telling:
            work.entities.learn(context.space, telling, context.clock())

    return learn
