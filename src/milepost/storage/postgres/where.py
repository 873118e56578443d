"""A filter as a condition in PostgreSQL's dialect; the table of memories goes by `m`."""

from typing import Any

from milepost.memory.values import Filter
from milepost.storage.filtering import conditions

_SQL = {
    ("space", "any"): "m.space = ANY (:{0})",
    ("kind", "any"): "m.kind = ANY (:{0})",
    ("session", "any"): "m.session = ANY (:{0})",
    ("project", "any"): "m.projects && :{0}",
    ("project", "any or none"): "(m.projects && :{0} OR m.projects = '{{}}')",
    ("branch", "any or none"): "(m.branch IS NULL OR m.branch = ANY (:{0}))",
    ("branch", "any"): "m.branch = ANY (:{0})",
    ("tag", "any"): "m.tags && :{0}",
    ("tag", "none"): "NOT m.tags && :{0}",
    ("tag", "all"): "m.tags @> :{0}",
}


def as_sql(where: Filter) -> tuple[str, dict[str, Any]]:
    """Return the condition that memories fulfil which pass a filter, and its values."""
    parts, named = [], dict[str, Any]()
    for place, (field, test, values, number) in enumerate(conditions(where)):
        name = f"p{place}"
        labelled = _SQL.get((field, test))
        parts.append((labelled or f"m.{field} {test} :{{0}}").format(name))
        named[name] = sorted(set(values)) if labelled else number
    return " AND ".join(parts), named
