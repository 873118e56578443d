"""Turn results into text or into JSON values, and JSON values back into results."""

import collections.abc
import typing
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from milepost.sessions.values import Briefing
from milepost.text.fence import as_data, harmless
from milepost.values import hiding, plain, result_types, said_hidden, secrets_hidden

CUT = "(cut to the budget)"
MORE = "(more not shown)"
# How data says that secrets were hidden; what has no names of its own gets one beside it.
_VALUE, _HIDDEN = "value", "secrets_hidden"


def to_text(result: object, budget: int | None = None) -> str:
    """Return the compact text of a result, harmless for a model and on a terminal."""
    if isinstance(result, list | Iterator):
        # Together, lines may make what none of them makes alone.
        return harmless(_lines(map(_row, result), budget))
    # A briefing is fenced, and was made harmless before.
    text = str(result) if isinstance(result, Briefing) else harmless(str(result))
    text += said_hidden(result)
    if budget is None:
        return text
    from milepost.text.tokens import beginning, ceiling

    if ceiling(text) <= budget:
        return text
    return f"{beginning(text, budget - ceiling(CUT) - 1).rstrip()} {CUT}"


def _row(item: object) -> str:
    text = as_data(item) if isinstance(item, str) else harmless(str(item))
    return f"{text}{said_hidden(item)}"


def _lines(items: Iterable[str], budget: int | None) -> str:
    if budget is None:
        return "\n".join(items)
    from milepost.text.tokens import ceiling

    lines: list[str] = []
    room = budget - ceiling(MORE) - 1
    for item in items:
        room -= ceiling(item) + 1
        if room < 0:
            return "\n".join([*lines, MORE])
        lines.append(item)
    return "\n".join(lines)


def to_data(result: object) -> Any:
    """Return a result as dictionaries, lists and plain values."""
    if not isinstance(result, list) and (count := secrets_hidden(result)):
        data = to_data(plain(result))
        return (data if isinstance(data, dict) else {_VALUE: data}) | {_HIDDEN: count}
    if isinstance(result, tuple) and hasattr(result, "_asdict"):
        named = {name: to_data(value) for name, value in result._asdict().items()}
        notes = getattr(result, "notes", None)
        return named | {"notes": list(notes)} if notes else named
    if isinstance(result, Mapping):
        return {str(key): to_data(value) for key, value in result.items()}
    if isinstance(result, str | int | float | bool | None):
        return result
    if isinstance(result, Iterable):
        return [to_data(item) for item in result]
    return str(result)


def from_data(kind: Any, data: Any) -> Any:
    """Return what to_data was given, knowing of which type it was."""
    if isinstance(data, dict) and _HIDDEN in data:
        rest = {name: value for name, value in data.items() if name != _HIDDEN}
        return hiding(from_data(kind, rest.get(_VALUE, rest)), data[_HIDDEN])
    origin, inner = get_origin(kind), get_args(kind)
    if data is None or (origin is None and not hasattr(kind, "_fields")):
        return data
    if origin in (Union, UnionType):
        return from_data(next(option for option in inner if option is not NoneType), data)
    if hasattr(kind, "_fields"):
        hints = field_types(kind)
        made = kind(*(from_data(hints[name], data[name]) for name in kind._fields))
        return made.noted(data["notes"]) if "notes" in data else made
    if origin is tuple:
        return tuple(from_data(inner[0], item) for item in data)
    if origin is list:
        return [from_data(inner[0], item) for item in data]
    return data


@cache
def field_types(kind: type) -> dict[str, Any]:
    """Return the types of a result's fields."""
    names = {**vars(typing), **vars(collections.abc), **result_types()}
    return typing.get_type_hints(kind, names)
