"""Where the time of a call goes: its phases, one within the other, and their statements of SQL.

Nobody looks unless somebody asked for it: then a phase costs a look at one variable.
"""

from __future__ import annotations

from contextvars import ContextVar
from time import perf_counter_ns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from contextvars import Token
    from typing import Any, Protocol, TypeVar

    T = TypeVar("T")

    class Tracer(Protocol):
        """Tells others of the calls that are made, and of the requests that they are a part of."""

        def begin(self, operation: str, trace: str) -> Span:
            """Begin a call as a part of what a W3C traceparent names, if it names anything."""

    class Span(Protocol):
        """One call that somebody is told of."""

        # As W3C traceparent tells it.
        trace: str

        def end(self, whole: Phase, about: dict[str, str]) -> None:
            """Tell of the call, of its phases, and what is known about it."""


class Phase:
    """A part of a call: when it began, how long it took, what it did within.

    statements: by name, how often each was run and how long that took.
    """

    __slots__ = ("began_ns", "inner", "name", "ns", "statements")

    def __init__(self, name: str) -> None:
        self.name, self.ns = name, 0
        self.inner: list[Phase] = []
        self.statements: dict[str, tuple[int, int]] = {}
        self.began_ns = perf_counter_ns()

    def end(self) -> None:
        """Take down how long it took."""
        self.ns = perf_counter_ns() - self.began_ns

    def ran(self, statement: str, ns: int) -> None:
        """Count a statement of SQL."""
        count, before_ns = self.statements.get(statement, (0, 0))
        self.statements[statement] = (count + 1, before_ns + ns)


WATCHED: ContextVar[Phase | None] = ContextVar("watched", default=None)
# Who is told of every call, if anybody is.
tracers: list[Tracer] = []


class _Running:
    """A phase while it lasts."""

    __slots__ = ("_phase", "_token")
    _token: Token[Phase | None]

    def __init__(self, phase: Phase) -> None:
        self._phase = phase

    def __enter__(self) -> None:
        self._token = WATCHED.set(self._phase)

    def __exit__(self, *_: object) -> None:
        self._phase.end()
        WATCHED.reset(self._token)


class _Nothing:
    """A phase that nobody looks at."""

    __slots__ = ()

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass


_NOTHING = _Nothing()


def phase(name: str) -> AbstractContextManager[None]:
    """Return a phase of the call that is watched, for as long as a `with` block lasts."""
    around = WATCHED.get()
    if around is None:
        return _NOTHING
    inner = Phase(name)
    around.inner.append(inner)
    return _Running(inner)


def watching(whole: Phase) -> AbstractContextManager[None]:
    """Watch what is done in a `with` block, as parts of a whole."""
    return _Running(whole)


def ran(statement: str, run: Callable[..., T], *given: Any) -> T:
    """Run a statement of SQL, and count it where somebody watches."""
    around = WATCHED.get()
    if around is None:
        return run(*given)
    began_ns = perf_counter_ns()
    try:
        return run(*given)
    finally:
        around.ran(statement, perf_counter_ns() - began_ns)
