"""What is to be kept, and what must stay: rules of retention, legal holds, and what they mean."""

from __future__ import annotations

import json

from milepost.errors import Held
from milepost.text.phrases import Phrase
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from milepost.experience.values import Episode
    from milepost.knowledge.values import Event
    from milepost.memory.context import Context
    from milepost.memory.values import Record
    from milepost.ports import Work

# Where they are kept: nothing that is erased takes these along, nor a space that is empty.
RULES, HOLDS = "retention", "holds"
# Whose, or of what kind, the memories are that are meant.
SPACE, PROJECT, AUTHOR, SESSION, MATCHING = "space", "project", "author", "session", "matching"


class Subject(NamedTuple):
    """Whose, or of what kind, what is meant is: of a space all."""

    by: str
    name: str = ""

    def has_text(self, *texts: str) -> bool:
        """Whether exact words stand in one of some texts, if these are meant."""
        return self.by == MATCHING and any(map(Phrase(self.name).quoted_in, texts))

    def has_memory(self, record: Record) -> bool:
        """Whether a memory is meant, by what is known of it or, for words, by any text of it."""
        if self.by == AUTHOR:
            return (record.author or "").casefold() == self.name.casefold()
        if self.by == MATCHING:
            return self.has_text("\n".join(texts_of(record)))
        return self.by == SPACE or self.name in self._names(record.session, *record.projects)

    def has_episode(self, episode: Episode) -> bool:
        """Whether an episode, with its steps, is meant."""
        if self.by == MATCHING:
            return self.has_text(json.dumps(episode, default=str, ensure_ascii=False))
        names = (episode.context.get("session"), episode.context.get("project"))
        return self.by == SPACE or self.name in self._names(*names)

    def has_statement(self, *texts: str) -> bool:
        """Whether what the graph says in some texts is meant, which is nobody's by name."""
        return self.by == SPACE or self.has_text(*texts)

    def has_event(self, event: Event) -> bool:
        """Whether an event is meant."""
        if self.by == MATCHING:
            said = (event.content, event.event_type, event.outcome, event.session_id, event.project)
            return self.has_text("\n".join(filter(None, said)))
        return self.by == SPACE or self.name in self._names(event.session_id, event.project)

    def _names(self, session: object, *projects: object) -> tuple[object, ...]:
        return (session,) if self.by == SESSION else projects if self.by == PROJECT else ()


def texts_of(record: Record) -> Iterable[str]:
    """Return every text that a memory has."""
    named = (record.session, record.author, record.branch, *record.projects, *record.tags)
    metadata = json.dumps(record.metadata, ensure_ascii=False) if record.metadata else ""
    return filter(None, (record.content, record.kind, metadata, *named))


class Hold(NamedTuple):
    """A legal hold: what is not to go, why, who said so and when."""

    id: str
    subject: Subject
    reason: str
    who: str
    at_us: int

    def __str__(self) -> str:
        return f"the hold {self.id} ({self.reason})"


def rules_in(work: Work, space: str) -> dict[str, Any]:
    """Return what is kept of the rules of a space."""
    kept = work.values.get(space, RULES, "")
    return json.loads(kept) if kept else {}


def days_for(work: Work, space: str, kind: str, usual: int = 0) -> int:
    """Return for how many days what is of a kind is kept; 0 for good."""
    return int(rules_in(work, space).get("rules", {}).get(kind, usual))


def holds_in(work: Work, space: str) -> list[Hold]:
    """Return the holds of a space."""
    kept = work.values.get(space, HOLDS, "")
    rows: list[Any] = json.loads(kept) if kept else []
    return [Hold(name, Subject(*subject), *rest) for name, subject, *rest in rows]


def put_holds(work: Work, space: str, holds: Sequence[Hold]) -> None:
    """Keep these holds, and no others."""
    text = json.dumps(list(holds)) if holds else None
    work.values.put(space, HOLDS, "", text)


def spared_by(work: Work, space: str) -> Callable[[Sequence[int]], set[int]]:
    """Return what tells which of some memories are held."""

    def spared(ids: Sequence[int]) -> set[int]:
        holds = holds_in(work, space)
        return held_among(holds, work.memories.records(ids)) if holds else set()

    return spared


def held_among(holds: Sequence[Hold], records: Iterable[Record]) -> set[int]:
    """Return the ids of those memories that are held."""
    return {r.id for r in records if any(hold.subject.has_memory(r) for hold in holds)}


def refuse_held(
    context: Context,
    ids: Sequence[int] = (),
    episodes: Sequence[Episode] = (),
    events: Sequence[Event] = (),
    statements: Sequence[str] = (),
) -> None:
    """Raise if any of what is to be deleted for good is held.

    statements: what the graph says, in words.
    """
    holds = holds_in(context.store, context.space)
    if not holds:
        return
    records = context.store.memories.records(ids)
    told: Mapping[str, Iterable[bool]] = {
        str(hold): (
            *(hold.subject.has_memory(record) for record in records),
            *(hold.subject.has_episode(episode) for episode in episodes),
            *(hold.subject.has_event(event) for event in events),
            *(hold.subject.has_statement(text) for text in statements),
        )
        for hold in holds
    }
    named = [name for name, is_held in told.items() if any(is_held)]
    if named:
        raise Held(
            f"Some of it is held by {', '.join(named)} and cannot be deleted or changed for good; "
            "release_hold ends a hold, and a deletion without erase can still be taken back."
        )
