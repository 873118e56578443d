"""The versions of a memory: what it replaced, and what replaced it."""

from milepost.memory.context import Context, find_record
from milepost.memory.values import Record

# A memory that many were merged into stands for all of them.
VERSIONS_MAX = 100


def versions_of(context: Context, hash: str) -> list[Record]:
    """Return the versions of which a memory is one, oldest first."""
    newest = find_record(context, hash)
    memories = context.store.memories
    seen = {newest.id}
    while newest.superseded_by is not None:
        successor = memories.record(context.space, newest.superseded_by)
        if successor is None or successor.id in seen:
            break
        newest = successor
        seen.add(newest.id)
    found, waiting = {newest.id}, [newest.id]
    while waiting and len(found) < VERSIONS_MAX:
        older = [each for each in memories.replaced_by(waiting.pop()) if each not in found]
        found.update(older)
        waiting += older
    return sorted(
        (record for record in memories.records(sorted(found)) if record.space == context.space),
        key=lambda record: (record.valid_to_us, record.recorded_us, record.id),
    )
