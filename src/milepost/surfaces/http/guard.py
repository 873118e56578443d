"""What every request passes: access, limits, security headers, counting, and the last `except`."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Mapping

import anyio
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from milepost.access.values import CALLER
from milepost.request import HEADER, REQUEST, TRACE_HEADER, begin, request_id
from milepost.surfaces.http.access import PROBES, Access
from milepost.surfaces.http.limits import ServerLimits
from milepost.surfaces.http.metrics import Metrics
from milepost.surfaces.http.oauth import MCP
from milepost.surfaces.http.peer import PEER
from milepost.surfaces.http.problems import INTERNAL, RETRY_AFTER_SECONDS, Problem, Refused

logger = logging.getLogger(__name__)

# Whoever was not let in by anything sends a key or the token of a link, and nothing longer.
_STRANGERS_BYTES = 32 << 10
_REQUEST, _TRACE = HEADER.lower().encode(), TRACE_HEADER.encode()
# Memories are private: nothing is cached, framed, guessed at or passed on.
_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
)


class Guard:
    """Wraps an application; pure ASGI, since a middleware that wraps responses costs more."""

    def __init__(
        self, app: ASGIApp, access: Access, limits: ServerLimits, metrics: Metrics
    ) -> None:
        self._app = app
        self._access = access
        self._limits = limits
        self._metrics = metrics
        self._held_bytes = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer why not."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        told = (headers.get(name, b"").decode("latin-1") for name in (_REQUEST, _TRACE))
        token = begin(*told)
        answer = ObservedSend(send, request_id())
        started = time.perf_counter()
        self._metrics.in_flight += 1
        try:
            await self._answer(scope, receive, answer)
        finally:
            self._metrics.in_flight -= 1
            self._record(scope, answer.status, time.perf_counter() - started)
            REQUEST.reset(token)

    async def _answer(self, scope: Scope, receive: Receive, answer: ObservedSend) -> None:
        try:
            await self._admitted(scope, receive, answer)
        except Refused as refused:
            await refused.problem.response()(scope, receive, answer)
        except Exception:
            if answer.status:
                # Too late for another answer: the server logs it and cuts the connection.
                raise
            called = {"operation": scope.get("operation", ""), "surface": _surface(scope)}
            logger.exception("%s %s failed", scope["method"], scope["path"], extra=called)
            await INTERNAL.response()(scope, receive, answer)

    async def _admitted(self, scope: Scope, receive: Receive, answer: ObservedSend) -> None:
        headers = dict(scope["headers"])
        # Not what the request says of itself, which whoever sends it may choose.
        address = (scope.get("client") or ("http",))[0]
        peer = scope.get("state", {}).get(PEER)
        caller = await self._access.caller(scope["path"], headers, address, peer, scope["method"])
        if self._metrics.in_flight > self._limits.in_flight and scope["path"] not in PROBES:
            raise Refused(overloaded())
        is_stranger = not caller.scopes or scope["path"] in self._access.open_paths
        most = min(self._limits.body_bytes, _STRANGERS_BYTES if is_stranger else sys.maxsize)
        body, token = Body(receive), CALLER.set(caller)
        try:
            if await self._read(body, headers, most):
                self._access.check(caller, scope["path"], bytes(body.received))
                await self._app(scope, body.replay, answer)
        finally:
            CALLER.reset(token)
            self._held_bytes -= len(body.received)

    async def _read(self, body: Body, headers: Mapping[bytes, bytes], most: int) -> bool:
        """Read a whole body within the limits; return whether the client is still there."""
        limits = self._limits
        if int(headers.get(b"content-length", b"0")) > most:
            raise Refused(too_large(most))
        try:
            with anyio.fail_after(limits.body_seconds):
                while more := await body.more():
                    self._held_bytes += more
                    if len(body.received) > most:
                        raise Refused(too_large(most))
                    if self._held_bytes > limits.bodies_bytes:
                        raise Refused(overloaded())
        except TimeoutError:
            raise Refused(too_slow(f"The body took over {limits.body_seconds:g} s")) from None
        return not body.is_broken

    def _record(self, scope: Scope, status: int, seconds: float) -> None:
        if status:
            page = getattr(scope.get("endpoint"), "__name__", "other")
            self._metrics.add(scope.get("operation", page), status, seconds)
            told = (scope["method"], scope["path"], status, seconds * 1e3)
            called = {"operation": scope.get("operation", ""), "surface": _surface(scope)}
            logger.info("%s %s %d %.1f ms", *told, extra=called)


def _surface(scope: Scope) -> str:
    return "mcp" if scope["path"] == MCP else "http"


class Body:
    """A request's body, which is read before the application is called and then given to it."""

    def __init__(self, receive: Receive) -> None:
        self.received = bytearray()
        self.is_broken = False
        self._receive = receive
        self._is_complete = False
        self._is_given = False

    async def more(self) -> int:
        """Read some of it; return how many bytes, 0 at its end."""
        while not self._is_complete:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                self.is_broken = self._is_complete = True
                break
            self._is_complete = not message.get("more_body", False)
            part = message.get("body", b"")
            self.received += part
            if part:
                return len(part)
        return 0

    async def replay(self) -> Message:
        """Give the application what was read, and afterwards what the server has to say."""
        if self._is_given:
            return await self._receive()
        self._is_given = True
        return {"type": "http.request", "body": bytes(self.received), "more_body": False}


class ObservedSend:
    """Passes an answer on with security headers and its request, and remembers its status."""

    def __init__(self, send: Send, request: str) -> None:
        self.status = 0
        self._send = send
        self._own = (*_HEADERS, (_REQUEST, request.encode()))

    async def __call__(self, message: Message) -> None:
        """Pass one message on."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = message.get("headers", ())
            names = {name for name, _ in headers}
            message["headers"] = [*headers, *(h for h in self._own if h[0] not in names)]
        await self._send(message)


def overloaded() -> Problem:
    """Return what those are told who come when there is no room."""
    again = {"Retry-After": str(RETRY_AFTER_SECONDS)}
    return Problem(429, "overloaded", "Too many requests at once; try again in a moment.", again)


def too_large(most: int) -> Problem:
    """Return what is told about a body that is not read to its end."""
    detail = f"The body has over {most:,} bytes; send it in parts."
    return Problem(413, "too_large", detail)


def too_slow(what: str) -> Problem:
    """Return what is told to a client who does not send what it began to."""
    detail = f"{what}; send it in one go, or in smaller parts."
    return Problem(408, "timeout", detail, {"Connection": "close"})
