"""Whatever way a text comes in, it can be read in no file of an encrypted store."""

from __future__ import annotations

import json
from pathlib import Path

import anyio
import pytest
from encrypted_user import PHRASE, RARE, User

import milepost
from milepost.storage.index import index as search_index

pytestmark = pytest.mark.slow


def stored(user: User) -> None:
    """Store, batch, notice, episodes, events, graph, update, delete and undo, from Python."""
    with milepost.connect(user.path) as memory:
        name = memory.store(PHRASE, tags=[RARE[0]], metadata={"note": RARE[1]}, author=RARE[2],
                            session=f"s-{RARE[0]}", project=RARE[1])  # fmt: skip
        names = memory.store_batch([f"{PHRASE}, berth {i}" for i in range(40)])
        memory.search(f"where is the {RARE[0]}?")
        memory.update(name, content=f"{PHRASE} since Monday")
        memory.delete(names[0])
        memory.undo()
        memory.delete(names[1])
        memory.delete(names[2], erase=True)
        said = f"We decided to use {RARE[0]} because it is fast."
        memory.notice("s2", [{"role": "user", "text": said}])
        episode = memory.create_episode(f"repair the {RARE[0]}", {"place": RARE[1]})
        memory.add_step(episode, "bash", f"mend {RARE[1]}", observation=f"{RARE[2]} broke",
                        success=False)  # fmt: skip
        memory.complete_episode(episode, "success", f"the {RARE[0]} holds")
        memory.run_jobs()


def operated(user: User) -> None:
    """Give the phrase to every text of the examples of all operations that write."""
    from contextlib import suppress
    from typing import Any, get_args, get_origin

    from milepost import Milepost, MilepostError
    from milepost.registry import operations_of

    def rare(kind: Any) -> Any:
        options = get_args(kind) or (kind,)
        if str in options:
            return PHRASE
        if any(get_origin(option) is dict for option in options):
            return {RARE[0]: RARE[1]}
        return [PHRASE] if any(get_origin(o) is list for o in (*options, kind)) else None

    with milepost.connect(user.path) as memory:
        memory.create_episode("fix the login test", id="begun")
        for name, operation in operations_of(Milepost).items():
            if operation.spec.read_only:
                continue
            for parameter in operation.parameters:
                value = rare(parameter.type)
                if value is None:
                    continue
                with suppress(MilepostError, ValueError, TypeError):
                    result = getattr(memory, name)(**operation.example | {parameter.name: value})
                    list(result) if operation.streams else result
        memory.run_jobs()


def programmed(user: User) -> None:
    """Run programs that print, keep state and save a skill."""
    with milepost.connect(user.path) as memory:
        code = f"state['word'] = '{RARE[0]}'\nstore('{PHRASE} in code')\nprint('{RARE[1]}')"
        memory.execute_code(code)
        memory.execute_code(f"raise ValueError('{RARE[2]}')")
        skill = f'def flute():\n    "{PHRASE}"\n    return "{RARE[1]}"'
        memory.save_skill("flute", skill, PHRASE, "assert flute()")


def hooked(user: User) -> None:
    """Let hooks tell what a client sends them, the transcript included."""
    transcript = user.outside / "t.jsonl"
    turn = {"type": "user", "message": {"role": "user", "content": f"We decided to use {RARE[0]}."}}
    transcript.write_text(json.dumps(turn) + "\n")
    about = {"session_id": "s3", "cwd": str(user.outside), "transcript_path": str(transcript)}
    sent: dict[str, dict[str, object]] = {
        "session-start": {},
        "prompt-submit": {"prompt": f"what do we know of the {RARE[0]}?"},
        "post-tool-use": {"tool_name": "Bash", "tool_input": {"command": f"echo {RARE[1]}"},
                          "tool_response": {"stdout": RARE[2]}},
        "pre-compact": {},
        "stop": {},
    }  # fmt: skip
    for event, more in sent.items():
        user.done("hook", event, given=json.dumps(about | more))
        assert user.readable() == [], event
    left = list(Path(f"{user.path}.inbox").iterdir())
    user.done("hook", "session-end", given=json.dumps(about))
    user.done("jobs", "run")
    assert left or not list(Path(f"{user.path}.inbox").iterdir())


def imported(user: User) -> None:
    """Import a graph, make copies, move memories, restore."""
    graph = user.outside / "graph.jsonl"
    entity = {"type": "entity", "name": RARE[0], "entityType": "thing", "observations": [PHRASE]}
    graph.write_text(json.dumps(entity) + "\n")
    user.done("graph", "import", graph)
    user.done("backup", "create")
    user.done("migrate", "--from", user.path, "--to", user.home / "second.db")
    copy = next((user.home / "backups").iterdir())
    user.done("backup", "restore", copy)
    user.done("storage", "compact")
    user.done("storage", "reindex")


