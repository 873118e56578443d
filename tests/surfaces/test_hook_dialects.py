"""What clients send to a hook and take from it, in the JSON that their documentation shows."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hook_runs import Hooks

from milepost import Milepost
from milepost.surfaces.cli.builtin import CLIENTS
from milepost.surfaces.hooks.dialects import CLAUDE_CODE, DIALECTS, answer, dialect_of, translated
from milepost.surfaces.install.client_hooks import codex, cursor, gemini, vscode, windsurf
from milepost.surfaces.install.invocations import wrote_hook
from support import PATIENCE_S

ASKED = "why did we decide to round money half-up?"
# By client: what it sends at the start of a session, with a prompt, after a command, after an edit
# and at the end of a turn. Copied from the clients' own documentation, but for the values.
SENT: dict[str, dict[str, dict[str, Any]]] = {
    "claude-code": {
        "session-start": {
            "session_id": "abc", "transcript_path": "", "cwd": "REPO",
            "hook_event_name": "SessionStart", "source": "startup",
        },
        "prompt-submit": {
            "session_id": "abc", "transcript_path": "", "cwd": "REPO",
            "permission_mode": "default", "hook_event_name": "UserPromptSubmit", "prompt": ASKED,
        },
    },
    "codex": {
        "session-start": {
            "session_id": "abc", "transcript_path": None, "cwd": "REPO", "model": "gpt-5",
            "hook_event_name": "SessionStart", "permission_mode": "default", "source": "startup",
        },
        "prompt-submit": {
            "session_id": "abc", "transcript_path": None, "cwd": "REPO", "model": "gpt-5",
            "hook_event_name": "UserPromptSubmit", "permission_mode": "default", "turn_id": "1",
            "prompt": ASKED,
        },
        "post-tool-use": {
            "session_id": "abc", "transcript_path": None, "cwd": "REPO", "model": "gpt-5",
            "hook_event_name": "PostToolUse", "permission_mode": "default", "turn_id": "1",
            "tool_name": "Bash", "tool_use_id": "call_1", "tool_input": {"command": "make test"},
            "tool_response": "4 passed",
        },
        "stop": {
            "session_id": "abc", "transcript_path": None, "cwd": "REPO", "model": "gpt-5",
            "hook_event_name": "Stop", "permission_mode": "default", "turn_id": "1",
            "stop_hook_active": False, "last_assistant_message": "All is done.",
        },
    },
    "gemini": {
        "session-start": {
            "session_id": "abc", "transcript_path": "/x/t.json", "cwd": "REPO",
            "hook_event_name": "SessionStart", "timestamp": "2026-11-18T06:00:00Z",
            "source": "startup",
        },
        "prompt-submit": {
            "session_id": "abc", "transcript_path": "/x/t.json", "cwd": "REPO",
            "hook_event_name": "BeforeAgent", "timestamp": "2026-11-18T06:00:00Z", "prompt": ASKED,
        },
        "post-tool-use": {
            "session_id": "abc", "transcript_path": "/x/t.json", "cwd": "REPO",
            "hook_event_name": "AfterTool", "timestamp": "2026-11-18T06:00:00Z",
            "tool_name": "run_shell_command", "tool_input": {"command": "make test"},
            "tool_response": {"llmContent": "4 passed", "returnDisplay": "4 passed"},
        },
        "stop": {
            "session_id": "abc", "transcript_path": "/x/t.json", "cwd": "REPO",
            "hook_event_name": "AfterAgent", "timestamp": "2026-11-18T06:00:00Z",
            "prompt": ASKED, "prompt_response": "All is done.", "stop_hook_active": False,
        },
    },
    "cursor": {
        "session-start": {
            "conversation_id": "abc", "generation_id": "g1", "model": "m", "cursor_version": "3.20",
            "hook_event_name": "sessionStart", "workspace_roots": ["REPO"], "user_email": None,
            "transcript_path": None, "session_id": "abc", "is_background_agent": False,
            "composer_mode": "agent",
        },
        "prompt-submit": {
            "conversation_id": "abc", "generation_id": "g1", "model": "m", "cursor_version": "3.20",
            "hook_event_name": "beforeSubmitPrompt", "workspace_roots": ["REPO"],
            "transcript_path": None, "prompt": ASKED,
            "attachments": [{"type": "file", "file_path": "/x"}],
        },
        "post-tool-use": {
            "conversation_id": "abc", "generation_id": "g1", "model": "m", "cursor_version": "3.20",
            "hook_event_name": "postToolUse", "workspace_roots": ["REPO"], "transcript_path": None,
            "tool_name": "Shell", "tool_input": {"command": "make test"}, "tool_use_id": "t1",
            "tool_output": "{\"exitCode\":0,\"stdout\":\"4 passed\"}", "cwd": "REPO",
            "duration": 5432,
        },
        "stop": {
            "conversation_id": "abc", "generation_id": "g1", "model": "m", "cursor_version": "3.20",
            "hook_event_name": "afterAgentResponse", "workspace_roots": ["REPO"],
            "transcript_path": None, "text": "All is done.",
        },
    },
    "vscode": {
        "session-start": {
            "timestamp": "2026-02-09T10:30:00.000Z", "cwd": "REPO", "sessionId": "abc",
            "hookEventName": "SessionStart", "transcript_path": "/x/t.json", "source": "new",
        },
        "prompt-submit": {
            "timestamp": "2026-02-09T10:30:00.000Z", "cwd": "REPO", "sessionId": "abc",
            "hookEventName": "UserPromptSubmit", "transcript_path": "/x/t.json", "prompt": ASKED,
        },
        "post-tool-use": {
            "timestamp": "2026-02-09T10:30:00.000Z", "cwd": "REPO", "sessionId": "abc",
            "hookEventName": "PostToolUse", "transcript_path": "/x/t.json",
            "tool_name": "runTerminalCommand", "tool_input": {"command": "make test"},
            "tool_use_id": "tool-123", "tool_response": "4 passed",
        },
    },
    "windsurf": {
        "prompt-submit": {
            "agent_action_name": "pre_user_prompt", "trajectory_id": "abc", "execution_id": "e1",
            "timestamp": "2026-11-18T06:00:00Z", "tool_info": {"user_prompt": ASKED},
        },
        "post-tool-use": {
            "agent_action_name": "post_run_command", "trajectory_id": "abc", "execution_id": "e1",
            "timestamp": "2026-11-18T06:00:00Z",
            "tool_info": {"command_line": "make test", "cwd": "REPO"},
        },
        "stop": {
            "agent_action_name": "post_cascade_response", "trajectory_id": "abc",
            "execution_id": "e1", "timestamp": "2026-11-18T06:00:00Z",
            "tool_info": {"response": "All is done."},
        },
    },
}  # fmt: skip
CASES = [(client, event) for client, events in SENT.items() for event in events]


def told(hooks: Hooks, client: str, event: str) -> dict[str, Any]:
    """Return what a hook answers to what a client sends."""
    sent = json.dumps(SENT[client][event]).replace("REPO", str(hooks.repo)).encode()
    done = subprocess.run(
        [sys.executable, "-m", "milepost", "hook", event],
        input=sent,
        capture_output=True,
        env=hooks.environment,
        cwd=hooks.repo,
        timeout=PATIENCE_S,
        check=True,
    )
    return dict(json.loads(done.stdout)) if done.stdout else {}


def left(hooks: Hooks) -> str:
    """Return what hooks left for later."""
    files = Path(f"{hooks.path}.inbox").glob("abc.jsonl*")
    return "".join(file.read_text() for file in files)


@pytest.mark.parametrize("client", ["claude-code", "codex", "gemini", "vscode"])
def test_a_session_is_briefed_in_the_words_of_claude_code(
    hooks: Hooks, known: Milepost, client: str
) -> None:
    said = told(hooks, client, "session-start")["hookSpecificOutput"]
    assert said["hookEventName"] == "SessionStart"
    assert "half-up" in said["additionalContext"]


def test_cursor_is_told_in_its_own(hooks: Hooks, known: Milepost) -> None:
    assert "half-up" in told(hooks, "cursor", "session-start")["additional_context"]


@pytest.mark.parametrize(
    ("client", "event"),
    [("claude-code", "UserPromptSubmit"), ("codex", "UserPromptSubmit"), ("gemini", "BeforeAgent")],
)
def test_a_prompt_is_answered_under_the_clients_name_for_the_event(
    hooks: Hooks, known: Milepost, client: str, event: str
) -> None:
    said = told(hooks, client, "prompt-submit")["hookSpecificOutput"]
    assert said["hookEventName"] == event
    assert "half-up" in said["additionalContext"]


def test_cursor_is_told_that_a_prompt_may_go_on(hooks: Hooks, known: Milepost) -> None:
    said = told(hooks, "cursor", "prompt-submit")
    assert said["continue"] is True
    assert "half-up" in said["additional_context"]


@pytest.mark.parametrize("client", ["vscode", "windsurf"])
def test_a_client_that_takes_nothing_with_a_prompt_is_told_nothing_and_nothing_counts_as_told(
    hooks: Hooks, known: Milepost, client: str
) -> None:
    assert told(hooks, client, "prompt-submit") == {}
    assert "half-up" in left(hooks)
    # Asked again where it can be told, the session still is.
    again = hooks("prompt-submit", session_id="abc", prompt=ASKED)
    assert "half-up" in again.told


@pytest.mark.parametrize("client", ["codex", "gemini", "cursor", "vscode", "windsurf"])
def test_what_a_command_did_is_left_for_later(hooks: Hooks, client: str) -> None:
    assert told(hooks, client, "post-tool-use") == {}
    turns = [json.loads(line)["turn"] for line in left(hooks).splitlines() if line]
    (use,), (came,) = (turn["message"]["content"] for turn in turns)
    assert (use["name"], use["input"]["command"]) == ("Bash", "make test")
    assert "4 passed" in came["content"] or client == "windsurf"  # which does not say
    assert came["is_error"] is False


@pytest.mark.parametrize("client", ["codex", "gemini", "cursor", "windsurf"])
def test_what_the_model_said_last_is_known_by_our_name(client: str) -> None:
    fields = translated(SENT[client]["stop"], dialect_of(SENT[client]["stop"]))
    assert (fields["session_id"], fields["last_assistant_message"]) == ("abc", "All is done.")


@pytest.mark.parametrize(
    ("client", "asked", "path"),
    [
        ("gemini", {"tool_name": "replace", "tool_input": {"file_path": "/a.py"}}, "/a.py"),
        ("cursor", {"tool_name": "StrReplace", "tool_input": {"path": "/a.py"}}, "/a.py"),
        ("cursor", {"tool_name": "Write", "tool_input": '{"file_path": "/a.py"}'}, "/a.py"),
        ("vscode", {"tool_name": "editFiles", "tool_input": {"files": ["/a.py"]}}, "/a.py"),
        ("vscode", {"tool_name": "create_file", "tool_input": {"filePath": "/a.py"}}, "/a.py"),
    ],
)
def test_edits_are_known_by_the_names_that_clients_have_for_them(
    client: str, asked: dict[str, Any], path: str
) -> None:
    dialect = DIALECTS[client]
    fields = translated(SENT[client]["post-tool-use"] | asked, dialect)
    assert fields["tool_name"] in {"Edit", "Write"}
    assert fields["tool_input"]["file_path"] == path


def test_reading_a_file_is_not_noted() -> None:
    asked = {"tool_name": "readFile", "tool_input": {"path": "/a.py"}}
    fields = translated(SENT["vscode"]["post-tool-use"] | asked, DIALECTS["vscode"])
    assert fields["tool_name"] == ""


@pytest.mark.parametrize(("client", "event"), CASES)
def test_a_client_is_known_by_what_it_sends(client: str, event: str) -> None:
    sent = SENT[client][event]
    same = {"codex": CLAUDE_CODE}.get(client, DIALECTS[client])
    known = dialect_of(sent)
    # At the start of a session Gemini CLI sends what Claude Code does, and takes the same.
    assert known is same or (client, event, known) == ("gemini", "session-start", CLAUDE_CODE)


@pytest.mark.parametrize("sent", [{}, {"hook_event_name": 7}, {"conversation_id": None}])
@pytest.mark.parametrize("event", ["session-start", "prompt-submit"])
def test_whatever_is_sent_is_translated(sent: dict[str, Any], event: str) -> None:
    dialect = dialect_of(sent)
    assert isinstance(translated(sent, dialect), dict)
    assert isinstance(answer(dialect, event, sent, "x"), dict)


@pytest.mark.parametrize(
    ("client", "groups"),
    [
        ("codex", codex),
        ("gemini", gemini),
        ("cursor", cursor),
        ("vscode", vscode),
        ("windsurf", windsurf),
    ],
)
def test_every_event_of_the_table_is_installed_with_a_command_of_ours(
    client: str, groups: Any
) -> None:
    installed = groups(shared=False)
    names = [name for names in DIALECTS[client].events.values() for name in names]
    assert list(installed) == names
    for group in installed.values():
        (hook,) = group.get("hooks", [group])
        assert wrote_hook(hook["command"])


def test_the_page_on_clients_names_every_client_and_every_event() -> None:
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "clients.md").read_text("utf-8")
    events = [names for d in DIALECTS.values() for names in d.events.values()]
    missing = [name for names in events for name in names if f"`{name}`" not in page]
    missing += [name for name in CLIENTS if name not in page and name not in ("opencode",)]
    assert missing == []
