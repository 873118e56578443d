"""The MCP server, asked by the SDK's client and line by line, over real pipes and real HTTP."""

from __future__ import annotations

import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import anyio
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp_types import version

from milepost.app import Milepost, open_memory
from milepost.errors import ConfigError
from milepost.opening import settings_for
from milepost.registry import operations_of
from milepost.surfaces import mcp as surface
from milepost.surfaces.bridge import Bridge
from milepost.surfaces.http import running
from milepost.surfaces.mcp import doorkeeper
from milepost.surfaces.mcp.doorkeeper import END, Doorkeeper
from milepost.surfaces.mcp.lists import instructions, lists
from milepost.surfaces.mcp.tools import chosen
from milepost.surfaces.mcp.wire import Wire
from milepost.text.tokens import estimate
from support import PATIENCE_S, on_this_machine

OPERATIONS = operations_of(Milepost)
COMMAND = [sys.executable, "-m", "milepost", "mcp"]
HANDSHAKES = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS = "2026-07-28"
ENVELOPE = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": STATELESS,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
}
LISTS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")
FEW = ["search", "store", "execute_code", "find_tools", "call_tool"]
LISTING_TOKENS_MAX = 700
# What the protocol says of a tool that does not say it itself.
ASSUMED = {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False}
NOTES = (
    ("We chose PostgreSQL over MySQL because of JSONB", ["db", "decision"]),
    ("The deploy key rotates on Mondays", ["ops"]),
    ("Deploys to production wait for the smoke test", ["ops", "scratch"]),
)


class Said(NamedTuple):
    """What a tool answered."""

    text: str
    failed: bool


