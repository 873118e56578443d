"""What may take the place of what: links between memories that nobody has settled."""

from collections.abc import Collection, Iterator, Sequence

from milepost.knowledge.values import MAY_REPLACE
from milepost.memory.context import Context, short_hash
from milepost.memory.values import FOREVER, Filter, Record
from milepost.text.lines import clip_at_word
from milepost.text.updating import update_of

_SHOWN_CHARS = 80


def suggestions_for(context: Context, record: Record) -> tuple[str, ...]:
    """Return in words what a memory may replace, and what may replace it."""
    told = []
    for link in context.store.links.of(context.space, [record.id]):
        if link.kind != MAY_REPLACE:
            continue
        is_newer = link.memory == record.hash
        other = context.store.memories.record(
            context.space, link.other if is_newer else link.memory
        )
        if other is None or not FOREVER == record.valid_to_us == other.valid_to_us:
            continue
        older, newer = (other, record) if is_newer else (record, other)
        what = "may replace" if is_newer else "may be replaced by"
        name = short_hash(context, other.hash)
        told.append(f"{what} {name}: {why_replaced(older, newer, link.weight)}")
    return tuple(told)


def why_replaced(older: Record, newer: Record, likeness: float) -> str:
    """Return what changed from a memory to another, in a few words."""
    why = update_of(older.content, newer.content, likeness)
    return why or clip_at_word(" ".join(older.content.split()), _SHOWN_CHARS)


def replacements(
    context: Context, older: Sequence[int], found: Collection[int], where: Filter
) -> dict[int, int]:
    """Return by memories that may be replaced the newest of those that may replace them.

    found: what passes a filter; of the rest what surely passes it is taken.
    """
    pairs = context.store.links.towards(MAY_REPLACE, older)
    unseen = sorted({new for new, _ in pairs if new not in found})
    passing = {*found, *_passing(context, unseen, where)} if unseen else found
    return {old: new for new, old in pairs if new in passing}


def _passing(context: Context, ids: Sequence[int], where: Filter) -> Iterator[int]:
    """Yield the memories that pass a filter which the older ones pass that they may replace.

    They are of the same space, project and kind, and newer: only the rest can differ.
    """
    rest = (where.tags, where.without, where.branch, where.before_us, where.as_of_us, where.session)
    if any(rest) or where.branches is not None or where.trust_min:
        return
    for record in context.store.memories.records(ids):
        if record.valid_from_us <= where.now_us < record.valid_to_us:
            yield record.id
