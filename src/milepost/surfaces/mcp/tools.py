"""The tools that a model sees, and the text that answers a call of any of them."""

import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, get_args, get_origin

from milepost.access.values import ADMIN
from milepost.app import Milepost, Operations
from milepost.errors import ConfigError, InvalidInput, MilepostError, NotFound
from milepost.memory import validation
from milepost.memory.values import ASSISTANT
from milepost.programs.values import CodeResult
from milepost.registry import (
    Operation,
    Parameter,
    by_category,
    find,
    fitting,
    unknown_parameter,
)
from milepost.render import to_text
from milepost.request import request_id
from milepost.surfaces.bridge import HERE, Caller
from milepost.surfaces.mcp import node_tools, resources
from milepost.surfaces.mcp.node_tools import NODE_TOOLS
from milepost.text.fence import cleaned, fenced
from milepost.upkeep.model_text import keeping, model_text, note_model_text

if TYPE_CHECKING:
    from milepost.surfaces.bridge import Bridge

# What the short listing shows of an operation; the rest is accepted, and find_tools tells of it.
SHORT = {
    "search": ("query", "limit", "tags", "project", "budget"),
    "store": ("content", "tags", "kind", "project", "supersedes"),
    "execute_code": ("code", "session", "budget"),
}
# Said in fewer words there, and without what follows a semicolon.
BRIEFLY = {"limit": "", "budget": "most tokens to return."}
# No answer is longer unless asked for: clients warn of more, or cut it off.
RESULT_TOKENS = 10_000
# All matches of a question may be the whole memory.
STREAM_TOKENS = 2_000
FAILURE_CHARS = 4_000
# How many of the newest memories are looked at for completions.
OFFERED = 100
BUDGET = {"type": "integer", "description": "ceiling in tokens for the text of the result."}

log = logging.getLogger(__name__)


class Tool(NamedTuple):
    """A tool as it is listed."""

    name: str
    description: str
    schema: dict[str, Any]
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    # Whether a client that hides tools behind a search shall show it all the same.
    always: bool = False


class ToolAnswer(NamedTuple):
    """What a model reads, and whether it is about a failure."""

    text: str
    failed: bool = False
    structured: dict[str, Any] | None = None


FIND_TOOLS, CALL_TOOL = "find_tools", "call_tool"
# What is needed most beside the listed tools, and found by no search.
NEXT = {
    "get": "get(hash) for a whole memory",
    "list_memories": "list_memories() for the newest",
    "tags": "tags()",
}


def chosen(operations: Mapping[str, Operation], setting: str) -> list[Tool]:
    """Return the tools to list: few, full, nodes, or those whose names stand in the setting."""
    own = {tool.name: tool for tool in (_find_tools(operations), _call_tool(operations))}
    named = own | {name: _node_tool(name) for name in NODE_TOOLS}
    tools: dict[str, Tool] = {}
    for name in filter(None, map(str.strip, (setting or "few").split(","))):
        if name == "few":
            short = [_short(operations[known]) for known in SHORT if known in operations]
            offered = [*short, *own.values()]
        elif name == "full":
            offered = [_whole(operation) for operation in operations.values()]
        elif name == "nodes":
            offered = [named[known] for known in NODE_TOOLS]
        else:
            offered = [named.get(name) or _whole(_named(operations, name))]
        tools |= {tool.name: tool for tool in offered if tool.name not in tools}
    return list(tools.values())


def that_work(operations: Mapping[str, Operation], *, here: bool) -> Mapping[str, Operation]:
    """Return the operations without programs, if those would run here and cannot."""
    from milepost.sandbox import why_not

    if not here or not why_not():
        return operations
    return {name: known for name, known in operations.items() if known.spec.category != "code"}


def _find_tools(operations: Mapping[str, Operation]) -> Tool:
    need = {"type": "string", "description": "such as delete a memory."}
    by = by_category(operations).items()
    # What only administrators may call is listed for who asks for it.
    told = [name for name, those in by if any(each.spec.scope != ADMIN for each in those)]
    return Tool(
        FIND_TOOLS,
        f"Find more: {', '.join(told)}.",
        {"type": "object", "properties": {"need": need}, "required": ["need"]},
        read_only=True,
        idempotent=True,
        always=True,
    )


def _call_tool(operations: Mapping[str, Operation]) -> Tool:
    such = ", ".join(words for name, words in NEXT.items() if name in operations)
    shown = {"name": {"type": "string"}, "args": {"type": "object"}}
    schema = {"type": "object", "properties": shown, "required": ["name"]}
    description = f"Call any tool by name: {such}."
    return Tool(CALL_TOOL, description, schema, destructive=True, always=True)


