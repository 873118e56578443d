"""What happened and how things hang together: the words in which everybody speaks of it.

Times are seconds since the epoch, but for those whose names end in `_us`.
"""

from __future__ import annotations

from milepost.text.fence import for_models
from milepost.text.lines import clip, day, minute
from milepost.values import NamedTuple, by_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# How an event went, where that is known.
FAILED = frozenset({"failed", "failure", "error"})
_LINE_CHARS = 300


@by_name
class Event(NamedTuple):
    """One thing that happened."""

    id: str
    at: float
    event_type: str
    content: str
    outcome: str | None = None
    session_id: str | None = None
    duration_ms: float | None = None
    project: str | None = None

    @for_models
    def __str__(self) -> str:
        took = None if self.duration_ms is None else f"{self.duration_ms:,.0f} ms"
        ended = ", ".join(word for word in (self.outcome, took) if word)
        said = clip(self.content, _LINE_CHARS)
        return f"{minute(self.at)} {self.event_type}: {said}{f' ({ended})' if ended else ''}"


class EventFilter(NamedTuple):
    """Which events are meant; every condition holds."""

    space: str
    session_id: str | None = None
    event_type: str | None = None
    project: str | None = None
    after_us: int | None = None
    before_us: int | None = None
    # Words that all stand in the content, whatever their case.
    words: tuple[str, ...] = ()
    ids: tuple[str, ...] | None = None


@by_name
class EventDay(NamedTuple):
    """What happened on a day: how often what, how much of it failed, in how many sessions."""

    day: str
    total: int
    by_type: Mapping[str, int]
    failed: int
    sessions: int

    @for_models
    def __str__(self) -> str:
        kinds = ", ".join(f"{name} {count:,}" for name, count in self.by_type.items())
        failed = f", {self.failed:,} failed" if self.failed else ""
        sessions = f", sessions {self.sessions:,}" if self.sessions else ""
        return f"{self.day} {self.total:,}: {kinds}{failed}{sessions}"


@by_name
class EventTimeline(NamedTuple):
    """What happened by day, newest first; days without events are left out."""

    days: tuple[EventDay, ...]
    total: int

    @for_models
    def __str__(self) -> str:
        return "\n".join(map(str, self.days)) or "no event"


# What a memory may have to do with another: it says nearly the same, it may replace the other, or
# both are about the same though they were told apart.
ALIKE, MAY_REPLACE, ASSOCIATED = LINK_KINDS = ("alike", "may replace", "associated")


@by_name
class MemoryLink(NamedTuple):
    """A link from a memory to another, by their hashes."""

    memory: str
    other: str
    kind: str
    weight: float = 1.0
    at: float = 0.0
    run: str = ""

    @for_models
    def __str__(self) -> str:
        return f"{self.memory} {self.kind} {self.other}"


@by_name
class Recurring(NamedTuple):
    """Something that comes back in what was remembered.

    type: topic, failure, revised decision or time. confidence: a lower bound, from 0 to 1.
    """

    type: str
    description: str
    confidence: float
    support: int
    members: tuple[str, ...]

    @for_models
    def __str__(self) -> str:
        sure = f"{self.confidence:.2f}, {self.support} times"
        return f"{self.type}: {self.description} ({sure}; {' '.join(self.members[:3])})"


@by_name
class Quote(NamedTuple):
    """A sentence, and the memory that says it."""

    hash: str
    text: str
    created: float

    @for_models
    def __str__(self) -> str:
        return f"{self.text} [{self.hash} {day(self.created)}]"


@by_name
class Cluster(NamedTuple):
    """Memories about one thing, what they are about, and what they say, quoted with hashes."""

    label: str
    members: tuple[str, ...]
    summary: tuple[Quote, ...]

    @for_models
    def __str__(self) -> str:
        return "\n".join((f"{self.label} ({len(self.members)})", *map(str, self.summary)))


@by_name
class Merge(NamedTuple):
    """Memories that say the same: one stands for all."""

    keep: str
    drop: tuple[str, ...]

    @for_models
    def __str__(self) -> str:
        return f"{self.keep} says the same as {' '.join(self.drop)}"


@by_name
class Supersession(NamedTuple):
    """A memory that gives another value to what an older one says."""

    old: str
    new: str
    why: str

    @for_models
    def __str__(self) -> str:
        return f"{self.new} replaces {self.old}: {self.why}"


@by_name
class Consolidation(NamedTuple):
    """What a consolidation does, will do or did.

    state: planned, applied or undone. What is not shown of it is counted in `totals`.
    """

    run_id: str
    state: str
    strategy: str
    patterns: tuple[Recurring, ...]
    clusters: tuple[Cluster, ...]
    merged: tuple[Merge, ...]
    superseded: tuple[Supersession, ...]
    decayed: tuple[str, ...]
    archived: tuple[str, ...]
    associations: tuple[MemoryLink, ...]
    duration: float
    totals: Mapping[str, int]
    looked_at: int
    undo_until: str | None = None
    # What undoing left as it was, since it was changed meanwhile.
    left: tuple[str, ...] = ()

    @for_models
    def __str__(self) -> str:
        counts = ", ".join(f"{name} {count:,}" for name, count in self.totals.items() if count)
        until = f", undo until {self.undo_until}" if self.undo_until else ""
        head = f"{self.run_id} {self.state}: {counts or 'nothing to do'} of {self.looked_at:,}"
        rows = (*self.merged, *self.superseded, *self.patterns)
        return "\n".join((f"{head}{until}", *map(str, rows), *self.left))


@by_name
class Subject(NamedTuple):
    """What some memories say about one thing."""

    label: str
    quotes: tuple[Quote, ...]

    @for_models
    def __str__(self) -> str:
        return "\n".join((f"{self.label}:", *map(str, self.quotes)))


@by_name
class Summary(NamedTuple):
    """What many memories say together, by subject and time, each sentence with its memory."""

    subjects: tuple[Subject, ...]
    # How many memories were read.
    memories: int

    @for_models
    def __str__(self) -> str:
        return "\n".join(map(str, self.subjects)) or "nothing to summarize"


@by_name
class ConsolidationStatus(NamedTuple):
    """When consolidation runs by itself, when it did last and will next, and the latest runs."""

    schedule: str
    paused: bool
    last: float | None
    next: float | None
    runs: tuple[str, ...]

    @for_models
    def __str__(self) -> str:
        due = "" if self.next is None else f", next {minute(self.next)}"
        paused = ", paused" if self.paused else ""
        last = "never ran" if self.last is None else f"ran last {minute(self.last)}"
        return "\n".join((f"schedule {self.schedule}{paused}, {last}{due}", *self.runs))
