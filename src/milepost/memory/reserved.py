"""Kinds of memories that stand for something kept beside them, which one operation alone writes."""

import json
from collections.abc import Iterable

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
    """Remove what is kept for memories that are deleted."""
    values = context.store.values
    for record in records:
        name = record.metadata.get(record.kind) if record.kind in RESERVED else None
        if isinstance(name, str):
            value = values.get(context.space, topic_of(record.kind), name)
            if value is not None and json.loads(value)["memory"] == record.hash:
                values.put(context.space, topic_of(record.kind), name, None)
