"""How values cross the border inside the guest: results become our types, arguments plain JSON."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Mapping, Set
from datetime import date, time
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import PurePath
from typing import Any
from uuid import UUID

from milepost.codec import untagged
from milepost.errors import error_named
from milepost.values import result_types

# The named tuples of all capabilities, whose text is made for models.
RESULTS = frozenset(result_types().values())


def result(answer: str) -> Any:
    """Return what a function of the host answered, or raise the error it answered with."""
    kind, text = answer[:1], answer[1:]
    if kind == "-":
        value = json.loads(text)
        raise error_named(value["code"])(value["message"])
    return untagged(json.loads(text))


def read_by(result: Any, get: Callable[[str], Any]) -> None:
    """Have memories that are shown in part, one or many, read whole by a function."""
    if hasattr(result, "read_by"):
        result.read_by(get)
    elif type(result) is list:
        for item in result:
            read_by(item, get)


def arguments(values: Mapping[str, Any]) -> str:
    """Return arguments as JSON."""
    text = json.dumps(values, default=_plain, allow_nan=False, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("text with a lone surrogate cannot be passed on") from None
    return text


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
