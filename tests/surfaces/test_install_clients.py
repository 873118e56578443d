"""What `milepost install` writes is what the real clients read.

Claude Code is installed by node/install.sh; OpenCode (opencode-ai 1.18.33), Codex
(@openai/codex 0.169.0) and Gemini CLI (@google/gemini-cli 0.61.0) are another 1 GB, and are run
where they are on the PATH.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from command_line import command
from test_mcp_clients import CLAUDE, NODE, model_that_searches, run
from test_mcp_clients import pytestmark as with_claude

from milepost import connect
from support import PATIENCE_S


def with_program(name: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(name) is None, reason=f"{name} is not on the PATH")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home that holds nothing yet."""
    return tmp_path


def install(home: Path, client: str) -> None:
    variables = {**os.environ, "HOME": str(home)}
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME"):
        variables.pop(name, None)
    words = command("install", client, "--yes")
    subprocess.run(
        words, env=variables, cwd=home, check=True, capture_output=True, timeout=PATIENCE_S
    )


def note_calls(path: Path, calls: Path, text: str) -> None:
    """Let a file run a stand-in for Milepost that notes its calls and answers with a text."""
    said = {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}}
    stand_in = calls.with_name("stand-in")
    stand_in.write_text(
        "#!/bin/sh\n"
        'for last; do :; done\n[ "$last" = mcp ] && exit 1\n'
        f'printf "%s %s\\n" "$last" "$(cat)" >> {calls}\n'
        f"""[ "$last" = session-start ] && echo '{json.dumps(said)}'\nexit 0\n"""
    )
    stand_in.chmod(0o755)
    found = path.read_text()
    interpreter = command()[0]
    assert interpreter in found
    path.write_text(found.replace(interpreter, str(stand_in)))


def noted(calls: Path) -> dict[str, Any]:
    """Return what was noted, by event."""
    lines = calls.read_text().splitlines()
    return {name: json.loads(given) for name, given in (line.split(" ", 1) for line in lines)}


# Claude Code


@with_claude
def test_claude_code_connects_to_the_server(home: Path) -> None:
    install(home, "claude-code")

    listed = run(home, [str(CLAUDE), "mcp", "list"], {"MILEPOST_URL": str(home / "m.db")})

    (line,) = [line for line in listed.splitlines() if line.startswith("milepost:")]
    assert line.endswith("✔ Connected")


@with_claude
def test_claude_code_runs_the_hooks_and_knows_the_skill_and_the_commands(home: Path) -> None:
    install(home, "claude-code")
    note_calls(home / ".claude" / "settings.json", home / "calls", "THE HARBOUR OPENS AT SIX")

    with model_that_searches("harbour") as (url, requests):
        variables = {
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "MILEPOST_URL": str(home / "m.db"),
        }
        run(home, [str(CLAUDE), "-p", "/recall when does it open?"], variables)

    events, told = noted(home / "calls"), json.dumps(requests[0])
    assert list(events) == ["session-start", "prompt-submit", "stop", "session-end"]
    assert "THE HARBOUR OPENS AT SIX" in told
    assert "- milepost: Use Milepost" in told
    assert "Look this up in memory" in told
    assert "when does it open?" in told


# OpenCode


@with_program("opencode")
def test_opencode_connects_to_the_server(home: Path) -> None:
    install(home, "opencode")

    assert "✓ milepost" in run_opencode(home, "mcp", "list")


@with_program("opencode")
def test_opencode_hands_every_event_to_milepost_and_the_model_reads_what_it_says(
    home: Path,
) -> None:
    install(home, "opencode")
    note_calls(
        home / ".config" / "opencode" / "plugins" / "milepost.js",
        home / "calls",
        "THE HARBOUR OPENS AT SIX",
    )

    with model_that_runs("exit 3") as (url, requests):
        choose_model(home, url)
        run_opencode(home, "run", "When does it open?")

    events = noted(home / "calls")
    assert list(events) == [
        "session-start", "prompt-submit", "post-tool-use", "stop", "session-end",
    ]  # fmt: skip
    assert "When does it open?" in events["prompt-submit"]["prompt"]
    assert events["post-tool-use"]["tool_name"] == "Bash"
    assert events["post-tool-use"]["tool_input"]["command"] == "exit 3"
    assert events["post-tool-use"]["error"].startswith("Exit code 3")
    assert events["stop"]["last_assistant_message"] == "At six."
    assert all("THE HARBOUR OPENS AT SIX" in json.dumps(asked) for asked in requests)


@with_program("opencode")
@pytest.mark.parametrize("program", ["/no/such/program", "/bin/false"])
def test_opencode_works_on_where_milepost_is_broken(home: Path, program: str) -> None:
    install(home, "opencode")
    plugin = home / ".config" / "opencode" / "plugins" / "milepost.js"
    plugin.write_text(plugin.read_text().replace(command()[0], program))

    with model_that_runs("true") as (url, _requests):
        choose_model(home, url)
        assert "At six." in run_opencode(home, "run", "When does it open?")


