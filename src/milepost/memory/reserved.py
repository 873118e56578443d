"""Kinds of memories that stand for something kept beside them, which one operation alone writes."""

import json
from collections.abc import Iterable, Iterator

from milepost.errors import InvalidInput
from milepost.memory.context import Context
from milepost.memory.values import Record

# The operation that writes a kind; its memories name under the kind what is kept for them.
RESERVED = {"skill": "save_skill"}


def refuse_reserved(kind: str | None) -> None:
    """Let nobody write by other ways what looks like such a memory, or take the place of one."""
    if kind in RESERVED:
        raise InvalidInput(
            f"A memory of the kind {kind} is written by {RESERVED[kind]} alone, which tests it; "
            "save it there, or delete it."
        )


def topic_of(kind: str) -> str:
    """Return under which topic lies what is kept for memories of a kind."""
    return f"{kind}s"


def remove_kept(context: Context, records: Iterable[Record]) -> None:
    """Remove what is kept for memories that are deleted for good."""
    for record, topic, name, _ in _kept(context, records):
        context.store.values.put(record.space, topic, name, None)


def move_kept(context: Context, records: Iterable[Record], space: str) -> None:
    """Move what is kept in a context's space for memories that go to another."""
    values = context.store.values
    for record, topic, name, value in _kept(context, records, context.space):
        if values.get(space, topic, name) is not None:
            raise InvalidInput(f"Another {record.kind} is called {name} now; delete that first.")
        values.put(context.space, topic, name, None)
        values.put(space, topic, name, value)


def _kept(
    context: Context, records: Iterable[Record], space: str | None = None
) -> Iterator[tuple[Record, str, str, str]]:
    """Yield what is kept for memories, in their spaces or in one: topic, name and value."""
    for record in records:
        name = record.metadata.get(record.kind) if record.kind in RESERVED else None
        if isinstance(name, str):
            topic = topic_of(record.kind)
            value = context.store.values.get(space or record.space, topic, name)
            if value is not None and json.loads(value)["memory"] == record.hash:
                yield record, topic, name, value
