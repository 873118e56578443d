"""Use a Milepost server from Python as if the memory were here; needs the standard library only."""

from __future__ import annotations

import json
import os
import random
import selectors
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from functools import cached_property
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any, NamedTuple, Self, get_args
from urllib.parse import quote, urlsplit

from milepost.errors import (
    ConfigError,
    InvalidInput,
    MilepostError,
    NotFound,
    Unreachable,
    error_named,
)
from milepost.memory import validation
from milepost.registry import Operation, find
from milepost.render import from_data
from milepost.surfaces.remote import OPERATIONS, Remote
from milepost.upkeep.values import CompactHealthInfo

# Waits between the attempts at a call that may be repeated; a server needs some two seconds to
# start again.
BACKOFF_SECONDS = (0.1, 0.2, 0.4, 0.8, 1.6)
# Connections that nobody used for longer may be ones that the server is about to close.
IDLE_SECONDS_MAX = 30.0
CHUNK_BYTES = 1 << 16

_ROWS = "application/x-ndjson"
_BY_STATUS: Mapping[int, type[MilepostError]] = {
    401: ConfigError,
    403: ConfigError,
    408: Unreachable,
    413: InvalidInput,
    415: InvalidInput,
    421: ConfigError,
}


class MilepostClient(Remote):
    """The operations of a server, and what it tells about them; safe to share between threads.

    base_url: where the server is, such as http://127.0.0.1:8765.
    key: the server's key, if it has one.
    space: the tenant whose memories these are, if not the server's own.
    timeout: seconds to wait for the server at a time.
    """

    def __init__(
        self, base_url: str, key: str = "", space: str | None = None, timeout: float = 30.0
    ) -> None:
        super().__init__()
        self._key = key
        self._space = None if space is None else validation.name("space", space)
        self._pool = Pool(base_url, timeout)

    def within(self, space: str) -> MilepostClient:
        """Return the same server for another tenant; the two share connections."""
        other = MilepostClient(self._pool.url, self._key, space)
        other._pool = self._pool
        return other

    def close(self) -> None:
        """Close the connections that nobody uses."""
        self._pool.close()

    def __enter__(self) -> Self:
        return self

    def discover_tools(self) -> dict[str, Any]:
        """Return the categories, with the name and one sentence of each tool."""
        return self._get("/tools/discover", "categories")

    def list_tools(self, category: str | None = None) -> list[str]:
        """Return the names of the tools, of one category or all."""
        query = "" if category is None else f"?category={quote(category, safe='')}"
        return [str(name) for name in self._get(f"/tools/list{query}", "tools")["tools"]]

    def get_tool(self, name: str) -> dict[str, Any]:
        """Return how a tool is called: parameters, what it returns, an example."""
        return self._get(f"/tools/{quote(name, safe='')}", "parameters")

    def search_tools(self, need: str) -> list[str]:
        """Return the signatures of the tools that serve a need best."""
        found = self._get(f"/tools/search?q={quote(need, safe='')}", "tools")
        return [str(signature) for signature in found["tools"]]

    def call_tool(self, name: str, /, *, compact: bool = False, **arguments: Any) -> Any:
        """Call a tool by its name or an alias and return plain data.

        compact: return the text that a model reads instead.
        """
        request = self._execution(name, arguments, repeatable=_is_repeatable(name))
        if not compact:
            return self._pool.json(request)
        return self._pool.text(request._replace(path=f"{request.path}?view=compact"))

    def _send(self, operation: Operation, arguments: dict[str, Any]) -> Any:
        request = self._execution(operation.name, arguments, operation.spec.idempotent)
        if operation.streams:
            rows = self._pool.rows(request)
            (kind,) = get_args(operation.returns)
            return (from_data(kind, row) for row in rows)
        data = self._pool.json(request)
        try:
            return from_data(operation.returns, data)
        except (KeyError, TypeError) as problem:
            raise self._pool.stranger("it answered something else") from problem

    def _execution(self, name: str, arguments: dict[str, Any], repeatable: bool) -> Request:
        try:
            body = json.dumps(arguments, allow_nan=False).encode()
        except (TypeError, ValueError, RecursionError) as problem:
            raise InvalidInput(f"The arguments cannot be sent as JSON ({problem}).") from problem
        path = f"/tools/{quote(name, safe='')}/execute"
        headers = {**self._headers(), "Content-Type": "application/json"}
        return Request("POST", path, body, headers, repeatable)

    def _get(self, path: str, expected: str) -> dict[str, Any]:
        found = self._pool.json(Request("GET", path, None, self._headers(), True))
        if not isinstance(found, dict) or expected not in found:
            raise self._pool.stranger("it answered something else")
        return found

    def _headers(self) -> dict[str, str | bytes]:
        headers: dict[str, str | bytes] = {}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}".encode()
        if self._space is not None:
            headers["Milepost-Space"] = quote(self._space, safe=" ")
        return headers

    def health(self) -> CompactHealthInfo:
        """Tell whether the memory works; a server that cannot be asked is told of, not raised."""
        try:
            found: CompactHealthInfo = self._send(OPERATIONS["health"], {})
        except MilepostError as problem:
            return CompactHealthInfo("error", 0, "none").noted([str(problem)])
        return found


