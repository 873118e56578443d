"""Run the application on uvicorn: the socket, the signals, and connections that take too long."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from milepost.app import Operations
from milepost.config import Settings
from milepost.errors import ConfigError
from milepost.location import is_loopback
from milepost.surfaces.http.endpoints import create_app
from milepost.surfaces.http.guard import overloaded, too_slow
from milepost.surfaces.http.limits import ServerLimits
from milepost.surfaces.http.peer import PEER, peer_of
from milepost.surfaces.http.problems import MEDIA_TYPE, Problem
from milepost.surfaces.http.tls import context_of

NO_CERTIFICATE = Problem(
    403,
    "config",
    "This server wants a certificate of its clients: set client_cert and client_key, or "
    "MILEPOST_CLIENT_CERT and MILEPOST_CLIENT_KEY.",
)


def serve(
    memory: Operations,
    settings: Settings,
    ready: Callable[[str], None] | None,
    limits: ServerLimits,
) -> None:
    """Serve until SIGINT or SIGTERM."""
    # To standard error, and only where the program that serves has not set up logging itself.
    logging.basicConfig(
        level=settings.log_level.upper(), format="%(levelname)s %(name)s: %(message)s"
    )
    server, listening = _prepared(memory, settings, limits, ready or (lambda _: None))
    server.run(sockets=[listening])


@contextmanager
def running(memory: Operations, settings: Settings, limits: ServerLimits) -> Iterator[str]:
    """Serve from a thread for the length of a `with` block."""
    started = threading.Event()
    server, listening = _prepared(memory, settings, limits, lambda _: started.set())
    thread = threading.Thread(target=server.run, args=([listening],), name="milepost-http")
    thread.start()
    try:
        while not started.wait(0.05):
            if not thread.is_alive():
                raise ConfigError("The server did not start; standard error says why.")
        yield _address(listening, settings)
    finally:
        server.should_exit = True
        thread.join()


def _prepared(
    memory: Operations, settings: Settings, limits: ServerLimits, ready: Callable[[str], None]
) -> tuple[QuietServer, socket.socket]:
    app = create_app(memory, settings, limits=limits)
    tls = context_of(settings)
    listening = _listen(settings.host, settings.port)
    needs_certificate = bool(settings.client_ca)
    protocol: Any = partial(
        Connection,
        limits=limits,
        needs_certificate=needs_certificate,
        is_local=is_loopback(settings.host.lower()),
    )
    config = uvicorn.Config(
        app,
        http=protocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        # Nobody is believed about who they are or which scheme they used.
        proxy_headers=False,
        headers=[("server", "milepost")],
        timeout_keep_alive=limits.idle_seconds,
        timeout_graceful_shutdown=limits.shutdown_seconds,
    )
    config.load()
    config.ssl = tls
    told = partial(ready, _address(listening, settings))
    return QuietServer(config, told, app.state.live.close, limits.header_seconds), listening


def _listen(host: str, port: int) -> socket.socket:
    try:
        addresses = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        # IPv4 where a name means both: it is what clients try first.
        family, _, _, _, address = min(addresses)
        return _bound(family, address)
    except (OSError, OverflowError, UnicodeError) as problem:
        raise ConfigError(
            f"Cannot listen on {host} port {port} ({problem}); choose another with --port "
            "or MILEPOST_PORT, or with --host."
        ) from problem


def _bound(family: socket.AddressFamily, address: tuple[Any, ...]) -> socket.socket:
    # With its protocol named, asyncio sends answers at once; else each would wait 40 ms for an
    # acknowledgement, since headers and body are written one after the other.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen()
    except OSError:
        listening.close()
        raise
    return listening


def _address(listening: socket.socket, settings: Settings) -> str:
    host, port = listening.getsockname()[:2]
    scheme = "https" if settings.tls_cert else "http"
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"


class QuietServer(uvicorn.Server):
    """Tells when it listens, and ends quietly when told to."""

    def __init__(
        self,
        config: uvicorn.Config,
        ready: Callable[[], None],
        ending: Callable[[], None],
        handshake_s: float,
    ) -> None:
        super().__init__(config)
        self._ready = ready
        self._ending = ending
        self._handshake_s = handshake_s

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to listen."""
        if self.config.ssl is not None:
            # uvicorn leaves it at a minute, in which who says nothing would hold a connection.
            loop: Any = asyncio.get_running_loop()
            waiting = {"ssl_handshake_timeout": self._handshake_s}
            loop.create_server = partial(loop.create_server, **waiting)
        await super().startup(sockets)
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End, without waiting for those who would listen for ever."""
        self._ending()
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002
        """End, at once when asked twice; not to be killed by the same signal once all is done."""
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True


class Connection(H11Protocol):
    """uvicorn's, with an end to waiting: for headers, for the rest of a body, for a reader."""

    def __init__(
        self,
        *args: Any,
        limits: ServerLimits,
        needs_certificate: bool = False,
        is_local: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._limits = limits
        self._is_local = is_local
        self._lacks_certificate = needs_certificate
        self._request_deadline: asyncio.TimerHandle | None = None
        self._reader_deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, if there is room."""
        super().connection_made(transport)
        if self._is_local:
            self.app_state = {**self.app_state, PEER: peer_of(transport)}
        # What TLS was shown is verified; whoever shows nothing is heard out, and told.
        self._lacks_certificate &= not transport.get_extra_info("peercert")
        if len(self.connections) > self._limits.connections:
            self._refuse(overloaded())
        else:
            self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        _cancel(self._request_deadline, self._reader_deadline)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read some of a request."""
        if self._lacks_certificate:
            self._refuse(NO_CERTIFICATE)
            return
        super().data_received(data)
        self._watch()

    def pause_writing(self) -> None:
        """Wait for the client to read, but not for ever."""
        super().pause_writing()
        seconds = self._limits.reading_seconds
        self._reader_deadline = self.loop.call_later(seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on after the client has read."""
        _cancel(self._reader_deadline)
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        """Answer what is not HTTP."""
        self._refuse(Problem(400, "invalid_input", msg))

    def _watch(self) -> None:
        """Set a deadline while a request is incomplete that nobody else watches."""
        if not self._is_waiting():
            _cancel(self._request_deadline)
            self._request_deadline = None
        elif self._request_deadline is None:
            seconds = self._limits.header_seconds
            self._request_deadline = self.loop.call_later(seconds, self._give_up)

    def _is_waiting(self) -> bool:
        if self.conn.their_state is h11.IDLE:
            return True
        # The rest of a body that was refused: read, so that the client sees why, and dropped.
        return self.conn.their_state is h11.SEND_BODY and self.cycle.response_complete

    def _give_up(self) -> None:
        if self.conn.our_state is h11.IDLE:
            self._refuse(too_slow(f"The headers took over {self._limits.header_seconds:g} s"))
        else:
            self.transport.abort()

    def _refuse(self, problem: Problem) -> None:
        """Answer outside of the application, and hang up."""
        body = problem.body()
        headers = [
            ("Content-Type", MEDIA_TYPE),
            ("Content-Length", str(len(body))),
            *({**problem.headers, "Connection": "close"}.items()),
        ]
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            for event in (
                h11.Response(status_code=problem.status, headers=headers, reason=problem.title),
                h11.Data(data=body),
                h11.EndOfMessage(),
            ):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()


def _cancel(*timers: asyncio.TimerHandle | None) -> None:
    for timer in timers:
        if timer is not None:
            timer.cancel()
