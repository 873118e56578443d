"""What every memory passes on its way in: whose words they are, what is to be known of them.

It annotates and refuses nothing. Where a text comes from is decided by who takes it in, never by
what it says.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from milepost.knowledge.values import ALIKE, MemoryLink
from milepost.memory import validation
from milepost.memory.backlog import look_at_stored
from milepost.memory.context import Context
from milepost.memory.reserved import RESERVED
from milepost.memory.values import (
    ACTIVE,
    BOILERPLATE,
    INSTRUCTS,
    QUARANTINED,
    REVIEWED,
    USER,
    Changes,
    Draft,
    Record,
    is_kept_back,
    weaker,
)
from milepost.ports import Work
from milepost.text.boilerplate import says_nothing
from milepost.text.instructing import instructs, names_instruct
from milepost.text.sameness import is_the_same, said, said_key
from milepost.upkeep.values import Job

# The work that looks at memories which were stored before the door did, or while it knew less.
TOPIC = "door"
# What is said again within this time is linked to what was said.
_LATELY_US = 86_400 * 1_000_000
# A longer text is a document, and the same words of it are compared by consolidation.
_SAID_CHARS = 4_000


def source_of(context: Context, given: object) -> str:
    """Return where a text comes from: as it is said, but at most as trusted as who says it."""
    own = context.source
    return own if given is None else weaker(own, validation.source(given))


def marked(drafts: Sequence[Draft], *, are_said: bool = True) -> list[Draft]:
    """Return memories with what is to be known of their texts, and whether a person must look.

    are_said: whether what says the same lately shall find them; what a document says is as it is.
    """
    return [_marked(draft, _marks_of(draft), are_said=are_said) for draft in drafts]


def _marked(draft: Draft, marks: tuple[str, ...], *, are_said: bool) -> Draft:
    # What only its owner writes is looked at where it is told.
    waits = draft.kind not in RESERVED and is_kept_back(draft.source, marks, draft.metadata)
    standing = QUARANTINED if waits else ACTIVE
    said = said_of(draft.content) if are_said else None
    return draft._replace(marks=marks, said=said, standing=standing)


def metadata_of(source: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return metadata without the word that somebody looked at it, unless a person says so."""
    if source == USER or REVIEWED not in given:
        return given
    return {name: value for name, value in given.items() if name != REVIEWED}


def approved(context: Context, record: Record, changes: Changes) -> Changes:
    """Return changes that let a memory out again where a person says that they looked at it."""
    looked_at = changes.metadata is not None and REVIEWED in changes.metadata
    if record.standing != QUARANTINED or context.source != USER or not looked_at:
        return changes
    return changes._replace(standing=ACTIVE)


def warnings(*texts: str) -> tuple[str, ...]:
    """Return what is to be known of texts that are no memories before a model reads them."""
    return (INSTRUCTS,) if any(map(instructs, texts)) else ()


def _marks_of(draft: Draft | Record) -> tuple[str, ...]:
    """Return what is to be known of a memory: of its text, and of the names it comes with."""
    if draft.source != USER and names_instruct(_names(draft)):
        return (INSTRUCTS,)
    return _marks(draft.content, draft.source)


def _names(draft: Draft | Record) -> Iterator[str]:
    yield from (*draft.tags, *draft.projects, draft.kind, draft.author or "", draft.session or "")
    yield from (value for value in draft.metadata.values() if isinstance(value, str))


def _marks(content: str, source: str) -> tuple[str, ...]:
    if instructs(content, own=source == USER):
        return (INSTRUCTS,)
    return (BOILERPLATE,) if says_nothing(content) else ()


def said_of(content: str) -> int | None:
    """Return what the words of a text come to, by which it is known when it is said again."""
    return said_key(content) if len(content) <= _SAID_CHARS else None


def mark_stored(context: Context, job: Job) -> None:
    """Mark some memories past an id as if they came in now; a job, which comes again."""
    look_at_stored(context, job, _mark)


def _mark(context: Context, records: Sequence[Record]) -> Callable[[Work], None]:
    del context
    looked_at = [
        (record, _marks_of(record))
        for record in records
        if REVIEWED not in record.metadata  # a person knows better
    ]

    def write(work: Work) -> None:
        for record, marks in looked_at:
            if marks != record.marks:
                work.memories.mark(record, marks)
            waits = record.kind not in RESERVED and is_kept_back(record.source, marks, {})
            if waits and record.standing < QUARANTINED:
                work.memories.change(record.id, Changes(standing=QUARANTINED))

    return write


def lately_us(context: Context) -> int:
    """Return since when what says the same is linked."""
    return context.clock() - _LATELY_US


def link_alike(
    context: Context, work: Work, drafts: Sequence[Draft], records: Sequence[Record]
) -> None:
    """Link memories that were just stored with those of the last day that say the same."""
    if records:
        fresh, at = {draft.hash for draft in drafts}, context.clock() / 1e6
        pairs = _pairs(records, fresh)
        links = [MemoryLink(new, old, ALIKE, 1.0, at, "") for new, old in pairs]
        work.links.add(context.space, links)


def _pairs(records: Sequence[Record], fresh: set[str]) -> Iterator[tuple[str, str]]:
    """Yield what is new with the first that says the same; what two people say is not the same."""
    firsts: list[tuple[tuple[str, ...], Record]] = []
    for record in sorted(records, key=lambda each: each.id):
        words = said(record.content)
        same = (
            first
            for others, first in firsts
            if first.author == record.author and is_the_same(others, words)
        )
        first = next(same, None)
        if first is None:
            firsts.append((words, record))
        elif record.hash in fresh:
            yield record.hash, first.hash
