"""What the command line knows of the operations: data, so that no capability has to be loaded."""

from __future__ import annotations

from milepost.surfaces.cli.operation_table import ROWS
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# What can be typed for a parameter: a text, a number, a switch; texts between commas, or each for
# itself; an object; many objects or texts.
TEXT, WHOLE, NUMBER, SWITCH = "text", "whole", "number", "switch"
JOINED, LIST, OBJECT, BATCH = "joined", "list", "object", "batch"


class DescribedParameter(NamedTuple):
    """A parameter of an operation, with what can be typed for it."""

    name: str
    shape: str
    required: bool
    default: Any
    description: str


class Described(NamedTuple):
    """An operation as its command needs it."""

    name: str
    category: str
    summary: str
    # The documented example, as it is typed in a shell and in Python.
    shell: str
    python: str
    aliases: tuple[str, ...]
    read_only: bool
    destructive: bool
    noted_by: str
    # What the answer to the example costs.
    tokens: int | None
    parameters: tuple[DescribedParameter, ...]

    def takes(self, name: str) -> bool:
        """Whether there is a parameter of that name."""
        return any(parameter.name == name for parameter in self.parameters)


def from_row(row: tuple[Any, ...]) -> Described:
    """Return an operation as its row of the table tells it."""
    return Described._make((*row[:-1], tuple(DescribedParameter(*each) for each in row[-1])))


def described_operations() -> list[Described]:
    """Return all operations, as the table tells them that `make docs` writes."""
    return [from_row(row) for row in ROWS]
