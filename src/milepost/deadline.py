"""Until when whoever is served may be worked for: a run of a program with all that it calls.

Nothing is bounded unless somebody says `working_until`; what may take long asks on its way.
"""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from milepost.errors import OutOfTime, StoreError

log = logging.getLogger(__name__)

# So long an answer may be held up by what is only noted down with it; once that was in vain, the
# rest is tried, and waits for nobody.
_BESIDE_S = 0.1
_IN_VAIN_S = 0.005
_END: ContextVar[float | None] = ContextVar("deadline", default=None)
_PATIENCE: ContextVar["_Patience | None"] = ContextVar("patience", default=None)


class Lock(Protocol):
    """What one thread has at a time."""

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool: ...
    def release(self) -> None: ...


@contextmanager
def working_until(moment: float) -> Iterator[None]:
    """Bound what is done here by a moment of time.monotonic(), or by an earlier one in force."""
    outer = _END.get()
    token = _END.set(moment if outer is None else min(outer, moment))
    try:
        yield
    finally:
        _END.reset(token)


@contextmanager
def without_deadline() -> Iterator[None]:
    """Do here what is done for all, and would be lost half-way."""
    token = _END.set(None)
    try:
        yield
    finally:
        _END.reset(token)


def seconds_left() -> float | None:
    """Return the seconds that are left, None without an end."""
    end = _END.get()
    return None if end is None else max(end - time.monotonic(), 0.0)


def time_is_up() -> bool:
    """Whether the time is up."""
    end = _END.get()
    return end is not None and time.monotonic() >= end


def check_time() -> None:
    """Stop here when the time is up."""
    if time_is_up():
        raise OutOfTime("The time of this program is up; what it had begun was undone.")


@contextmanager
def held_in_time(lock: Lock) -> Iterator[None]:
    """Hold a lock, for which nobody waits longer than there is time."""
    left = seconds_left()
    if not lock.acquire(timeout=-1 if left is None else left):
        raise OutOfTime("The time of this program is up; it waited for another who writes.")
    try:
        yield
    finally:
        lock.release()


class _Patience:
    """How long an answer still waits for whoever holds the store."""

    def __init__(self) -> None:
        self.seconds = _BESIDE_S


@contextmanager
def answering() -> Iterator[None]:
    """Give one answer here: all that is noted down beside it waits once, not each for itself."""
    token = _PATIENCE.set(_PATIENCE.get() or _Patience())
    try:
        yield
    finally:
        _PATIENCE.reset(token)


def patience_s(at_most: float) -> float:
    """Return how long to wait for the store: less where an answer is being given."""
    patience = _PATIENCE.get()
    return at_most if patience is None else min(at_most, patience.seconds)


@contextmanager
def beside_the_answer() -> Iterator[None]:
    """Note down here what an answer does not depend on; what the store does not take is left out.

    A question is answered while others write, and from a store that can only be read.
    """
    try:
        with working_until(time.monotonic() + patience_s(_BESIDE_S)):
            yield
    except (StoreError, OutOfTime) as problem:
        log.warning("an answer was given and not noted down: %s", problem)
        patience = _PATIENCE.get()
        if patience is not None:
            patience.seconds = _IN_VAIN_S
