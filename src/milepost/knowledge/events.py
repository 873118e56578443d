"""Write down what happens, and look at what happened."""

import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from inspect import signature
from typing import Any

from milepost.deadline import check_time
from milepost.errors import InvalidInput
from milepost.knowledge.values import Event, EventFeed, EventFilter, EventTimeline
from milepost.memory import validation
from milepost.memory.context import Context, Service
from milepost.memory.door import warnings
from milepost.memory.home import owner_of
from milepost.memory.keeping import holds_in, refuse_held
from milepost.memory.validation import Intake, Moment
from milepost.memory.values import Deleted
from milepost.operation import operation
from milepost.ports import Work
from milepost.upkeep.names import new_name
from milepost.upkeep.recorder import Recorder, Write, keeping

# The work that forgets events which were kept long enough.
TOPIC = "events"
BATCH_MAX = 100_000
CONTENT_CHARS = 20_000
COMMIT = "commit"
_DAY_US = 86_400 * 1_000_000
_DAYS_MAX = 36_500
_DURATION_MAX = 1e12
# Files that a commit is told with.
_FILES = 20
_EVERY = 1 << 40
_PLACE_MAX = (1 << 63) - 1


class Events(Service):
    """The operations about what happened."""

    @operation(
        "event",
        example='record_event("action", "ran the tests", outcome="ok", session_id="s1")',
        renamed={"type": "event_type", "session": "session_id"},
    )
    def record_event(
        self,
        event_type: str,
        content: str,
        outcome: str | None = None,
        session_id: str | None = None,
        duration_ms: float | None = None,
        project: str | None = None,
        at: Moment | None = None,
        wait: bool = False,
    ) -> str:
        """Write down that something happened and return its id; no search for memories finds it.

        event_type: what it was, such as action, test, deploy, error.
        content: what happened, in words.
        outcome: how it went, such as ok or failed.
        session_id: the session it happened in.
        duration_ms: how long it took.
        project: the project, if not the one worked on; "everywhere" for none.
        at: when it was, if not now.
        wait: return when it is on disk; else it is written some milliseconds later.
        """
        context, intake = self._context, self._context.intake()
        values = event_type, content, outcome, session_id, duration_ms, project, at
        event = _event(context, intake, dict(zip(_FIELDS, values, strict=True)))
        recorder, write = context.part(Recorder), adding(context, [event])
        keep = keeping(lambda _: intake.told(event.id), "record_event")
        if validation.flag("wait", wait) or keep:
            recorder.write(context.space, [write], keep)
        else:
            recorder.put(context.space, write)
        return intake.told(event.id)

    @operation(
        "event",
        example='record_events([{"event_type": "deploy", "content": "v2.3 to staging"}])',
    )
    def record_events(self, events: Sequence[Mapping[str, Any]]) -> int:
        """Write down many events in one transaction and return how many.

        events: mappings with the parameters of record_event.
        """
        context, intake = self._context, self._context.intake()
        if isinstance(events, str | bytes | Mapping) or not isinstance(events, Iterable):
            raise InvalidInput("events must be a list of mappings with record_event's parameters.")
        given = list(events)
        if len(given) > BATCH_MAX:
            raise InvalidInput(f"there may be at most {BATCH_MAX:,} events, not {len(given):,}.")
        made = [_event(context, intake, _fields(item)) for item in given]
        keep = keeping(lambda added: intake.told(added[0]), "record_events")
        written = context.part(Recorder).write(context.space, [adding(context, made)], keep)
        return intake.told(written[0])

    @operation(
        "event",
        example='record_commit("8f7d497f", "Round money half to even", files=["money.py"])',
        idempotent=True,
    )
    def record_commit(
        self,
        hash: str,
        message: str,
        files: Sequence[str] | None = None,
        author: str | None = None,
        session_id: str | None = None,
        project: str | None = None,
        at: Moment | None = None,
    ) -> str:
        """Write down that something was committed and return the event's id; once for each commit.

        hash: the commit's hash.
        message: its message.
        files: the files that it changed.
        author: who made it.
        session_id: the session it was made in.
        project: the project, if not the one worked on.
        at: when it was made, if not now.
        """
        context, intake = self._context, self._context.intake()
        name = _commit_hash(hash)
        names = [intake.name("a file", file) for file in _listed("files", files)]
        by = intake.optional_name("author", author)
        content = commit_line(name, intake.content(message), names, by)
        values = COMMIT, content, "ok", session_id, None, project, at
        event = _event(context, intake, dict(zip(_FIELDS, values, strict=True)))
        event = event._replace(id=event_id(event.project or "", COMMIT, name))
        context.part(Recorder).write(context.space, [adding(context, [event])])
        return intake.told(event.id)

    @operation(
        "event",
        example='recall_events(session_id="s1", limit=50)',
        read_only=True,
        renamed={"session": "session_id", "type": "event_type"},
    )
    def recall_events(
        self,
        session_id: str | None = None,
        event_type: str | None = None,
        after: Moment | None = None,
        before: Moment | None = None,
        query: str | None = None,
        limit: int = 50,
        project: str | None = None,
    ) -> list[Event]:
        """Return the latest events that fulfil every condition, oldest first.

        session_id: those of this session.
        event_type: those of this type.
        after: those at or after this time.
        before: those before this time.
        query: those that hold all of these words.
        limit: how many to show at most.
        project: those of this project.
        """
        context = self._context
        where = _where(context, session_id, event_type, after, before, query, project)
        count = validation.limit(limit)
        context.part(Recorder).flush()
        found = context.store.events.find(where, count)[::-1]
        return [event._replace(marks=warnings(event.content)) for event in found]

    @operation("event", example="follow_events(after=0, limit=20)", read_only=True)
    def follow_events(self, after: int | None = None, limit: int = 100) -> EventFeed:
        """Return what was written down after a place, in that order, and where to go on.

        after: the place that the call before returned; without it only the present one is told.
        limit: how many to show at most.
        """
        context = self._context
        count = validation.limit(limit)
        place = None if after is None else validation.whole("after", after, 0, _PLACE_MAX)
        context.part(Recorder).flush()
        return feed(context, place, count)

    @operation("event", example="event_timeline(days=7)", read_only=True)
    def event_timeline(self, days: int = 7, project: str | None = None) -> EventTimeline:
        """Show by day how often what happened, newest first.

        days: how many days back.
        project: only what happened in this project.
        """
        context = self._context
        count = validation.whole("days", days, 1, _DAYS_MAX)
        named = context.lenient().intake().optional_name("project", project)
        context.part(Recorder).flush()
        after_us = context.clock() - count * _DAY_US
        rows = context.store.events.days(context.space, named, after_us)
        return EventTimeline(tuple(rows), sum(row.total for row in rows))

    @operation(
        "event",
        example='delete_events(session_id="s1", dry_run=True)',
        destructive=True,
        idempotent=True,
    )
    def delete_events(
        self,
        session_id: str | None = None,
        event_type: str | None = None,
        after: Moment | None = None,
        before: Moment | None = None,
        query: str | None = None,
        project: str | None = None,
        dry_run: bool = False,
    ) -> Deleted:
        """Forget the events that fulfil every condition, for good, or only say how many.

        session_id: those of this session.
        event_type: those of this type.
        after: those at or after this time.
        before: those before this time.
        query: those that hold all of these words.
        project: those of this project.
        dry_run: only say how many it would be.
        """
        context = self._context
        where = _where(context, session_id, event_type, after, before, query, project)
        if where == EventFilter(context.space):
            raise InvalidInput(
                "delete_events needs a condition: a session, type, time, query or project."
            )
        only_say = validation.flag("dry_run", dry_run)
        context.part(Recorder).flush()
        events = context.store.events
        if only_say:
            return Deleted(events.count(where), (), True)
        if holds_in(context.store, context.space):
            refuse_held(context, events=events.find(where, _EVERY))
        return Deleted(events.remove(where), (), False)


