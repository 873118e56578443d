"""How values cross the border inside the guest: results become our types, arguments plain JSON."""

from __future__ import annotations

import dataclasses
import json
from collections import namedtuple
from collections.abc import Iterable, Mapping, Set
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import PurePath
from typing import Any
from uuid import UUID

from milepost.errors import error_named
from milepost.values import result_types


def _result_types() -> dict[str, type]:
    """Return the named tuples of all capabilities, by name."""
    return {name: kind for name, kind in result_types().items() if hasattr(kind, "_fields")}


TYPES = _result_types()


def result(answer: str) -> Any:
    """Return what a function of the host answered, or raise the error it answered with."""
    kind, text = answer[:1], answer[1:]
    if kind == "-":
        told = json.loads(text)
        raise error_named(told["code"])(told["message"])
    return json.loads(text, object_hook=_rebuilt) if '"$"' in text else json.loads(text)


def _rebuilt(found: dict[str, Any]) -> Any:
    """Make of a tagged object what it was; see milepost.sandbox.exchange for the other half."""
    tag = found.get("$")
    if tag is None:
        return found
    fields = found["fields"]
    if tag in _PLAIN:
        return _PLAIN[tag](fields)
    kind = TYPES.get(tag)
    if kind is None or "names" in found:
        kind = TYPES[tag] = namedtuple(tag, found["names"])
    made = kind(*[tuple(f) if type(f) is list else _unlisted(f) for f in fields])
    if "set" in found:
        vars(made).update({name: _unlisted(value) for name, value in found["set"].items()})
    return made


class _List(list[Any]):
    """A list in a field, where a bare one means a tuple."""


def _unlisted(value: Any) -> Any:
    return list(value) if type(value) is _List else value


_PLAIN: dict[str, Any] = {
    "tuple": tuple,
    "list": _List,
    "dict": dict,
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
}


def arguments(given: Mapping[str, Any]) -> str:
    """Return arguments as JSON."""
    told = json.dumps(given, default=_plain, allow_nan=False, ensure_ascii=False)
    try:
        told.encode()
    except UnicodeEncodeError:
        raise ValueError("text with a lone surrogate cannot be passed on") from None
    return told


def _plain(value: Any) -> Any:
    """Return a JSON value for what a program may reasonably pass."""
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, Decimal | Fraction):
        return float(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, UUID | PurePath):
        return str(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Set):
        return sorted(value, key=str)
    if isinstance(value, Iterable) and not isinstance(value, bytes | bytearray | memoryview):
        return list(value)
    raise TypeError(f"a {type(value).__name__} cannot be passed on; give text, numbers or lists")
