"""The nine tools of the MCP reference memory server, beside that server where Node is."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import milepost
from milepost.surfaces.mcp.node_tools import NODE_TOOLS

MODULES = Path(__file__).parent / "node" / "node_modules"
REFERENCE = MODULES / "@modelcontextprotocol" / "server-memory" / "dist" / "index.js"
OWN_NODE = MODULES / "node" / "bin" / "node"
NODE = str(OWN_NODE) if OWN_NODE.exists() else shutil.which("node")


class Server:
    """A server over pipes, spoken to line by line."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._number = 0
        client = {"name": "test", "version": "1"}
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        self.ask("initialize", hello)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def ask(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        assert self._process.stdout is not None
        for line in self._process.stdout:
            said = json.loads(line)
            if said.get("id") == self._number:
                result: dict[str, Any] = said["result"]
                return result
        raise AssertionError("the server ended")

    def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()


@contextmanager
def running(words: list[str], **variables: str) -> Iterator[Server]:
    environment = os.environ | variables
    with subprocess.Popen(
        words,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
    ) as process:
        try:
            yield Server(process)
        finally:
            process.kill()


@contextmanager
def ours(path: Path, *flags: str) -> Iterator[Server]:
    words = [sys.executable, "-m", "milepost", "mcp", "--url", str(path), *flags]
    with running(words) as server:
        yield server


@contextmanager
def reference(file: Path) -> Iterator[Server]:
    assert NODE is not None
    with running([NODE, str(REFERENCE)], MEMORY_FILE_PATH=str(file)) as server:
        yield server


def entity(name: str, kind: str = "person", *observations: str) -> dict[str, Any]:
    return {"name": name, "entityType": kind, "observations": list(observations)}


def edge(source: str, relation: str, target: str) -> dict[str, str]:
    return {"from": source, "to": target, "relationType": relation}


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("read_graph", {}),
    (
        "create_entities",
        {
            "entities": [
                entity("Ann", "person", "likes tea", "speaks Finnish"),
                entity("Acme", "company"),
                entity("Größe & Söhne", "company", 'says "hello"\nand more'),
            ]
        },
    ),
    ("create_entities", {"entities": [entity("Ann", "robot", "new"), entity("Bob")]}),
    (
        "create_relations",
        {"relations": [edge("Ann", "works_at", "Acme"), edge("Bob", "knows", "Ann")]},
    ),
    ("create_relations", {"relations": [edge("Ann", "works_at", "Acme")]}),
    (
        "add_observations",
        {
            "observations": [
                {"entityName": "Ann", "contents": ["likes tea", "runs"]},
                {"entityName": "Bob", "contents": ["sleeps late"]},
            ]
        },
    ),
    ("add_observations", {"observations": [{"entityName": "Zed", "contents": ["x"]}]}),
    ("read_graph", {}),
    ("search_nodes", {"query": "TEA"}),
    ("search_nodes", {"query": "comp"}),
    ("search_nodes", {"query": "nothing of the kind"}),
    ("open_nodes", {"names": ["Bob", "Acme", "Zed"]}),
    ("delete_observations", {"deletions": [{"entityName": "Ann", "observations": ["runs", "?"]}]}),
    ("delete_relations", {"relations": [edge("Bob", "knows", "Ann"), edge("x", "y", "z")]}),
    ("read_graph", {}),
    ("delete_entities", {"entityNames": ["Acme", "Zed"]}),
    ("read_graph", {}),
    ("open_nodes", {"names": []}),
]


def said(result: Mapping[str, Any]) -> tuple[str, object, bool]:
    (part,) = result["content"]
    return part["text"], result.get("structuredContent"), bool(result.get("isError"))


@pytest.mark.slow
@pytest.mark.skipif(
    NODE is None or not REFERENCE.exists(),
    reason="the reference server is not installed; tests/surfaces/node/install.sh does it",
)
def test_every_call_is_answered_as_the_reference_server_answers_it(tmp_path: Path) -> None:
    file = tmp_path / "memory.jsonl"
    with reference(file) as theirs, ours(tmp_path / "m.db") as own:
        for name, arguments in CALLS:
            expected, answered = theirs.call(name, **arguments), own.call(name, **arguments)
            assert said(answered) == said(expected), name
        wrapped = own.call("call_tool", name="open_nodes", args={"names": ["Bob"]})
        assert said(wrapped) == said(theirs.call("open_nodes", names=["Bob"]))


