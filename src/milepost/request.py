"""Which request is worked for: its id goes through every surface, into logs, errors and the audit.

Whoever begins something for somebody names it: a server for each request, a command, a hook. What
asks another process passes the id on, so that what both log is found by it.
"""

from __future__ import annotations

import os
from contextvars import ContextVar

from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from contextvars import Token

# Over HTTP, in both directions.
HEADER = "X-Request-Id"
# Of which span it is a part, as W3C has it: its form is looked at by whoever traces.
TRACE_HEADER = "traceparent"
_BYTES = 8
_CHARS_MAX = 64
_CHARS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")


class Request(NamedTuple):
    """What somebody asked for.

    trace: the span that it is a part of, as W3C traceparent tells it; "" where nobody traces.
    """

    id: str
    trace: str = ""


REQUEST: ContextVar[Request | None] = ContextVar("request", default=None)
# The operation, or the work that was put off, that is done now, and what tells in which space.
DOING: ContextVar[tuple[str, Callable[[], str]] | None] = ContextVar("doing", default=None)


def begin(given: str = "", trace: str = "") -> Token[Request | None]:
    """Work for a new request from now on; one that was given a good id keeps it."""
    known = trace if is_id(trace) else ""
    return REQUEST.set(Request(given if is_id(given) else new_id(), known))


def new_id() -> str:
    """Return an id that no other request has."""
    return os.urandom(_BYTES).hex()


def is_id(text: str) -> bool:
    """Whether a text can go by as the id of a request: it is short, plain, and breaks no line."""
    return 0 < len(text) <= _CHARS_MAX and _CHARS.issuperset(text)


def request_id() -> str:
    """Return the id of the request that is worked for; "" where there is none."""
    request = REQUEST.get()
    return "" if request is None else request.id
