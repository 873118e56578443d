"""How values cross the border on the host's side: results tagged, arguments checked.

A named tuple travels as {"$": its name, "fields": […]}, so that the guest makes the same type of
it; a list among the fields means a tuple. Whatever JSON cannot tell apart is tagged too. The other
half is milepost.sandbox.guest.exchange.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Any

import msgspec

from milepost.errors import InvalidInput, MilepostError
from milepost.programs.values import Function
from milepost.sandbox.guest import is_too_deep

_LIBRARY = ("milepost.", ".values")


def result(value: object) -> bytes:
    """Return what the guest is told of a result."""
    return b"+" + msgspec.json.encode(_tagged(value))


def problem(error: MilepostError) -> bytes:
    """Return what the guest is told of an error."""
    return b"-" + msgspec.json.encode({"code": error.code, "message": str(error)[:4_000]})


def _tagged(value: object) -> object:
    kind = type(value)
    if kind in (str, int, float, bool) or value is None:
        return value
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return _named(value)
    if isinstance(value, tuple):
        return {"$": "tuple", "fields": [_tagged(item) for item in value]}
    if isinstance(value, list | Iterator):
        return [_tagged(item) for item in value]
    if isinstance(value, Mapping):
        return _mapping(value)
    if isinstance(value, date):
        name = "datetime" if isinstance(value, datetime) else "date"
        return {"$": name, "fields": value.isoformat()}
    raise TypeError(f"a program cannot be given a {kind.__name__}")


def _named(value: Any) -> dict[str, object]:
    kind = type(value)
    told: dict[str, object] = {"$": kind.__name__, "fields": [_field(item) for item in value]}
    if not (kind.__module__.startswith(_LIBRARY[0]) and kind.__module__.endswith(_LIBRARY[1])):
        told["names"] = kind._fields
    more = getattr(value, "__dict__", None)
    if more:
        told["set"] = {name: _tagged(item) for name, item in more.items()}
    return told


def _field(value: object) -> object:
    if type(value) is tuple:
        return [_tagged(item) for item in value]
    if type(value) is list:
        return {"$": "list", "fields": [_tagged(item) for item in value]}
    return _tagged(value)


def _mapping(value: Mapping[Any, Any]) -> object:
    if "$" in value or not all(type(key) is str for key in value):
        return {"$": "dict", "fields": [[_tagged(k), _tagged(v)] for k, v in value.items()]}
    return {key: _tagged(item) for key, item in value.items()}


def arguments(function: Function, payload: bytes) -> dict[str, Any]:
    """Return the arguments of a call, whatever the guest sent as such."""
    try:
        given = msgspec.json.decode(payload)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as bad:
        raise InvalidInput(f"The arguments of {function.name} cannot be read: {bad}") from bad
    if not isinstance(given, dict):
        raise InvalidInput(f"The arguments of {function.name} must be an object.")
    if is_too_deep(given):
        raise InvalidInput(f"The arguments of {function.name} are nested too deeply.")
    known = [parameter.name for parameter in function.parameters]
    for name in given:
        if name not in known:
            takes = ", ".join(known) or "nothing"
            wrong = f"{function.name} has no parameter {name[:100]!r}"
            raise InvalidInput(f"{wrong}; it takes {takes}.")
    for parameter in function.parameters:
        if parameter.required and parameter.name not in given:
            raise InvalidInput(f"{function.name} needs {parameter.name}.")
    return given
