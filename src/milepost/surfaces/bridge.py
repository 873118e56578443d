"""The one place where asynchronous surfaces cross to the synchronous core."""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from itertools import islice
from typing import Any, TypeVar

import anyio.to_thread

from milepost.app import Milepost
from milepost.errors import Overloaded
from milepost.registry import Operation, operations_of

T = TypeVar("T")

# The header that names the tenant of a request.
SPACE_HEADER = "milepost-space"

WORKERS = 8
WAITING = 128
# Rows that a stream fetches in one crossing.
CHUNK = 100


class Bridge:
    """Runs operations on worker threads, so many at a time, and refuses more than may wait."""

    def __init__(self, memory: Milepost, workers: int = WORKERS, waiting: int = WAITING) -> None:
        self.memory = memory
        self.operations = operations_of(Milepost)
        self._limiter = anyio.CapacityLimiter(workers)
        self._room = workers + waiting

    async def call(self, operation: Operation, arguments: Mapping[str, object]) -> Any:
        """Run an operation with arguments as they came over the wire."""
        return await self.run(operation.call, self.memory, arguments)

    async def stream(self, items: Iterator[Any]) -> AsyncIterator[list[Any]]:
        """Yield the items of an operation that streams, some at a time.

        The call was let in when it began; its next items wait their turn and are not refused.
        """
        while chunk := await self._cross(lambda: list(islice(items, CHUNK))):
            yield chunk

    async def run(self, work: Callable[..., T], *arguments: Any) -> T:
        """Run any synchronous work; a caller who goes away does not stop it half-way."""
        if self._room <= 0:
            raise Overloaded("Too many calls at once; try again in a moment.")
        self._room -= 1
        try:
            return await self._cross(work, *arguments)
        finally:
            self._room += 1

    async def _cross(self, work: Callable[..., T], *arguments: Any) -> T:
        return await anyio.to_thread.run_sync(work, *arguments, limiter=self._limiter)