for _operation in OPERATIONS.values():
    for _alias in _operation.spec.aliases:
        setattr(MilepostClient, _alias, getattr(MilepostClient, _operation.name))


class Request(NamedTuple):
    """What is sent, and whether it does no harm to send it twice."""

    method: str
    path: str
    body: bytes | None
    headers: Mapping[str, str | bytes]
    repeatable: bool
    by_rows: bool = False


class Answer(NamedTuple):
    """What came back; a body that is wanted row by row is still to be read."""

    response: HTTPResponse
    connection: HTTPConnection
    body: bytes = b""


class Kept(NamedTuple):
    """A connection that nobody uses, since when, and the process it is of."""

    connection: HTTPConnection
    since: float
    process: int

    def is_usable(self) -> bool:
        """Whether it is neither old, nor of a process that forked, nor closed."""
        if self.process != os.getpid() or time.monotonic() - self.since > IDLE_SECONDS_MAX:
            return False
        with selectors.DefaultSelector() as selector:
            # Nothing but its end makes an idle connection readable.
            selector.register(self.connection.sock, selectors.EVENT_READ)
            return not selector.select(0)


class Pool:
    """Connections to one server, reused by whichever thread needs one."""

    def __init__(self, url: str, timeout: float) -> None:
        self.url = url.rstrip("/")
        self._timeout = timeout
        self._lock = threading.Lock()
        self._idle: list[Kept] = []
        self._scheme, self._host, self._port, self._prefix = _parsed(self.url)

    def json(self, request: Request) -> Any:
        """Return the data that is answered."""
        answer = self._answered(request)
        try:
            return json.loads(answer.body)
        except ValueError as problem:
            raise self.stranger("the answer is not JSON") from problem

    def text(self, request: Request) -> str:
        """Return the text that is answered."""
        return self._answered(request).body.decode("utf-8", "replace")

    def rows(self, request: Request) -> Iterator[Any]:
        """Return the rows of an answer; they are read as they are asked for."""
        headers = {**request.headers, "Accept": _ROWS}
        return Rows(self, self._answered(request._replace(headers=headers, by_rows=True)))

    def close(self) -> None:
        """Close what is idle."""
        with self._lock:
            idle, self._idle = self._idle, []
        for kept in idle:
            kept.connection.close()

    def __del__(self) -> None:
        if hasattr(self, "_lock"):  # else it was refused before it was made
            self.close()

    def keep(self, connection: HTTPConnection) -> None:
        """Take a connection back whose answer was read to the end."""
        if connection.sock is not None:
            with self._lock:
                self._idle.append(Kept(connection, time.monotonic(), os.getpid()))

    def lost(self, problem: Exception) -> Unreachable:
        """Return the error for a server that cannot be reached."""
        if isinstance(problem, TimeoutError):
            told = f"did not answer within {self._timeout:g} s"
        else:
            told = f"cannot be reached ({str(problem) or type(problem).__name__})"
        return Unreachable(f"{self.url} {told}; start it with `milepost serve`, or check the URL.")

    def stranger(self, sign: str) -> Unreachable:
        """Return the error for a server that is something else."""
        return Unreachable(f"{self.url} is not a Milepost server ({sign}); check the URL.")

    def _answered(self, request: Request) -> Answer:
        """Send a request, again where that is safe, until it is answered well."""
        waits = iter(BACKOFF_SECONDS if request.repeatable else ())
        while True:
            wait = next(waits, None)
            try:
                answer = self._attempt(request)
            except (OSError, HTTPException) as problem:
                if wait is None or isinstance(problem, TimeoutError | ssl.SSLError):
                    raise self.lost(problem) from problem
            else:
                if answer.response.status < 300:
                    return answer
                if wait is None or answer.response.status not in (429, 503):
                    raise self._error(answer)
                wait = max(wait, _retry_after(answer.response))
                if wait > self._timeout:
                    raise self._error(answer)
            time.sleep(wait * random.uniform(0.8, 1.2))  # noqa: S311 -- spreads clients out

    def _attempt(self, request: Request) -> Answer:
        connection = self._connection()
        try:
            path = self._prefix + request.path
            connection.request(request.method, path, request.body, request.headers)
            response = connection.getresponse()
            if request.by_rows and response.status < 300:
                return Answer(response, connection)
            body = response.read()
        except BaseException as problem:
            connection.close()
            if isinstance(problem, ValueError) and not isinstance(problem, OSError):
                raise ConfigError(f"The request cannot be sent: {problem}.") from problem
            raise
        self.keep(connection)
        return Answer(response, connection, body)

    def _connection(self) -> HTTPConnection:
        while True:
            with self._lock:
                kept = self._idle.pop() if self._idle else None
            if kept is None:
                return self._new_connection()
            if kept.is_usable():
                return kept.connection
            kept.connection.close()

    def _new_connection(self) -> HTTPConnection:
        if self._scheme == "http":
            return HTTPConnection(self._host, self._port, timeout=self._timeout)
        return HTTPSConnection(
            self._host, self._port, timeout=self._timeout, context=self._tls_context
        )

    @cached_property
    def _tls_context(self) -> ssl.SSLContext:
        return ssl.create_default_context()

    def _error(self, answer: Answer) -> MilepostError:
        """Return the error that a problem+json tells, of the class it had on the server."""
        try:
            told = json.loads(answer.body)
            code, detail = str(told["code"]), str(told["detail"])
        except (ValueError, TypeError, KeyError):
            return self.stranger(f"status {answer.response.status} {answer.response.reason}")
        kind = error_named(code)
        if kind is MilepostError:
            kind = _BY_STATUS.get(answer.response.status, kind)
        return kind(detail)


