"""All operations, read off their signatures and docstrings; every surface is derived from here."""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints

import msgspec

from milepost.errors import InvalidInput, NotFound
from milepost.operation import OperationSpec

_PARAMETER_LINE = re.compile(r"^(\w+): (.+)$", re.MULTILINE)


class Parameter(NamedTuple):
    """One parameter of an operation, with the type it has on the wire."""

    name: str
    type: Any
    required: bool
    default: object
    description: str


class Operation(NamedTuple):
    """An operation as a surface sees it."""

    name: str
    summary: str
    parameters: tuple[Parameter, ...]
    spec: OperationSpec

    def bind(self, arguments: Mapping[str, object]) -> dict[str, Any]:
        """Return the arguments as the method takes them; refuse what does not fit."""
        known = {parameter.name: parameter for parameter in self.parameters}
        for name in arguments:
            if name not in known:
                raise InvalidInput(
                    f"{self.name} has no parameter {name!r}; it takes {', '.join(known)}."
                )
        for parameter in self.parameters:
            if parameter.required and parameter.name not in arguments:
                raise InvalidInput(f"{self.name} needs {parameter.name}: {parameter.description}")
        return {name: _converted(known[name], value) for name, value in arguments.items()}


def _converted(parameter: Parameter, value: object) -> Any:
    try:
        return msgspec.convert(value, parameter.type, strict=False)
    except msgspec.ValidationError as problem:
        raise InvalidInput(f"{parameter.name}: {problem}.") from problem


def operations_of(owner: type) -> dict[str, Operation]:
    """Return the operations that a class has, by name."""
    found = {}
    for name, method in inspect.getmembers(owner, inspect.isfunction):
        spec = getattr(method, "operation", None)
        if spec is not None:
            found[name] = _described(name, method, spec)
    return found


def find(operations: Mapping[str, Operation], name: str) -> Operation:
    """Return an operation by its name or an alias of it."""
    for operation in operations.values():
        if name == operation.name or name in operation.spec.aliases:
            return operation
    raise NotFound(f"There is no operation {name!r}; there are {', '.join(operations)}.")


@cache
def _described(name: str, method: Callable[..., Any], spec: OperationSpec) -> Operation:
    text = inspect.getdoc(method) or ""
    summary = text.partition("\n\n")[0].replace("\n", " ")
    descriptions = dict(_PARAMETER_LINE.findall(text))
    hints = get_type_hints(method)
    parameters = tuple(
        Parameter(
            p.name,
            wire_type(hints[p.name]),
            p.default is p.empty,
            None if p.default is p.empty else p.default,
            descriptions.get(p.name, ""),
        )
        for p in list(inspect.signature(method).parameters.values())[1:]
    )
    return Operation(name, summary, parameters, spec)


def wire_type(hint: Any) -> Any:
    """Return the JSON-like type for a Python one: dates travel as text, sequences as lists."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        options = [wire_type(option) for option in inner if _travels(option)]
        return Union[tuple(options)]  # noqa: UP007 -- built at run time
    if origin is Sequence or (isinstance(origin, type) and issubclass(origin, Sequence)):
        return list[wire_type(inner[0])]  # type: ignore[misc]
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return dict[str, Any]
    return hint


def _travels(hint: Any) -> bool:
    return get_origin(hint) is not None or hint in (str, int, float, bool, NoneType, Any)
