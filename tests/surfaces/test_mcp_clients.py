"""The MCP server and clients that others wrote, where Node is: see node/install.sh."""

from __future__ import annotations

import filecmp
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from milepost.app import open_memory
from milepost.opening import settings_for
from milepost.surfaces.http import running
from support import PATIENCE_S

FOLDER = Path(__file__).parent / "node"
MODULES = FOLDER / "node_modules"
NODE = MODULES / "node" / "bin" / "node"
CLAUDE = MODULES / ".bin" / "claude"
FEW = ["search", "store", "execute_code", "find_tools", "call_tool"]

INSTALLED = MODULES.joinpath(".installed")
pytestmark = pytest.mark.skipif(
    not INSTALLED.exists() or not filecmp.cmp(INSTALLED, FOLDER / "package.json"),
    reason="the clients are not installed; tests/surfaces/node/install.sh does it where npm is",
)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a memory."""
    path = tmp_path_factory.mktemp("clients") / "m.db"
    with open_memory(settings_for(path)) as memory:
        memory.store("The harbour opens at six", tags=["harbour"])
    return path


@pytest.fixture(scope="module")
def server(filled: Path) -> Iterator[str]:
    """The address of MCP over HTTP."""
    settings = settings_for(filled)._replace(port=0)
    with open_memory(settings) as memory, running(memory, settings) as url:
        yield f"{url}/mcp"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home folder for a client, so that it neither finds nor leaves anything in a real one."""
    return tmp_path


def command(path: Path, *flags: str) -> list[str]:
    return [sys.executable, "-m", "milepost", "mcp", "--url", str(path), *flags]


