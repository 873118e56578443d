"""What happened and how things hang together: the words in which everybody speaks of it.

Times are seconds since the epoch, but for those whose names end in `_us`.
"""

from __future__ import annotations

from milepost.text.fence import for_models
from milepost.text.lines import clip, counted, day, listed, minute
from milepost.values import NamedTuple, by_name, fields_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from milepost.text.entities.values import Extraction

# How an event went, where that is known.
FAILED = frozenset({"failed", "failure", "error"})
_LINE_CHARS = 300


def _doubted(marks: tuple[str, ...]) -> str:
    """Return what a line says of a text that wants to instruct whoever reads it."""
    return " (untrusted)" if marks else ""


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
    # What is to be known of its text, as of a memory's.
    marks: tuple[str, ...] = ()

    @for_models
    def __str__(self) -> str:
        took = None if self.duration_ms is None else f"{self.duration_ms:,.0f} ms"
        ended = ", ".join(word for word in (self.outcome, took) if word)
        said = clip(self.content, _LINE_CHARS)
        told = f"{self.event_type}{_doubted(self.marks)}: {said}"
        return f"{minute(self.at)} {told}{f' ({ended})' if ended else ''}"


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


class EventFeed(NamedTuple):
    """What was written down since a place, and the place to ask from next.

    numbers: of the events, in their order.
    state: another whenever memories, or episodes that are worked on, are others.
    """

    place: int
    events: tuple[Event, ...]
    numbers: tuple[int, ...]
    state: str

    @for_models
    def __str__(self) -> str:
        return "\n".join([*map(str, self.events), f"place {self.place}"])


# What a memory may have to do with another: it says nearly the same, it may replace the other, or
# both are about the same though they were told apart.
ALIKE, MAY_REPLACE, ASSOCIATED = ("alike", "may replace", "associated")


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
class Suggestion(NamedTuple):
    """Two memories of which the newer may replace the older, and what changed."""

    newer: str
    older: str
    newer_text: str
    older_text: str
    why: str
    newer_at: float = 0.0
    older_at: float = 0.0

    @for_models
    def __str__(self) -> str:
        return f"{self.newer} may replace {self.older}: {self.why}"


# How a consolidation looks: at words alone, at meaning too, or also for links between memories.
SPEED, BALANCED, QUALITY = STRATEGIES = ("speed", "balanced", "quality")


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

    state: planned, applied or undone, and since when. What is not shown of it is counted in
    `totals`.
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
    # Who planned it: "rules", or also a "model", and the merges that this did not let pass.
    by: str = "rules"
    refused: tuple[Merge, ...] = ()
    since: float = 0.0

    @for_models
    def __str__(self) -> str:
        counts = ", ".join(f"{name} {count:,}" for name, count in self.totals.items() if count)
        until = f", undo until {self.undo_until}" if self.undo_until else ""
        head = f"{self.run_id} {self.state}: {counts or 'nothing to do'} of {self.looked_at:,}"
        rows = (*self.merged, *self.superseded, *self.patterns)
        return "\n".join((f"{head}{until}", *map(str, rows), *self.left))


@by_name
class Reworded(NamedTuple):
    """What a model says that memories say, and which memories these are."""

    text: str
    hashes: tuple[str, ...]

    @for_models
    def __str__(self) -> str:
        return f"{self.text} [{' '.join(self.hashes)}]"


@by_name
class Subject(NamedTuple):
    """What some memories say about one thing; a model may have worded it as a paragraph."""

    label: str
    quotes: tuple[Quote, ...]
    paragraph: tuple[Reworded, ...] = ()

    @for_models
    def __str__(self) -> str:
        if self.paragraph:
            return f"{self.label}: {' '.join(map(str, self.paragraph))}"
        return "\n".join((f"{self.label}:", *map(str, self.quotes)))


@by_name
class Summary(NamedTuple):
    """What many memories say together, by subject and time, each sentence with its memory."""

    subjects: tuple[Subject, ...]
    # How many memories were read.
    memories: int
    # Whose words these are: "rules" quote memories, a "model" rewords them.
    by: str = "rules"

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


# What an entity is while nobody said what.
TERM = "term"
# Where an assertion comes from.
STATED, PATTERN, TOGETHER, MODEL = ("stated", "pattern", "together", "model")


class Learned(NamedTuple):
    """What a memory, by its hash, says of how things hang together."""

    hash: str
    extraction: Extraction


class Match(NamedTuple):
    """A name of an entity, or something said of it, and the words of a question that it has."""

    entity: int
    text: str
    words: tuple[str, ...]


