"""The one place where asynchronous surfaces cross to the synchronous core."""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple, TypeVar
from urllib.parse import unquote

import anyio.to_thread

from milepost.access.values import CALLER
from milepost.app import Operations
from milepost.errors import Overloaded
from milepost.memory.values import SOURCES, weaker
from milepost.registry import Operation, operations_of
from milepost.workspace.told_data import tree_in
from milepost.workspace.values import EVERYWHERE, Place

T = TypeVar("T")

# The headers that name the tenant of a request and the project that is worked on, and that tell of
# the client's working tree.
SPACE_HEADER = "milepost-space"
PROJECT_HEADER = "milepost-project"
TREE_HEADER = "milepost-tree"
SOURCE_HEADER = "milepost-source"

WORKERS = 8
WAITING = 128
# Programs at once, most of which wait for one of the few workers of the sandbox.
PROGRAMS = 32
# Rows that a stream fetches in one crossing.
CHUNK = 100


class Caller(NamedTuple):
    """Who asks: the tenant, if not the memory's own, and where they work, if not here.

    source: what they store is trusted no more than this; None for a person.
    """

    space: str | None = None
    place: Place | None = None
    source: str | None = None

    def by(self, source: str) -> "Caller":
        """Return the same, trusted no more than a source."""
        return self._replace(source=weaker(self.source or source, source))


HERE = Caller()


def caller_of(headers: Mapping[str, str]) -> Caller:
    """Return who asks over HTTP: they work elsewhere, not in the folder of this process."""
    space = headers.get(SPACE_HEADER, CALLER.get().only_space)
    project, _, identity = headers.get(PROJECT_HEADER, "").partition(" ")
    shown = "".join(char for char in unquote(identity) if char.isprintable())
    tree = tree_in(headers.get(TREE_HEADER, ""))
    place = Place(unquote(project) or EVERYWHERE, None, shown, tree=tree)
    source = headers.get(SOURCE_HEADER)
    told = source if source in SOURCES else None
    return Caller(None if space is None else unquote(space), place, told)


class Lane:
    """Some worker threads, and a limit on who may wait for one."""

    def __init__(self, workers: int, waiting: int) -> None:
        self._limiter = anyio.CapacityLimiter(workers)
        self._room = workers + waiting

    async def run(self, work: Callable[..., T], *arguments: Any) -> T:
        """Let work in and do it, or refuse it."""
        if self._room <= 0:
            raise Overloaded("Too many calls at once; try again in a moment.")
        self._room -= 1
        try:
            return await self.cross(work, *arguments)
        finally:
            self._room += 1

    async def cross(self, work: Callable[..., T], *arguments: Any) -> T:
        """Do work that was let in before."""
        return await anyio.to_thread.run_sync(work, *arguments, limiter=self._limiter)


class Bridge:
    """Runs operations on worker threads, so many at a time, and programs on others."""

    def __init__(self, memory: Operations, workers: int = WORKERS, waiting: int = WAITING) -> None:
        self.memory = memory
        self.operations = operations_of(Operations)
        self._calls = Lane(workers, waiting)
        # A program that waits does so in the queue of the sandbox, which serves in turn.
        self._programs = Lane(PROGRAMS, 0)

    def memory_for(self, caller: Caller) -> Operations:
        """Return the memory as who asks sees it."""
        return self.memory if caller == HERE else self.memory.within(*caller)

    async def serve(self, operation: Operation, work: Callable[..., T], *arguments: Any) -> T:
        """Do the work of an operation; programs take no thread that a search needs."""
        lane = self._programs if operation.spec.category == "code" else self._calls
        return await lane.run(work, *arguments)

    async def stream(self, items: Iterator[Any]) -> AsyncIterator[list[Any]]:
        """Yield the items of an operation that streams, some at a time.

        The call was let in when it began; its next items wait their turn and are not refused.
        """
        while chunk := await self._calls.cross(lambda: list(islice(items, CHUNK))):
            yield chunk

    async def run(self, work: Callable[..., T], *arguments: Any) -> T:
        """Run any synchronous work; a caller who goes away does not stop it half-way."""
        return await self._calls.run(work, *arguments)
