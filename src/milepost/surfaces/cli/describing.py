"""Describe the operations for the command line, and write the table that it reads: `make docs`."""

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, get_args, get_origin

from milepost.registry import Operation, Parameter, by_category
from milepost.surfaces.cli.described import (
    BATCH,
    JOINED,
    LIST,
    NUMBER,
    OBJECT,
    SWITCH,
    TEXT,
    WHOLE,
    Described,
    DescribedParameter,
)

TABLE = Path(__file__).with_name("operation_table.py")
_HEAD = '''"""What the command line knows of the operations; written by `make docs`, not by hand."""

# fmt: off
# ruff: noqa: E501
'''


def described(operation: Operation) -> Described:
    """Return an operation as data."""
    from milepost.surfaces.reference import command_line

    spec = operation.spec
    return Described(
        operation.name,
        spec.category,
        operation.summary,
        command_line(operation, operation.example),
        spec.example,
        spec.aliases,
        spec.read_only,
        spec.destructive,
        spec.noted_by,
        spec.tokens,
        tuple(_parameter(parameter) for parameter in operation.parameters),
    )


def _parameter(parameter: Parameter) -> DescribedParameter:
    name, kind, required, default, description = parameter
    return DescribedParameter(name, shape_of(kind), required, default, description)


def shape_of(kind: Any) -> str:
    """Return what can be typed for a parameter of a type."""
    options = (kind, *get_args(kind))
    lists = [option for option in options if get_origin(option) is list]
    if lists and get_origin(kind) is list and any(map(_is_object, get_args(kind))):
        return BATCH
    if lists:
        return JOINED if str in options and kind is not lists[0] else LIST
    if any(map(_is_object, options)):
        return OBJECT
    if str in options:
        return TEXT
    known = {bool: SWITCH, int: WHOLE, float: NUMBER}
    return next((known[option] for option in options if option in known), TEXT)


def _is_object(kind: Any) -> bool:
    return any(get_origin(option) is dict for option in (kind, *get_args(kind)))


def table_text(operations: Mapping[str, Operation]) -> str:
    """Return the module with the rows of all operations."""
    return "\n".join((_HEAD + "ROWS = (", *_rows(operations), ")")) + "\n"


def _rows(operations: Mapping[str, Operation]) -> Iterator[str]:
    for operation in chain.from_iterable(by_category(operations).values()):
        *about, parameters = described(operation)
        yield f"    ({', '.join(map(repr, about))}, ("
        yield from (f"        {tuple(parameter)!r}," for parameter in parameters)
        yield "    )),"
