"""The real client with the plugin and Milepost: what a model is sent when a session starts."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hook_runs import git
from test_mcp_clients import CLAUDE, NODE, model_that_searches, run
from test_mcp_clients import pytestmark as with_client
from test_plugin import PLUGIN

from milepost import Milepost, connect
from support import PATIENCE_S, wait_until

pytestmark = with_client

KEY = "AKIAQ3EGR7T2PLKW4ZHN"
DECISION = "Money is rounded half-up with Decimal because the tax office checks it"
SEARCH = "mcp__plugin_milepost_milepost__search"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The home of a client that is a repository as well, with a memory of its past."""
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "Round cart totals to cents")
    return tmp_path


@pytest.fixture
def known(project: Path, path: Path) -> Path:
    with connect(path) as memory:
        memory.store(DECISION, kind="decision", project=project.name)
        memory.store(f"The bucket's key is {KEY}", kind="decision", project=project.name)
    return path


def talk(
    project: Path, path: Path, prompt: str, variables: Mapping[str, str] | None = None
) -> list[dict[str, Any]]:
    """Let the client talk to a model that searches once; return what the model was sent."""
    with model_that_searches("rounding of money", SEARCH) as (url, requests):
        environment = {
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "PATH": f"{NODE.parent}:{Path(sys.executable).parent}:/usr/bin:/bin",
            "MILEPOST_URL": str(path),
            "MILEPOST_DAEMON": "off",
            "MILEPOST_HOOK_TIMEOUT": f"{PATIENCE_S}000",
            "MILEPOST_CONFIG": os.environ["MILEPOST_CONFIG"],
        }
        asked = ["-p", prompt, "--plugin-dir", str(PLUGIN), "--allowedTools", SEARCH]
        run(project, [str(CLAUDE), *asked], environment | dict(variables or {}))
    return requests


def said(requests: list[dict[str, Any]]) -> str:
    return json.dumps([request["messages"] for request in requests], ensure_ascii=False)


def test_the_first_request_holds_the_briefing(project: Path, known: Path) -> None:
    first, *_ = talk(project, known, "hello")
    assert DECISION in said([first])
    assert "<milepost-memory" in said([first])


def test_a_question_about_the_past_brings_a_memory_in(project: Path, path: Path) -> None:
    with connect(path) as memory:
        fill(memory, project.name)
    first, *_ = talk(project, path, "why did we decide against websockets for the price ticker?")
    assert "proxy of the bank drops them" in said([first])


def fill(memory: Milepost, project: str) -> None:
    """Store what is too much for a briefing, and an old decision among it."""
    memory.store(
        "No websockets for the price ticker: the proxy of the bank drops them",
        project=project,
        created="2020-01-01",
    )
    memory.store_batch(
        [
            {
                "content": f"Release {i} went out and touched module {i * 7} " + "as planned " * 30,
                "kind": "decision",
                "project": project,
            }
            for i in range(60)
        ]
    )


def test_a_stored_secret_never_appears(project: Path, known: Path) -> None:
    requests = talk(project, known, "what do we remember about the key of the bucket?")
    assert "The bucket" in said(requests)
    assert KEY not in json.dumps([request["messages"][0] for request in requests])


def test_the_plugins_tools_are_offered_and_called(project: Path, known: Path) -> None:
    requests = talk(project, known, "hello")
    assert SEARCH in {tool["name"] for tool in requests[0]["tools"]}
    results = [
        part
        for message in requests[-1]["messages"]
        if isinstance(message["content"], list)
        for part in message["content"]
        if part["type"] == "tool_result"
    ]
    assert DECISION in json.dumps(results)


def test_what_was_said_is_remembered_by_the_next_session(project: Path, path: Path) -> None:
    talk(project, path, "from now on always write the changelog in German")
    # The hook at the end of the session had it read in the background.
    with connect(path) as memory:
        wait_until(lambda: memory.health().count)
    assert "changelog in German" in said(talk(project, path, "hello again"))


@pytest.mark.parametrize("broken", ["/dev/null/m.db", "not a database"])
def test_a_memory_that_cannot_be_opened_does_not_stop_the_client(
    project: Path, path: Path, broken: str
) -> None:
    if not broken.startswith("/"):
        path.write_text(broken * 1_000)
        broken = str(path)
    requests = talk(project, Path(broken), "hello there")
    assert "hello there" in said(requests)
    assert "milepost-memory" not in said(requests)


def test_hooks_that_hang_do_not_stop_the_client(project: Path, known: Path) -> None:
    with connect(known) as memory:
        # Every hook that wants to write waits for this, until its time is up.
        memory._context.store.file._writer.execute("BEGIN IMMEDIATE")  # type: ignore[attr-defined]
        try:
            requests = talk(project, known, "hello there", {"MILEPOST_HOOK_TIMEOUT": "700"})
        finally:
            memory._context.store.file._writer.execute("ROLLBACK")  # type: ignore[attr-defined]
    # Whether the last way, which reads the bare file, comes in time is for the machine to say.
    assert "hello there" in said(requests)
