"""POST over kept connections, with limits on time and size."""

from __future__ import annotations

import http.client
import ssl
import weakref
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property
from threading import Lock
from typing import NamedTuple
from urllib.parse import urlsplit

from milepost.errors import ConfigError

CONNECT_S_MAX = 5.0
BODY_BYTES_MAX = 64 * 1024 * 1024
IDLE_MAX = 4
_BLOCK_BYTES = 64 * 1024


class TransportError(Exception):
    """The server was not reached or did not finish its answer."""


class Reply(NamedTuple):
    """What a server answered, whole."""

    status: int
    retry_after: str | None
    body: bytes


class Address(NamedTuple):
    """Where a server listens and under which path its API starts."""

    secure: bool
    host: str
    port: int | None
    path: str

    @property
    def shown(self) -> str:
        """Return the host as people write it."""
        return f"{self.host}:{self.port}" if self.port else self.host


def parse_address(url: str, root: str) -> Address:
    """Read a base URL; one without a path gets the root where such servers keep their API."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ConfigError("Give the embedding server a valid host and port.") from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError("Give the embedding server as http://host or https://host.")
    if parts.username or parts.password or parts.query:
        raise ConfigError("Give the embedding server's URL without secrets; keys go separately.")
    return Address(parts.scheme == "https", parts.hostname, port, parts.path.rstrip("/") or root)


class Transport:
    """Send requests to one server from any thread."""

    def __init__(self, address: Address, timeout_s: float, monotonic: Callable[[], float]) -> None:
        self._address = address
        self._timeout_s = timeout_s
        self._monotonic = monotonic
        self._lock = Lock()
        self._idle: list[http.client.HTTPConnection] = []
        weakref.finalize(self, _close_all, self._idle)

    def post(self, path: str, headers: Mapping[str, str], body: bytes) -> Reply:
        """Return the server's answer, whatever its status."""
        try:
            if idle := self._take_idle():
                # A server may drop an idle connection at any time; asking twice does no harm.
                with suppress(ConnectionError):
                    return self._exchange(idle, path, headers, body)
            return self._exchange(self._connect(), path, headers, body)
        except TimeoutError as error:
            raise TransportError(f"no answer within {self._timeout_s:g} s") from error
        except OSError as error:
            raise TransportError(error.strerror or type(error).__name__) from error
        except http.client.HTTPException as error:
            raise TransportError(f"broken answer ({type(error).__name__})") from error

    def _exchange(
        self,
        connection: http.client.HTTPConnection,
        path: str,
        headers: Mapping[str, str],
        body: bytes,
    ) -> Reply:
        deadline_s = self._monotonic() + self._timeout_s
        kept = False
        try:
            connection.request("POST", self._address.path + path, body, dict(headers))
            with connection.getresponse() as response:
                content = self._read(response, deadline_s)
                kept = not response.will_close
            return Reply(response.status, response.headers["Retry-After"], content)
        finally:
            if not kept or not self._keep(connection):
                connection.close()

    def _read(self, response: http.client.HTTPResponse, deadline_s: float) -> bytes:
        content = bytearray()
        while block := response.read1(_BLOCK_BYTES):
            content += block
            if len(content) > BODY_BYTES_MAX:
                raise TransportError(f"an answer of more than {BODY_BYTES_MAX} bytes")
            # The socket's own timeout starts anew with each byte a slow server sends.
            if self._monotonic() > deadline_s:
                raise TimeoutError
        if response.length:
            raise http.client.IncompleteRead(b"", response.length)
        return bytes(content)

    def _connect(self) -> http.client.HTTPConnection:
        wait_s = min(self._timeout_s, CONNECT_S_MAX)
        host, port = self._address.host, self._address.port
        connection = (
            http.client.HTTPSConnection(host, port, timeout=wait_s, context=self._tls)
            if self._address.secure
            else http.client.HTTPConnection(host, port, timeout=wait_s)
        )
        connection.connect()
        connection.sock.settimeout(self._timeout_s)
        return connection

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        # Made on first use, then shared: reading the system's certificates takes 50 ms.
        return ssl.create_default_context()

    def _take_idle(self) -> http.client.HTTPConnection | None:
        with self._lock:
            return self._idle.pop() if self._idle else None

    def _keep(self, connection: http.client.HTTPConnection) -> bool:
        with self._lock:
            if len(self._idle) < IDLE_MAX:
                self._idle.append(connection)
                return True
        return False


def _close_all(connections: list[http.client.HTTPConnection]) -> None:
    for connection in connections:
        connection.close()
