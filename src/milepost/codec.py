"""How results become plain data on a wire, and results again.

Published data has the names of fields, and `from_data` is told of which type it is. Between our
own processes data is tagged with its type, `{"$": "Deleted", "fields": [1, ["0a1b2c3d"], false]}`:
an array is a tuple, and a list is tagged as one. Either form may say beside a result which notes
and remarks it has. Whether the data is then written as JSON or in another way is for the wire to
choose.
"""

from __future__ import annotations

from milepost.values import fields_of, remarked, result_type, result_types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_TAG, _FIELDS, _NOTES, _REMARKED = "$", "fields", "notes", "remarked"
# What any result may say beside what it is.
REMARKS = ("secrets_hidden", "may_replace")
# What a result says beside its fields.
_MORE = "_more"
# What stands for a published result that has no names beside which more could be said.
_VALUE = "value"
_PLAIN = frozenset((str, int, float, bool, type(None)))


def to_data(result: Any) -> Any:
    """Return a result as it is published: as dictionaries, lists and plain values."""
    if type(result) in _PLAIN:
        return result
    if said := _remarks(result):
        data = to_data(result.plain)
        return (data if isinstance(data, dict) else {_VALUE: data}) | said
    if hasattr(result, "_fields"):
        named = dict(zip(result._fields, map(to_data, fields_of(result)), strict=True))
        named |= {name: to_data(getattr(result, name)) for name in getattr(result, _MORE, ())}
        notes = getattr(result, _NOTES, None)
        return named | {_NOTES: list(notes)} if notes else named
    if hasattr(result, "items"):
        return {str(key): to_data(value) for key, value in result.items()}
    if hasattr(result, "__iter__") and not isinstance(result, str):
        return [to_data(item) for item in result]
    return result if isinstance(result, str | int | float) else str(result)


def _remarks(result: Any) -> dict[str, Any]:
    if not hasattr(result, REMARKS[0]):
        return {}
    return {name: said for name in REMARKS if (said := getattr(result, name))}


def from_data(kind: Any, data: Any) -> Any:
    """Return the result that was published, knowing of which type it was."""
    if isinstance(data, dict) and (said := {name: data[name] for name in REMARKS if name in data}):
        rest = {name: value for name, value in data.items() if name not in said}
        return remarked(from_data(kind, rest.get(_VALUE, rest)), **said)
    make, inner = _SHAPES.get(kind) or _shape(kind)
    if data is None or make is None:
        return data
    if make in (tuple, list):
        return make([from_data(inner, item) for item in data])
    result = make(*[from_data(inner[name], data[name]) for name in make._fields])
    if more := getattr(make, _MORE, ()):
        result = result.told(**{name: data[name] for name in more if name in data})
    return result.noted(data[_NOTES]) if _NOTES in data else result


# By a type, what makes values of it and of which types these are made; nothing for plain ones.
_SHAPES: dict[Any, tuple[Any, Any]] = {}


def _shape(kind: Any) -> tuple[Any, Any]:
    from types import NoneType, UnionType
    from typing import Union, get_args, get_origin

    origin, inner = get_origin(kind), get_args(kind)
    shape: tuple[Any, Any] = (None, None)
    if origin in (Union, UnionType):
        shape = _shape(next(option for option in inner if option is not NoneType))
    elif origin in (tuple, list):
        shape = (origin, inner[0])
    elif hasattr(kind, "_fields"):
        shape = (kind, field_types(kind))
    _SHAPES[kind] = shape
    return shape


def field_types(kind: type) -> dict[str, Any]:
    """Return the types of a result's fields."""
    import collections.abc
    import typing

    names = {**vars(typing), **vars(collections.abc), **result_types()}
    return typing.get_type_hints(kind, names)


def tagged(result: Any) -> Any:
    """Return a result as data that tells of which type it is."""
    if type(result) in _PLAIN:
        return result
    if said := _remarks(result):
        return {_TAG: _REMARKED, _FIELDS: (tagged(result.plain), said)}
    if hasattr(result, "_fields"):
        data = {_TAG: type(result).__name__, _FIELDS: tuple(map(tagged, fields_of(result)))}
        if names := getattr(result, _MORE, ()):
            data[_MORE] = tuple(tagged(getattr(result, name)) for name in names)
        notes = getattr(result, _NOTES, None)
        return data | {_NOTES: notes} if notes else data
    if isinstance(result, tuple):
        return tuple(map(tagged, result))
    if isinstance(result, list) or hasattr(result, "__next__"):
        return {_TAG: "list", _FIELDS: tuple(map(tagged, result))}
    if not hasattr(result, "items"):
        raise TypeError(f"a {type(result).__name__} cannot be passed on")
    if _TAG in result or any(type(key) is not str for key in result):
        return {_TAG: "dict", _FIELDS: tuple((tagged(k), tagged(v)) for k, v in result.items())}
    return {key: tagged(value) for key, value in result.items()}


def untagged(data: Any) -> Any:
    """Return the result that tagged data tells."""
    kind = type(data)
    if kind in (tuple, list):
        return tuple([item if type(item) in _PLAIN else untagged(item) for item in data])
    if kind is not dict:
        return data
    if _TAG not in data:
        return {key: untagged(value) for key, value in data.items()}
    tag, fields = data[_TAG], untagged(data[_FIELDS])
    if tag in _UNTAGGED:
        return _UNTAGGED[tag](fields)
    result = tuple.__new__(result_type(tag), fields)
    if _MORE in data:
        result.told(**dict(zip(getattr(result, _MORE), data[_MORE], strict=False)))
    return result.noted(data[_NOTES]) if _NOTES in data else result


def _untagged_remarks(fields: tuple[Any, dict[str, Any]]) -> Any:
    return remarked(fields[0], **fields[1])


_UNTAGGED: dict[str, Any] = {"list": list, "dict": dict, _REMARKED: _untagged_remarks}
