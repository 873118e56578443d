"""Memories to put into a store, and what it then shows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from milepost.config import Settings
from milepost.memory.remember import content_hash
from milepost.memory.texts import Texts
from milepost.memory.values import Draft, Filter, Indexed
from milepost.opening import open_context
from milepost.ports import Store
from milepost.ranking.candidates import CandidateSet, Probe

T0 = 1_700_000_000_000_000
SECOND = 1_000_000
NOW = T0 + 1_000_000 * SECOND
MODEL = "another model"


@cache
def texts() -> Texts:
    return open_context(Settings("memory://")).texts


def drafts(contents: Sequence[str], **fields: Any) -> list[Draft]:
    created = fields.pop("created_us", T0)
    values: dict[str, Any] = {
        "space": "default",
        "kind": "note",
        "tags": (),
        "metadata": {},
        "session": None,
        "author": None,
        "projects": (),
        "recorded_us": created,
        "created_us": created,
        "valid_from_us": created,
        "supersedes": None,
    }
    values |= fields
    made = texts().analyse([Indexed(0, c, values["author"], created) for c in contents])
    return [
        Draft(hash=content_hash(content), content=content, analysis=analysis, **values)
        for content, analysis in zip(contents, made, strict=True)
    ]


def add(store: Store, content: str, **fields: Any) -> int:
    store.memories.add(drafts([content], **fields))
    return id_of(store, content, fields.get("space", "default"))


def id_of(store: Store, content: str, space: str = "default") -> int:
    record = store.memories.record(space, content_hash(content))
    assert record is not None
    return record.id


def where(space: str = "default", **conditions: Any) -> Filter:
    return Filter(space, NOW, **conditions)


def listed(store: Store, **conditions: Any) -> list[str]:
    return contents_of(store, store.candidates.page(where(**conditions), 100_000).ids)


def contents_of(store: Store, ids: Sequence[int]) -> list[str]:
    return [record.content for record in store.memories.records(ids)]


def by_words(question: str) -> Probe:
    return texts().probe(question)._replace(vectors={})


def candidates(pool: CandidateSet) -> list[int]:
    found: list[int] = pool.ids.tolist()
    return found


def found(store: Store, question: str, limit: int = 400, **conditions: Any) -> set[str]:
    pool = store.candidates.find(texts().probe(question), where(**conditions), limit)
    return set(contents_of(store, candidates(pool)))


# What is added comes back.