def run(
    home: Path, words: list[str], variables: Mapping[str, str] | None = None, code: int = 0
) -> str:
    """Run a client to its end and return what it printed."""
    environment = {
        "PATH": f"{NODE.parent}:{os.environ['PATH']}",
        "HOME": str(home),
        "MILEPOST_RUNTIME_FOLDER": os.environ["MILEPOST_RUNTIME_FOLDER"],
        "DISABLE_AUTOUPDATER": "1",
    }
    done = subprocess.run(
        words,
        cwd=home,
        env=environment | dict(variables or {}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == code, f"{done.stdout}\n{done.stderr}"
    return done.stdout


# The inspector


def inspect(home: Path, target: list[str], method: str, *flags: str) -> Any:
    inspector = [str(NODE), str(MODULES / ".bin" / "inspector"), "--cli"]
    return json.loads(run(home, [*inspector, *target, "--method", method, *flags]))


def test_the_inspector_lists_and_calls_tools_over_pipes(home: Path, filled: Path) -> None:
    tools = inspect(home, command(filled), "tools/list", "--strict")["tools"]
    asked = ("--tool-name", "search", "--tool-arg", "query=harbour", "--tool-arg", "limit=1")
    found = inspect(home, command(filled), "tools/call", *asked)

    assert [tool["name"] for tool in tools] == FEW
    assert "The harbour opens at six" in found["content"][0]["text"]
    assert found["isError"] is False


def test_the_inspector_calls_tools_over_http(home: Path, server: str) -> None:
    asked = ("--tool-name", "call_tool", "--tool-arg", "name=health")
    said = inspect(home, [server], "tools/call", *asked)

    assert "healthy" in said["content"][0]["text"]


def test_the_inspector_finds_no_fault_with_the_schemas_of_all_tools(
    home: Path, filled: Path
) -> None:
    # With --strict it ends with another code than 0 if some client would refuse a schema.
    tools = inspect(home, command(filled, "--tools", "full"), "tools/list", "--strict")["tools"]

    assert len(tools) > len(FEW)


# The conformance suite

FIXTURE = "asks for a tool, resource or prompt of the suite's own example server"
SESSIONS = "needs a session with requests from the server, and this one has neither"
# Every scenario of the suite that this server need not pass, and why.
NOT_FOR_US = {
    "logging-set-level": "logs go to standard error; the capability is not offered",
    "tools-call-image": FIXTURE,
    "tools-call-audio": FIXTURE,
    "tools-call-embedded-resource": FIXTURE,
    "tools-call-mixed-content": FIXTURE,
    "tools-call-with-logging": FIXTURE,
    "tools-call-with-progress": FIXTURE,
    "tools-call-sampling": SESSIONS,
    "tools-call-elicitation": SESSIONS,
    "elicitation-sep1034-defaults": SESSIONS,
    "elicitation-sep1330-enums": SESSIONS,
    "resources-read-text": FIXTURE,
    "resources-read-binary": FIXTURE,
    "resources-templates-read": FIXTURE,
    "resources-subscribe": "subscriptions are not offered",
    "resources-unsubscribe": "subscriptions are not offered",
    "prompts-get-simple": FIXTURE,
    "prompts-get-with-args": FIXTURE,
    "prompts-get-embedded-resource": FIXTURE,
    "prompts-get-with-image": FIXTURE,
    "json-schema-2020-12": FIXTURE,
    "http-custom-header-server-validation": FIXTURE,
    "input-required-result-basic-elicitation": FIXTURE,
    "input-required-result-basic-sampling": FIXTURE,
    "input-required-result-basic-list-roots": FIXTURE,
    "input-required-result-request-state": FIXTURE,
    "input-required-result-multiple-input-requests": FIXTURE,
    "input-required-result-multi-round": FIXTURE,
    "input-required-result-non-tool-request": FIXTURE,
    "input-required-result-result-type": FIXTURE,
    "input-required-result-tampered-state": FIXTURE,
    "input-required-result-capability-check": FIXTURE,
}
EXTENSIONS = ("tasks-", "sep-2640-skills-")
CHECKS_NOT_FOR_US = {
    "sep-2575-server-rejects-undeclared-capability": FIXTURE,
    "sep-2575-missing-capability-http-400": FIXTURE,
}
# Enough to notice a suite that checks nothing any more.
PASSED_MIN = {"2025-11-25": 12, "2026-07-28": 16}


@pytest.mark.parametrize("revision", PASSED_MIN)
def test_the_conformance_suite_passes(
    home: Path, server: str, tmp_path: Path, revision: str
) -> None:
    suite = MODULES / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    words = [str(NODE), str(suite), "server", "--url", server, "--requirements", revision]

    # The suite ends with 1 because of the scenarios that are not for us.
    run(home, [*words, "--output-dir", str(tmp_path / "out")], code=1)

    found = {_scenario(report): _failures(report) for report in tmp_path.rglob("checks.json")}
    ours = {name: wrong for name, wrong in found.items() if not name.startswith(EXTENSIONS)}
    passed = {name for name, wrong in ours.items() if not wrong}
    assert {name: wrong for name, wrong in ours.items() if wrong and name not in NOT_FOR_US} == {}
    assert passed.isdisjoint(NOT_FOR_US)
    assert len(passed) >= PASSED_MIN[revision]


def _scenario(report: Path) -> str:
    named = re.fullmatch(r"server-(.+)-\d{4}-\d\d-\d\dT.*", report.parent.name)
    assert named, report
    return named[1]


def _failures(report: Path) -> list[str]:
    checks = json.loads(report.read_text())
    return [
        f"{check['id']}: {check.get('errorMessage')}"
        for check in checks
        if check["status"] == "FAILURE" and check["id"] not in CHECKS_NOT_FOR_US
    ]


# Claude Code


def test_claude_code_adds_the_server_and_connects_to_it(home: Path, filled: Path) -> None:
    run(home, [str(CLAUDE), "mcp", "add", "milepost", "--", *command(filled)])
    listed = run(home, [str(CLAUDE), "mcp", "list"])

    (line,) = [line for line in listed.splitlines() if line.startswith("milepost:")]
    assert line.endswith("✔ Connected")


def test_claude_code_connects_over_http(home: Path, server: str) -> None:
    run(home, [str(CLAUDE), "mcp", "add", "--transport", "http", "milepost", server])
    listed = run(home, [str(CLAUDE), "mcp", "list"])

    assert "✔ Connected" in listed


def test_the_model_in_claude_code_is_shown_the_few_tools_and_what_they_answer(
    home: Path, filled: Path
) -> None:
    run(home, [str(CLAUDE), "mcp", "add", "milepost", "--", *command(filled)])
    with model_that_searches("harbour") as (url, requests):
        variables = {
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }
        asked = ["-p", "When does the harbour open?", "--allowedTools", SEARCH]
        run(home, [str(CLAUDE), *asked], variables)

    first, *_, last = requests
    shown = {tool["name"]: tool for tool in first["tools"]}
    ours = {name.removeprefix(PREFIX) for name in shown if name.startswith(PREFIX)}
    assert ours == set(FEW)
    assert shown[SEARCH]["input_schema"]["required"] == ["query"]
    assert "Memory that outlasts the session." in json.dumps(first)
    assert "The harbour opens at six" in _tool_result(last)


PREFIX = "mcp__milepost__"
SEARCH = f"{PREFIX}search"


def _tool_result(request: Mapping[str, Any]) -> str:
    parts = [p for m in request["messages"] if isinstance(m["content"], list) for p in m["content"]]
    return json.dumps([part for part in parts if part["type"] == "tool_result"])


@contextmanager
def model_that_searches(
    query: str, tool: str = SEARCH
) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Be the API of a model that searches once and is then content; note what it is asked."""
    requests: list[dict[str, Any]] = []

    class Model(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if "messages" in asked and asked.get("stream"):
                requests.append(asked)
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            done = "tool_result" in json.dumps(asked)
            for event in _events(None if done else query, tool):
                self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())

        def log_message(self, format: str, *args: object) -> None:
            """Stay silent."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Model) as api:
        threading.Thread(target=api.serve_forever).start()
        yield f"http://127.0.0.1:{api.server_port}", requests
        api.shutdown()


def _events(query: str | None, tool: str) -> list[dict[str, Any]]:
    """Return a streamed answer: a call of search, or a last word."""
    block: dict[str, Any] = {"type": "text", "text": ""}
    delta = {"type": "text_delta", "text": "At six."}
    if query is not None:
        block = {"type": "tool_use", "id": "toolu_1", "name": tool, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps({"query": query})}
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": []}
    end = {"stop_reason": "end_turn" if query is None else "tool_use", "stop_sequence": None}
    return [
        {"type": "message_start", "message": message | {"usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": end, "usage": usage},
        {"type": "message_stop"},
    ]
