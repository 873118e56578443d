"""The plugin for Claude Code: accepted by the real client, and harmless where Milepost is not."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from test_mcp_clients import CLAUDE, NODE, model_that_searches, run
from test_mcp_clients import pytestmark as with_client

import milepost

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "integrations" / "claude-code"
HOOKS = json.loads((PLUGIN / "hooks" / "hooks.json").read_text())["hooks"]
COMMANDS = ("memory-cost", "memory-health", "recall", "remember")
# Not a shell's idea of a folder: what is not quoted breaks, or is run.
AWKWARD = 'a $(touch pwned) "plugin'


def fields(path: Path) -> dict[str, str]:
    """Return the fields at the head of a Markdown file."""
    _, head, _ = path.read_text().split("---\n", 2)
    return dict(line.split(": ", 1) for line in head.splitlines())


def commands_of(hooks: dict[str, Any]) -> dict[str, str]:
    """Return by event the one command that runs."""
    found = {}
    for event, (group,) in hooks.items():
        (hook,) = group["hooks"]
        found[event] = hook["command"]
    return found


@with_client
@pytest.mark.parametrize("place", [PLUGIN, ROOT])
def test_the_client_finds_no_fault_with_the_plugin_and_the_marketplace(
    tmp_path: Path, place: Path
) -> None:
    said = run(tmp_path, [str(CLAUDE), "plugin", "validate", "--strict", str(place)])

    assert "Validation passed" in said


@with_client
def test_the_client_installs_the_plugin_from_the_repository(tmp_path: Path) -> None:
    run(tmp_path, [str(CLAUDE), "plugin", "marketplace", "add", str(ROOT)])
    run(tmp_path, [str(CLAUDE), "plugin", "install", "milepost@milepost"])

    (found,) = json.loads(run(tmp_path, [str(CLAUDE), "plugin", "list", "--json"]))
    assert (found["id"], found["enabled"]) == ("milepost@milepost", True)
    assert found["version"] == milepost.__version__


def start_client(home: Path, stand_in: str | None) -> tuple[dict[str, Any], list[str]]:
    """Run the client with the plugin and a stand-in for Milepost; return what a model was sent.

    Beside it come back the calls that the stand-in noted.
    """
    plugin, tools, calls = home / AWKWARD, home / "bin", home / "calls"
    shutil.copytree(PLUGIN, plugin)
    tools.mkdir()
    if stand_in is not None:
        program = tools / "milepost"
        program.write_text(f"#!/bin/sh\n{stand_in}\n")
        program.chmod(0o755)
    with model_that_searches("harbour") as (url, requests):
        variables = {
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "PATH": f"{NODE.parent}:{tools}:/usr/bin:/bin",
            "CALLS": str(calls),
        }
        run(home, [str(CLAUDE), "-p", "When?", "--plugin-dir", str(plugin)], variables)
    assert not (home / "pwned").exists()
    return requests[0], calls.read_text().splitlines() if calls.exists() else []


@with_client
def test_each_event_of_a_session_reaches_milepost_with_what_the_client_says(tmp_path: Path) -> None:
    said = {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "SIX"}}
    stand_in = (
        '[ "$1" = hook ] || exit 1\n'
        'printf "%s %s\\n" "$2" "$(cat)" >> "$CALLS"\n'
        f"""[ "$2" = session-start ] && echo '{json.dumps(said)}'"""
    )

    request, calls = start_client(tmp_path, stand_in)

    events = {name: json.loads(given) for name, given in (call.split(" ", 1) for call in calls)}
    assert list(events) == ["session-start", "prompt-submit", "stop", "session-end"]
    assert events["session-start"]["source"] == "startup"
    assert events["prompt-submit"]["prompt"] == "When?"
    assert "SIX" in json.dumps(request["messages"])


@with_client
@pytest.mark.parametrize("stand_in", [None, "echo broken >&2; exit 2", "kill -9 $$"])
def test_the_client_works_on_where_milepost_is_missing_or_broken(
    tmp_path: Path, stand_in: str | None
) -> None:
    request, _ = start_client(tmp_path, stand_in)

    assert "When?" in json.dumps(request["messages"])


@with_client
def test_the_model_is_told_of_the_skill_and_not_of_the_commands(tmp_path: Path) -> None:
    request, _ = start_client(tmp_path, None)

    told = json.dumps(request)
    assert "milepost:memory: Use Milepost" in told
    assert [name for name in COMMANDS if f"milepost:{name}" in told] == []


@pytest.mark.parametrize("event", HOOKS)
def test_a_hook_without_milepost_on_the_path_ends_well_and_silently(
    tmp_path: Path, event: str
) -> None:
    plugin = shutil.copytree(PLUGIN, tmp_path / AWKWARD)

    ended = subprocess.run(
        ["/bin/sh", "-c", commands_of(HOOKS)[event]],
        env={"PATH": "/usr/bin:/bin", "CLAUDE_PLUGIN_ROOT": str(plugin)},
        input="{}",
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )

    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    assert [path.name for path in tmp_path.iterdir()] == [AWKWARD]


def test_hooks_run_what_a_tool_changed_or_failed_at_and_have_a_limit_each() -> None:
    assert HOOKS["PostToolUse"] == HOOKS["PostToolUseFailure"]
    assert HOOKS["PostToolUse"][0]["matcher"] == "Bash|Edit|Write|MultiEdit|NotebookEdit"
    assert all(group["hooks"][0]["timeout"] <= 10 for (group,) in HOOKS.values())


def test_the_skill_is_short_and_its_examples_are_the_api() -> None:
    text = (PLUGIN / "skills" / "memory" / "SKILL.md").read_text()
    blocks = [block.split("```")[0] for block in text.split("```python\n")[1:]]

    assert len(text.split()) < 500
    for block in blocks:
        compile(block, "SKILL.md", "exec")
    imported = {
        name.strip()
        for line in text.splitlines()
        if line.startswith("from milepost import ")
        for name in line.removeprefix("from milepost import ").split(",")
    }
    assert imported <= set(milepost.__all__)
    for word in ("execute_code", "<private>", "#remember", "#skip", "supersedes"):
        assert word in text


def test_the_examples_of_the_skill_run(default_memory: Path) -> None:
    text = (PLUGIN / "skills" / "memory" / "SKILL.md").read_text()
    reading, program, writing = (b.split("```")[0] for b in text.split("```python\n")[1:])

    exec(writing, {})
    exec(reading.replace('print(get("adf09bdd"))\n', ""), {})
    counted = milepost.execute_code(program)

    assert (counted.error, counted.output) == (None, "[('ci', 1)]")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_says_what_it_does_and_runs_nothing_with_what_was_typed(name: str) -> None:
    path = PLUGIN / "commands" / f"{name}.md"

    assert len(fields(path)["description"]) < 80
    # A line with !` is run by the client, with the arguments put into it as text.
    assert "!`" not in path.read_text()
