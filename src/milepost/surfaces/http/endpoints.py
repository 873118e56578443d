"""The application: the routes, and the operations behind them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Generator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import cache, partial
from typing import Any, NamedTuple, TypeVar

import anyio
import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from milepost.access.values import CALLER
from milepost.app import Milepost, Operations
from milepost.codec import to_data
from milepost.config import Settings
from milepost.errors import InvalidInput, MilepostError, NotFound, Overloaded, StoreError
from milepost.memory import validation
from milepost.memory.values import CompactSearchResult
from milepost.own_writes import needing
from milepost.registry import Operation, find, fitting, nearest_names
from milepost.render import to_text
from milepost.surfaces.bridge import Bridge, Caller, caller_of
from milepost.surfaces.dashboard import Dashboard
from milepost.surfaces.http import catalogue, metrics
from milepost.surfaces.http.access import Access
from milepost.surfaces.http.guard import Guard
from milepost.surfaces.http.limits import ServerLimits
from milepost.surfaces.http.live import Live
from milepost.surfaces.http.meant import Address, example_of, meant_by
from milepost.surfaces.http.oauth import MCP
from milepost.surfaces.http.openapi import openapi
from milepost.surfaces.http.page import CONTENT_POLICY, page
from milepost.surfaces.http.problems import Problem, Refused, problem_of, problem_with_status
from milepost.surfaces.mcp import http_app
from milepost.surfaces.patience import patient_for
from milepost.text.disguise import escaped
from milepost.upkeep.measuring import admit_to_all
from milepost.workspace.told import ToldTree, TreeAsked
from milepost.workspace.told_data import TREE_ARGUMENT, answers_from

T = TypeVar("T")

# Names a call, so that it is done once however often it is sent.
KEY_HEADER = "idempotency-key"
# Tells a client up to where the store is written; told so again, reads may be behind others alone.
WRITTEN_HEADER = "milepost-written"
ROWS = "application/x-ndjson"
READY_SECONDS = 5.0
# Our own client gives a call up after 30 s.
CLIENT_S = 25.0
DEPTH_MAX = 100
_TOO_DEEP = f"The body is nested too deeply; {DEPTH_MAX} levels are the most."


def create_app(memory: Operations, settings: Settings, *, limits: ServerLimits) -> Starlette:
    """Return the application over a memory."""
    if isinstance(memory, Milepost):
        memory.share()
    bridge = Bridge(memory, limits.workers, limits.waiting)
    counted = metrics.Metrics()
    mcp = Mcp(bridge, settings)
    access = _access(memory, settings)
    behind_tls = settings.tls_proxy == "on"
    dashboard = Dashboard(access, settings.space, settings.shown_url, behind_tls=behind_tls)
    pages = Pages(bridge, counted, dashboard)
    live = Live(bridge, access)
    routes = [*Tools(bridge).routes(), *mcp.routes(), *pages.routes(), *dashboard.routes()]
    routes += live.routes()
    if access.oauth is not None:
        published = partial(_publish, access.oauth.metadata)
        routes += [Route(path, published) for path in access.oauth.paths]
    lost = Lost(bridge.operations, routes)
    app = Starlette(
        routes=routes,
        middleware=[Middleware(Guard, access, limits, counted)],
        exception_handlers={MilepostError: _on_error, HTTPException: lost.__call__},
        lifespan=mcp.lifespan,
    )
    app.state.live = live
    return app


def _access(memory: Operations, settings: Settings) -> Access:
    if not isinstance(memory, Milepost):
        return Access(settings)
    return Access(settings, cache(lambda: memory.keys))


class Mcp:
    """The same operations by the Model Context Protocol, behind the same guard."""

    def __init__(self, bridge: Bridge, settings: Settings) -> None:
        self._app = http_app(bridge, settings)

    def routes(self) -> list[Route]:
        """Return the one route."""
        return [Route(MCP, self)]

    @asynccontextmanager
    async def lifespan(self, app: Starlette) -> AsyncIterator[None]:  # noqa: ARG002
        """Hold what it needs for as long as the server runs."""
        async with self._app.lifespan():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        scope["operation"] = "mcp"
        await self._app(scope, receive, send)


class Tools:
    """What is under /tools: the registry, and the operations themselves."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge
        self._operations = bridge.operations

    def routes(self) -> list[Route]:
        """Return the routes, the busiest first."""
        return [
            Route("/tools/{name}/execute", self.execute_tool, methods=["POST"]),
            Route("/tools/discover", self.discover_tools),
            Route("/tools/list", self.list_tools),
            Route("/tools/search", self.search_tools),
            Route("/tools/{name}", self.describe_tool),
        ]

    async def discover_tools(self, request: Request) -> Response:
        """Answer with the categories and what is in them."""
        if _form(request) is _TEXT_FORM:
            return Response(catalogue.compact(self._operations), media_type=_TEXT_FORM.media_type)
        return _json(catalogue.discovered(self._operations))

    async def list_tools(self, request: Request) -> Response:
        """Answer with the names in a category."""
        return _json(catalogue.listed(self._operations, request.query_params.get("category")))

    async def search_tools(self, request: Request) -> Response:
        """Answer with the signatures of the tools that serve a need best."""
        need = request.query_params.get("q")
        if need is None:
            # The operation called search is described at this path, as the others are at theirs.
            return _json(catalogue.described(find(self._operations, "search")))
        if not need.strip():
            raise InvalidInput("q is empty; say what you need, such as ?q=forget a memory.")
        tools = await self._bridge.run(fitting, self._operations, need)
        return _json({"query": need, "tools": [operation.signature for operation in tools]})

    async def describe_tool(self, request: Request) -> Response:
        """Answer with all there is to know about one tool."""
        return _json(catalogue.described(self._find(request)))

    async def execute_tool(self, request: Request) -> Response:
        """Run an operation and answer with its result."""
        operation = self._find(request)
        request.scope["operation"] = operation.name
        form = _form(request)
        caller, body = caller_of(request.headers), await request.body()
        if body:
            _check_media_type(request, operation)
        key = None if operation.spec.read_only else request.headers.get(KEY_HEADER)
        wrote = _place(request.headers.get(WRITTEN_HEADER)) if operation.spec.read_only else None
        work = self._answer if wrote is None else partial(self._answer_behind, wrote)
        serve = partial(self._bridge.serve, operation, work, operation, caller, body, key)
        with patient_for(CLIENT_S):
            if form is _ROW_FORM or operation.streams:
                items, reached = await serve(_items)
                return await self._streamed(items, form, _told(reached))
            content, reached = await serve(form.encode)
        return Response(content, media_type=form.media_type, headers=_told(reached))

    def _answer_behind(self, wrote: int, *asked: Any) -> tuple[Any, int]:
        """Answer who says up to where he wrote, by a copy of the store that may be behind."""
        with needing(wrote):
            return self._answer(*asked)[0], 0

    def _answer(
        self,
        operation: Operation,
        caller: Caller,
        body: bytes,
        key: str | None,
        shape: Callable[[Any], T],
    ) -> tuple[T, int]:
        """Return what an operation answers, in a shape, and up to where it is written then.

        Or ask about the client's working tree.
        """
        arguments = _arguments(body)
        told = arguments.pop(TREE_ARGUMENT, None)
        place = caller.place
        if place is not None and place.tree is not None:
            # What cannot be done twice, or has begun to be told, is done with what is known.
            asks = operation.spec.idempotent and not operation.streams
            tree = ToldTree(place.tree.project, answers_from(told), asks)
            caller = caller._replace(place=place._replace(tree=tree))
        try:
            memory = self._bridge.memory_for(caller)
            if not isinstance(memory, Milepost):
                return shape(operation.answer(memory, arguments)), 0
            if key is None:
                shaped = shape(operation.answer(memory, arguments))
            else:
                shaped = shape(memory.once(operation, key, arguments))
            return shaped, memory.written_up_to
        except TreeAsked as asked:
            raise Refused(_about_tree(asked)) from asked

    async def _streamed(
        self, items: Iterator[Any], form: Form, headers: Mapping[str, str]
    ) -> Response:
        chunks = self._bridge.stream(map(form.encode, items))
        # Fetched before the answer begins, so that an error can still be told as one.
        first: list[bytes] = await anext(chunks, [])
        return Streamed(items, _parts(first, chunks, form), form.media_type, headers)

    def _find(self, request: Request) -> Operation:
        name = request.path_params["name"]
        try:
            return find(self._operations, name)
        except NotFound as error:
            near = nearest_names(self._operations, name)
            more: dict[str, Any] = {"nearest": near}
            if near:
                more["example"] = example_of(self._operations[near[0]], _address(request))
            raise Refused(problem_of(error)._replace(more=more)) from error