class When(NamedTuple):
    """What is seen of the graph: what held at a moment, as far as it was known at another."""

    at_us: int
    known_us: int


class Span(NamedTuple):
    """From when until when something holds."""

    from_us: int
    to_us: int


class Walk(NamedTuple):
    """How far to go from entities, along which relations, and how many of each entity's."""

    depth: int
    fan_out: int
    # The words of relations that are followed forwards and backwards; None for all.
    forwards: tuple[str, ...] | None = None
    backwards: tuple[str, ...] | None = None


@by_name
class Observation(NamedTuple):
    """Something said of an entity, since when it holds and where it comes from."""

    entity: str
    text: str
    valid_from: float
    valid_to: float | None
    recorded: float
    origin: str
    memory: str | None = None

    @for_models
    def __str__(self) -> str:
        said = clip(self.text, _LINE_CHARS)
        return f"{self.entity}: {said}{_time(self.valid_from, self.valid_to)}"


@by_name
class Entity(NamedTuple):
    """A thing that is spoken of: what it is, how else it is called, what is said of it.

    relations, memories: how many of each speak of it.
    """

    name: str
    entity_type: str
    aliases: tuple[str, ...] = ()
    observations: tuple[str, ...] = ()
    relations: int = 0
    memories: int = 0
    metadata: Mapping[str, Any] | None = None
    # What is to be known of what is said of it, as of a memory's text.
    marks: tuple[str, ...] = ()

    @for_models
    def __str__(self) -> str:
        also = f", also {', '.join(self.aliases)}" if self.aliases else ""
        numbers = (counted(self.relations, "relation"), counted(self.memories, "memory"))
        known = ", ".join(text for text in numbers if not text.startswith("0 "))
        said = "; ".join(clip(text, _LINE_CHARS) for text in self.observations)
        head = f"{_typed(self.name, self.entity_type)}{also}{f' [{known}]' if known else ''}"
        return f"{head}{_doubted(self.marks)}: {said}" if said else head


@by_name
class Relation(NamedTuple):
    """How one entity stands to another, since when, and where that comes from.

    memory: the memory that says so, the latest of several. support: how many assertions say it.
    depth: how many steps away it was found.
    """

    source: str
    source_type: str
    relation: str
    target: str
    target_type: str
    weight: float
    valid_from: float
    valid_to: float | None
    recorded: float
    origin: str
    memory: str | None = None
    support: int = 1
    depth: int = 1

    @for_models
    def __str__(self) -> str:
        source = _typed(self.source, self.source_type)
        target = _typed(self.target, self.target_type)
        more = f" +{self.support - 1:,}" if self.support > 1 else ""
        proof = ", ".join(word for word in (self.origin, self.memory) if word)
        time = _time(self.valid_from, self.valid_to)
        return f"{source} {self.relation} {target}{time} [{proof}{more}]"


class Clash(NamedTuple):
    """An assertion that another of the same entity contradicts."""

    source: int
    name: str
    word: str
    id: int
    target: int
    from_us: int
    to_us: int
    relation: Relation


@by_name
class Graph(NamedTuple):
    """Entities and the relations between them; total: how many relations there are in all."""

    entities: tuple[Entity, ...]
    relations: tuple[Relation, ...]
    total: int

    @for_models
    def __str__(self) -> str:
        linked = {name for row in self.relations for name in (row.source, row.target)}
        alone = [e for e in self.entities if e.name not in linked or e.observations or e.aliases]
        rows = (*alone, *self.relations)
        return listed(rows, self.total + len(alone), "nothing is known of that")


@by_name
class EntityList(NamedTuple):
    """Entities that a search found, the best first."""

    entities: tuple[Entity, ...]
    total: int

    @for_models
    def __str__(self) -> str:
        return listed(self.entities, self.total, "no entity")


@by_name
class GraphPath(NamedTuple):
    """The relations that lead from one entity to another, in order; none if nothing does."""

    source: str
    target: str
    relations: tuple[Relation, ...]

    @for_models
    def __str__(self) -> str:
        nothing = f"no path from {self.source} to {self.target}"
        return "\n".join(map(str, self.relations)) or nothing


@by_name
class GraphDiff(NamedTuple):
    """What began and what ended between two moments: entities, relations, observations."""

    entities: tuple[str, ...]
    began: tuple[Relation, ...]
    ended: tuple[Relation, ...]
    said: tuple[Observation, ...]
    unsaid: tuple[Observation, ...]
    total: int

    @for_models
    def __str__(self) -> str:
        rows = [f"+ {row}" for row in (*self.entities, *self.began, *self.said)]
        rows += [f"- {row}" for row in (*self.ended, *self.unsaid)]
        return listed(tuple(rows), self.total, "nothing changed")