class Peer:
    """A client that writes lines to a server's standard input and reads the lines it answers."""

    def __init__(self, url: Path | str, *, script: str = "", **settings: str) -> None:
        command = [sys.executable, "-W", "error", "-c", script] if script else COMMAND
        variables = {f"MILEPOST_{name.upper()}": value for name, value in settings.items()}
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ | {"MILEPOST_URL": str(url)} | variables,
        )
        assert self.process.stdin is not None
        self.stdin = self.process.stdin
        self._answers: queue.Queue[bytes] = queue.Queue()
        self._last = 0
        self._reader = threading.Thread(target=self._pump, daemon=True)
        self._reader.start()

    def _pump(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                self._answers.put(line)
        self._answers.put(b"")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join()
        with suppress(BrokenPipeError):
            self.stdin.close()
        assert self.process.stderr is not None
        self.process.stderr.close()

    def write(self, data: bytes) -> None:
        self.stdin.write(data)
        self.stdin.flush()

    def read(self) -> dict[str, Any]:
        line = self._answers.get(timeout=PATIENCE_S)
        assert line, "the server hung up"
        message: dict[str, Any] = json.loads(line)
        return message

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._last += 1
        asked = {"jsonrpc": "2.0", "id": self._last, "method": method, "params": params}
        self.write(json.dumps(asked).encode() + b"\n")
        answer = self.read()
        assert answer["id"] == self._last
        return answer

    def greet(self, version: str = "2025-06-18") -> dict[str, Any]:
        hello = self.ask("initialize", **greeting(version))
        self.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        result: dict[str, Any] = hello["result"]
        return result

    def call(self, tool: str, **arguments: Any) -> Said:
        result = self.ask("tools/call", name=tool, arguments=arguments)["result"]
        assert "structuredContent" not in result
        (part,) = result["content"]
        return Said(part["text"], result["isError"])

    def tools(self) -> dict[str, dict[str, Any]]:
        return {tool["name"]: tool for tool in self.ask("tools/list")["result"]["tools"]}

    def end(self) -> int:
        """Close the server's input, and return its exit code."""
        self.stdin.close()
        return self.process.wait(PATIENCE_S)

    def lines_until_the_end(self) -> list[dict[str, Any]]:
        lines = iter(lambda: self._answers.get(timeout=PATIENCE_S), b"")
        return [json.loads(line) for line in lines]

    def errors(self) -> str:
        assert self.process.stderr is not None
        return self.process.stderr.read().decode()


def greeting(version: str) -> dict[str, Any]:
    about = {"name": "a test", "version": "1"}
    return {"protocolVersion": version, "capabilities": {}, "clientInfo": about}


@contextmanager
def peer_of(url: Path | str, **settings: str) -> Iterator[Peer]:
    peer = Peer(url, **settings)
    try:
        yield peer
    finally:
        peer.kill()


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a few memories."""
    path = tmp_path_factory.mktemp("mcp") / "m.db"
    with open_memory(settings_for(path)) as memory:
        memory.store_batch([{"content": text, "tags": tags} for text, tags in NOTES])
        memory.search("build the index")
    return path


@pytest.fixture(scope="module")
def peer(filled: Path) -> Iterator[Peer]:
    """A server with the default tools, already greeted."""
    with peer_of(filled) as started:
        started.greet()
        yield started


@pytest.fixture(scope="module")
def server(filled: Path) -> Iterator[str]:
    """The address of MCP over HTTP."""
    settings = settings_for(filled)._replace(port=0)
    with open_memory(settings) as memory, running(memory, settings) as url:
        yield f"{url}/mcp"


def hash_of(peer: Peer, query: str) -> str:
    return peer.call("search", query=query, limit=1).text.split()[0]


# Revisions of the protocol


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_official_client_works_with_either_handshake(
    filled: Path, server: str, transport: str, mode: Any
) -> None:
    command = StdioServerParameters(
        command=COMMAND[0], args=COMMAND[1:], env={"MILEPOST_URL": str(filled)}
    )

    async def use() -> tuple[str, list[str], str]:
        async with Client(command if transport == "stdio" else server, mode=mode) as client:
            tools = await client.list_tools()
            found = await client.call_tool("search", {"query": "which database?", "limit": 1})
            (part,) = found.content
            assert part.type == "text"
            return client.protocol_version, [tool.name for tool in tools.tools], part.text

    revision, names, text = anyio.run(use)

    assert revision == (HANDSHAKES[-1] if mode == "legacy" else STATELESS)
    assert names == FEW
    assert "PostgreSQL" in text


@pytest.mark.parametrize("revision", HANDSHAKES)
def test_every_older_revision_is_answered_in_its_own_terms(server: str, revision: str) -> None:
    hello = post(server, "initialize", greeting(revision))
    tools = post(server, "tools/list", {}, {"mcp-protocol-version": revision})

    assert hello["result"]["protocolVersion"] == revision
    assert hello["result"]["serverInfo"]["name"] == "milepost"
    assert [tool["name"] for tool in tools["result"]["tools"]] == FEW


def test_the_oldest_revision_is_answered_over_pipes(filled: Path) -> None:
    with peer_of(filled) as old:
        assert old.greet("2024-11-05")["protocolVersion"] == "2024-11-05"
        assert "healthy" in old.call("health").text


def test_an_unknown_revision_is_offered_the_latest_handshake(server: str) -> None:
    hello = post(server, "initialize", greeting("1999-01-01"))

    assert hello["result"]["protocolVersion"] == HANDSHAKES[-1]


def test_the_current_revision_is_answered_without_a_handshake(filled: Path) -> None:
    with peer_of(filled) as new:
        found = new.ask("server/discover", **ENVELOPE)["result"]
        health = new.ask("tools/call", name="health", arguments={}, **ENVELOPE)["result"]

    assert STATELESS in found["supportedVersions"]
    assert "Search it before" in found["instructions"]
    assert "healthy" in health["content"][0]["text"]


class Door:
    """A doorkeeper in front of no server."""

    def __init__(self) -> None:
        (source, self._asking), (self._answering, sink) = os.pipe(), os.pipe()
        listed = chosen(OPERATIONS, "")
        wire = Wire(source, sink, threading.Lock())
        self.keeper = Doorkeeper(wire, instructions(listed), lists(listed))
        self._wire = wire

    def tell(self, method: str, params: dict[str, Any]) -> None:
        asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        os.write(self._asking, json.dumps(asked).encode() + b"\n")

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self.tell(method, params)
        answer: dict[str, Any] = json.loads(os.read(self._answering, 1 << 16))
        return answer

    def left(self) -> list[str]:
        """Hang up, and return the methods that are left for the server."""
        os.close(self._asking)
        lines = list(iter(self.keeper.lines.get, END))
        for descriptor in (self._answering, self._wire.sink, self._wire.source):
            os.close(descriptor)
        return [json.loads(line)["method"] for line in lines if line]


@pytest.mark.parametrize("revision", [*HANDSHAKES, "1999-01-01"])
def test_what_is_answered_before_the_sdk_is_there_is_what_it_would_answer(
    server: str, revision: str
) -> None:
    door, hello = Door(), greeting(revision)

    assert door.ask("initialize", hello) == post(server, "initialize", hello)
    for method in LISTS:
        assert door.ask(method, {}) == post(server, method, {})
    # The server must know its client, but not answer again.
    assert door.left() == ["initialize"]
    assert door.keeper.greeted == 1


def test_the_revisions_are_those_of_the_sdk() -> None:
    assert HANDSHAKES == doorkeeper.HANDSHAKES == version.HANDSHAKE_PROTOCOL_VERSIONS
    assert (STATELESS,) == doorkeeper.STATELESS == version.MODERN_PROTOCOL_VERSIONS


def test_what_is_answered_before_the_sdk_is_there_also_stands_alone(server: str) -> None:
    door = Door()

    for method in ("server/discover", *LISTS):
        headers = {"mcp-protocol-version": STATELESS, "mcp-method": method}
        assert door.ask(method, ENVELOPE) == post(server, method, ENVELOPE, headers)
    assert door.left() == []


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/list", {}),
        ("ping", {}),
        ("initialize", {}),
        ("initialize", {"protocolVersion": 1, "capabilities": {}, "clientInfo": {}}),
        ("server/discover", {"_meta": {"io.modelcontextprotocol/protocolVersion": STATELESS}}),
    ],
)
def test_whoever_begins_in_another_way_waits_for_the_server(
    method: str, params: dict[str, Any]
) -> None:
    door = Door()

    door.tell(method, params)
    door.tell("initialize", greeting("2025-06-18"))

    assert door.left() == [method, "initialize"]


def test_a_call_waits_for_the_server_and_a_list_does_not() -> None:
    door = Door()

    door.ask("initialize", greeting("2025-06-18"))
    door.tell("tools/call", {"name": "health"})
    door.ask("tools/list", {})

    assert door.left() == ["initialize", "tools/call"]


def test_whoever_begins_in_another_way_is_answered_by_the_server(filled: Path) -> None:
    with peer_of(filled) as odd:
        assert odd.ask("tools/list")["error"]["code"] == -32602
        assert odd.greet()["serverInfo"]["name"] == "milepost"
        assert list(odd.tools()) == FEW


# What is listed


def test_the_listing_with_the_instructions_costs_few_tokens(peer: Peer) -> None:
    tools = list(peer.tools().values())
    instructions = peer.greet()["instructions"]

    everything = json.dumps(tools, separators=(",", ":"), ensure_ascii=False) + instructions

    # The estimate counts 17 % too many for this JSON; `bench/startup.py` counts exactly.
    assert estimate(everything) <= 1.17 * LISTING_TOKENS_MAX


def test_the_few_tools_are_always_loaded_and_say_what_they_do(peer: Peer) -> None:
    tools = peer.tools()

    assert list(tools) == FEW
    for tool in tools.values():
        assert tool["_meta"] == {"anthropic/alwaysLoad": True}
        assert tool["description"]
        assert tool["inputSchema"]["type"] == "object"
        # What is not shown is accepted all the same.
        assert "additionalProperties" not in tool["inputSchema"]


def test_a_model_is_told_how_to_get_a_memory_whole_the_newest_and_the_tags(peer: Peer) -> None:
    described = peer.tools()["call_tool"]["description"]

    named = re.findall(r"(\w+)\(", described)
    assert named == [name for name in ("get", "list_memories", "tags") if name in OPERATIONS]
    whole = peer.call("call_tool", name="get", args={"hash": hash_of(peer, "which database?")})
    assert "because of JSONB" in whole.text


def test_a_parameter_that_is_not_shown_is_accepted(peer: Peer) -> None:
    shown = peer.tools()["search"]["inputSchema"]["properties"]

    assert "match" not in shown
    found = peer.call("search", query="deploy", tags=["ops", "scratch"], match="all")
    assert "smoke test" in found.text
    assert "Mondays" not in found.text


def test_annotations_come_from_the_operation(filled: Path) -> None:
    with peer_of(filled, tools="full") as full:
        full.greet()
        tools = full.tools()

    assert set(tools) == set(OPERATIONS)
    for name, tool in tools.items():
        spec = OPERATIONS[name].spec
        told = ASSUMED | tool["annotations"]
        assert told["readOnlyHint"] == spec.read_only
        assert told["openWorldHint"] is False
        if not spec.read_only:  # for others the rest means nothing
            assert told["destructiveHint"] == spec.destructive
            assert told["idempotentHint"] == spec.idempotent
        assert tool["description"] == OPERATIONS[name].summary
        assert tool["inputSchema"]["required"] == [
            p.name for p in OPERATIONS[name].parameters if p.required
        ]
    assert "budget" in tools["search_iter"]["inputSchema"]["properties"]
    assert "find_tools shows" not in tools


def test_chosen_tools_are_listed_under_their_own_names(filled: Path) -> None:
    with peer_of(filled, tools="get, health_check,find_tools") as chosen:
        hello = chosen.greet()

        assert list(chosen.tools()) == ["get", "health", "find_tools"]
        assert "call_tool" not in hello["instructions"]
        assert not chosen.call("search", query="deploy").failed


@pytest.mark.parametrize("make", [surface.serve_stdio, surface.http_app])
def test_a_tool_that_does_not_exist_cannot_be_chosen(
    make: Callable[..., object], filled: Path
) -> None:
    settings = settings_for(filled)._replace(tools="search,serch_by_tag")

    with open_memory(settings) as memory, pytest.raises(ConfigError, match="search_by_tag"):
        make(memory if make is surface.serve_stdio else Bridge(memory), settings)


@pytest.mark.parametrize("make", [surface.serve_stdio, surface.http_app])
def test_without_the_sdk_the_error_says_what_to_install(
    make: Callable[..., object], filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(surface, "find_spec", lambda name: None)

    with pytest.raises(ConfigError, match=r'pip install "milepost\[server\]"'):
        make(None, settings_for(filled))


# Calls


@pytest.mark.parametrize(
    ("alias", "arguments", "expected"),
    [
        ("query_memory", {"query": "which database?", "k": 1}, "PostgreSQL"),
        ("retrieve_memory", {"query": "which database?", "n_results": 1}, "PostgreSQL"),
        ("health_check", {}, "healthy"),
        ("get_by_hash", {"hash": ""}, "PostgreSQL"),
    ],
)
def test_names_that_clients_know_answer_without_being_listed(
    peer: Peer, alias: str, arguments: dict[str, Any], expected: str
) -> None:
    if "hash" in arguments:
        arguments = {"hash": hash_of(peer, "which database?")}

    said = peer.call(alias, **arguments)

    assert not said.failed
    assert expected in said.text
    assert alias not in peer.tools()


def test_what_is_stored_is_found_read_and_deleted(peer: Peer) -> None:
    stored = peer.call("store_memory", content="The kettle whistles in G", tags="kitchen")
    found = peer.call("search", query="kettle", tags=["kitchen"])
    whole = peer.call("get", hash=stored.text)
    deleted = peer.call("call_tool", name="delete", args={"hash": stored.text})

    assert found.text.startswith(f"{stored.text} [kitchen]")
    assert "The kettle whistles in G" in whole.text
    assert deleted.text.startswith(f"deleted 1: {stored.text}; undo takes it back until 20")
    assert peer.call("get", hash=stored.text).failed


def test_a_tool_by_a_part_of_its_name_is_told_the_whole(peer: Peer) -> None:
    for name, meant in (("list", "list_memories"), ("memories", "list_memories")):
        said = peer.call("call_tool", name=name)
        assert said.failed
        assert meant in said.text


def test_find_tools_tells_all_about_the_few_that_fit(peer: Peer) -> None:
    said = peer.call("find_tools", need="remove all memories with a tag")

    signature, summary, *notes = said.text.splitlines()
    assert signature == OPERATIONS["delete_by_tag"].signature
    assert summary == OPERATIONS["delete_by_tag"].summary
    assert "  dry_run (bool): only say what would be deleted." in notes
    assert estimate(said.text) < 600


def test_find_tools_shows_the_skills_that_fit(peer: Peer) -> None:
    code = "def overdue(): return search_by_tag('invoice')"
    kept = peer.call("call_tool", name="save_skill", args=skill(code))
    assert not kept.failed, kept.text

    said = peer.call("find_tools", need="list overdue invoices")
    assert "In execute_code:" in said.text
    assert "skills.overdue()" in said.text
    ran = peer.call("execute_code", code="skills.overdue().total")
    assert ran.text.startswith("0\n[1 calls")


@pytest.mark.parametrize(
    "code", ["raise ValueError('no harbour')", "def (", "while True: sum(range(1000))", "import os"]
)
def test_a_program_that_fails_is_a_failed_call(peer: Peer, code: str) -> None:
    said = peer.call("execute_code", code=code, timeout_s=1)

    assert said.failed
    assert "0 calls" in said.text
    assert not peer.call("execute_code", code="1 + 1").failed


def skill(code: str) -> dict[str, str]:
    return {"name": "overdue", "code": code, "description": "list overdue invoices"}


def test_find_tools_without_a_need_names_everything(peer: Peer) -> None:
    said = peer.call("find_tools", need="")

    for name, operation in OPERATIONS.items():
        assert f"  {name}: {operation.summary}" in said.text.splitlines()


@pytest.mark.parametrize(
    "shape",
    [
        {"args": {"query": "which database?", "limit": 1}},
        {"arguments": {"query": "which database?", "limit": 1}},
        {"args": '{"query": "which database?", "limit": 1}'},
        {"args": {"query": "which database?"}, "limit": 1},
        {"query": "which database?", "limit": 1},
    ],
)
def test_call_tool_takes_the_arguments_in_any_shape(peer: Peer, shape: dict[str, Any]) -> None:
    said = peer.call("call_tool", name="search", **shape)

    assert said == peer.call("search", query="which database?", limit=1)


def test_null_means_that_nothing_was_given(peer: Peer) -> None:
    said = peer.call("search", query="which database?", limit=None, tags=None, kind=None)

    assert "PostgreSQL" in said.text


def test_calls_at_once_are_all_answered(server: str) -> None:
    async def use() -> list[str]:
        texts: list[str] = []

        async def ask(client: Client, number: int) -> None:
            said = await client.call_tool("store", {"content": f"Fact number {number}"})
            texts.append(said.content[0].text)  # type: ignore[union-attr]

        async with Client(server) as client, anyio.create_task_group() as tasks:
            for number in range(40):
                tasks.start_soon(ask, client, number)
        return texts

    assert len(set(anyio.run(use))) == 40


# Budgets


def test_a_budget_is_kept_by_what_knows_budgets_and_by_what_does_not(filled: Path) -> None:
    with peer_of("memory://") as long:
        long.greet()
        items = [f"The harbour of village {i} opens at six in the morning." for i in range(300)]
        hashes = long.call("store_batch", items=items)
        whole = long.call("store", content="A long tale of ships. " * 4_000).text

        said = {
            "search": long.call("search", query="harbour", limit=50, budget=200),
            "search_iter": long.call("search_iter", query="harbour", budget=200),
            "get": long.call("get", hash=whole, budget=200),
            "store_batch": long.call("store_batch", items=items, budget=200),
            "find_tools": long.call("find_tools", need="", budget="200"),
            "call_tool": long.call("call_tool", name="get", args={"hash": whole}, budget=200),
        }
        unasked = {
            "search_iter": long.call("search_iter", query="harbour"),
            "get": long.call("get", hash=whole),
        }

    assert len(hashes.text.splitlines()) == 300
    for name, answer in said.items():
        assert not answer.failed, name
        assert 20 < estimate(answer.text) <= 200, name
        assert "not shown" in answer.text or "(cut to the budget)" in answer.text, name
    # Nothing floods a context that did not ask for it.
    assert estimate(unasked["search_iter"].text) <= 2_000
    assert unasked["search_iter"].text.endswith("(more not shown)")
    assert estimate(unasked["get"].text) <= 10_000


def test_a_budget_that_is_none_is_refused(peer: Peer) -> None:
    assert peer.call("health", budget="plenty").failed
    assert peer.call("health", budget=1).failed
    assert not peer.call("health", budget=None).failed


# Errors


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("serch", {"query": "x"}, ["not_found", "'serch'", "search"]),
        ("call_tool", {"name": "serch"}, ["not_found", "search"]),
        ("call_tool", {}, ["call_tool needs name"]),
        ("call_tool", {"nmae": "get"}, ["no parameter 'nmae'", "did you mean name?"]),
        ("find_tools", {"needs": "x"}, ["no parameter 'needs'", "did you mean need?"]),
        ("find_tools", {"need": "x", "colour": 1}, ["no parameter 'colour'", "need, budget"]),
        ("search", {"query": "x", "limt": 3}, ["no parameter 'limt'", "did you mean limit?"]),
        ("store", {"contents": "x"}, ["no parameter 'contents'", "did you mean content?"]),
        ("execute_code", {"cod": "1"}, ["no parameter 'cod'", "did you mean code?"]),
        ("call_tool", {"name": "get", "args": {"hsh": "1"}}, ["did you mean hash?"]),
        ("call_tool", {"name": "get", "args": "{"}, ["args is not JSON"]),
        ("call_tool", {"name": "get", "args": [1]}, ["args must be an object"]),
        ("search", {}, ["search needs query", "Usage: search(query, limit=5"]),
        ("search", {"query": 5}, ["invalid_input", "query", "Usage: search"]),
        ("search", {"query": "x", "limit": "five"}, ["limit", "Usage: search"]),
        ("search", {"query": "x", "colour": 1}, ["no parameter 'colour'", "min_score"]),
        ("search", {"query": "x", "tags": {"a": 1}}, ["tags must be"]),
        ("get", {"hash": "0000"}, ["not_found", "0000"]),
        ("call_tool", {"name": "get", "args": '{"hash": "\\ud800"}'}, ["Usage: get"]),
        ("x" * 1_000_000, {}, ["not_found", "xxx"]),
    ],
)
def test_a_wrong_call_is_answered_with_what_would_be_right(
    peer: Peer, tool: str, arguments: dict[str, Any], expected: list[str]
) -> None:
    said = peer.call(tool, **arguments)

    assert said.failed
    assert len(said.text) <= 4_000
    for part in expected:
        assert part in said.text


@pytest.mark.parametrize("arguments", ['{"query": "which database?"}', [1, 2], 5, "nonsense"])
def test_arguments_that_are_no_object_still_come_to_the_tool(peer: Peer, arguments: Any) -> None:
    result = peer.ask("tools/call", name="search", arguments=arguments)["result"]

    readable = isinstance(arguments, str) and arguments.startswith("{")
    assert result["isError"] is not readable
    assert ("PostgreSQL" if readable else "it takes query") in result["content"][0]["text"]


BROKEN = """
import os
from milepost.app import Milepost
from milepost.opening import Opening
from milepost.config import load_settings
from milepost.surfaces.mcp import serve_stdio

class Broken(Milepost):
    def get(self, hash, budget=None):
        raise ZeroDivisionError("the moon is full")

    def health(self):
        print("noise from a library", flush=True)
        os.write(1, b"noise from below")
        os.system("echo noise from a child; cat")
        return super().health()

settings = load_settings()
with Broken(Opening(lambda: settings)) as memory:
    serve_stdio(memory, settings)
"""


def test_an_unexpected_failure_is_an_answer_and_a_log_entry() -> None:
    with peer_of("memory://", script=BROKEN) as broken:
        broken.greet()
        said = broken.call("get", hash="1234")
        still = broken.call("store", content="It goes on")
        broken.end()

        assert said.failed
        assert "ZeroDivisionError: the moon is full" in said.text
        assert not still.failed
        assert "Traceback" in broken.errors()


def test_what_anything_else_prints_does_not_reach_the_protocol() -> None:
    with peer_of("memory://", script=BROKEN) as noisy:
        noisy.greet()
        assert "healthy" in noisy.call("health").text
        noisy.end()

        assert noisy.lines_until_the_end() == []
        logged = noisy.errors()
        for source in ("a library", "below", "a child"):
            assert f"noise from {source}" in logged


# Resources and prompts


def test_memories_can_be_attached_by_their_addresses(peer: Peer) -> None:
    def read(uri: str) -> str:
        (content,) = peer.ask("resources/read", uri=uri)["result"]["contents"]
        assert content["uri"] == uri
        text: str = content["text"]
        return text

    listed = [r["uri"] for r in peer.ask("resources/list")["result"]["resources"]]
    templates = peer.ask("resources/templates/list")["result"]["resourceTemplates"]

    assert listed == ["memory://recent", "memory://health"]
    assert [t["uriTemplate"] for t in templates] == ["memory://tag/{tag}", "memory://{hash}"]
    assert len(read("memory://recent").splitlines()) >= len(NOTES)
    assert "healthy" in read("memory://health")
    assert "smoke test" in read("memory://tag/scratch")
    assert "JSONB" in read(f"memory://{hash_of(peer, 'which database?')}")


def test_an_address_without_a_memory_is_told_in_the_terms_of_the_revision(
    peer: Peer, server: str
) -> None:
    async def modern() -> MCPError:
        async with Client(server) as client:
            with pytest.raises(MCPError) as caught:
                await client.read_resource("memory://00000000")
            return caught.value

    for uri in ("memory://00000000", "memory://", "file:///etc/passwd"):
        error = peer.ask("resources/read", uri=uri)["error"]
        assert (error["code"], error["data"]) == (-32002, {"uri": uri})
    assert anyio.run(modern).error.code == -32602


def test_addresses_are_completed_from_the_newest_memories(peer: Peer) -> None:
    def complete(template: str, gap: str, value: str) -> list[str]:
        ref = {"type": "ref/resource", "uri": template}
        asked = {"ref": ref, "argument": {"name": gap, "value": value}}
        found: list[str] = peer.ask("completion/complete", **asked)["result"]["completion"][
            "values"
        ]
        return found

    known = hash_of(peer, "which database?")

    assert complete("memory://tag/{tag}", "tag", "d") == ["db", "decision"]
    assert known in complete("memory://{hash}", "hash", known[:2])


def test_a_prompt_asks_to_review_the_session(peer: Peer) -> None:
    listed = peer.ask("prompts/list")["result"]["prompts"]
    result = peer.ask("prompts/get", name="review_session", arguments={"focus": "deploys"})[
        "result"
    ]

    assert [prompt["name"] for prompt in listed] == ["review_session", "brief"]
    (message,) = result["messages"]
    assert "supersedes=<hash>" in message["content"]["text"]
    assert "Above all: deploys." in message["content"]["text"]


def test_a_prompt_tells_what_is_known_about_a_topic(peer: Peer) -> None:
    result = peer.ask("prompts/get", name="brief", arguments={"topic": "database"})["result"]
    without = peer.ask("prompts/get", name="brief", arguments={})
    unknown = peer.ask("prompts/get", name="grief")

    assert "PostgreSQL" in result["messages"][0]["content"]["text"]
    assert "needs topic" in without["error"]["message"]
    assert "brief" in unknown["error"]["message"]


# Standard input and the process


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="needs /proc to look into")
def test_nothing_heavy_is_loaded_before_a_call_needs_it(filled: Path) -> None:
    with peer_of(filled) as lazy:
        maps = Path(f"/proc/{lazy.process.pid}/maps")

        def loaded(what: str) -> bool:
            return what in maps.read_text()

        lazy.greet()
        lazy.tools()
        lazy.call("find_tools", need="")
        lazy.ask("prompts/get", name="review_session")
        assert not loaded("numpy")
        assert not loaded(str(filled))

        lazy.call("search", query="which database?")
        assert loaded("numpy")


def test_lines_that_are_no_messages_are_refused_and_the_next_is_answered(peer: Peer) -> None:
    deep = b"[" * 100_000
    for line, code, request_id in [
        (b"nonsense", -32700, None),
        (b"\xff\xfe", -32700, None),
        (deep, -32700, None),
        (b"[]", -32600, None),
        (b'{"jsonrpc": "2.0", "id": 77}', -32600, 77),
        (b'{"jsonrpc": "1.0", "id": "a", "method": "ping"}', -32600, "a"),
        (b'{"jsonrpc": "2.0", "id": 78, "method": "\xff"}', -32600, 78),
    ]:
        peer.write(line + b"\n")
        answer = peer.read()
        assert (answer["error"]["code"], answer["id"]) == (code, request_id), line[:50]
    peer.write(b"\n  \r\n")
    cancelled = (
        b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": %b}}'
    )
    for strange in (b"[]", b"{}", b"null", b"12345"):
        peer.write(cancelled % strange + b"\n")
    assert peer.ask("ping")["result"] == {}


def test_a_line_without_end_is_refused_and_the_next_is_answered(filled: Path) -> None:
    with peer_of(filled) as flooded:
        flooded.greet()
        for _ in range(33):
            flooded.write(b"x" * 2**20)
        flooded.write(b"\n")
        assert "32 MiB" in flooded.read()["error"]["message"]
        assert flooded.ask("ping")["result"] == {}
        # Large but lawful: the memory itself says how much it takes.
        said = flooded.call("store", content="x" * 2_000_000)
        assert "invalid_input" in said.text
        status = Path(f"/proc/{flooded.process.pid}/status")
        if status.exists():
            peak = next(x for x in status.read_text().splitlines() if x.startswith("VmHWM"))
            assert int(peak.split()[1]) < 300_000


def test_what_was_asked_before_the_end_of_input_is_answered(filled: Path) -> None:
    with peer_of(filled) as hasty:
        messages = [
            {"id": 1, "method": "initialize", "params": greeting("2025-06-18")},
            {"method": "notifications/initialized"},
            {"id": 2, "method": "tools/call", "params": {"name": "health", "arguments": {}}},
            {
                "id": 3,
                "method": "tools/call",
                "params": {"name": "search", "arguments": {"query": "which database?"}},
            },
        ]
        lines = [json.dumps({"jsonrpc": "2.0"} | message) for message in messages]
        # Without a line end after the last one.
        hasty.write("\n".join(lines).encode())

        assert hasty.end() == 0
        answers = {answer["id"]: answer["result"] for answer in hasty.lines_until_the_end()}
    assert set(answers) == {1, 2, 3}
    assert "PostgreSQL" in answers[3]["content"][0]["text"]


def test_the_end_of_input_ends_the_process_promptly(filled: Path) -> None:
    with peer_of(filled) as idle:
        idle.greet()
        started = time.monotonic()

        assert idle.end() == 0
        assert time.monotonic() - started < on_this_machine(5)
        assert idle.errors() == ""


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_process_promptly_and_quietly(filled: Path, number: int) -> None:
    with peer_of(filled) as stopped:
        stopped.greet()
        stopped.call("search", query="which database?")
        started = time.monotonic()
        stopped.process.send_signal(number)

        assert stopped.process.wait(PATIENCE_S) == 0
        assert time.monotonic() - started < on_this_machine(5)
        assert "Traceback" not in stopped.errors()


def test_a_client_that_no_longer_reads_does_not_keep_the_process(filled: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    ping = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n'
    environment = os.environ | {"MILEPOST_URL": str(filled)}
    with subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=writing, stderr=subprocess.PIPE, env=environment
    ) as deaf:
        os.close(writing)
        assert deaf.stdin is not None
        deaf.stdin.write(ping)
        deaf.stdin.flush()

        # The input stays open: it is the failed answer that ends it.
        assert deaf.wait(PATIENCE_S) == 0


# HTTP


def post(
    server: str, method: str, params: dict[str, Any], headers: dict[str, str] | None = None
) -> dict[str, Any]:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    status, answer = request(server, "POST", body, headers)
    assert status == 200
    message: dict[str, Any] = json.loads(answer)
    return message


def request(
    server: str, verb: str, body: str = "", headers: dict[str, str] | None = None
) -> tuple[int, bytes]:
    place = urlsplit(server)
    connection = HTTPConnection(place.netloc, timeout=PATIENCE_S)
    usual = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    connection.request(verb, place.path, body or None, usual | (headers or {}))
    response = connection.getresponse()
    answer = response.status, response.read()
    connection.close()
    return answer


@pytest.mark.parametrize("verb", ["GET", "DELETE"])
def test_there_are_no_sessions_to_listen_to_or_to_end(server: str, verb: str) -> None:
    status, _ = request(server, verb)

    assert status == 405


def test_any_request_is_answered_on_its_own(server: str) -> None:
    asked = {"name": "health", "arguments": {}}

    said = post(server, "tools/call", asked, {"mcp-protocol-version": "2025-06-18"})

    assert "healthy" in said["result"]["content"][0]["text"]


def test_a_request_may_name_its_space(server: str) -> None:
    there = {"milepost-space": "elsewhere"}

    post(server, "tools/call", {"name": "store", "arguments": {"content": "Far away"}}, there)
    asked = {"name": "search", "arguments": {"query": "far away"}}
    found = post(server, "tools/call", asked, there)
    here = post(server, "tools/call", asked)

    assert "Far away" in found["result"]["content"][0]["text"]
    assert "Far away" not in here["result"]["content"][0]["text"]


def test_a_body_that_is_no_message_is_refused(server: str) -> None:
    for body in ("nonsense", "[]", '{"id": 1}'):
        status, _ = request(server, "POST", body)
        assert status == 400
