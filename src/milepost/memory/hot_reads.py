"""Answers that are given again while nothing that they rest on has changed.

What an answer rests on beside the store, its arguments and who asks (the files of a working tree, a
model that is away for a moment) makes it one that is not kept.
"""

import marshal
import os
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextvars import ContextVar
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from milepost.codec import tagged, untagged
from milepost.ports import CacheUse

if TYPE_CHECKING:
    from milepost.memory.context import Context

T = TypeVar("T")

# Whatever nobody thought of is right again after so long.
KEPT_S = 60.0
# What an entry takes beside its answer: the key, which has the question, and its place.
_ENTRY_BYTES = 1_000
_RESTS_ON_MORE: ContextVar[list[str] | None] = ContextVar("rests on more", default=None)


class _Entry(NamedTuple):
    """An answer, the state of the store that it was read from, and until when it is given."""

    answer: bytes
    version: Hashable
    until_s: float


class HotReads:
    """Keeps the answers that were asked for last, in so many bytes; in none before it is allowed.

    A search that is not answered from here takes 1 to 3 % longer: that pays where
    several ask the same memory, not where one program does.
    """

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._bytes_max = 0
        self._monotonic = monotonic
        self._begin()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._lock = Lock()
        self._entries: OrderedDict[Hashable, _Entry] = OrderedDict()
        self._bytes = self._hits = self._misses = self._evictions = 0

    def allow(self, bytes_max: int) -> None:
        """Keep so much from now on."""
        self._bytes_max = bytes_max

    @property
    def is_off(self) -> bool:
        """Whether nothing is kept."""
        return not self._bytes_max

    @property
    def use(self) -> CacheUse:
        """How much it is used."""
        entries = len(self._entries)
        return CacheUse(self._hits, self._misses, entries, self._bytes, self._evictions)

    def find(self, key: Hashable, version: Hashable) -> bytes | None:
        """Return the answer under a key, unless it is of another version or too old."""
        if os.getpid() != self._process:
            self._begin()  # in a child a thread of its parent may hold the lock for ever
        with self._lock:
            entry = self._entries.get(key)
            if entry is None or entry.version != version or entry.until_s < self._monotonic():
                self._misses += 1
                return None
            self._entries.move_to_end(key)
            self._hits += 1
            return entry.answer

    def keep(self, key: Hashable, version: Hashable, answer: bytes) -> None:
        """Keep an answer in place of the one before, and forget what was not asked for lately."""
        if len(answer) > self._bytes_max // 8:
            return
        with self._lock:
            self._drop(self._entries.pop(key, None))
            self._entries[key] = _Entry(answer, version, self._monotonic() + KEPT_S)
            self._bytes += len(answer) + _ENTRY_BYTES
            while self._bytes > self._bytes_max:
                self._drop(self._entries.popitem(last=False)[1])
                self._evictions += 1

    def _drop(self, entry: _Entry | None) -> None:
        if entry is not None:
            self._bytes -= len(entry.answer) + _ENTRY_BYTES

    def close(self) -> None:
        """Let go of all."""
        self._entries.clear()
        self._bytes = 0


def cache_uses(context: "Context") -> dict[str, CacheUse]:
    """Return how much is given again that was made before, by what it is."""
    uses = {"answers": context.part(HotReads).use}
    chosen = context.texts.chosen
    return uses if chosen is None else {**uses, "vectors": chosen.cache_use}


def given_again(
    context: "Context", now_us: int, about: tuple[Hashable, ...], answer: Callable[[], T]
) -> T:
    """Return an answer, as it was given before where nothing has changed since.

    about: all that it depends on beside the store, the space and the time.
    """
    hot = context.part(HotReads)
    # Asked for before the answer is read: what is committed meanwhile makes that too new at most.
    version = None if hot.is_off else context.store.version(context.space, now_us)
    if version is None:
        return answer()
    # A setting may reach a space while it is asked: other models, other answers.
    key = (context.space, context.texts.asked, *about)
    kept = hot.find(key, version)
    if kept is not None:
        again: T = untagged(marshal.loads(kept))  # noqa: S302 -- made below, in this process
        return again
    more: list[str] = []
    token = _RESTS_ON_MORE.set(more)
    try:
        result = answer()
    finally:
        _RESTS_ON_MORE.reset(token)
    if not more:
        data: Any = tagged(result)
        hot.keep(key, version, marshal.dumps(data))
    return result


def rests_on(what: str) -> None:
    """Say that the answer which is being made depends on more than the store."""
    more = _RESTS_ON_MORE.get()
    if more is not None:
        more.append(what)