@pytest.mark.slow
@pytest.mark.skipif(
    NODE is None or not REFERENCE.exists(),
    reason="the reference server is not installed; tests/surfaces/node/install.sh does it",
)
def test_each_reads_the_file_that_the_other_wrote(tmp_path: Path) -> None:
    file, copy = tmp_path / "memory.jsonl", tmp_path / "copy.jsonl"
    with reference(file) as theirs:
        for name, arguments in CALLS[:6]:
            theirs.call(name, **arguments)
        graph = said(theirs.call("read_graph"))
    with milepost.connect(tmp_path / "m.db") as memory:
        imported = memory.import_graph(file.read_text("utf-8").splitlines())
        copy.write_text("\n".join(memory.export_graph()), "utf-8")

    assert (imported.entities, imported.observations, imported.relations) == (4, 5, 2)
    with reference(copy) as theirs, ours(tmp_path / "m.db") as own:
        assert said(theirs.call("read_graph")) == graph == said(own.call("read_graph"))


@pytest.mark.slow
def test_the_tools_are_answered_found_and_listed_when_asked_for(tmp_path: Path) -> None:
    with ours(tmp_path / "m.db") as server:
        created = server.call("create_entities", entities=[entity("Ann", "person", "likes tea")])
        found = said(server.call("find_tools", need="search_nodes"))[0]
        everything = said(server.call("find_tools", need=""))[0]
        wrong = said(server.call("create_entities", entities=[{"name": "Bob"}]))
        listed = [tool["name"] for tool in server.ask("tools/list", {})["tools"]]
        around = said(server.call("call_tool", name="neighbours", args={"entity": "ann"}))[0]

    assert created["structuredContent"] == {"entities": [entity("Ann", "person", "likes tea")]}
    assert found.startswith("search_nodes(query)")
    assert all(name in everything for name in NODE_TOOLS)
    assert wrong[2]
    assert "lacks entityType" in wrong[0]
    assert not set(listed) & set(NODE_TOOLS)
    assert around == "Ann (person): likes tea"
    with ours(tmp_path / "m.db", "--tools", "nodes") as server:
        listed = [tool["name"] for tool in server.ask("tools/list", {})["tools"]]
    assert listed == list(NODE_TOOLS)


@pytest.mark.slow
def test_an_entity_is_meant_by_every_name_it_goes_by(tmp_path: Path) -> None:
    with milepost.connect(tmp_path / "m.db") as memory:
        memory.create_relation("PostgreSQL", "has", "JSONB")
        memory.create_entity("postgres")
        memory.merge_entities("PostgreSQL", "postgres")
    with ours(tmp_path / "m.db") as server:
        told = server.call(
            "add_observations", observations=[{"entityName": "postgres", "contents": ["is slow"]}]
        )
        created = server.call("create_entities", entities=[entity("Postgres", "db", "x")])
        related = server.call("create_relations", relations=[edge("postgres", "has", "JSONB")])
        opened = server.call("open_nodes", names=["postgres"])

    added = {"entityName": "postgres", "addedObservations": ["is slow"]}
    assert told["structuredContent"] == {"results": [added]}
    assert created["structuredContent"] == {"entities": []}
    assert related["structuredContent"] == {"relations": []}
    assert opened["structuredContent"]["entities"] == [entity("PostgreSQL", "term", "is slow")]


@pytest.mark.slow
def test_what_does_not_fit_into_an_answer_is_left_out_and_counted(tmp_path: Path) -> None:
    with milepost.connect(tmp_path / "m.db") as memory:
        lines = [{"type": "entity", "name": f"thing {i}", "observations": ["x" * 200]}
                 for i in range(500)]  # fmt: skip
        memory.import_graph(lines)
    with ours(tmp_path / "m.db") as server:
        text, structured, _ = said(server.call("read_graph"))

    assert json.loads(text) == structured
    assert len(text) < 45_000
    assert isinstance(structured, dict)
    assert structured["leftOut"] + len(structured["entities"]) == 500
