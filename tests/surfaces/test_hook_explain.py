"""`milepost hook --explain`: what would be told and why, with nothing written."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from command_line import on_terminal
from hook_runs import DECISION, Hooks, git
from test_hook_chain import package

from milepost import Milepost
from support import PATIENCE_S


def explained(hooks: Hooks, event: str = "session-start", **given: Any) -> dict[str, Any]:
    sent = {"session_id": "s1", "cwd": str(hooks.repo)} | given
    return dict(json.loads(run(hooks, json.dumps(sent), event, "--json")))


def run(hooks: Hooks, sent: str, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "milepost", "hook", "--explain", *words],
        input=sent.encode(),
        capture_output=True,
        env=hooks.environment,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def kept(path: Path) -> list[tuple[Any, ...]]:
    """Return everything that a store keeps beside its memories."""
    with closing(sqlite3.connect(path)) as db:
        rows = db.execute("SELECT space, topic, key, value FROM kept").fetchall()
        return rows + db.execute("SELECT topic, entry FROM journal").fetchall()


def why(told: dict[str, Any], text: str) -> tuple[bool, str]:
    (row,) = [row for row in told["memories"] if text in row["text"]]
    return row["is_told"], row["why"]


def test_it_says_what_would_be_told_and_why(hooks: Hooks, known: Milepost) -> None:
    told = explained(hooks)
    assert (told["project"], told["branch"]) == ("shop", "fix-rounding")
    assert "Round cart totals to cents" in told["asked"]
    assert "half-up" in told["text"]
    is_told, reason = why(told, "half-up")
    assert is_told
    assert "a decision" in reason
    assert "of the last days" in reason


def test_it_says_which_way_would_be_taken_and_how_long_each_takes(
    hooks: Hooks, known: Milepost
) -> None:
    ways = {way["way"]: way for way in explained(hooks)["ways"]}
    assert list(ways) == ["warm process", "store", "plain reading"]
    assert ways["warm process"]["problem"] == "none answers"
    assert ways["store"]["is_taken"]
    assert not ways["plain reading"]["is_taken"]
    assert all(way["ms"] >= 0 for way in ways.values())


def test_it_writes_nothing(hooks: Hooks, known: Milepost) -> None:
    hooks("session-start")
    before = kept(hooks.path)
    explained(hooks)
    explained(hooks, source="resume")
    explained(hooks, "prompt-submit", prompt="#remember to round. Why do we round half-up?")
    explained(hooks, "post-tool-use", tool_name="Bash", tool_input={"command": "ls"})
    explained(hooks, "stop", last_assistant_message="We decided to use tabs.")
    assert kept(hooks.path) == before
    assert not Path(f"{hooks.path}.inbox").exists()
    assert known.health().count == 1


def test_what_the_session_was_shown_is_left_out(hooks: Hooks, known: Milepost) -> None:
    assert hooks("session-start").told
    told = explained(hooks, source="resume")
    assert why(told, "half-up") == (False, "this session was shown it before")
    asked = explained(hooks, "prompt-submit", prompt="why do we round money half-up?")
    assert why(asked, "half-up") == (False, "this session was shown it before")


def test_what_says_the_same_and_what_has_no_room_is_left_out(hooks: Hooks, known: Milepost) -> None:
    known.store(DECISION + ".", kind="decision", project="shop")
    for number in range(60):
        text = f"Rule {number}: never touch {number:x}{'abcdefg'[number % 7]}.py " + "because " * 90
        known.store(text, kind="preference", project="shop")
    told = explained(hooks)
    reasons = {row["why"] for row in told["memories"] if not row["is_told"]}
    assert "another that is likelier of use says the same" in reasons
    assert told["tokens"] <= 900


def on_branch(hooks: Hooks, branch: str, text: str) -> None:
    """Store a decision on a branch, and come back."""
    git(hooks.repo, "checkout", "-q", "-b", branch)
    git(hooks.repo, "commit", "-q", "--allow-empty", "-m", f"Begin {branch}")
    words = [sys.executable, "-P", "-m", "milepost", "store", text, "--kind", "decision"]
    subprocess.run(words, cwd=hooks.repo, env=hooks.environment, check=True, capture_output=True)
    git(hooks.repo, "checkout", "-q", "fix-rounding")


def test_what_belongs_to_another_branch_is_left_out(
    hooks: Hooks, known: Milepost, tmp_path: Path
) -> None:
    hooks.environment.pop("MILEPOST_PROJECT", None)  # the folder tells, as it does for users
    git(hooks.repo, "branch", "main")
    on_branch(hooks, "try-floats", "The cart keeps its totals as floats")
    assert why(explained(hooks), "floats") == (False, "it belongs to the branch try-floats")
    hooks.environment["PYTHONPATH"] = package(tmp_path, "numpy", "raise ImportError('no')")
    told = hooks("session-start").told
    assert "half-up" in told
    assert "floats" not in told


def test_what_belongs_to_no_project_belongs_to_no_branch(hooks: Hooks) -> None:
    hooks.environment["MILEPOST_PROJECT"] = "everywhere"
    git(hooks.repo, "branch", "main")
    on_branch(hooks, "try-floats", "The cart keeps its totals as floats")
    assert "floats" in hooks("prompt-submit", prompt="what did we decide about totals?").told


def test_what_was_shown_often_and_never_used_is_doubted(hooks: Hooks, known: Milepost) -> None:
    for session in range(8):
        hooks("session-start", session_id=f"s{session}")
    is_told, reason = why(explained(hooks, session_id="new"), "half-up")
    assert is_told
    assert reason.endswith(", but shown several times in a row without use")
    assert "new" not in reason


def test_a_prompt_that_asks_nothing_is_told_as_such(hooks: Hooks, known: Milepost) -> None:
    told = explained(hooks, "prompt-submit", prompt="rename total to amount")
    assert told["memories"] == []
    assert "neither asks" in told["asked"][0]


def test_a_broken_installation_is_explained_as_well(
    hooks: Hooks, known: Milepost, tmp_path: Path
) -> None:
    hooks.environment["PYTHONPATH"] = package(tmp_path, "numpy", "raise ImportError('no CPU')")
    told = explained(hooks)
    ways = {way["way"]: way for way in told["ways"]}
    assert "no CPU" in ways["store"]["problem"]
    assert ways["plain reading"]["is_taken"]
    assert "half-up" in told["text"]


def test_events_that_tell_nothing_say_what_they_do(hooks: Hooks) -> None:
    assert "in the background" in explained(hooks, "session-end")["does"]


def test_a_client_that_takes_nothing_is_named(hooks: Hooks, known: Milepost) -> None:
    sent = {"agent_action_name": "pre_user_prompt", "tool_info": {"user_prompt": "why half-up?"}}
    told = explained(hooks, "prompt-submit", **sent)
    assert told["client"] == "windsurf"
    assert "windsurf takes nothing" in told["notes"][0]


def test_on_a_terminal_it_is_a_session_that_starts_here(
    hooks: Hooks, known: Milepost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(hooks.repo)
    shown = on_terminal("hook", "--explain", "session-start", **hooks.environment)
    assert "project  shop" in shown
    assert "would be taken" in shown
    assert "half-up" in shown


def test_for_people_it_is_a_line_a_fact(hooks: Hooks, known: Milepost) -> None:
    text = run(hooks, json.dumps({"cwd": str(hooks.repo)}), "session-start")
    assert "told: 1 memory, about" in text
    assert "way      plain reading: answers (" in text
