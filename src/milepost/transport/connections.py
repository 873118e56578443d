"""HTTP over connections that are kept, with limits on time and size, from any thread."""

from __future__ import annotations

import os
import selectors
import ssl
import time
import weakref
from functools import cached_property
from http.client import (
    HTTPConnection,
    HTTPException,
    HTTPMessage,
    HTTPResponse,
    HTTPSConnection,
    IncompleteRead,
)
from threading import Lock
from urllib.parse import urlsplit

from milepost.errors import ConfigError
from milepost.transport.tls import REFUSED_SILENTLY, Tls, advice
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

CONNECT_S_MAX = 5.0
BODY_BYTES_MAX = 64 << 20
# Connections that nobody used for longer may be ones that the server is about to close.
IDLE_S_MAX = 30.0
IDLE_MAX = 32
_BLOCK_BYTES = 64 << 10
# What TLS makes of a connection that ended.
_ENDED = (ssl.SSLEOFError, ssl.SSLZeroReturnError)
_HUNG_UP = (ConnectionResetError, BrokenPipeError, *_ENDED)


class TransportError(Exception):
    """The server was not reached or did not finish its answer.

    waited_s: how long it was waited for, if in vain.
    passing: whether the next attempt may go better.
    advice: what to do, where that is known.
    """

    def __init__(
        self,
        reason: str,
        *,
        waited_s: float | None = None,
        passing: bool = True,
        advice: str = "",
    ) -> None:
        super().__init__(reason)
        self.waited_s = waited_s
        self.passing = passing
        self.advice = advice
        self.url = ""

    def of(self, url: str) -> TransportError:
        """Return the same, with the server that it was."""
        self.url = url
        return self


class Address(NamedTuple):
    """Where a server listens and under which path its API starts."""

    secure: bool
    host: str
    port: int | None
    path: str

    @property
    def shown(self) -> str:
        """The host as people write it."""
        return f"{self.host}:{self.port}" if self.port else self.host


