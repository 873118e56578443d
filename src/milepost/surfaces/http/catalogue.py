"""The operations as a client discovers them: first names, then what it asks for."""

from collections.abc import Mapping
from typing import Any

from milepost.access.values import ADMIN
from milepost.errors import NotFound
from milepost.operation import CATEGORIES
from milepost.registry import Operation, by_category

Operations = Mapping[str, Operation]


def discovered(operations: Operations) -> dict[str, Any]:
    """Return the categories with the name and one sentence of each operation."""
    categories = {
        category: {
            "description": CATEGORIES[category],
            "count": len(members),
            "tools": [{"name": o.name, "description": o.summary} for o in members],
        }
        for category, members in by_category(operations).items()
    }
    return {"categories": categories, "total_tools": len(operations)}


def compact(operations: Operations) -> str:
    """Return the operations for a model to choose from, the usual ones with what they need.

    Of those that only administrators use it tells the categories, by which they are listed.
    """
    lines, kept_short = list[str](), list[str]()
    for category, members in by_category(operations).items():
        told = [o for o in members if o.spec.scope != ADMIN]
        if told:
            lines.append(f"{category}: {CATEGORIES[category]}\n  {' '.join(map(_call, told))}")
        if len(told) < len(members):
            kept_short.append(category)
    return "\n".join([
        "POST /tools/NAME/execute with JSON; GET /tools/NAME tells what it takes.",
        *lines,
        f"GET /tools/list?category=NAME names those for administrators: {', '.join(kept_short)}",
    ])  # fmt: skip


# What most callers need, and nothing else.
_USUAL = ("memory", "code")


def _call(operation: Operation) -> str:
    needed = [p.name for p in operation.parameters if p.required]
    return f"{operation.name}({','.join(needed)})" if _is_usual(operation) else operation.name


def _is_usual(operation: Operation) -> bool:
    return operation.spec.category in _USUAL


def listed(operations: Operations, category: str | None) -> dict[str, Any]:
    """Return the names of the operations in a category, or of all."""
    grouped = by_category(operations)
    if category is None:
        return {"tools": list(operations)}
    if category not in grouped:
        raise NotFound(f"There is no category {category!r}; there are {', '.join(grouped)}.")
    return {"category": category, "tools": [o.name for o in grouped[category]]}


def described(operation: Operation) -> dict[str, Any]:
    """Return everything one must know to call an operation."""
    return {
        "name": operation.name,
        "category": operation.spec.category,
        "description": operation.summary,
        "signature": operation.signature,
        "parameters": [
            {
                "name": p.name,
                "type": p.shown_type,
                "description": p.description,
                "required": p.required,
                "default": p.default,
            }
            for p in operation.parameters
        ],
        "returns": operation.returned,
        "example": {"call": operation.spec.example, "arguments": operation.example},
        "read_only": operation.spec.read_only,
        "destructive": operation.spec.destructive,
        "idempotent": operation.spec.idempotent,
        "aliases": list(operation.spec.aliases),
    }