def _node_tool(name: str) -> Tool:
    tool = NODE_TOOLS[name]
    return Tool(name, tool.description, tool.schema, tool.read_only, tool.destructive)


def _named(operations: Mapping[str, Operation], name: str) -> Operation:
    try:
        return find(operations, name)
    except NotFound as problem:
        raise ConfigError(f"tools names what is no tool: {problem}") from problem


def _short(operation: Operation) -> Tool:
    shown = [p for p in operation.parameters if p.name in SHORT[operation.name]]
    schema = {
        "type": "object",
        "properties": {p.name: _terse(p) for p in shown},
        "required": [p.name for p in shown if p.required],
    }
    return _whole(operation)._replace(schema=schema, always=True)


def _terse(parameter: Parameter) -> dict[str, Any]:
    """Return the schema of a parameter with one type; bind takes the others as well."""
    options = get_args(parameter.type) or (parameter.type,)
    plainest = next((kind for kind in options if get_origin(kind) is list), options[0])
    schema = parameter._replace(type=plainest).schema()
    schema["description"] = BRIEFLY.get(parameter.name, parameter.description.partition(";")[0])
    return {key: value for key, value in schema.items() if value != ""}


def _whole(operation: Operation) -> Tool:
    schema = operation.schema()
    if _may_be_long(operation):
        schema["properties"]["budget"] = BUDGET
    spec = operation.spec
    return Tool(
        operation.name, operation.summary, schema, spec.read_only, spec.destructive, spec.idempotent
    )


def _may_be_long(operation: Operation) -> bool:
    """Whether a budget helps although the operation does not know budgets."""
    many = operation.streams or get_origin(operation.returns) is list
    return many and not operation.takes("budget")


class Toolbox:
    """Runs any operation by name, listed or not, and tells in text what came of it."""

    def __init__(self, bridge: "Bridge", setting: str, session: str | None = None) -> None:
        self._bridge = bridge
        self._operations = bridge.operations
        self._session = session
        # What cannot work here is not shown; who calls it all the same is told why.
        self._shown = that_work(bridge.operations, here=isinstance(bridge.memory, Milepost))
        self.listed = chosen(self._shown, setting)

    async def call(
        self, name: str, arguments: Mapping[str, Any], caller: Caller = HERE
    ) -> ToolAnswer:
        """Answer a call; a failure is an answer that a model can act on."""
        try:
            return await self._answer(name, arguments, caller)
        except MilepostError as problem:
            answer = _failure(f"{problem.code}: {problem}")
        except Exception as problem:
            log.exception("%s failed", name, extra={"surface": "mcp"})
            kind, request = type(problem).__name__, request_id()
            answer = _failure(
                f"{name} failed within Milepost ({kind}: {problem}); see health, and the log of "
                f"request {request}."
            )
        with suppress(MilepostError):
            self._note(self._bridge.memory_for(caller), name, answer.text)
        return answer

    async def attached(self, name: str, arguments: Mapping[str, Any], caller: Caller) -> str:
        """Run an operation and return fenced text, which clients put among their user's words."""
        operation = find(self._operations, name)
        answer = await self._bridge.run(self._run, operation, dict(arguments), caller, fenced)
        return answer.text

    async def _answer(self, name: str, arguments: Mapping[str, Any], caller: Caller) -> ToolAnswer:
        """Run an operation for who asks."""
        values = {key: value for key, value in arguments.items() if value is not None}
        if name == FIND_TOOLS:
            return ToolAnswer(await self._bridge.run(self._find, values, caller))
        if name == CALL_TOOL:
            return await self._answer(*_unwrapped(values), caller)
        if name in NODE_TOOLS:
            return await self._bridge.run(self._run_node_tool, name, values, caller)
        operation = find(self._operations, name)
        try:
            return await self._bridge.serve(operation, self._run, operation, values, caller)
        except InvalidInput as problem:
            raise InvalidInput(f"{problem}\nUsage: {operation.signature}") from problem

    def _run(
        self,
        operation: Operation,
        arguments: dict[str, Any],
        caller: Caller,
        frame: Callable[[str], str] = str,
    ) -> ToolAnswer:
        began = time.perf_counter()
        # What a model has stored are its words, whoever runs it.
        memory, budget = self._bridge.memory_for(caller.by(ASSISTANT)), None
        if operation.takes("budget"):
            arguments = _usual_budget(operation) | arguments
        else:
            usual = STREAM_TOKENS if operation.streams else RESULT_TOKENS
            budget = _budget(arguments.pop("budget", None), usual)
        result = operation.answer(memory, arguments)
        if isinstance(result, Iterator):
            streamed: list[object] = []
            text = frame(to_text(keeping(result, streamed), budget))
            result = streamed
        else:
            text = frame(to_text(result, budget))
        self._note(memory, operation.name, text, result, time.perf_counter() - began)
        return ToolAnswer(text, failed=isinstance(result, CodeResult) and not result.ready)

    def _run_node_tool(self, name: str, arguments: dict[str, Any], caller: Caller) -> ToolAnswer:
        began, memory = time.perf_counter(), self._bridge.memory_for(caller)
        answer = node_tools.answer(memory, name, arguments)
        self._note(memory, name, answer.text, None, time.perf_counter() - began)
        return ToolAnswer(answer.text, answer.failed, answer.structured)

    def _note(
        self,
        memory: Operations,
        name: str,
        text: str,
        result: object = None,
        seconds: float | None = None,
    ) -> None:
        """Note in the ledger what a model is told."""
        ms = None if seconds is None else round(seconds * 1e3, 1)
        note_model_text(memory, model_text(time.time(), name, text, result, self._session, ms))

    async def newest(self, gap: str, caller: Caller) -> list[str]:
        """Return what the newest memories offer to fill the gap of an address."""
        return await self._bridge.run(self._newest, gap, caller)

    def _newest(self, gap: str, caller: Caller) -> list[str]:
        result = self._bridge.memory_for(caller).recall(resources.EVER, limit=OFFERED)
        return resources.named(result, gap)

    def _find(self, arguments: dict[str, Any], caller: Caller) -> str:
        for name in arguments:
            if name not in ("need", "budget"):
                raise unknown_parameter(FIND_TOOLS, name, ["need", "budget"])
        tools = self._found(str(arguments.get("need", "")), caller)
        text = to_text(tools, _budget(arguments.get("budget"), RESULT_TOKENS))
        self._note(self._bridge.memory_for(caller), FIND_TOOLS, text)
        return text

    def _found(self, need: str, caller: Caller) -> str:
        if need.strip().lower() in ("", "all", "*"):
            return "\n".join(_overview(self._shown))
        manuals = [node_tools.manual(name) for name in NODE_TOOLS if name in need]
        manuals += [_manual(operation) for operation in fitting(self._shown, need)]
        memory = self._bridge.memory_for(caller)
        # Only the store itself tells them apart from other memories.
        if isinstance(memory, Milepost) and (skills := memory.find_skills(need)):
            manuals.append("\n".join(["In execute_code:", *map(str, skills)]))
        return "\n\n".join(manuals) or "\n".join(_overview(self._shown))


