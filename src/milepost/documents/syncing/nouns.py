"""What is synced: memories with their versions and tags, links between them, episodes, events.

Each noun gives its rows as plain data, and takes such data back. A row is made of slots, whose last
change counts as a whole, and of lists of labels, each of which was added or taken away.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from milepost.documents.syncing.ends import HOLDS, End
from milepost.documents.syncing.state import State, digest
from milepost.experience import exchange
from milepost.knowledge.values import Event, EventFilter, MemoryLink
from milepost.memory.context import Context
from milepost.memory.door import said_of
from milepost.memory.holding import begin_deed
from milepost.memory.keeping import Hold
from milepost.memory.reserved import RESERVED
from milepost.memory.values import FOREVER, NOT_ANALYSED, Draft, Filter, Indexed, Record
from milepost.ports import SYNCED_EPISODE, SYNCED_EVENT, Work

Row = Mapping[str, Any]
# A row by its name, and until when it holds.
Named = tuple[str, Row, End]
IsAlive = Callable[[str], bool]

# What a deletion that was heard of is called, so that it can be taken back by its hash.
SYNC = "sync"
_READ = 500
_ALL = 1 << 40


class Noun(Protocol):
    """Something that is synced."""

    prefix: str
    slots: tuple[str, ...]
    labels: tuple[str, ...]
    # Whether it says nothing that a state may not hold.
    is_plain: bool

    def rows(self, context: Context) -> Iterator[Named]:
        """Yield all there are."""

    def read(self, context: Context, name: str) -> Row | None:
        """Return one; None for none."""

    def is_hidden(self, name: str, is_alive: IsAlive) -> bool:
        """Whether it cannot be there, for what it needs is not."""

    def is_erased(self, context: Context, name: str) -> bool:
        """Whether nothing is left of one that is gone."""

    def is_held(
        self, context: Context, work: Work, name: str, holds: Sequence[Hold], *, erased: bool
    ) -> bool:
        """Whether a hold keeps one, in a bin or not, that is to go."""

    def put(self, context: Context, work: Work, rows: Sequence[Named]) -> None:
        """Make rows be as they are given."""

    def remove(self, context: Context, work: Work, names: Sequence[tuple[str, bool]]) -> None:
        """Take rows away, each erased or not."""


def fields_of(noun: Noun, row: Row) -> dict[str, Any]:
    """Return what a row says, as digests by field."""
    tell = (lambda value: value) if noun.is_plain else digest
    fields: dict[str, Any] = {slot: tell(row[slot]) for slot in noun.slots}
    for name in noun.labels:
        fields.update((f"{name} {digest(label)}", 1) for label in row[name])
    return fields


def merged(noun: Noun, state: State, rows: Sequence[Row]) -> dict[str, Any]:
    """Return the row that a state speaks of, out of rows that say its values."""
    if noun.is_plain:
        return {slot: state.value(slot) for slot in noun.slots}
    row: dict[str, Any] = {}
    for slot in noun.slots:
        wanted = state.value(slot)
        row[slot] = next((r[slot] for r in rows if digest(r[slot]) == wanted), rows[0][slot])
    for name in noun.labels:
        known = {label for given in rows for label in given[name]}
        row[name] = sorted(label for label in known if state.value(f"{name} {digest(label)}") == 1)
    return row


class Memories:
    """Memories by their hash: what a text says never changes, the rest does."""

    prefix = "m"
    slots: tuple[str, ...] = ("content", "kind", "metadata", "session", "author", "times", "branch",
                              "origin", "standing", "recorded")  # fmt: skip
    labels: tuple[str, ...] = ("tags", "projects")
    is_plain = False

    def rows(self, context: Context) -> Iterator[Named]:
        ids = _all_memories(context)
        for first in range(0, len(ids), _READ):
            for record in context.store.memories.records(ids[first : first + _READ]):
                if record.kind not in RESERVED:
                    yield record.hash, _row(record), _end(record)

    def read(self, context: Context, name: str) -> Row | None:
        record = context.store.memories.record(context.space, name)
        return None if record is None else _row(record)

    def is_hidden(self, name: str, is_alive: IsAlive) -> bool:
        del name, is_alive
        return False

    def is_erased(self, context: Context, name: str) -> bool:
        return not any(
            each.hash == name for each in context.store.deeds.binned(context.space, name)
        )

    def is_held(
        self, context: Context, work: Work, name: str, holds: Sequence[Hold], *, erased: bool
    ) -> bool:
        if not erased and context.held_us:
            return False  # it goes to the bin, where holds keep it
        record = work.memories.record(context.space, name)
        records = [each for each in work.deeds.binned(context.space, name) if each.hash == name]
        records += [] if record is None else [record]
        return any(hold.subject.has_memory(each) for hold in holds for each in records)

    def put(self, context: Context, work: Work, rows: Sequence[Named]) -> None:
        drafts = [_draft(context, name, row) for name, row, _ in rows]
        analyses = context.texts.analyse(
            [Indexed(0, draft.content, draft.author, draft.created_us) for draft in drafts]
        )
        learned = [learn(context, drafts) for learn in context.learners]
        for draft, analysis in zip(drafts, analyses, strict=True):
            work.memories.put(draft._replace(analysis=analysis))
        for draft, (_, _, (valid_to, by)) in zip(drafts, rows, strict=True):
            successor = None if by is None else by.partition(" ")[2]
            work.memories.settle(draft, valid_to, successor)
        for write in learned:
            if write is not None:
                write(work)

    def remove(self, context: Context, work: Work, names: Sequence[tuple[str, bool]]) -> None:
        erased, held = list[int](), list[int]()
        for name, for_good in names:
            record = work.memories.record(context.space, name)
            if for_good:
                copies = work.deeds.binned(context.space, name)
                erased += [each.id for each in copies if each.hash == name]
            if record is not None:
                (erased if for_good else held).append(record.id)
        deed = begin_deed(context, work, SYNC) if held else None
        if deed is None:
            erased += held
        else:
            work.memories.discard(held, deed)
        if erased:
            work.memories.remove(erased)


def _all_memories(context: Context) -> list[int]:
    everything = Filter(context.space, context.clock(), include_superseded=True)
    waiting = everything._replace(quarantined=True)
    find = context.store.candidates.newest
    return sorted({*find(everything, _ALL), *find(waiting, _ALL)})


def _row(record: Record) -> Row:
    return {
        "content": record.content,
        "kind": record.kind,
        "metadata": record.metadata,
        "session": record.session,
        "author": record.author,
        "times": [record.created_us, record.valid_from_us],
        "branch": record.branch,
        "origin": [record.source, list(record.marks)],
        "standing": record.standing,
        "recorded": record.recorded_us,
        "tags": sorted(record.tags),
        "projects": sorted(record.projects),
    }


def _end(record: Record) -> End:
    by = record.superseded_by
    return record.valid_to_us, None if by is None else f"m {by}"


def _draft(context: Context, name: str, row: Row) -> Draft:
    source, marks = row["origin"]
    return Draft(
        space=context.space,
        hash=name,
        content=row["content"],
        kind=row["kind"],
        tags=tuple(row["tags"]),
        metadata=row["metadata"],
        session=row["session"],
        author=row["author"],
        projects=tuple(row["projects"]),
        recorded_us=row["recorded"],
        created_us=row["times"][0],
        valid_from_us=row["times"][1],
        supersedes=None,
        analysis=NOT_ANALYSED,
        branch=row["branch"],
        source=source,
        marks=tuple(marks),
        said=said_of(row["content"]),
        standing=row["standing"],
    )


class Links:
    """Links between memories, which are there while both of these are."""

    prefix = "l"
    slots: tuple[str, ...] = ("weight", "at", "run")
    labels: tuple[str, ...] = ()
    is_plain = True

    def rows(self, context: Context) -> Iterator[Named]:
        ids = _all_memories(context)
        for first in range(0, len(ids), _READ):
            for link in context.store.links.of(context.space, ids[first : first + _READ]):
                yield f"{link.memory} {link.other} {link.kind}", _link_row(link), HOLDS

    def read(self, context: Context, name: str) -> Row | None:
        memory, other, kind = name.split(" ", 2)
        record = context.store.memories.record(context.space, memory)
        links = [] if record is None else context.store.links.of(context.space, [record.id])
        known = {(link.memory, link.other, link.kind): link for link in links}
        found = known.get((memory, other, kind))
        return None if found is None else _link_row(found)

    def is_hidden(self, name: str, is_alive: IsAlive) -> bool:
        memory, other, _ = name.split(" ", 2)
        return not (is_alive(f"m {memory}") and is_alive(f"m {other}"))

    def is_erased(self, context: Context, name: str) -> bool:
        del context, name
        return False

    def is_held(
        self, context: Context, work: Work, name: str, holds: Sequence[Hold], *, erased: bool
    ) -> bool:
        del context, work, name, holds, erased
        return False

    def put(self, context: Context, work: Work, rows: Sequence[Named]) -> None:
        for name, row, _ in rows:
            memory, other, kind = name.split(" ", 2)
            link = MemoryLink(memory, other, kind, row["weight"], row["at"] / 1e6, row["run"])
            work.links.remove(context.space, link)
            work.links.add(context.space, [link])

    def remove(self, context: Context, work: Work, names: Sequence[tuple[str, bool]]) -> None:
        for name, _ in names:
            memory, other, kind = name.split(" ", 2)
            work.links.remove(context.space, MemoryLink(memory, other, kind))


def _link_row(link: MemoryLink) -> Row:
    return {"weight": link.weight, "at": round(link.at * 1e6), "run": link.run}


class Episodes:
    """Episodes that have ended, with their steps; patterns are learned from them anew."""

    prefix = SYNCED_EPISODE
    slots: tuple[str, ...] = ("about", "end", "steps", "checkpoints")
    labels: tuple[str, ...] = ("relations",)
    is_plain = False

    def rows(self, context: Context) -> Iterator[Named]:
        for name, row in exchange.ended(context):
            yield name, row, HOLDS

    def read(self, context: Context, name: str) -> Row | None:
        return exchange.read(context, name)

    def is_hidden(self, name: str, is_alive: IsAlive) -> bool:
        del name, is_alive
        return False

    def is_erased(self, context: Context, name: str) -> bool:
        del context, name
        return True

    def is_held(
        self, context: Context, work: Work, name: str, holds: Sequence[Hold], *, erased: bool
    ) -> bool:
        del erased
        return exchange.is_held(work, context.space, name, holds)

    def put(self, context: Context, work: Work, rows: Sequence[Named]) -> None:
        for name, row, _ in rows:
            exchange.put(context, work, name, row)

    def remove(self, context: Context, work: Work, names: Sequence[tuple[str, bool]]) -> None:
        del work
        for name, _ in names:
            exchange.forget(context, name)


class Events:
    """What happened: an event never changes but for what is erased of it."""

    prefix = SYNCED_EVENT
    slots: tuple[str, ...] = ("event",)
    labels: tuple[str, ...] = ()
    is_plain = False

    def rows(self, context: Context) -> Iterator[Named]:
        for event in context.store.events.find(EventFilter(context.space), _ALL):
            yield event.id, _event_row(event), HOLDS

    def read(self, context: Context, name: str) -> Row | None:
        found = context.store.events.find(EventFilter(context.space, ids=(name,)), 1)
        return _event_row(found[0]) if found else None

    def is_hidden(self, name: str, is_alive: IsAlive) -> bool:
        del name, is_alive
        return False

    def is_erased(self, context: Context, name: str) -> bool:
        del context, name
        return True

    def is_held(
        self, context: Context, work: Work, name: str, holds: Sequence[Hold], *, erased: bool
    ) -> bool:
        del erased
        events = work.events.find(EventFilter(context.space, ids=(name,)), 1)
        return any(hold.subject.has_event(event) for hold in holds for event in events)

    def put(self, context: Context, work: Work, rows: Sequence[Named]) -> None:
        self.remove(context, work, [(name, True) for name, _, _ in rows])
        events = [Event(name, row["event"][0] / 1e6, *row["event"][1:]) for name, row, _ in rows]
        work.events.add(context.space, events)

    def remove(self, context: Context, work: Work, names: Sequence[tuple[str, bool]]) -> None:
        if names:
            work.events.remove(EventFilter(context.space, ids=tuple(name for name, _ in names)))


def _event_row(event: Event) -> Row:
    told = [event.event_type, event.content, event.outcome, event.session_id, event.duration_ms]
    return {"event": [round(event.at * 1e6), *told, event.project]}


# Links come after the memories that they are between, events of its life after an episode.
NOUNS: Mapping[str, Noun] = {
    noun.prefix: noun for noun in (Memories(), Links(), Episodes(), Events())
}


def end_of(value: Any) -> End:
    """Return an end as it was said; what is none holds."""
    try:
        valid_to, by = value
    except (TypeError, ValueError):
        return HOLDS
    is_end = isinstance(valid_to, int) and (by is None or isinstance(by, str))
    return (min(valid_to, FOREVER), by) if is_end else HOLDS


def end_text(end: End) -> str:
    """Return the text that stands for an end."""
    return json.dumps(end)
