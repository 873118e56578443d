"""Use a Milepost server, or several of one store, as if the memory were here.

Needs the standard library only.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import partial
from os import urandom
from threading import Lock
from typing import Any, get_args
from urllib.parse import quote

from milepost.access.calls import traced
from milepost.codec import from_data
from milepost.errors import (
    ConfigError,
    InvalidInput,
    MilepostError,
    NotFound,
    Unreachable,
    error_named,
)
from milepost.location import servers_of
from milepost.memory import validation
from milepost.memory.values import CompactMemory, CompactSearchResult
from milepost.registry import Operation, find
from milepost.request import HEADER, REQUEST, TRACE_HEADER, new_id, request_id
from milepost.surfaces.remote_memory import OPERATIONS, RemoteMemory, sendable
from milepost.transport.connections import Reply, Request, Transport, TransportError, parse_address
from milepost.transport.retry import Retry, TransientError, retry_after_s
from milepost.transport.servers import AWAY, BUSY, Server, Servers
from milepost.transport.timing import Timing
from milepost.transport.tls import Tls
from milepost.upkeep.values import CompactHealthInfo
from milepost.workspace.folders import Folder, Folders
from milepost.workspace.told import ANSWERS_MAX, QUESTIONS_MAX, Answers, TreeAsked, answered
from milepost.workspace.told_data import TREE_ARGUMENT, header_of, questions_from
from milepost.workspace.values import NOWHERE, Place

# A server needs some two seconds to start again.
REPEATING = Retry(attempts=6, wait_s_base=0.12, wait_s_max=30.0, jitter=0.3)
TIMING = Timing()
ANSWER_BYTES_MAX = 1 << 30

_ROWS = "application/x-ndjson"
_BY_STATUS: Mapping[int, type[MilepostError]] = {
    401: ConfigError,
    403: ConfigError,
    408: Unreachable,
    413: InvalidInput,
    415: InvalidInput,
    421: ConfigError,
}


class MilepostClient(RemoteMemory):
    """The operations of a server, and what it tells about them; safe to share between threads.

    base_url: where the server is, such as http://127.0.0.1:8765; several servers of one store with
        commas between them: the next one is asked when one does not answer.
    key: the server's key, if it has one.
    space: the tenant whose memories these are, if not the server's own.
    timeout: seconds to wait for the server at a time.
    project: the project that is worked on; by default that of the working folder, "everywhere"
        for none.
    tls: by what an https:// server is known, if not by the system's certificates, and what it is
        shown of this client.
    """

    def __init__(
        self,
        base_url: str,
        key: str = "",
        space: str | None = None,
        timeout: float = 30.0,
        project: str | None = None,
        tls: Tls | None = None,
    ) -> None:
        super().__init__()
        self._key = key
        self._place = Place("" if project is None else validation.name("project", project))
        self._space = None if space is None else validation.name("space", space)
        self._source = ""
        self._url = base_url
        self._timeout = timeout
        self._folders = Folders()
        self._servers = Servers(_servers(base_url, timeout, tls), TIMING)
        self._written = Written()

    def within(
        self, space: str | None = None, place: Place | None = None, source: str | None = None
    ) -> MilepostClient:
        """Return the same server for another tenant or another place; they share connections."""
        other = MilepostClient(self._url, self._key, space or self._space, self._timeout)
        other._servers, other._written = self._servers, self._written
        other._place = place or self._place
        other._source = source or self._source
        other._folders = self._folders
        return other

    def close(self) -> None:
        """Close the connections that nobody uses."""
        self._servers.close()

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
        tools = self._get(f"/tools/search?q={quote(need, safe='')}", "tools")
        return [str(signature) for signature in tools["tools"]]

    def call_tool(self, name: str, /, *, compact: bool = False, **arguments: Any) -> Any:
        """Call a tool by its name or an alias and return plain data.

        compact: return the text that a model reads instead.
        """
        request = self._execution(name, arguments, writes=not _is_known_to_read(name))
        if not compact:
            return self._decoded(self._executed(request, arguments))
        compactly = request._replace(path=f"{request.path}?view=compact")
        return self._executed(compactly, arguments).body.decode("utf-8", "replace")

    def _call(self, operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        arguments = sendable(operation, args, kwargs)
        with traced(operation.name, self._space or ""):
            if operation.name == "health":
                return self._health(operation)
            return self._result(operation, arguments)

    def _health(self, operation: Operation) -> CompactHealthInfo:
        """Return what a server says; that one cannot be asked is told, not raised."""
        try:
            health: CompactHealthInfo = self._result(operation, {})
        except MilepostError as problem:
            return CompactHealthInfo("error", 0, "none").noted([str(problem)])
        away = [f"{url} does not answer" for url in self._servers.away()]
        return health.noted([*health.notes, *away]) if away else health

    def _result(self, operation: Operation, arguments: dict[str, Any]) -> Any:
        request = self._execution(operation.name, arguments, writes=not operation.spec.read_only)
        if operation.streams:
            headers = {**request.headers, "Accept": _ROWS}
            streamed = request._replace(headers=headers, stream=True)
            return self._rows(get_args(operation.returns)[0], self._answered(streamed).lines)
        data = self._decoded(self._executed(request, arguments))
        try:
            result = from_data(operation.returns, data)
            return result.read_by(self.get) if isinstance(result, CompactSearchResult) else result
        except (KeyError, TypeError) as problem:
            raise self._stranger("it answered something else") from problem

    def _rows(self, kind: Any, lines: Iterator[bytes]) -> Iterator[Any]:
        try:
            for line in lines:
                row = from_data(kind, json.loads(line))
                if isinstance(row, CompactMemory):
                    row.read_by(self.get)
                yield row
        except TransportError as problem:
            raise self._lost(problem) from problem

    def _execution(self, name: str, arguments: dict[str, Any], *, writes: bool) -> Request:
        path = f"/tools/{quote(name, safe='')}/execute"
        headers = {**self._headers(arguments), "Content-Type": "application/json"}
        if writes:
            # Sent again, to whichever server, it is not done again.
            headers["Idempotency-Key"] = urandom(16).hex()
        return Request("POST", path, headers, _body(arguments))

    def _executed(self, request: Request, arguments: dict[str, Any]) -> Reply:
        """Send a call; what the server asks about the working tree is looked up and told."""
        told = Answers()
        while True:
            try:
                return self._answered(request)
            except TreeAsked as asked:
                folder = self._folder(arguments)
                known = told.total
                if folder is not None:
                    told = told.joined(answered(asked.questions, folder))
                if not known < told.total <= ANSWERS_MAX + QUESTIONS_MAX:
                    raise self._stranger("it asks for ever about the working tree") from asked
                request = request._replace(body=_body({**arguments, TREE_ARGUMENT: told._asdict()}))

    def _folder(self, arguments: Mapping[str, Any]) -> Folder | None:
        """Return the folder that a call is about: as it is named, else the working folder."""
        if self._place.folder is None:
            return None
        named = arguments.get("folder")
        return self._folders.at(named if isinstance(named, str) and named else self._place.folder)

    def _get(self, path: str, expected: str) -> dict[str, Any]:
        data = self._decoded(self._answered(Request("GET", path, self._headers({}))))
        if not isinstance(data, dict) or expected not in data:
            raise self._stranger("it answered something else")
        return data

    def _decoded(self, reply: Reply) -> Any:
        try:
            return json.loads(reply.body)
        except ValueError as problem:
            raise self._stranger("the answer is not JSON") from problem

    def _answered(self, request: Request) -> Reply:
        """Send a request, again and again, until it is answered well."""
        retry = REPEATING._replace(wait_s_max=self._timeout)
        try:
            return retry.run(partial(self._attempt, request), TIMING)
        except TransientError as failure:
            raise failure.__cause__ or failure from None

    def _attempt(self, request: Request) -> Reply:
        try:
            url, reply = self._servers.ask(request)
        except TransportError as problem:
            lost = self._lost(problem)
            if problem.passing:
                raise TransientError(str(problem)) from lost
            raise lost from problem
        self._written.note(reply.headers.get("Milepost-Written"))
        if reply.status < 300:
            return reply
        if reply.status == 428:
            raise self._question(reply, url)
        error = self._error(reply, url)
        if reply.status not in (*AWAY, BUSY):
            raise error
        wait_s = retry_after_s(reply.headers["Retry-After"], TIMING.wall())
        raise TransientError(str(error), wait_s) from error

    def _lost(self, problem: TransportError) -> Unreachable:
        """Return the error for a server that cannot be reached."""
        waited_s = problem.waited_s
        reason = f"cannot be reached ({problem})"
        if waited_s is not None:
            reason = f"did not answer within {waited_s:g} s"
        advice = problem.advice or "start it with `milepost serve`, or check the URL"
        return Unreachable(f"{problem.url or self._servers.urls} {reason}; {advice}.")

    def _stranger(self, sign: str, url: str = "") -> Unreachable:
        """Return the error for a server that is something else."""
        named = url or self._servers.urls
        return Unreachable(f"{named} is not a Milepost server ({sign}); check the URL.")

    def _question(self, reply: Reply, url: str) -> Exception:
        """Return what a server asks about the working tree."""
        try:
            return TreeAsked(questions_from(json.loads(reply.body)["questions"]))
        except (ValueError, TypeError, KeyError):
            return self._stranger(f"status {reply.status} {reply.reason}", url)

    def _error(self, reply: Reply, url: str) -> MilepostError:
        """Return the error that a problem+json tells, of the class it had on the server."""
        try:
            fields = json.loads(reply.body)
            code, detail = str(fields["code"]), str(fields["detail"])
        except (ValueError, TypeError, KeyError):
            return self._stranger(f"status {reply.status} {reply.reason}", url)
        kind = error_named(code)
        if kind is MilepostError:
            kind = _BY_STATUS.get(reply.status, kind)
        error = kind(detail)
        error.request = str(fields.get("request", ""))
        return error

    def _headers(self, arguments: Mapping[str, Any]) -> dict[str, str | bytes]:
        headers: dict[str, str | bytes] = {HEADER: request_id() or new_id()}
        request = REQUEST.get()
        if request is not None and request.trace:
            headers[TRACE_HEADER] = request.trace
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}".encode()
        if self._space is not None:
            headers["Milepost-Space"] = quote(self._space, safe=" ")
        if self._written.place:
            headers["Milepost-Written"] = str(self._written.place)
        if self._source:
            headers["Milepost-Source"] = self._source
        folder = self._folder(arguments)
        there = NOWHERE if folder is None else folder.project
        named = (self._place.project,) if self._place.project else (there.name, there.identity)
        if any(named):
            headers["Milepost-Project"] = " ".join(quote(part, safe="") for part in named if part)
        if there.git:
            headers["Milepost-Tree"] = header_of(there)
        return headers


class Written:
    """Up to where a client knows that the store of its servers is written, as they told it.

    A server that is told so may answer by a copy of the store that is behind others, not behind
    this; one that is not told shows everything.
    """

    def __init__(self) -> None:
        self.place = 0
        self._lock = Lock()

    def note(self, told: str | None) -> None:
        """Note what an answer said, if it said anything."""
        if told is not None and told.isascii() and told.isdigit():
            with self._lock:
                self.place = max(self.place, int(told))


def _body(arguments: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(arguments, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as problem:
        raise InvalidInput(f"The arguments cannot be sent as JSON ({problem}).") from problem


def _is_known_to_read(name: str) -> bool:
    try:
        return find(OPERATIONS, name).spec.read_only
    except NotFound:
        return False


def _servers(urls: str, timeout_s: float, tls: Tls | None) -> list[Server]:
    servers = [_server(url, timeout_s, tls) for url in servers_of(urls)]
    clear = [server.url for server in servers if not server.transport.address.secure]
    if 0 < len(clear) < len(servers):
        # Else who keeps us from a server with TLS is sent the key in clear.
        raise ConfigError("Give the servers of one store all as https:// or all as http://.")
    if clear and tls is not None and tls.pins:
        raise ConfigError(f"{clear[0]} cannot be known by the pin that is set; use https://.")
    return servers


def _server(url: str, timeout_s: float, tls: Tls | None) -> Server:
    address = parse_address(url, "the server")
    return Server(
        url,
        Transport(address, timeout_s, at_a_time=True, bytes_max=ANSWER_BYTES_MAX, tls=tls),
    )
