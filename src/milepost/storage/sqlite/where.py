"""A filter as a condition in SQLite's dialect; the table of memories goes by `m`."""

import json
from typing import Any

from milepost.memory.values import Filter
from milepost.storage.filtering import conditions

_TAGS = (
    "(SELECT count(*) FROM tags WHERE memory_id = m.id "
    "AND tag IN (SELECT value FROM json_each(:{0})))"
)
_OWNED = (
    "EXISTS (SELECT 1 FROM projects WHERE memory_id = m.id "
    "AND project IN (SELECT value FROM json_each(:{0})))"
)
_UNOWNED = "NOT EXISTS (SELECT 1 FROM projects WHERE memory_id = m.id)"
_SQL = {
    ("space", "any"): "m.space IN (SELECT value FROM json_each(:{0}))",
    ("kind", "any"): "m.kind IN (SELECT value FROM json_each(:{0}))",
    ("kind", "none"): "m.kind NOT IN (SELECT value FROM json_each(:{0}))",
    ("session", "any"): "m.session IN (SELECT value FROM json_each(:{0}))",
    ("project", "any"): _OWNED,
    ("project", "any or none"): f"({_OWNED} OR {_UNOWNED})",
    ("branch", "any or none"): (
        "(m.branch IS NULL OR m.branch IN (SELECT value FROM json_each(:{0})))"
    ),
    ("branch", "any"): "m.branch IN (SELECT value FROM json_each(:{0}))",
    ("tag", "any"): f"{_TAGS} > 0",
    ("tag", "none"): f"{_TAGS} = 0",
    ("tag", "all"): f"{_TAGS} = json_array_length(:{{0}})",
}


def as_sql(where: Filter) -> tuple[str, dict[str, Any]]:
    """Return the condition that memories fulfil which pass a filter, and its values."""
    parts, named = [], dict[str, Any]()
    for place, (field, test, values, number) in enumerate(conditions(where)):
        name = f"p{place}"
        labelled = _SQL.get((field, test))
        parts.append((labelled or f"m.{field} {test} :{{0}}").format(name))
        named[name] = json.dumps(sorted(set(values))) if labelled else number
    return " AND ".join(parts), named
