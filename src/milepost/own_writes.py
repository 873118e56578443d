"""How far a copy of a store must be to be read: nobody may miss what he wrote himself.

Whoever does not say up to where he wrote is shown everything that is written by now.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

EVERYTHING = 1 << 63
_NEEDED: ContextVar[int] = ContextVar("needed", default=EVERYTHING)


def needed() -> int:
    """Return the place in the log of the store up to which whoever is served must be shown all."""
    return _NEEDED.get()


@contextmanager
def needing(place: int) -> Iterator[None]:
    """Let what is read here be behind, but not behind a place."""
    token = _NEEDED.set(place)
    try:
        yield
    finally:
        _NEEDED.reset(token)