def _about_tree(asked: TreeAsked) -> Problem:
    """Return what a client is asked about its working tree."""
    detail = f"Send the same again with the answers under {TREE_ARGUMENT!r}."
    return Problem(428, "tree_asked", detail, more={"questions": asked.questions._asdict()})


class Pages:
    """What people, probes and Prometheus ask for."""

    def __init__(self, bridge: Bridge, counted: metrics.Metrics, dashboard: Dashboard) -> None:
        self._bridge = bridge
        self._counted = counted
        self._dashboard = dashboard

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/", self.index),
            Route("/healthz", self.healthz),
            Route("/health", self.healthz),
            Route("/readyz", self.readyz),
            Route("/metrics", self.metrics),
            Route("/openapi.json", self.openapi),
            Route("/docs", self.docs),
        ]

    async def index(self, request: Request) -> Response:
        """Show browsers the dashboard; send others to the documentation."""
        if "text/html" in request.headers.get("accept", ""):
            return await self._dashboard.page(request)
        return RedirectResponse("/docs")

    async def healthz(self, request: Request) -> Response:  # noqa: ARG002
        """Say that the server runs."""
        return _json({"status": "ok"})

    async def readyz(self, request: Request) -> Response:  # noqa: ARG002
        """Say whether the memory can be used; no more, since anyone may ask."""
        try:
            with anyio.fail_after(READY_SECONDS):
                health = await self._bridge.run(self._bridge.memory.health)
        except (TimeoutError, Overloaded):
            return _json({"status": "busy"}, 503)
        return _json({"status": health.status}, 200 if health.ready else 503)

    async def metrics(self, request: Request) -> Response:  # noqa: ARG002
        """Answer with the counts, which are of all spaces."""
        admit_to_all(CALLER.get())
        told = None
        # The server's own figures matter most when it is busy, or its store is away.
        with suppress(Overloaded, StoreError):
            told = await self._bridge.run(metrics.counted, self._bridge.memory)
        return Response(self._counted.text(told), media_type=metrics.MEDIA_TYPE)

    async def openapi(self, request: Request) -> Response:  # noqa: ARG002
        """Answer with the OpenAPI document."""
        return _json(openapi(self._bridge.operations))

    async def docs(self, request: Request) -> Response:
        """Answer with the page of documentation."""
        policy = {"Content-Security-Policy": CONTENT_POLICY}
        shown = page(self._bridge.operations, str(request.base_url))
        return HTMLResponse(shown, headers=policy)