def feed(context: Context, after: int | None, limit: int) -> EventFeed:
    """Return what was written down after a place, and how the rest stands."""
    store, space = context.store, context.space
    found = [] if after is None else store.events.since(space, after, limit)
    numbers = tuple(number for number, _ in found)
    place = store.events.last(space) if after is None else max(after, *numbers, 0)
    events = tuple(event._replace(marks=warnings(event.content)) for _, event in found)
    state = store.version(space, context.clock()), store.episodes.worked_on_us(space)
    return EventFeed(place, events, numbers, sha256(repr(state).encode()).hexdigest()[:16])


def adding(context: Context, events: Sequence[Event]) -> Write:
    """Return what writes down events, and has them forgotten when they were kept long enough."""
    space = context.space

    def write(work: Work) -> int:
        added = work.events.add(space, events)
        if added:
            work.jobs.enqueue(space, TOPIC, "", "{}", context.clock() + _DAY_US)
        return added

    return write


def event_id(*names: str) -> str:
    """Return the id of an event that is the same whenever it is seen again."""
    return f"ev_{sha256(chr(0).join(names).encode()).hexdigest()[:16]}"


def commit_line(name: str, message: str, files: Sequence[str], author: str | None = None) -> str:
    """Return what is written down of a commit."""
    about = f" ({', '.join(files[:_FILES])}{', …' if len(files) > _FILES else ''})" if files else ""
    by = f" by {author}" if author else ""
    return f"{name} {message}{about}{by}"[:CONTENT_CHARS]


