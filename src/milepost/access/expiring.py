"""What rules of retention can be about: how much of each is older than a time, and how it goes."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from milepost.experience.values import EpisodeFilter
from milepost.knowledge.values import Event, EventFilter
from milepost.measuring.questions import forget_questions
from milepost.memory.context import Context
from milepost.memory.keeping import MATCHING, SPACE, Hold, held_among, spared_by
from milepost.memory.reserved import remove_kept
from milepost.memory.traces import SessionTraces
from milepost.memory.values import Filter
from milepost.ports import SYNCED_EPISODE, SYNCED_EVENT, Row, Work
from milepost.stored_time import to_us
from milepost.upkeep.ledger import TOPIC as LEDGER_TOPIC
from milepost.upkeep.ledger import Ledger
from milepost.upkeep.recorder import Recorder

MEMORY, EVENT, EPISODE, LEDGER, PROGRAM, BIN, SESSION, AUDIT = (
    "memory", "event", "episode", "ledger", "program", "bin", "session", "audit",
)  # fmt: skip
# The journal of programs, and where what is known of a session lies.
_EXECUTIONS = "executions"
_STATE, _STATES = "session", frozenset({"session", "state", "session project"})
_EVERY = 1 << 40


class Expired(NamedTuple):
    """What is older than a rule lets it be: by which it goes, and how many are held."""

    names: tuple[str, ...]
    held: int
    remove: Callable[[Work], int]


def expired(
    context: Context, kind: str, before_us: int, others: Sequence[str], holds: Sequence[Hold]
) -> Expired:
    """Return what of a kind was before a time.

    others: kinds of memories that have rules of their own.
    """
    context.part(Recorder).flush()
    context.part(Ledger).flush()
    known = _KINDS.get(kind)
    if known is not None:
        return known(context, before_us, holds)
    return _memories(context, None if kind == MEMORY else kind, before_us, others, holds)


def _memories(
    context: Context, kind: str | None, before_us: int, others: Sequence[str], holds: Sequence[Hold]
) -> Expired:
    where = Filter(context.space, context.clock(), kind=kind, before_us=before_us,
                   include_superseded=True)  # fmt: skip
    newest, ids = context.store.candidates.newest, list[int]()
    for each in (where, where._replace(quarantined=True)):
        ids += newest(each, _EVERY)
    records = context.store.memories.records(list(dict.fromkeys(ids)))
    records = [record for record in records if kind is not None or record.kind not in others]
    held = held_among(holds, records)
    going = [record for record in records if record.id not in held]

    def remove(work: Work) -> int:
        remove_kept(context, going)
        return work.memories.remove([record.id for record in going])

    return Expired(tuple(record.hash for record in going), len(held), remove)


def _events(context: Context, before_us: int, holds: Sequence[Hold]) -> Expired:
    where = EventFilter(context.space, before_us=before_us)
    found: list[Event] = context.store.events.find(where, _EVERY)
    held = [e for e in found if any(hold.subject.has_event(e) for hold in holds)]
    kept = {event.id for event in held}
    names = tuple(event.id for event in found if event.id not in kept)

    def remove(work: Work) -> int:
        work.synced.let_go(context.space, [f"{SYNCED_EVENT} {name}" for name in names])
        if not kept:
            return work.events.remove(where)
        return work.events.remove(where._replace(ids=names)) if names else 0

    return Expired(names, len(held), remove)


def _episodes(context: Context, before_us: int, holds: Sequence[Hold]) -> Expired:
    traces = context.part(SessionTraces)
    found = context.store.episodes.find(EpisodeFilter(context.space, before_us=before_us), _EVERY)
    old = [e for e in found if e.completed is not None and to_us(e.completed) < before_us]
    held = set[str]()
    if holds and old:
        whole = traces.whole(context, [episode.id for episode in old])
        held = {e.id for e in whole if any(hold.subject.has_episode(e) for hold in holds)}
    names = tuple(episode.id for episode in old if episode.id not in held)

    def remove(work: Work) -> int:
        traces.forget(context, names)
        work.synced.let_go(context.space, [f"{SYNCED_EPISODE} {name}" for name in names])
        return len(names)

    return Expired(names, len(held), remove)


def _journal(topic: str) -> Callable[[Context, int, Sequence[Hold]], Expired]:
    def find(context: Context, before_us: int, holds: Sequence[Hold]) -> Expired:
        count = context.store.values.count_notes(context.space, topic, before_us)
        if _all_is_held(holds):
            return Expired((), count, lambda _work: 0)
        names = (topic,) * count

        def remove(work: Work) -> int:
            return work.values.forget_notes(context.space, topic, before_us)

        return Expired(names, 0, remove)

    return find


def _ledger(context: Context, before_us: int, holds: Sequence[Hold]) -> Expired:
    """Let go of what models were given, and of what they asked and used."""
    found = _journal(LEDGER_TOPIC)(context, before_us, holds)

    def remove(work: Work) -> int:
        if not found.held:
            forget_questions(work, context.space, before_us)
        return found.remove(work)

    return found._replace(remove=remove)


def _bins(context: Context, before_us: int, holds: Sequence[Hold]) -> Expired:
    del holds
    spared = spared_by(context.store, context.space)
    ids = context.store.deeds.due(context.space, before_us)
    held = spared(ids)
    records = context.store.memories.records([i for i in ids if i not in held])

    def remove(work: Work) -> int:
        return work.deeds.forget(context.space, before_us, spared_by(work, context.space))

    return Expired(tuple(record.hash for record in records), len(held), remove)


def _sessions(context: Context, before_us: int, holds: Sequence[Hold]) -> Expired:
    rows = list(context.store.contents.rows(context.space, ("kept",)))
    old = {str(row.key["key"]) for row in rows if _is_older(row, before_us)}
    going = [row for row in rows if row.key["topic"] in _STATES and row.key["key"] in old]
    if _all_is_held(holds) or any(hold.subject.by == MATCHING for hold in holds):
        return Expired((), len(old), lambda _work: 0)

    def remove(work: Work) -> int:
        for row in going:
            work.contents.remove(row)
        return len(old)

    return Expired(tuple(sorted(old)), 0, remove)


def _is_older(row: Row, before_us: int) -> bool:
    if row.key["topic"] != _STATE:
        return False
    try:
        since = json.loads(row.texts["value"]).get("since_us", 0)
    except (ValueError, AttributeError):
        return False
    return isinstance(since, int) and 0 < since < before_us


def _all_is_held(holds: Sequence[Hold]) -> bool:
    return any(hold.subject.by == SPACE for hold in holds)


_KINDS: Mapping[str, Callable[[Context, int, Sequence[Hold]], Expired]] = {
    EVENT: _events,
    EPISODE: _episodes,
    LEDGER: _ledger,
    PROGRAM: _journal(_EXECUTIONS),
    BIN: _bins,
    SESSION: _sessions,
}