class Form(NamedTuple):
    """How results are written: one at a time, and what stands around and between several."""

    media_type: str
    encode: Callable[[Any], bytes]
    opening: bytes = b""
    between: bytes = b""
    closing: bytes = b""


def _encoded(result: object) -> bytes:
    written = msgspec.json.encode(to_data(result))
    # Whoever looks at it on a terminal is safe, whoever reads it gets the same.
    plain = written.isascii() and b"\x7f" not in written
    return written if plain else escaped(written.decode()).encode()


_JSON_FORM = Form("application/json", _encoded, b"[", b",", b"]")
_ROW_FORM = Form(ROWS, lambda item: _encoded(item) + b"\n")
_TEXT_FORM = Form("text/plain", lambda result: to_text(result).encode(), between=b"\n")


def _form(request: Request) -> Form:
    view = request.query_params.get("view")
    if view is not None:
        if view != "compact":
            raise InvalidInput(f"view must be compact, or left out for JSON, not {view!r}.")
        return _TEXT_FORM
    return _ROW_FORM if ROWS in request.headers.get("accept", "") else _JSON_FORM


class Streamed(StreamingResponse):
    """An answer made of items, which are let go of when the client leaves half-way."""

    def __init__(
        self,
        items: Iterator[Any],
        parts: AsyncIterator[bytes],
        media_type: str,
        headers: Mapping[str, str],
    ) -> None:
        super().__init__(parts, media_type=media_type, headers=headers)
        self._items = items

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the answer."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            if isinstance(self._items, Generator):
                self._items.close()


