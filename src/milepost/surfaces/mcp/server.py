"""The SDK's low-level server, whose handlers hand everything on to the toolbox."""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import mcp_types as types
from mcp.server.caching import CacheableMethod, CacheHint
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from milepost import __version__
from milepost.access.values import CALLER, OWNER
from milepost.config import Settings
from milepost.errors import InvalidInput, MilepostError, NotFound
from milepost.request import TRACE_HEADER, begin, request_id
from milepost.surfaces.bridge import Bridge, Caller, caller_of
from milepost.surfaces.mcp import prompts, resources
from milepost.surfaces.mcp.doorkeeper import STEADY_MS
from milepost.surfaces.mcp.lists import NAME, PLAIN, TITLE, Result, instructions, lists
from milepost.surfaces.mcp.roots import Roots
from milepost.surfaces.mcp.tools import Toolbox
from milepost.surfaces.patience import patient_for
from milepost.text.fence import cleaned
from milepost.upkeep.values import CLIENT, CLIENT_CHARS

STEADY = CacheHint(ttl_ms=STEADY_MS, scope="public")
STEADY_METHODS: tuple[CacheableMethod, ...] = (
    "server/discover",
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
)
COMPLETIONS_MAX = 20
# Most clients give a call up after a minute.
CLIENT_S = 45.0
# The same header as everywhere over HTTP.
RESOURCE_NOT_FOUND_BEFORE_2026 = -32002

# Where a failure names the request by which logs tell more.
REQUEST_META = "milepost/request"

Context = ServerRequestContext[Any, Any]


def build_server(bridge: Bridge, settings: Settings, session: str | None = None) -> Server[Any]:
    """Return the server for a memory, for one session if it is known; nothing is opened yet."""
    toolbox = Toolbox(bridge, settings.tools, session)
    handlers = Handlers(toolbox)
    server: Server[Any] = Server(
        NAME,
        version=__version__,
        title=TITLE,
        instructions=instructions(toolbox.listed),
        cache_hints=dict.fromkeys(STEADY_METHODS, STEADY),
        # No parameter travels in a header, so there is nothing to compare.
        get_tool_input_schema=lambda _name: None,
        on_call_tool=handlers.call_tool,
        on_read_resource=handlers.read_resource,
        on_get_prompt=handlers.get_prompt,
        on_completion=handlers.complete,
    )
    # Not by its own parameter: later revisions have no roots, and the SDK warns of that.
    server.add_notification_handler(
        "notifications/roots/list_changed", types.NotificationParams, handlers.roots.changed
    )
    for method, result in lists(toolbox.listed).items():
        server.add_request_handler(method, types.PaginatedRequestParams, partial(_same, result))
    server.middleware.append(_take_any_arguments)
    return server


async def _same(result: Result, _context: Context, _params: object) -> Result:
    return result | {"resultType": "complete"}


class Handlers:
    """What the server does with the requests that need the memory."""

    def __init__(self, toolbox: Toolbox) -> None:
        self._toolbox = toolbox
        self.roots = Roots()

    async def _caller(self, context: Context) -> Caller:
        """Return who asks: over HTTP by the headers, else by the folders that the client is in."""
        if context.request:
            return caller_of(context.request.headers)
        begin(trace=_trace_of(context))  # over HTTP the guard did
        CALLER.set(OWNER._replace(surface="mcp"))
        return Caller(place=await self.roots.place(context))

    async def call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        """Answer tools/call with text alone: some clients show structured content instead of it."""
        caller = await self._caller(context)
        CLIENT.set(_name_of(context))
        with patient_for(CLIENT_S, context.session.report_progress):
            answer = await self._toolbox.call(params.name, params.arguments or {}, caller)
        content: list[types.ContentBlock] = [types.TextContent(text=answer.text)]
        result = types.CallToolResult(
            content=content, is_error=answer.failed, structured_content=answer.structured
        )
        # For whoever looks into a failure: no model reads it, and pays for it.
        result.meta = {REQUEST_META: request_id()} if answer.failed else None
        return result

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """Answer resources/read with the text of the operation that the address stands for."""
        uri = str(params.uri)
        asked = resources.resolve(uri)
        try:
            if asked is None:
                raise NotFound(f"There is nothing at {uri}; memories are at {resources.SCHEME}.")
            text = await self._toolbox.attached(*asked, await self._caller(context))
        except MilepostError as problem:
            raise _resource_error(context, uri, problem) from problem
        content = types.TextResourceContents(uri=uri, mime_type=PLAIN, text=text)
        return types.ReadResourceResult(contents=[content])

    async def get_prompt(
        self, context: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        """Answer prompts/get."""
        try:
            prompt, argument = prompts.find_prompt(params.name, params.arguments or {})
            text = await self._worded(prompt, argument, await self._caller(context))
        except MilepostError as problem:
            raise _error(problem) from problem
        message = types.PromptMessage(role="user", content=types.TextContent(text=text))
        return types.GetPromptResult(description=prompt.description, messages=[message])

    async def _worded(self, prompt: prompts.Prompt, argument: str, caller: Caller) -> str:
        if prompt.name == "review_session":
            return prompts.review(argument)
        asked = {"query": argument, "limit": 20, "budget": prompts.BRIEF_TOKENS}
        return prompts.brief(argument, await self._toolbox.attached("search", asked, caller))

    async def complete(
        self, context: Context, params: types.CompleteRequestParams
    ) -> types.CompleteResult:
        """Answer completion/complete with hashes and tags of the newest memories."""
        values: list[str] = []
        if isinstance(params.ref, types.ResourceTemplateReference):
            try:
                caller = await self._caller(context)
                values = await self._toolbox.newest(params.argument.name, caller)
            except MilepostError as problem:
                raise _error(problem) from problem
            values = [value for value in values if value.startswith(params.argument.value)]
        shown = values[:COMPLETIONS_MAX]
        completion = types.Completion(
            values=shown, total=len(values), has_more=len(values) > len(shown)
        )
        return types.CompleteResult(completion=completion)


async def _take_any_arguments(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Let arguments of a wrong type come to the tool, which says what it takes instead."""
    params = ctx.params or {}
    arguments = params.get("arguments")
    if ctx.method != "tools/call" or arguments is None or isinstance(arguments, Mapping):
        return await call_next(ctx)
    try:
        meant = json.loads(arguments) if isinstance(arguments, str) else None
    except ValueError:
        meant = None
    arguments = meant if isinstance(meant, dict) else {"arguments": arguments}
    return await call_next(replace(ctx, params={**params, "arguments": arguments}))


def _resource_error(context: Context, uri: str, problem: MilepostError) -> MCPError:
    if not isinstance(problem, NotFound):
        return _error(problem)
    old = context.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS
    code = RESOURCE_NOT_FOUND_BEFORE_2026 if old else types.INVALID_PARAMS
    return MCPError(code=code, message=cleaned(str(problem)), data={"uri": uri})


def _error(problem: MilepostError) -> MCPError:
    wrong = isinstance(problem, InvalidInput | LookupError)
    code = types.INVALID_PARAMS if wrong else types.INTERNAL_ERROR
    return MCPError(code=code, message=cleaned(str(problem)), data={"code": problem.code})


def _trace_of(context: Context) -> str:
    """Return the span that a client says its request is a part of."""
    told: Mapping[str, Any] = {**(context.meta or {})}
    return str(told.get(TRACE_HEADER, ""))


def _name_of(context: Context) -> str | None:
    """Return what a client calls itself."""
    told = context.session.client_params
    name = "" if told is None else told.client_info.name
    return "".join(filter(str.isprintable, name)).strip()[:CLIENT_CHARS] or None