def _usual_budget(operation: Operation) -> dict[str, int]:
    """Return the budget that a call without one gets, unless the operation has one of its own."""
    own = any(p.name == "budget" and p.default is not None for p in operation.parameters)
    return {} if own else {"budget": RESULT_TOKENS}


def _failure(text: str) -> ToolAnswer:
    """Return an answer that can be sent whatever it quotes: half a character, half a book."""
    return ToolAnswer(cleaned(text[:FAILURE_CHARS]), failed=True)


def _budget(value: object, usual: int) -> int:
    if isinstance(value, str) and value.isdecimal():
        value = int(value)
    return validation.budget(value) or usual


# Where call_tool has the arguments of the tool that it calls.
_INNER = ("args", "arguments")


def _unwrapped(arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the tool and the arguments that call_tool was given, in whatever shape."""
    name = arguments.pop("name", None)
    others = [key for key in arguments if key not in _INNER]
    if name is None and others:
        raise unknown_parameter(CALL_TOOL, others[0], ["name", "args"])
    if not isinstance(name, str):
        raise InvalidInput("call_tool needs name: the name of a tool; find_tools finds it.")
    inner: dict[str, Any] = {}
    for key in _INNER:
        inner |= _object(arguments.pop(key, {}))
    return name, arguments | inner


def _object(value: object) -> dict[str, Any]:
    if isinstance(value, str):
        try:
            value = json.loads(value or "{}")
        except ValueError as problem:
            raise InvalidInput(f"args is not JSON: {problem}.") from problem
    if not isinstance(value, dict):
        raise InvalidInput('args must be an object with the parameters, as {"limit": 3}.')
    return value


def _overview(operations: Mapping[str, Operation]) -> Iterator[str]:
    for category, members in by_category(operations).items():
        yield f"{category}:"
        yield from (f"  {o.name}: {o.summary}" for o in members)
    yield f"as of the MCP reference memory server: {', '.join(NODE_TOOLS)}"


def _manual(operation: Operation) -> str:
    lines = [operation.signature, operation.summary]
    lines += [f"  {p.name} ({p.shown_type}): {p.description}" for p in operation.parameters]
    if _may_be_long(operation):
        lines.append(f"  budget (int): {BUDGET['description']}")
    return "\n".join([*lines, f"Example: {operation.spec.example}"])