class Rows:
    """The rows of a long answer; closes its connection when it is given up half-way."""

    def __init__(self, pool: Pool, answer: Answer) -> None:
        self._pool = pool
        self._response = answer.response
        self._connection = answer.connection
        self._lines = _lines(answer.response)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        try:
            return json.loads(next(self._lines))
        except StopIteration:
            self._pool.keep(self._connection)
            raise
        except (OSError, HTTPException) as problem:
            self._connection.close()
            raise self._pool.lost(problem) from problem

    def __del__(self) -> None:
        if not self._response.isclosed():
            self._connection.close()
            self._response.close()


def _lines(response: HTTPResponse) -> Iterator[bytes]:
    rest = b""
    while part := response.read1(CHUNK_BYTES):
        *lines, rest = (rest + part).split(b"\n")
        yield from lines


def _parsed(url: str) -> tuple[str, str, int | None, str]:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if host is None or parts.scheme not in ("http", "https") or parts.query or parts.fragment:
        raise ConfigError(f"{url!r} is not a server's address, such as http://127.0.0.1:8765.")
    return parts.scheme, host, port, parts.path


def _retry_after(response: HTTPResponse) -> float:
    given = response.headers.get("Retry-After", "")
    return float(given) if given.isdecimal() else 0.0


def _is_repeatable(name: str) -> bool:
    try:
        return find(OPERATIONS, name).spec.idempotent
    except NotFound:
        return False
