"""MCP over HTTP: every request stands alone, whichever revision it speaks."""

from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread

from milepost.config import Settings
from milepost.surfaces.bridge import Bridge

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

REQUEST_BYTES_MAX = 32 * 1024 * 1024

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class HttpApp:
    """An ASGI application; it answers while its lifespan lasts and loads the SDK when asked."""

    def __init__(self, bridge: Bridge, settings: Settings) -> None:
        self._bridge = bridge
        self._settings = settings
        # By whether what happens on the way to an answer is told, too.
        self._managers: dict[bool, StreamableHTTPSessionManager] = {}

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Be ready for requests."""
        self._wanted, self._ready = anyio.Event(), anyio.Event()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._run)
            yield
            tasks.cancel_scope.cancel()

    async def _run(self) -> None:
        """Hold what the SDK needs to be held, from the first request on."""
        await self._wanted.wait()
        self._managers = await anyio.to_thread.run_sync(self._load)
        async with self._managers[False].run(), self._managers[True].run():
            self._ready.set()
            await anyio.sleep_forever()

    def _load(self) -> "dict[bool, StreamableHTTPSessionManager]":
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        from milepost.surfaces.mcp.server import build_server

        server = build_server(self._bridge, self._settings)
        return {
            telling: StreamableHTTPSessionManager(
                server,
                json_response=not telling,
                stateless=True,
                max_request_body_size=REQUEST_BYTES_MAX,
            )
            for telling in (False, True)
        }

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["method"] != "POST":
            # There are no sessions: nothing to listen to, nothing to end.
            await _refuse(send)
            return
        self._wanted.set()
        await self._ready.wait()
        # The server in front of this reads bodies whole before it passes them on.
        first = await receive()
        manager = self._managers[_wants_to_hear(first.get("body", b""))]
        await manager.handle_request(scope, _again(first, receive), send)


def _wants_to_hear(body: bytes) -> bool:
    """Whether a call may wait for the sandbox and its client listens meanwhile."""
    return b'"progressToken"' in body and b'"execute_code"' in body


def _again(first: Message, receive: Receive) -> Receive:
    """Return what gives a message again and then what follows it."""
    waiting = [first]

    async def next_message() -> Message:
        return waiting.pop() if waiting else await receive()

    return next_message


async def _refuse(send: Send) -> None:
    headers = [(b"allow", b"POST"), (b"content-length", b"0")]
    await send({"type": "http.response.start", "status": 405, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