def _event(context: Context, intake: Intake, given: Mapping[str, Any]) -> Event:
    check_time()
    now_us = context.clock()
    at_us = validation.moment("at", given.get("at"), now_us)
    return Event(
        new_name("ev", now_us),
        (now_us if at_us is None else at_us) / 1e6,
        intake.name("event_type", given["event_type"]),
        intake.text("content", given["content"], CONTENT_CHARS),
        intake.optional_name("outcome", given.get("outcome")),
        intake.optional_name("session_id", given.get("session_id")),
        _duration(given.get("duration_ms")),
        owner_of(context, intake, given.get("project")).project,
    )


def _commit_hash(value: object) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"[0-9a-fA-F]{4,64}", value.strip()):
        raise InvalidInput(f"hash must be the hash of a commit, not {str(value)[:60]!r}.")
    return value.strip().lower()


def _fields(item: object) -> Mapping[str, Any]:
    if not isinstance(item, Mapping) or not {"event_type", "content"} <= item.keys():
        raise InvalidInput("an event must be a mapping with an event_type and a content.")
    unknown = item.keys() - set(_FIELDS)
    if unknown:
        raise InvalidInput(
            f"an event has no field {sorted(map(str, unknown))[0]!r}; "
            f"the fields are {', '.join(_FIELDS)}."
        )
    return item


# The fields of an event are the parameters of record_event.
_FIELDS = tuple(signature(Events.record_event).parameters)[1:-1]


def _duration(value: object) -> float | None:
    if value is None:
        return None
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 <= value <= _DURATION_MAX:  # type: ignore[operator]
        raise InvalidInput(f"duration_ms must be a number from 0 on, not {value!r}.")
    return float(value)  # type: ignore[arg-type]


def _listed(what: str, value: object) -> Sequence[str]:
    if value is None:
        return ()
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise InvalidInput(f"{what} must be a list of texts.")
    return list(value)


def _where(
    context: Context,
    session_id: object,
    event_type: object,
    after: Moment | None,
    before: Moment | None,
    query: str | None,
    project: object,
) -> EventFilter:
    named, now_us = context.lenient().intake(), context.clock()
    return EventFilter(
        context.space,
        named.optional_name("session_id", session_id),
        named.optional_name("event_type", event_type),
        named.optional_name("project", project),
        validation.moment("after", after, now_us),
        validation.moment("before", before, now_us),
        () if query is None else tuple(validation.query(query).split()),
    )