def run_opencode(home: Path, *words: str) -> str:
    found = shutil.which("opencode")
    assert found is not None
    ended = subprocess.run(
        [found, *words],
        cwd=home,
        env={
            "PATH": f"{NODE.parent}:{os.environ['PATH']}",
            "HOME": str(home),
            "MILEPOST_URL": str(home / "m.db"),
            "MILEPOST_RUNTIME_FOLDER": os.environ["MILEPOST_RUNTIME_FOLDER"],
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout + ended.stderr


def choose_model(home: Path, url: str) -> None:
    """Let OpenCode ask a model at an address, and no server of memories."""
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "test",
        "options": {"baseURL": url, "apiKey": "none"},
        "models": {"m": {"name": "m", "tool_call": True}},
    }
    settings = {"model": "test/m", "small_model": "test/m", "provider": {"test": provider}}
    path = home / ".config" / "opencode" / "opencode.json"
    path.write_text(json.dumps(settings))


@contextmanager
def model_that_runs(text: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Be the API of a model that runs a command once and is then content."""
    requests: list[dict[str, Any]] = []

    class Model(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            requests.append(asked)
            ran = any(message["role"] == "tool" for message in asked["messages"])
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            for choice in _said() if ran or not asked.get("tools") else _called(text):
                chunk = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m"}
                data = json.dumps(chunk | {"choices": [{"index": 0} | choice]})
                self.wfile.write(f"data: {data}\n\n".encode())
            self.wfile.write(b"data: [DONE]\n\n")

        def log_message(self, format: str, *args: object) -> None:
            """Stay silent."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Model) as api:
        threading.Thread(target=api.serve_forever).start()
        yield f"http://127.0.0.1:{api.server_port}/v1", requests
        api.shutdown()


def _said() -> list[dict[str, Any]]:
    delta = {"role": "assistant", "content": "At six."}
    return [{"delta": delta, "finish_reason": None}, {"delta": {}, "finish_reason": "stop"}]


def _called(text: str) -> list[dict[str, Any]]:
    given = json.dumps({"command": text, "description": "try it"})
    function = {"name": "bash", "arguments": given}
    call = {"index": 0, "id": "c", "type": "function", "function": function}
    delta = {"role": "assistant", "tool_calls": [call]}
    return [{"delta": delta, "finish_reason": None}, {"delta": {}, "finish_reason": "tool_calls"}]


# Codex


@with_program("codex")
def test_codex_knows_the_server(home: Path) -> None:
    install(home, "codex")

    listed = subprocess.run(
        ["codex", "mcp", "get", "milepost", "--json"],
        cwd=home,
        env={"PATH": f"{NODE.parent}:{os.environ['PATH']}", "HOME": str(home)},
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE_S,
    )

    found = json.loads(listed.stdout)
    assert found["enabled"] is True
    assert found["transport"]["args"] == ["-P", "-m", "milepost", "mcp"]


# What a model is told by clients whose hooks speak another dialect

QUESTION = "why did we decide to round money half-up?"
ANSWER = "Done then."


def _of_openai() -> bytes:
    said = {"type": "message", "role": "assistant", "id": "m1"}
    said["content"] = [{"type": "output_text", "text": ANSWER}]
    used = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    events: list[tuple[str, dict[str, Any]]] = [
        ("response.created", {"response": {"id": "r1"}}),
        ("response.output_item.done", {"item": said}),
        ("response.completed", {"response": {"id": "r1", "usage": used}}),
    ]
    lines = [f"event: {n}\ndata: {json.dumps({'type': n, **d})}\n\n" for n, d in events]
    return "".join(lines).encode()


def _of_google() -> bytes:
    said = {"content": {"role": "model", "parts": [{"text": ANSWER}]}, "finishReason": "STOP"}
    return f"data: {json.dumps({'candidates': [said]})}\r\n\r\n".encode()


@contextmanager
def model_that_answers(reply: bytes) -> Iterator[tuple[str, list[str]]]:
    """Yield the address of a model that answers everything alike, and what it was sent."""
    sent: list[str] = []

    class Model(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", sent
    finally:
        server.shutdown()
        server.server_close()


def client_asks(home: Path, words: list[str], **variables: str) -> str:
    """Have a client put the question, in a project that the memory knows of, and return all."""
    with connect(home / "m.db") as memory:
        memory.store("The tax office checks how money is rounded", kind="decision", project="shop")
    (home / "shop").mkdir()
    ended = subprocess.run(
        words,
        cwd=home / "shop",
        env={
            "PATH": f"{NODE.parent}:{os.environ['PATH']}",
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
            "HOME": str(home),
            "MILEPOST_URL": str(home / "m.db"),
            "MILEPOST_DAEMON": "off",
            "MILEPOST_HOOK_TIMEOUT": "9000",
            **variables,
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE_S,
    )
    return ended.stdout + ended.stderr


@with_program("codex")
def test_codex_runs_the_hooks_and_tells_its_model_what_they_say(home: Path) -> None:
    install(home, "codex")
    config = home / ".codex" / "config.toml"
    with model_that_answers(_of_openai()) as (url, sent):
        provider = f'[model_providers.mock]\nname = "mock"\nbase_url = "{url}/v1"\n'
        head = 'model = "mock"\nmodel_provider = "mock"\n'
        config.write_text(f'{head}{config.read_text()}\n{provider}wire_api = "responses"\n')
        words = ["codex", "exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"]
        shown = client_asks(home, [*words, QUESTION], OPENAI_API_KEY="none")

    assert "hook: Stop Completed" in shown
    assert sent[0].count("The tax office checks") == 1
    assert "The MCP server `milepost`" in sent[0]


@with_program("gemini")
def test_gemini_cli_runs_the_hooks_and_tells_its_model_what_they_say(home: Path) -> None:
    install(home, "gemini")
    settings = home / ".gemini" / "settings.json"
    auth = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
    settings.write_text(json.dumps(json.loads(settings.read_text()) | auth))
    with model_that_answers(_of_google()) as (url, sent):
        words = ["gemini", "--skip-trust", "-m", "gemini-2.5-flash", "-p", QUESTION]
        shown = client_asks(home, words, GEMINI_API_KEY="none", GOOGLE_GEMINI_BASE_URL=url)

    assert ANSWER in shown
    assert sent[0].count("The tax office checks") == 1
    assert "The MCP server `milepost`" in sent[0]
