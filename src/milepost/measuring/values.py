"""What is known of how well a memory finds what it has."""

from __future__ import annotations

from math import exp

from milepost.text.fence import for_models
from milepost.text.lines import counted, minute
from milepost.values import NamedTuple, by_name

# Where questions come from: sentences of memories, asked word for word or as if the memory had kept
# one in three of the words; and what somebody asked, and then used.
WORD_FOR_WORD, OTHER_WORDS, ASKED = "word for word", "in other words", "asked and used"
BETTER, WORSE, NO_DIFFERENCE = "better", "worse", "no difference seen"
# The same of an embedder that was tried.
HELPS, HURTS = "helps", "hurts"
# With fewer questions nothing is said of a difference.
QUESTIONS_MIN = 20
TOO_FEW = "too few questions to tell"


@by_name
class RecallFigures(NamedTuple):
    """How often some questions found their memory.

    recall: the share that found it among the first five, with the bounds of its interval (95 %).
    mrr: the mean of one over its place, of the first ten. empty: the share that was shown nothing.
    tokens: what an answer cost. floor, floor_mrr: the same by BM25 alone over the same candidates.
    """

    name: str
    questions: int
    recall: float
    low: float
    high: float
    mrr: float
    empty: float
    tokens: float
    floor: float
    floor_mrr: float

    def __str__(self) -> str:
        return (
            f"{self.name}: {self.recall:.0%} found ({self.low:.0%} to {self.high:.0%}) of "
            f"{self.questions:,}, MRR {self.mrr:.2f}, {self.empty:.0%} empty, "
            f"{self.tokens:.0f} tokens; BM25 alone {self.floor:.0%}, MRR {self.floor_mrr:.2f}"
        )


@by_name
class RecallChange(NamedTuple):
    """How the same questions fared in the run before.

    difference: of the mean of one over the place, with the bounds of its interval (95 %).
    lost, gained: how many are among the first five no more, and how many are now.
    """

    at: float
    version: str
    embedder: str
    questions: int
    difference: float
    low: float
    high: float
    lost: int
    gained: int
    verdict: str

    def __str__(self) -> str:
        told = f"since {minute(self.at)} (milepost {self.version}, {self.embedder})"
        if self.verdict == TOO_FEW:
            return f"{told}: {TOO_FEW}, {self.questions:,} are the same"
        return (
            f"{told}: {self.verdict}; of {counted(self.questions, 'question')} asked both times "
            f"{self.lost:,} were lost and {self.gained:,} gained, MRR {self.difference:+.3f} "
            f"({self.low:+.3f} to {self.high:+.3f})"
        )


@by_name
class RecallReport(NamedTuple):
    """One run: who measured what when, by where questions come from, by kind and by age.

    kinds, ages: of what was asked in other words; as of the newest memory. change: from the run
    before; none at the first.
    """

    at: float
    by: str
    version: str
    embedder: str
    memories: int
    sources: tuple[RecallFigures, ...]
    kinds: tuple[RecallFigures, ...]
    ages: tuple[RecallFigures, ...]
    change: RecallChange | None = None

    @property
    def own(self) -> RecallFigures | None:
        """What stands for the whole: the memories that were asked for in other words."""
        return next((row for row in self.sources if row.name == OTHER_WORDS), None)

    @property
    def is_worse(self) -> bool:
        """Whether the same questions found less than in the run before."""
        return self.change is not None and self.change.verdict == WORSE

    @for_models
    def __str__(self) -> str:
        head = (
            f"{minute(self.at)}: {counted(self.memories, 'memory')}, milepost {self.version}, "
            f"{self.embedder}"
        )
        if not self.sources:
            return f"{head}: no memory has a sentence to ask by"
        lines = [head, *map(str, self.sources)]
        return "\n".join([*lines, *([str(self.change)] if self.change else [])])


class Trial(NamedTuple):
    """How well half sentences find their memories with the embedder in use and with another.

    memories: among how many they were looked for.
    place: where they stand, as a geometric mean; first, found: how many come first, and among the
    first five.
    nearer, farther: how many stand higher with the other, and how many lower.
    gain: the logarithm of how many times higher they stand, with the bounds of its interval (95 %).
    ms: what a search takes, in milliseconds.
    tokens_a_memory, dimensions: how long a memory is, and its vector.
    """

    model: str
    instead_of: str
    memories: int
    questions: int
    place: tuple[float, float]
    first: tuple[int, int]
    found: tuple[int, int]
    nearer: int
    farther: int
    gain: float
    low: float
    high: float
    verdict: str
    ms: tuple[float, float]
    ms_a_memory: float
    tokens_a_memory: float
    dimensions: int

    def __str__(self) -> str:
        name = _name(self.model)
        if self.questions == 0:
            return f"{name}: {self.verdict}"
        lines = [
            f"{counted(self.questions, 'half sentence')} of this store, asked for the memory that ",
            f"has the other half, among {self.memories:,}\n",
            f"  {self._one(0, _name(self.instead_of))}\n",
            f"  {self._one(1, name)}\n",
            f"  a vector of {self.dimensions:,} numbers and {self.ms_a_memory:.1f} ms a memory, ",
            f"of {self.tokens_a_memory:.0f} tokens\n",
            f"  higher for {self.nearer:,}, lower for {self.farther:,}; the other stands ",
            f"{exp(self.gain):.2f} times as high ({exp(self.low):.2f} to {exp(self.high):.2f}): ",
            self.verdict,
        ]
        return "".join(lines)

    def _one(self, which: int, name: str) -> str:
        return (
            f"{name}: place {self.place[which]:.1f}, first for {self.first[which]:,}, among the "
            f"first five for {self.found[which]:,}, {self.ms[which]:.1f} ms a search"
        )


def _name(model: str) -> str:
    return model.partition("@")[0]