@by_name
class Merged(NamedTuple):
    """Two entities that became one; undo_merge(id) takes it back."""

    id: int
    name: str
    merged: str
    relations: int
    observations: int
    memories: int

    @for_models
    def __str__(self) -> str:
        moved = (
            counted(self.relations, "relation"),
            counted(self.observations, "observation"),
            counted(self.memories, "mention"),
        )
        return f"{self.merged} is now {self.name}: {', '.join(moved)} (undo_merge({self.id}))"


@by_name
class Claim(NamedTuple):
    """One side of a conflict: what to call it when it is to be kept, and what it says."""

    key: str
    text: str
    since: float
    origin: str
    memory: str | None = None

    @for_models
    def __str__(self) -> str:
        return f"{self.key}: {self.text}"


# Of the claims of a conflict so many are told; all of them are among its fields.
_CLAIMS_TOLD = 10


@by_name
class Dispute(NamedTuple):
    """What cannot all hold at the same time.

    kind: "relation" for assertions of the graph, "memory" for two memories of which the newer may
    replace the older. about: whom or what it concerns.
    """

    id: str
    kind: str
    about: str
    claims: tuple[Claim, ...]

    @for_models
    def __str__(self) -> str:
        shown = tuple(f"  {claim}" for claim in self.claims[:_CLAIMS_TOLD])
        return f"{self.id} {self.about}:\n{listed(shown, len(self.claims), '')}"


@by_name
class Resolved(NamedTuple):
    """How a conflict was settled, and what takes that back.

    id: what undo_merge takes back, 0 for memories.
    """

    id: int
    kept: str
    ended: tuple[str, ...]
    undo: str = ""

    @for_models
    def __str__(self) -> str:
        ended = f", ended {', '.join(self.ended)}" if self.ended else ""
        return f"kept {self.kept}{ended}{f' ({self.undo})' if self.undo else ''}"


@by_name
class GraphDeletion(NamedTuple):
    """What was deleted of the graph, for good: how many rows said it, and what."""

    deleted: int
    what: str

    @for_models
    def __str__(self) -> str:
        return f"deleted {self.what}"


@by_name
class GraphImport(NamedTuple):
    """What was new of entities, observations and relations that were written together."""

    entities: int
    observations: int
    relations: int

    @for_models
    def __str__(self) -> str:
        nouns = ("entity", "observation", "relation")
        return ", ".join(counted(n, noun) for n, noun in zip(tuple(self), nouns, strict=True))

    def __add__(self, other: tuple[int, ...]) -> GraphImport:  # type: ignore[override]
        return GraphImport(*(a + b for a, b in zip(tuple(self), other, strict=True)))


@by_name
class GraphExtraction(NamedTuple):
    """What a language model read for the graph, or would be given.

    state: planned, done or stopped, and then why. tokens_out: of a plan the most that there may be.
    entities, relations: what was believed of its answers; refused: what of them was not.
    left: memories that it has not read.
    """

    model: str
    state: str
    memories: int = 0
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    entities: int = 0
    relations: int = 0
    refused: int = 0
    left: int = 0
    why: str = ""

    def plus(self, batch: GraphExtraction) -> GraphExtraction:
        """Return this with what one more batch came to."""
        own, more = fields_of(self), fields_of(batch)
        sums = [a + b if isinstance(a, int) else a for a, b in zip(own, more, strict=True)]
        return GraphExtraction(*sums)

    @for_models
    def __str__(self) -> str:
        whom = self.model or "no model is configured yet"
        most = "at most " if self.state == "planned" else ""
        cost = f"{counted(self.calls, 'call')}, {self.tokens_in:,} tokens in, {most}"
        head = f"{self.state}: {counted(self.memories, 'memory')}, {cost}{self.tokens_out:,} out"
        found = f"{counted(self.entities, 'entity')}, {counted(self.relations, 'relation')}"
        said = "" if most else f": {found}, {self.refused:,} refused"
        why = f" ({self.why})" if self.why else ""
        return f"{head}{said}, {self.left:,} left{why} [{whom}]"


def _typed(name: str, entity_type: str) -> str:
    return name if entity_type == TERM else f"{name} ({entity_type})"


def _time(valid_from: float, valid_to: float | None) -> str:
    until = "" if valid_to is None else f" until {day(valid_to)}"
    return f" since {day(valid_from)}{until}"
