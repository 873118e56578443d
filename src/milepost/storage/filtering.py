"""What a filter means: each condition once as a mask over a segment, and once in SQL.

In SQL the table of memories goes by `m`.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from milepost.memory.values import Filter
from milepost.ranking.keys import label_key
from milepost.storage.index.segment import NO_PROJECT, Segment

Mask = NDArray[np.bool_]


class Condition(NamedTuple):
    """One condition, for filters in which it applies."""

    applies: Callable[[Filter], object]
    mask: Callable[[Segment, Any], Mask]
    sql: str


def _labelled(segment: Segment, name: str, values: Sequence[str]) -> Mask:
    mask = np.zeros(len(segment), bool)
    keys = np.array([label_key(name, value) for value in values], np.uint64)
    for docs in segment.labelled(keys):
        mask[docs] = True
    return mask


def _all_tags(segment: Segment, where: Filter) -> Mask:
    mask: Mask = np.logical_and.reduce([_labelled(segment, "tag", [tag]) for tag in where.tags])
    return mask


_TAGS = (
    "(SELECT count(*) FROM tags WHERE memory_id = m.id "
    "AND tag IN (SELECT value FROM json_each(:tags)))"
)
_OWNED = "EXISTS (SELECT 1 FROM projects WHERE memory_id = m.id AND project = :project)"
_UNOWNED = "NOT EXISTS (SELECT 1 FROM projects WHERE memory_id = m.id)"

CONDITIONS = (
    Condition(
        lambda f: f.kind is not None,
        lambda s, f: _labelled(s, "kind", [f.kind]),
        "m.kind = :kind",
    ),
    Condition(
        lambda f: f.project is not None and not f.or_unowned,
        lambda s, f: _labelled(s, "project", [f.project]),
        _OWNED,
    ),
    Condition(
        lambda f: f.project is not None and f.or_unowned,
        lambda s, f: _labelled(s, "project", [f.project, NO_PROJECT]),
        f"({_OWNED} OR {_UNOWNED})",
    ),
    Condition(
        lambda f: f.tags and not f.match_all,
        lambda s, f: _labelled(s, "tag", f.tags),
        f"{_TAGS} > 0",
    ),
    Condition(
        lambda f: f.tags and f.match_all,
        _all_tags,
        f"{_TAGS} = json_array_length(:tags)",
    ),
    Condition(
        lambda f: f.after is not None,
        lambda s, f: s.created >= f.after,
        "m.created >= :after",
    ),
    Condition(
        lambda f: f.before is not None,
        lambda s, f: s.created < f.before,
        "m.created < :before",
    ),
    Condition(
        lambda f: not f.include_superseded,
        lambda s, f: s.valid_to > f.holds_at,
        "m.valid_to > :holds_at",
    ),
    Condition(
        lambda f: f.as_of is not None,
        lambda s, f: s.valid_from <= f.as_of,
        "m.valid_from <= :as_of",
    ),
)


def allowed(segment: Segment, where: Filter) -> Mask | None:
    """Return which documents of a segment pass a filter; None when all do."""
    narrowing = [mask for mask in _masks(segment, where) if not mask.all()]
    if not narrowing:
        return None
    passed: Mask = np.logical_and.reduce(narrowing)
    return passed


def _masks(segment: Segment, where: Filter) -> Iterator[Mask]:
    if segment.alive is not None:
        yield segment.alive
    for condition in CONDITIONS:
        if condition.applies(where):
            yield condition.mask(segment, where)
    space = label_key("space", where.space)
    if not (segment.one_space and segment.space[0] == space):
        yield segment.space == np.uint64(space)


def as_sql(where: Filter) -> tuple[str, dict[str, Any]]:
    """Return the condition that memories fulfil which pass a filter, and its values."""
    parts = [condition.sql for condition in CONDITIONS if condition.applies(where)]
    values = where._asdict() | {
        "tags": json.dumps(sorted(set(where.tags))),
        "holds_at": where.holds_at,
    }
    return " AND ".join(["m.space = :space", *parts]), values
