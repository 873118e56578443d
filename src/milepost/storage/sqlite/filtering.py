"""A filter as a condition in SQL on the table `memories AS m`."""

import json
from typing import Any

from milepost.memory.values import Filter

_TAGGED = (
    "(SELECT count(*) FROM tags WHERE memory_id = m.id "
    "AND tag IN (SELECT value FROM json_each(:tags)))"
)
_OWNED = "EXISTS (SELECT 1 FROM projects WHERE memory_id = m.id AND project = :project)"
_UNOWNED = "NOT EXISTS (SELECT 1 FROM projects WHERE memory_id = m.id)"


def conditions(where: Filter) -> tuple[str, dict[str, Any]]:
    """Return the condition that memories fulfil which pass a filter, and its values."""
    parts = {
        "m.space = :space": True,
        "m.kind = :kind": where.kind is not None,
        "m.created >= :after": where.after is not None,
        "m.created < :before": where.before is not None,
        "m.valid_to > :holds_at": not where.include_superseded,
        "m.valid_from <= :as_of": where.as_of is not None,
        f"{_TAGGED} > 0": bool(where.tags) and not where.match_all,
        f"{_TAGGED} = json_array_length(:tags)": bool(where.tags) and where.match_all,
        f"({_OWNED} OR {_UNOWNED})": where.project is not None and where.or_unowned,
        _OWNED: where.project is not None and not where.or_unowned,
    }
    values = where._asdict() | {
        "tags": json.dumps(sorted(set(where.tags))),
        "holds_at": where.holds_at,
    }
    return " AND ".join(part for part, applies in parts.items() if applies), values
