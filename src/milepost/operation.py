"""Mark a method as an operation, from which every surface is derived."""

from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from typing import Any, NamedTuple, TypeVar, cast

from milepost.token_costs import TOKENS

CATEGORIES = {
    "memory": "remember facts and events, find them, change and delete them",
    "session": "brief a session of an agent, remind it, and notice what happens in it",
    "episode": "write down what is tried step by step, and find what was tried before",
    "pattern": "see what holds across episodes, and be told before trying",
    "event": "write down what happens, in order, and look at what happened",
    "consolidation": "keep what is remembered in order, and take that back",
    "graph": "say and ask how things hang together: entities, relations, observations",
    "document": "remember files by page and heading, and keep in step with them",
    "code": "run a program where the memory lies, so that only its answer comes back",
    "admin": "look after the memory itself",
    "measure": "see how well the memory finds what it has, and whether that changed",
    "jobs": "see the work that was put off, and have what failed tried again",
    "retention": "say for how long what is kept",
    "hold": "let nothing be deleted for good of what must stay",
    "erasure": "see what was erased, and what went by rules",
    "space": "see which spaces there are",
    "storage": "see what the store holds and takes",
    "backup": "keep copies of the store",
    "alerts": "be told when something is wrong with the store",
    "key": "let others in: who may do what in which spaces",
}

F = TypeVar("F", bound=Callable[..., Any])


class OperationSpec(NamedTuple):
    """What a surface cannot read off the signature and the docstring."""

    category: str
    example: str
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    aliases: tuple[str, ...] = ()
    # Names that other memories give to parameters, and ours.
    renamed: tuple[tuple[str, str], ...] = ()
    # The operation that notes down what this one, which only reads, has shown: surfaces call it
    # after the answer, with what its parameters are called in arguments and result.
    noted_by: str = ""
    # Whether it writes as it goes, in many transactions: sent twice, it must not be begun again.
    begins: bool = False
    # What a caller must be allowed to: "read", "write", "execute" or "admin".
    scope: str = "read"
    # Whether its answer is for who asked alone, and kept nowhere.
    is_secret: bool = False
    # What the answer to the example costs, as it was measured; none before that.
    tokens: int | None = None


def operation(
    category: str,
    *,
    example: str,
    read_only: bool = False,
    destructive: bool = False,
    idempotent: bool = False,
    aliases: tuple[str, ...] = (),
    renamed: Mapping[str, str] | None = None,
    noted_by: str = "",
    begins: bool = False,
    scope: str = "",
    is_secret: bool = False,
) -> Callable[[F], F]:
    """Attach a spec to a method, which then also takes the names that others give to parameters.

    Its docstring goes on with the example and what the answer to that costs.
    """
    assert category in CATEGORIES, f"describe the category {category}"
    idempotent = idempotent or read_only
    needed = scope or ("execute" if category == "code" else "read" if read_only else "write")
    pairs = tuple((renamed or {}).items())
    spec = OperationSpec(
        category,
        example,
        read_only,
        destructive,
        idempotent,
        aliases,
        pairs,
        noted_by,
        begins,
        needed,
        is_secret,
    )

    def mark(method: F) -> F:
        tokens = TOKENS.get(method.__name__)
        method.operation = spec._replace(tokens=tokens)  # type: ignore[attr-defined]
        cost = "" if tokens is None else f", whose answer costs {tokens} tokens"
        text = (method.__doc__ or "").rstrip()
        method.__doc__ = f"{text}\n\n        Example{cost}:\n            {example}\n        "
        return _understanding(method, dict(pairs)) if pairs else method

    return mark


def _understanding(method: F, renamed: Mapping[str, str]) -> F:
    """Return a method that takes arguments under other names as well."""

    @wraps(method)
    def call(self: object, *args: Any, **kwargs: Any) -> Any:
        for name in renamed:
            if name in kwargs:
                kwargs.setdefault(renamed[name], kwargs.pop(name))
        return method(self, *args, **kwargs)

    return cast("F", call)


def operation_methods(owner: type) -> Iterator[tuple[str, Any]]:
    """Yield the methods of a class that are operations by their names; aliases are left out."""
    for name in dir(owner):
        method = getattr(owner, name)
        if hasattr(method, "operation") and method.__name__ == name:
            yield name, method
