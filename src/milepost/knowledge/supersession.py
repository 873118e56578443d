"""Notice memories that give another value to what an older one says, and settle which holds.

A suggestion is a link from the newer memory to the older; nothing is hidden before somebody
says so.
"""

from collections import Counter
from collections.abc import Container, Iterator, Sequence

from milepost.errors import InvalidInput, NotFound
from milepost.knowledge.values import MAY_REPLACE, MemoryLink, Suggestion
from milepost.memory.context import Context, find_record, short_hashes
from milepost.memory.holding import UPDATE, begin_deed
from milepost.memory.reserved import RESERVED
from milepost.memory.suggestions import why_replaced
from milepost.memory.values import FOREVER, Changes, Draft, Filter, Record
from milepost.text.updating import may_change, update_of

# Memories that a new one is compared with, and texts of one batch that are compared at all.
_COMPARED, _BATCH_MAX = 6, 200
_TERM_BYTES = 4


def notice_updates(context: Context, drafts: Sequence[Draft]) -> dict[str, str]:
    """Link memories that were just stored to those they may replace; say by name which, and why.

    The index is not asked within a transaction: whoever asks it too waits for that.
    """
    fresh = [draft for draft in drafts if _speaks(draft)]
    if not fresh or len(fresh) > _BATCH_MAX:
        return {}
    links, place_of = [], {draft.hash: place for place, draft in enumerate(fresh)}
    for place, draft in enumerate(fresh):
        others: list[tuple[Draft | Record, float]] = [*_stored(context, draft)]
        others += _beside(context, fresh[:place], draft)
        for other, likeness in others:
            # Of one batch what stands later looks at what stands before it.
            if place_of.get(other.hash, 0) <= place:
                link = _link(context, draft, other, likeness)
                links += [link] if link else []
    if not links:
        return {}
    context.store.links.add(context.space, links)
    return _told(context, links, place_of)


def _told(context: Context, links: Sequence[MemoryLink], stored: Container[str]) -> dict[str, str]:
    noticed = _suggestions(context, [link for link in links if link.memory in stored])
    return {pair.newer: f"{pair.older}: {pair.why}" for pair in noticed}


def _speaks(draft: Draft) -> bool:
    """Whether a memory may change something: it is short, and nobody says what it replaces."""
    known = draft.supersedes is not None or draft.kind in RESERVED
    return not known and bool(draft.analysis.terms) and may_change(draft.content)


def _stored(context: Context, draft: Draft) -> list[tuple[Record, float]]:
    """Return memories of the same place and kind that share words with a new one, and how alike."""
    where = Filter(
        draft.space,
        context.clock(),
        kind=draft.kind,
        project=draft.projects[0] if draft.projects else None,
        branches=None if draft.branch is None else (draft.branch,),
    )
    model = context.texts.model
    # It finds itself, too.
    alike = context.store.candidates.sharing(draft.analysis, model, where, _COMPARED + 1)
    return [
        (record, likeness)
        for record, likeness in alike
        if record.hash != draft.hash and _holds(draft, record)
    ]


def _holds(draft: Draft, record: Record) -> bool:
    """Whether a memory holds where a new one does."""
    return record.valid_to_us == FOREVER and record.projects == draft.projects


def _beside(context: Context, others: Sequence[Draft], draft: Draft) -> list[tuple[Draft, float]]:
    """Return the memories of the same batch that share most words with one of them."""
    mine = _terms(draft)
    shared = Counter({place: len(mine & _terms(other)) for place, other in enumerate(others)})
    near = [others[place] for place, count in shared.most_common(_COMPARED) if count]
    same = [other for other in near if (other.projects, other.kind) == (draft.projects, draft.kind)]
    return [(other, _likeness(context.texts.model, draft, other)) for other in same]


def _terms(draft: Draft) -> set[bytes]:
    packed = draft.analysis.terms
    return {packed[at : at + _TERM_BYTES] for at in range(0, len(packed), _TERM_BYTES)}


def _likeness(model: str, one: Draft, other: Draft) -> float:
    mine, theirs = one.analysis.vectors[model], other.analysis.vectors[model]
    length = float((mine @ mine) ** 0.5 * (theirs @ theirs) ** 0.5)
    return float(mine @ theirs) / length if length else 0.0


def _link(
    context: Context, draft: Draft, other: Draft | Record, likeness: float
) -> MemoryLink | None:
    """Return a link from the newer of two memories to the older that it may replace."""
    older, newer = sorted((other, draft), key=lambda each: each.created_us)
    if update_of(older.content, newer.content, likeness) is None:
        return None
    at = context.clock() / 1e6
    return MemoryLink(newer.hash, older.hash, MAY_REPLACE, round(likeness, 3), at)


def suggested(context: Context, limit: int) -> list[Suggestion]:
    """Return the latest pairs of which the newer may replace the older, with texts and why."""
    links = context.store.links.between(context.space, MAY_REPLACE, context.clock(), limit)
    return list(_suggestions(context, links))


def _suggestions(context: Context, links: Sequence[MemoryLink]) -> Iterator[Suggestion]:
    hashes = [name for link in links for name in (link.memory, link.other)]
    names = dict(zip(hashes, short_hashes(context, hashes), strict=True))
    for link in links:
        newer = context.store.memories.record(context.space, link.memory)
        older = context.store.memories.record(context.space, link.other)
        if newer is not None and older is not None:
            why = why_replaced(older, newer, link.weight)
            yield Suggestion(
                names[newer.hash],
                names[older.hash],
                newer.content,
                older.content,
                why,
                newer.created_us / 1e6,
                older.created_us / 1e6,
            )


def is_suggested(context: Context, newer: str, older: str) -> bool:
    """Whether one memory may replace another."""
    new, old = find_record(context, newer).id, find_record(context, older).id
    return (new, old) in context.store.links.towards(MAY_REPLACE, [old])


def keep_both(context: Context, newer: str, older: str) -> None:
    """Let two memories hold, of which one was thought to replace the other."""
    new, old = find_record(context, newer), find_record(context, older)
    context.store.links.remove(context.space, MemoryLink(new.hash, old.hash, MAY_REPLACE))


def replace(context: Context, kept: str, replaced: str) -> None:
    """Let one memory take the place of another; undo takes that back."""
    keep, old = find_record(context, kept), find_record(context, replaced)
    if old.valid_to_us != FOREVER:
        raise InvalidInput(f"{replaced} was replaced already.")
    with context.store.writing() as work:
        if work.memories.record(context.space, keep.hash) is None:
            raise NotFound(f"The memory {kept} was deleted a moment ago.")
        deed = begin_deed(context, work, UPDATE)
        # What is only hidden by a deed is none of its own: it is about the memory that stays.
        work.memories.change(keep.id, Changes(tags=keep.tags), deed)
        work.memories.supersede(old.id, keep.id, max(keep.valid_from_us, old.valid_from_us), deed)