def _items(result: Any) -> Iterator[Any]:
    if isinstance(result, CompactSearchResult):
        return iter(result.memories)
    return iter(result if isinstance(result, list | Iterator) else [result])


async def _parts(
    first: list[bytes], chunks: AsyncIterator[list[bytes]], form: Form
) -> AsyncIterator[bytes]:
    yield form.opening + form.between.join(first)
    async for chunk in chunks:
        yield form.between + form.between.join(chunk)
    yield form.closing


def _place(told: str | None) -> int | None:
    """Return up to where a client says that it wrote; one that says nothing is shown everything."""
    return int(told) if told and told.isascii() and told.isdigit() and len(told) < 20 else None


def _told(reached: int) -> dict[str, str]:
    return {WRITTEN_HEADER: str(reached)} if reached else {}


def _arguments(body: bytes) -> dict[str, Any]:
    try:
        arguments = msgspec.json.decode(body or b"{}")
    except RecursionError as problem:
        raise InvalidInput(_TOO_DEEP) from problem
    except ValueError as problem:
        raise InvalidInput(f"The body is not JSON: {problem}.") from problem
    if not isinstance(arguments, dict):
        raise InvalidInput('The body must be an object of arguments, such as {"query": "auth"}.')
    if validation.depth(arguments) > DEPTH_MAX:
        raise InvalidInput(_TOO_DEEP)
    return arguments


def _check_media_type(request: Request, operation: Operation) -> None:
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        detail = f"The body must be application/json, not {media_type or 'of no Content-Type'}."
        more = {"example": example_of(operation, _address(request))}
        raise Refused(Problem(415, "unsupported_media_type", detail, more=more))


async def _publish(metadata: Mapping[str, Any], request: Request) -> Response:  # noqa: ARG001
    """Tell clients of which issuer this server takes tokens."""
    return _json(metadata)


def _json(data: Any, status: int = 200) -> Response:
    return Response(msgspec.json.encode(data), status, media_type="application/json")


async def _on_error(request: Request, error: Exception) -> Response:  # noqa: ARG001
    assert isinstance(error, MilepostError)
    return problem_of(error).response()


class Lost:
    """Answers whoever comes to a path that is not there, or with another method."""

    def __init__(self, operations: Mapping[str, Operation], routes: Sequence[Route]) -> None:
        self._operations = operations
        fixed = [route for route in routes if "{" not in route.path]
        self._readable = [route.path for route in fixed if "GET" in (route.methods or ())]

    async def __call__(self, request: Request, error: Exception) -> Response:
        """Say what was meant, as far as the path tells."""
        assert isinstance(error, HTTPException)
        where, allowed = request.url.path, (error.headers or {}).get("Allow")
        nothing = f"There is nothing at {where}; see /docs."
        detail = f"{where} takes {allowed}." if allowed else nothing
        problem = problem_with_status(error.status_code, detail, error.headers or {})
        meant = meant_by(where, self._readable, self._operations, _address(request))
        if meant is not None:
            more = {"example": meant.example}
            problem = problem._replace(detail=f"{detail} {meant.advice}", more=more)
        return problem.response()


def _address(request: Request) -> Address:
    """Return how a client reaches this server, for the commands that it is shown."""
    return Address(str(request.base_url).rstrip("/"), "authorization" in request.headers)