def served(user: User) -> None:
    """Ask a warm process, which logs to a file."""
    from support import kept_warm

    user.environment["MILEPOST_DAEMON"] = "use"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MILEPOST_DAEMON", "use")
        with kept_warm(user.path):
            user.done("store", f"{PHRASE} over a socket")
            assert RARE[0] in user.done("search", RARE[0])
            assert user.readable() == []


def asked_by_mcp(user: User) -> None:
    """Speak to an MCP server, which logs to a file beside the store."""
    calls = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "store", "arguments": {"content": f"{PHRASE} by MCP"}}},
    ]  # fmt: skip
    told = user.run("mcp", given="".join(f"{json.dumps(call)}\n" for call in calls))
    assert told.returncode == 0, told.stderr


def noticed_by_a_warm_process(user: User) -> None:
    """Let hooks tell a warm process, which has it in memory alone and writes it to the store."""
    from support import kept_warm

    about = {"session_id": "s4", "cwd": str(user.outside)}
    with kept_warm(user.path):
        for event, more in (
            ("prompt-submit", {"prompt": f"We decided to use {RARE[0]} because it is fast."}),
            ("post-tool-use", {"tool_name": "Bash", "tool_input": {"command": f"echo {RARE[1]}"},
                               "tool_response": {"stdout": RARE[2]}}),
            ("stop", {}),
            ("session-end", {}),
        ):  # fmt: skip
            user.done("hook", event, given=json.dumps(about | more), MILEPOST_DAEMON="use")
            assert user.readable() == [], event
    user.done("jobs", "run")


def learned_and_told(user: User) -> None:
    """Keep a graph, events and keys, consolidate, count what models are told."""
    from milepost.surfaces.bridge import Bridge
    from milepost.surfaces.mcp.tools import Toolbox

    with milepost.connect(user.path) as memory:
        memory.create_entity(RARE[0], RARE[1], {"note": RARE[2]})
        memory.add_observation(RARE[0], PHRASE)
        memory.create_relation(RARE[0], "works_at", RARE[1])
        memory.create_entity(f"{RARE[0]} Ltd")
        memory.merge_entities(RARE[0], f"{RARE[0]} Ltd")
        memory.record_event("note", PHRASE, outcome=RARE[1], session_id=RARE[2], wait=True)
        memory.record_commit("a1b2c3d", PHRASE, files=[f"{RARE[0]}.py"])
        for minutes in (5, 15):
            memory.store(f"{PHRASE}, which takes {minutes} minutes")
        memory.consolidate(dry_run=False)
        memory.create_key(RARE[0])
        tools = Toolbox(Bridge(memory), "full", session=RARE[1])
        anyio.run(tools.call, "search", {"query": PHRASE})
        assert "tokens" in str(memory.savings())
        assert memory.verify_audit().ok
        memory.run_jobs()
        assert user.readable() == [], "while it is open"


WAYS = (stored, operated, programmed, hooked, imported, served, asked_by_mcp,
        noticed_by_a_warm_process, learned_and_told)  # fmt: skip


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_no_file_shows_what_came_in(
    way: object, user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_index, "FLUSH_ROWS", 8)
    if way is not stored:
        user.done("store", f"{PHRASE} before")
    assert callable(way)
    way(user)

    assert user.path.stat().st_size > 0
    assert user.readable() == []
    # It is there all the same.
    assert RARE[0] in user.done("search", PHRASE, MILEPOST_DAEMON="off")


def test_what_hooks_leave_beside_a_database_is_sealed_where_a_key_is_named(
    user: User, postgres_store_url: str
) -> None:
    user.environment["MILEPOST_URL"] = postgres_store_url
    transcript = user.outside / "t.jsonl"
    said = f"We decided to use {RARE[0]} because it is fast."
    turn = {"type": "user", "message": {"role": "user", "content": said}}
    transcript.write_text(json.dumps(turn) + "\n")
    about = {"session_id": "s5", "cwd": str(user.outside), "transcript_path": str(transcript)}

    user.done("hook", "session-end", given=json.dumps(about))
    left = [file for file in user.files() if "inbox" in str(file)]

    assert left
    assert user.readable() == []
    user.done("jobs", "run")
    assert RARE[0] in user.done("search", RARE[0])