def parse_address(url: str, server: str, root: str = "") -> Address:
    """Read a base URL; one without a path gets the root where such servers keep their API.

    server: what the server is to whoever gave the URL.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = None
    if (
        not host
        or parts.scheme not in ("http", "https")
        or parts.query
        or parts.fragment
        or "@" in parts.netloc
    ):
        # Not repeated here: there may be a key in it.
        raise ConfigError(
            f"Give the address of {server} as http://127.0.0.1:8765 or https://host/path, "
            "without a key in it."
        )
    return Address(parts.scheme == "https", host, port, parts.path.rstrip("/") or root)


class Request(NamedTuple):
    """What is sent, and whether it does no harm to send it twice.

    stream: whether a good answer is wanted bit by bit, as lines or as blocks.
    """

    method: str
    path: str
    headers: Mapping[str, str | bytes]
    body: bytes | None = None
    repeatable: bool = True
    stream: bool = False


class Reply(NamedTuple):
    """What a server answered: whole, or as lines or blocks that are read as they are asked for."""

    status: int
    reason: str
    headers: HTTPMessage
    body: bytes = b""
    lines: Iterator[bytes] = iter(())
    blocks: Iterator[bytes] = iter(())


class Idle(NamedTuple):
    """A connection that nobody uses, since when, and the process it is of."""

    connection: HTTPConnection
    since: float
    process: int

    def is_usable(self) -> bool:
        """Whether it is neither old, nor of a process that forked, nor closed."""
        if self.process != os.getpid() or time.monotonic() - self.since > IDLE_S_MAX:
            return False
        with selectors.DefaultSelector() as selector:
            # Nothing but its end makes an idle connection readable.
            selector.register(self.connection.sock, selectors.EVENT_READ)
            return not selector.select(0)


class Transport:
    """Send requests to one server.

    timeout_s: how long to wait for a whole answer, or only at a time.
    """

    def __init__(
        self,
        address: Address,
        timeout_s: float,
        *,
        at_a_time: bool = False,
        bytes_max: int | None = None,
        monotonic: Callable[[], float] = time.monotonic,
        tls: Tls | None = None,
    ) -> None:
        self.address = address
        self._known_by = tls or Tls()
        self._timeout_s = timeout_s
        self._at_a_time = at_a_time
        self._bytes_max = bytes_max or BODY_BYTES_MAX
        self._monotonic = monotonic
        self._lock = Lock()
        self._idle: list[Idle] = []
        weakref.finalize(self, _close_all, self._idle)

    def ask(self, request: Request) -> Reply:
        """Return the server's answer, whatever its status."""
        try:
            idle = self._take_idle()
            if idle is not None:
                try:
                    return self._exchange(idle, request)
                except (ConnectionError, *_ENDED):
                    # A server may drop an idle connection at any time.
                    if not request.repeatable:
                        raise
            return self._exchange(self._connect(), request)
        except (OSError, HTTPException) as problem:
            raise self._failure(problem) from problem
        except ValueError as problem:
            raise ConfigError(f"The request cannot be sent: {problem}.") from problem

    def close(self) -> None:
        """Close the connections that nobody uses."""
        with self._lock:
            _close_all(self._idle)

    def _exchange(self, connection: HTTPConnection, request: Request) -> Reply:
        until = self._monotonic() + self._timeout_s
        path = self.address.path + request.path
        try:
            connection.request(request.method, path, request.body, request.headers)
            response = connection.getresponse()
            reply = Reply(response.status, response.reason, response.headers)
            if request.stream and reply.status < 300:
                blocks = self._blocks(connection, response)
                next(blocks)
                return reply._replace(lines=_lines(blocks), blocks=blocks)
            reply = reply._replace(body=self._content(response, until))
        except BaseException:
            connection.close()
            raise
        self._keep(connection)
        return reply

    def _content(self, response: HTTPResponse, until: float) -> bytes:
        content = bytearray()
        while block := response.read1(_BLOCK_BYTES):
            content += block
            if len(content) > self._bytes_max:
                raise TransportError(f"an answer of more than {self._bytes_max} bytes")
            # The socket's own timeout starts anew with each byte a slow server sends.
            if not self._at_a_time and self._monotonic() > until:
                raise TimeoutError
        if response.length:
            raise IncompleteRead(b"", response.length)
        response.close()
        return bytes(content)

    def _blocks(self, connection: HTTPConnection, response: HTTPResponse) -> Iterator[bytes]:
        """Yield an answer as it comes, after nothing: begun, it closes what it has when let go."""
        done = False
        try:
            yield b""
            while block := response.read1(_BLOCK_BYTES):
                yield block
            done = not response.length
        except (OSError, HTTPException) as problem:
            raise self._failure(problem) from problem
        finally:
            response.close()
            if done:
                self._keep(connection)
            else:
                connection.close()

    def _failure(self, problem: Exception) -> TransportError:
        if isinstance(problem, TimeoutError):
            return _in_vain(self._timeout_s)
        if not isinstance(problem, OSError):
            return TransportError(f"broken answer ({type(problem).__name__})")
        if isinstance(problem, ssl.SSLError) and not isinstance(problem, _ENDED):
            reason, repair = advice(problem)
            return TransportError(reason, passing=False, advice=repair)
        # Some servers refuse a certificate without a word, once the handshake is over.
        shown = self.address.secure and self._known_by.certificate
        repair = REFUSED_SILENTLY if shown and isinstance(problem, _HUNG_UP) else ""
        reason = problem.strerror or str(problem) or type(problem).__name__
        return TransportError(reason, advice=repair)

    def _connect(self) -> HTTPConnection:
        wait_s = min(self._timeout_s, CONNECT_S_MAX)
        host, port = self.address.host, self.address.port
        connection = (
            HTTPSConnection(host, port, timeout=wait_s, context=self._tls)
            if self.address.secure
            else HTTPConnection(host, port, timeout=wait_s)
        )
        try:
            connection.connect()
            if isinstance(connection.sock, ssl.SSLSocket):
                self._known_by.check(connection.sock)
        except TimeoutError as problem:
            raise _in_vain(wait_s) from problem
        except BaseException:
            connection.close()
            raise
        connection.sock.settimeout(self._timeout_s)
        return connection

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        # Made on first use, then shared: reading the system's certificates takes 50 ms.
        return self._known_by.context()

    def _take_idle(self) -> HTTPConnection | None:
        while True:
            with self._lock:
                idle = self._idle.pop() if self._idle else None
            if idle is None or idle.is_usable():
                return idle and idle.connection
            idle.connection.close()

    def _keep(self, connection: HTTPConnection) -> None:
        """Take a connection back whose answer was read to the end."""
        with self._lock:
            if connection.sock is not None and len(self._idle) < IDLE_MAX:
                self._idle.append(Idle(connection, time.monotonic(), os.getpid()))
            else:
                connection.close()


def _lines(blocks: Iterator[bytes]) -> Iterator[bytes]:
    rest = b""
    for block in blocks:
        *lines, rest = (rest + block).split(b"\n")
        yield from lines


def _in_vain(seconds: float) -> TransportError:
    return TransportError(f"no answer within {seconds:g} s", waited_s=seconds, passing=False)


def _close_all(idle: list[Idle]) -> None:
    while idle:
        idle.pop().connection.close()
