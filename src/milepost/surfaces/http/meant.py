"""What a request that leads nowhere was meant to be: the way that does, and a line to copy."""

import json
from collections.abc import Sequence
from contextlib import suppress
from difflib import get_close_matches
from shlex import quote
from typing import NamedTuple

from milepost.errors import NotFound
from milepost.registry import Operation, find
from milepost.surfaces.http.catalogue import Operations

# Where tools are found, which many take for the tool that finds memories.
TOOL_SEARCH = "/tools/search"
# Words of paths that name no operation, here or with others.
_COMMON = frozenset({"tools", "execute", "api", "v1", "v2", "mcp"})


class Address(NamedTuple):
    """How a client reaches the server, and whether it has a key."""

    base: str
    keyed: bool = False


class Meant(NamedTuple):
    """What to do instead, in a sentence and as a command."""

    advice: str
    example: str


def example_of(operation: Operation, address: Address) -> str:
    """Return a command that calls an operation with the arguments of its example."""
    body = json.dumps(operation.example, ensure_ascii=False)
    key = ' -H "Authorization: Bearer $MILEPOST_KEY"' if address.keyed else ""
    url = f"{address.base}/tools/{operation.name}/execute"
    return f"curl -X POST {quote(url)}{key} -H 'Content-Type: application/json' -d {quote(body)}"


def meant_by(
    path: str, readable: Sequence[str], operations: Operations, address: Address
) -> Meant | None:
    """Return what somebody wanted who came to a path that is not there, or with another method.

    readable: the paths that are there for GET.
    """
    if path in readable and path != TOOL_SEARCH:
        return Meant(f"Read it with GET {path}.", f"curl {quote(address.base + path)}")
    operation = _named(path, operations)
    if operation is not None:
        advice = f"Call {operation.name} with POST /tools/{operation.name}/execute"
        other = ", find tools with GET /tools/search?q=NEED" if path == TOOL_SEARCH else ""
        return Meant(f"{advice}{other}.", example_of(operation, address))
    near = get_close_matches(path, readable, n=1, cutoff=0.7)
    return (
        Meant(f"Did you mean {near[0]}?", f"curl {quote(address.base + near[0])}") if near else None
    )


def _named(path: str, operations: Operations) -> Operation | None:
    """Return the operation that a path speaks of: by its name, an alias, or nearly so."""
    words = [word.replace("-", "_").lower() for word in path.split("/")]
    words = [word for word in reversed(words) if word and word not in _COMMON]
    # delete_memory speaks of delete.
    for word in (*words, *(word.partition("_")[0] for word in words)):
        with suppress(NotFound):
            return find(operations, word)
    near = [name for word in words for name in get_close_matches(word, operations, 1, 0.8)]
    return operations[near[0]] if near else None
