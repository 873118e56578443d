"""Mark a method as an operation, from which every surface is derived."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


class OperationSpec(NamedTuple):
    """What a surface cannot read off the signature and the docstring."""

    category: str
    example: str
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    aliases: tuple[str, ...] = ()


def operation(
    category: str,
    *,
    example: str,
    read_only: bool = False,
    destructive: bool = False,
    idempotent: bool = False,
    aliases: tuple[str, ...] = (),
) -> Callable[[F], F]:
    """Attach a spec to a method and give the method back unchanged."""
    spec = OperationSpec(
        category, example, read_only, destructive, idempotent or read_only, aliases
    )

    def mark(method: F) -> F:
        method.operation = spec  # type: ignore[attr-defined]
        return method

    return mark
