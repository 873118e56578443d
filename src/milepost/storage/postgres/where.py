"""A filter as a condition in PostgreSQL's dialect, and as the values that a search is given."""

from collections.abc import Iterable
from typing import Any

from milepost.memory.values import Filter
from milepost.storage.filtering import conditions

_SQL = {
    ("space", "any"): "m.space = ANY (:{0})",
    ("kind", "any"): "m.kind = ANY (:{0})",
    ("kind", "none"): "m.kind <> ALL (:{0})",
    ("session", "any"): "m.session = ANY (:{0})",
    ("project", "any"): "m.projects && :{0}",
    ("project", "any or none"): "(m.projects && :{0} OR m.projects = '{{}}')",
    ("branch", "any or none"): "(m.branch IS NULL OR m.branch = ANY (:{0}))",
    ("branch", "any"): "m.branch = ANY (:{0})",
    ("tag", "any"): "m.tags && :{0}",
    ("tag", "none"): "NOT m.tags && :{0}",
    ("tag", "all"): "m.tags @> :{0}",
}


# Between the kind and the name of a label.
_APART = "\x1f"
_NO_PROJECT = f"project{_APART}"
_NUMBERS = {
    ("created", ">="): "after",
    ("created", "<"): "before",
    ("valid_from", "<="): "known",
    ("valid_to", ">"): "holding",
    ("standing", "<"): "below",
    ("trust", ">="): "trusted",
}
# What the functions of a search take of a filter, in order.
FILTER = (
    "every", "either", "owned", "without", "branches", "in_session", "after", "before", "known",
    "holding", "below", "trusted",
)  # fmt: skip


def as_sql(where: Filter) -> tuple[str, dict[str, Any]]:
    """Return what memories fulfil that pass a filter, and its values; their table goes by `m`."""
    parts, named = [], dict[str, Any]()
    for place, (field, test, values, number) in enumerate(conditions(where)):
        name = f"p{place}"
        labelled = _SQL.get((field, test))
        parts.append((labelled or f"m.{field} {test} :{{0}}").format(name))
        named[name] = sorted(set(values)) if labelled else number
    return " AND ".join(parts), named


def as_values(where: Filter) -> dict[str, Any]:
    """Return what a filter asks but for the space, by the names that searches know it by."""
    asked: dict[str, Any] = dict.fromkeys(FILTER)
    every: list[str] = []
    for field, test, values, number in conditions(where):
        names = labels(field, values)
        if (field, test) in _NUMBERS:
            asked[_NUMBERS[field, test]] = number
        elif field == "session":
            asked["in_session"] = values[0]
        elif field == "branch" and test == "any or none":
            asked["branches"] = list(values)
        elif test == "any or none":
            asked["owned"] = [*names, _NO_PROJECT]
        elif test == "none":
            asked["without"] = [*(asked.get("without") or ()), *names]
        elif field != "space" and (test == "all" or len(values) == 1):
            every += names
        elif field != "space":
            asked["either"] = names
    return asked | {"every": every or None}


def labels(kind: str, names: Iterable[str]) -> list[str]:
    """Return names of a kind as a search asks for them."""
    return [f"{kind}{_APART}{name}" for name in names]
