"""How values cross the border on the host's side: results tagged, arguments checked.

The other half is milepost.sandbox.guest.exchange.
"""

from __future__ import annotations

from typing import Any

import msgspec

from milepost.codec import tagged
from milepost.errors import InvalidInput, MilepostError
from milepost.programs.values import Function
from milepost.sandbox.guest import is_too_deep


def result(value: object) -> bytes:
    """Return what the guest is told of a result."""
    return b"+" + msgspec.json.encode(tagged(value))


def problem(error: MilepostError) -> bytes:
    """Return what the guest is told of an error."""
    return b"-" + msgspec.json.encode({"code": error.code, "message": str(error)[:4_000]})


def arguments(function: Function, payload: bytes) -> dict[str, Any]:
    """Return the arguments of a call, whatever the guest sent as such."""
    try:
        values = msgspec.json.decode(payload)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as bad:
        raise InvalidInput(f"The arguments of {function.name} cannot be read: {bad}") from bad
    if not isinstance(values, dict):
        raise InvalidInput(f"The arguments of {function.name} must be an object.")
    if is_too_deep(values):
        raise InvalidInput(f"The arguments of {function.name} are nested too deeply.")
    known = [parameter.name for parameter in function.parameters]
    for name in values:
        if name not in known:
            takes = ", ".join(known) or "nothing"
            wrong = f"{function.name} has no parameter {name[:100]!r}"
            raise InvalidInput(f"{wrong}; it takes {takes}.")
    for parameter in function.parameters:
        if parameter.required and parameter.name not in values:
            raise InvalidInput(f"{function.name} needs {parameter.name}.")
    return values
