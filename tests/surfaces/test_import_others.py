"""`milepost import` of what other programs keep: their own files, read as they wrote them."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest
from command_line import done, milepost, refused

from milepost import connect
from milepost.app import Milepost

IMPORTED = Path(__file__).parent / "imported"
ENTRY = Callable[[str], Path]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of nobody's programs, and a folder that is no project."""
    home = tmp_path / "home"
    (home / "work").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("MILEPOST_URL", str(path))
    for name in ("CODEX_HOME", "XDG_DATA_HOME", "MEM0_DIR", "CLAUDE_MEM_DATA_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(home / "work")
    return home


@pytest.fixture
def theirs(tmp_path: Path) -> ENTRY:
    """Unpacks a file of another program."""

    def unpack(name: str, called: str | None = None) -> Path:
        file = tmp_path / "theirs" / (called or name)
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(gzip.decompress((IMPORTED / f"{name}.gz").read_bytes()))
        return file

    return unpack


@pytest.fixture
def memory(path: Path) -> Milepost:
    return connect(path)


def texts(memory: Milepost) -> list[str]:
    return sorted(row.content for row in memory.list_memories(limit=100))


def test_a_database_of_mcp_memory_service_comes_with_tags_times_kinds_and_versions(
    theirs: ENTRY, memory: Milepost
) -> None:
    said = done("import", "mcp-memory-service", theirs("mcp-memory-service.db"))
    assert "5 memories were stored" in said
    assert "1 deleted there" in said
    (row,) = memory.search("how are invoices numbered?", limit=1)
    found = memory.get(row.hash)
    assert found.kind == "decision"
    assert set(found.tags) == {"billing", "decision"}
    assert found.author == "Ines"
    assert found.created == 1735689600.0
    assert found.source == "import"


def test_what_was_replaced_there_is_hidden_here_and_seen_as_of_then(
    theirs: ENTRY, memory: Milepost
) -> None:
    done("import", theirs("mcp-memory-service.db"))
    now = [row.content for row in memory.search("when does the payment gateway time out?")]
    assert "The payment gateway times out after 90 seconds" in now
    assert "The payment gateway times out after 30 seconds" not in now
    assert "Deploys happen on Tuesdays" not in texts(memory)
    then = memory.search("when does the payment gateway time out?", as_of="2025-06-01")
    assert [row.content for row in then] == ["The payment gateway times out after 30 seconds"]


@pytest.mark.parametrize(
    "name",
    ["mcp-memory-service.db", "mem0-history.db", "claude-mem.db", "codex.jsonl", "opencode.db",
     "server-memory.jsonl", "letta.af", "mempalace-chroma.sqlite3"],
)  # fmt: skip
def test_bringing_it_in_again_adds_nothing_and_brings_nothing_back(
    name: str, theirs: ENTRY, memory: Milepost
) -> None:
    file = theirs(name)
    done("import", file)
    before = texts(memory)
    assert before
    assert "0 memories were stored" in done("import", file)
    assert texts(memory) == before


@pytest.mark.parametrize(
    ("name", "program"),
    [("mcp-memory-service.json", "mcp-memory-service"), ("opencode.json", "opencode")],
)
def test_an_export_holds_what_the_database_holds(
    name: str, program: str, theirs: ENTRY, memory: Milepost
) -> None:
    done("import", theirs(name.replace(".json", ".db")))
    assert "0 memories were stored" in done("import", program, theirs(name))


def test_a_dry_run_tells_what_would_come_and_stores_nothing(
    theirs: ENTRY, memory: Milepost
) -> None:
    said = done("import", theirs("claude-mem.db"), "--dry-run")
    assert "3 memories would be stored" in said
    assert "2 prompts" in said
    assert texts(memory) == []


def test_whatever_was_replaced_in_mcp_memory_service_is_not_brought_back(
    tmp_path: Path, memory: Milepost
) -> None:
    def entry(name: str, said: str, created: int, newer: str = "") -> dict[str, Any]:
        about = {"superseded_by": newer} if newer else {}
        return {"content": said, "content_hash": name, "created_at": created, "metadata": about}

    told = [
        entry("a", "The deploy runs at noon", 1_700_000_000),
        # It resolves conflicts in favour of what is older, too, and of one over several.
        entry("b", "The deploy runs at one", 1_700_100_000, "a"),
        entry("c", "The deploy runs at two", 1_700_200_000, "a"),
        entry("d", "The archive is on tape", 1_700_300_000, "deleted"),
    ]
    file = tmp_path / "export.json"
    file.write_text(json.dumps({"export_metadata": {}, "memories": told}))
    for _ in range(2):
        assert "1 replaced there by what is gone" in done("import", file)
    assert texts(memory) == ["The deploy runs at noon"]
    rows = memory.search("when does the deploy run?", include_superseded=True)
    assert len([memory.get(row.hash) for row in rows]) == 3


def test_versions_of_mem0_come_in_their_order_and_what_was_deleted_stays_away(
    theirs: ENTRY, memory: Milepost
) -> None:
    done("import", "mem0", theirs("mem0-history.db", "history.db"))
    assert texts(memory) == [
        "Ines prefers invoices as PDF",
        "Kim works on the importer",
        "The warehouse opens at 6",
    ]


def test_what_several_users_told_mem0_is_not_mixed(theirs: ENTRY, memory: Milepost) -> None:
    file = theirs("mem0.json")
    assert "--user" in refused("import", "mem0", file)
    assert texts(memory) == []
    done("import", "mem0", file, "--user", "ines")
    assert texts(memory) == ["Ines prefers invoices as PDF", "The warehouse opens at 6"]
    (row,) = memory.search("invoices as PDF", limit=1)
    found = memory.get(row.hash)
    assert (found.session, found.author, found.tags) == ("r-1", "shop", ("preferences",))


def test_observations_and_summaries_of_claude_mem_keep_project_session_and_time(
    theirs: ENTRY, memory: Milepost
) -> None:
    done("import", theirs("claude-mem.db"))
    rows = memory.list_memories(project="shop", limit=10)
    kinds = {row.kind: memory.get(row.hash) for row in rows}
    assert set(kinds) == {"fix", "note", "summary"}
    assert "libpq5 is missing there" in kinds["fix"].content
    assert kinds["fix"].session == "c-2"
    assert kinds["fix"].created == 1772443800.0
    assert "Pin the digest" in kinds["summary"].content


def test_drawers_of_mempalace_become_memories_and_triples_relations(
    theirs: ENTRY, memory: Milepost
) -> None:
    theirs("mempalace-chroma.sqlite3", "chroma.sqlite3")
    folder = theirs("mempalace-knowledge_graph.sqlite3", "knowledge_graph.sqlite3").parent
    said = done("import", "mempalace", folder)
    assert "2 memories were stored" in said
    assert "3 relations" in said
    assert [row.project for row in memory.search("the queue, Redis or Kafka?", limit=1)] == ["shop"]
    assert "Kafka" in str(memory.neighbours("queue"))
    assert "Redis" not in str(memory.neighbours("queue"))


def test_a_document_of_chroma_says_of_which_collection_it_is(
    theirs: ENTRY, memory: Milepost
) -> None:
    file = theirs("mempalace-chroma.sqlite3", "chroma.sqlite3")
    with contextlib.closing(apsw.Connection(str(file))) as database:
        database.execute("update collections set name = 'notes' where name = 'mempalace_drawers'")
    done("import", "chroma", file)
    found = [memory.get(row.hash).metadata["collection"] for row in memory.list_memories()]
    assert sorted(found) == ["mempalace_closets"] * 2 + ["notes"] * 2


def test_the_file_of_the_reference_server_becomes_memories_and_relations(
    theirs: ENTRY, memory: Milepost
) -> None:
    done("import", theirs("server-memory.jsonl"))
    assert "Ines: works from Lisbon" in texts(memory)
    assert "billing" in str(memory.neighbours("Ines"))


@pytest.mark.parametrize("name", ["codex.jsonl", "opencode.db"])
def test_a_transcript_of_another_agent_leaves_what_was_said_and_decided(
    name: str, theirs: ENTRY, memory: Milepost
) -> None:
    done("import", theirs(name))
    kinds = {row.kind: row.content for row in memory.list_memories(limit=10)}
    assert "config file for ports" in kinds["preference"]
    assert "config.toml" in kinds["decision"]


def test_blocks_and_messages_of_a_letta_agent_are_kept(theirs: ENTRY, memory: Milepost) -> None:
    done("import", theirs("letta.af"))
    said = memory.search("when does the warehouse open?", limit=2)
    assert {memory.get(row.hash).author for row in said} == {"user", "shop-assistant"}
    assert any("answers in the morning" in text for text in texts(memory))
    assert not any("You are Letta" in text for text in texts(memory))


NOTE = """---
title: Billing service
type: note
permalink: services/billing
tags:
- go
created: 2025-02-03
---

# Billing service

Runs twice a day.

## Observations
- [decision] Invoices are numbered by year #billing (agreed with Ines)
- [x] Move the cron job
- [tech] Written in Go

## Relations
- depends_on [[Ledger]]
- maintained by [[Ines]] (since March)
"""


def test_notes_of_basic_memory_become_observations_relations_and_passages(
    tmp_path: Path, memory: Milepost
) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "billing.md").write_text(NOTE)
    said = done("import", "basic-memory", tmp_path / "notes", "--project", "shop")
    assert "2 relations" in said
    rows = {row.content: memory.get(row.hash) for row in memory.list_memories(limit=10)}
    decided = rows["Billing service: Invoices are numbered by year (agreed with Ines)"]
    assert (decided.kind, set(decided.tags)) == ("decision", {"go", "billing"})
    assert time.gmtime(decided.created)[:3] == (2025, 2, 3)
    assert any("twice a day" in text for text in rows)
    assert not any("[[" in text for text in rows)
    assert "Ledger" in str(memory.neighbours("Billing service"))


def claude_export() -> list[dict[str, Any]]:
    said = {"created_at": "2026-01-05T10:00:00Z", "attachments": []}
    return [
        {
            "uuid": "u-1",
            "name": "Ports",
            "created_at": "2026-01-05T09:59:00Z",
            "chat_messages": [
                {**said, "sender": "human", "text": "", "content": [
                    {"type": "text", "text": "Which port does the proxy listen on?"}]},
                {**said, "sender": "assistant", "text": "It listens on 8443.", "content": []},
            ],
        },
        {"uuid": "u-2", "name": "", "created_at": "2026-01-06T09:59:00Z", "chat_messages": []},
    ]  # fmt: skip


def chatgpt_export() -> list[dict[str, Any]]:
    def node(parent: str | None, children: list[str], role: str, text: str, at: float) -> Any:
        message = {
            "author": {"role": role},
            "create_time": at,
            "content": {"content_type": "text", "parts": [text]},
            "recipient": "all",
        }
        return {"parent": parent, "children": children, "message": message}

    nodes = {
        "root": {"parent": None, "children": ["a"], "message": None},
        "a": node("root", ["b", "c"], "user", "Where do backups go?", 1767600000.5),
        "b": node("a", [], "assistant", "To the old bucket.", 1767600001.0),
        "c": node("a", [], "assistant", "To the folder on the NAS.", 1767600002.0),
    }
    return [{"title": "Backups", "id": "g-1", "create_time": 1767600000.0, "mapping": nodes,
             "current_node": "c"}]  # fmt: skip


def test_a_data_export_of_claude_keeps_who_said_what_when(tmp_path: Path, memory: Milepost) -> None:
    archive = tmp_path / "data.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("conversations.json", json.dumps(claude_export()))
        remembered = [{"conversations_memory": "Ines works in Lisbon.", "project_memories": {}}]
        file.writestr("memories.json", json.dumps(remembered))
    assert "1 empty conversations" in done("import", archive)
    rows = [memory.get(row.hash) for row in memory.search("which port?", limit=2)]
    assert {(row.author, row.session) for row in rows} == {("user", "u-1"), ("assistant", "u-1")}
    (noted,) = memory.search("where does Ines work?", limit=1)
    assert memory.get(noted.hash).source == "model"


def test_of_a_chatgpt_conversation_the_branch_that_was_shown_last_is_kept(
    tmp_path: Path, memory: Milepost
) -> None:
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps(chatgpt_export()))
    done("import", "chatgpt", file)
    assert texts(memory) == ["To the folder on the NAS.", "Where do backups go?"]


def test_columns_of_a_table_are_told_by_their_names_or_named(
    tmp_path: Path, memory: Milepost
) -> None:
    file = tmp_path / "notes.csv"
    file.write_text("Text;Labels;When\nThe NAS is in the cellar;hardware, home;2026-02-01\n;;\n")
    columns = "created=When,tags=Labels"
    said = done("import", file, "--columns", columns)
    assert "1 rows without a text" in said
    (row,) = memory.list_memories()
    found = memory.get(row.hash)
    assert set(found.tags) == {"hardware", "home"}
    assert time.gmtime(found.created)[:3] == (2026, 2, 1)


def test_lines_of_json_keep_what_has_no_column_as_metadata(
    tmp_path: Path, memory: Milepost
) -> None:
    file = tmp_path / "notes.jsonl"
    rows = ['{"memory": "Paris is the capital", "score": 3}', "not json"]
    file.write_text("\n".join([*rows, '{"text": "Lyon is not", "tags": "city", "score": 1}']))
    assert "1 rows without a text" in done("import", "jsonl", file)
    second, first = (memory.get(row.hash) for row in memory.list_memories())
    assert (first.metadata["score"], second.metadata["score"]) == (3, 1)
    assert (first.tags, second.tags) == ((), ("city",))


def test_what_the_memory_refuses_does_not_stop_the_rest(tmp_path: Path, memory: Milepost) -> None:
    file = tmp_path / "notes.jsonl"
    rows = [{"text": f"note number {number}"} for number in range(5)]
    rows += [{"text": "one note", "tags": ["t" * 500]}, {"text": "x" * 1_000_001}]
    rows += [{"text": "half a sign \ud83d is left out"}, {"text": "NUL \0 as well"}]
    rows += [{"text": "a skill of theirs", "kind": "skill"}, {"text": "the last one"}]
    file.write_text("\n".join(map(json.dumps, rows)))
    for new in (9, 0):
        said = done("import", file)
        assert f"{new} memories were stored" in said
        assert "2 refused, such as: a tag" in said
    assert {"the last one", "half a sign  is left out", "NUL  as well"} < set(texts(memory))


@pytest.mark.parametrize(
    "told",
    [
        1_738_404_000,
        1_738_404_000_000,
        "1738404000.5",
        "2025-02-01 10:00:00 UTC",
        "20250201",
        "Sat, 01 Feb 2025 10:00:00 +0000",
    ],
)
def test_times_are_understood_however_they_are_written(
    told: object, tmp_path: Path, memory: Milepost
) -> None:
    file = tmp_path / "notes.jsonl"
    file.write_text(json.dumps({"text": "The NAS is in the cellar", "created_at": told}))
    assert "cannot be read" not in done("import", file)
    (row,) = memory.list_memories()
    assert time.gmtime(memory.get(row.hash).created)[:3] == (2025, 2, 1)


@pytest.mark.parametrize("told", [float("inf"), "soon", "9999-01-01", 1e300, -5])
def test_times_that_cannot_be_are_told_of_and_left_out(
    told: object, tmp_path: Path, memory: Milepost
) -> None:
    file = tmp_path / "notes.jsonl"
    file.write_text(json.dumps({"text": "The NAS is in the cellar", "created_at": told}))
    assert "1 times that cannot be read (created_at)" in done("import", file)
    (row,) = memory.list_memories()
    assert memory.get(row.hash).created == pytest.approx(time.time(), abs=86_400)


def test_a_long_text_of_a_table_is_read(tmp_path: Path, memory: Milepost) -> None:
    file = tmp_path / "notes.csv"
    file.write_text("text,tags\n" + "word " * 40_000 + ",long\nThe next one,short\n")
    assert "2 memories were stored" in done("import", file)


def test_a_table_without_a_text_says_which_columns_there_are(tmp_path: Path) -> None:
    file = tmp_path / "numbers.csv"
    file.write_text("a,b\n1,2\n")
    said = refused("import", file)
    assert "--columns content=NAME" in said
    assert "a, b" in said


def test_secrets_in_what_comes_are_left_out(tmp_path: Path, memory: Milepost, path: Path) -> None:
    key = "ghp_" + "a1B2c3D4" * 5
    file = tmp_path / "notes.jsonl"
    file.write_text(json.dumps({"text": f"the token is {key}"}) + "\n")
    assert "1 secret left out" in done("import", file)
    assert key not in "".join(texts(memory))


def test_a_database_that_is_being_written_is_read_and_left_as_it_is(
    theirs: ENTRY, memory: Milepost
) -> None:
    file = theirs("mem0-history.db", "history.db")
    writer = apsw.Connection(str(file))
    writer.pragma("journal_mode", "wal")
    writer.execute("begin immediate")
    writer.execute("update history set role = role")
    before = file.read_bytes()
    done("import", "mem0", file)
    assert file.read_bytes() == before
    writer.execute("rollback")
    writer.close()
    assert "The warehouse opens at 6" in texts(memory)


@pytest.mark.parametrize("content", [b"", b"\x00\xff" * 4_000, b"SQLite format 3\x00" + b"x" * 90])
def test_what_is_no_file_of_the_program_is_refused_in_words(
    content: bytes, tmp_path: Path, memory: Milepost
) -> None:
    file = tmp_path / "sqlite_vec.db"
    file.write_bytes(content)
    said = refused("import", "mcp-memory-service", file)
    assert str(file) in said
    assert "Traceback" not in said
    assert texts(memory) == []


def test_a_file_of_nobody_and_a_name_of_nobody_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "strange.bin"
    file.write_bytes(os.urandom(100))
    assert "say whose it is" in refused("import", file)
    assert "mcp-memory-service" in refused("import", "somebody")
    assert "no memory of codex" in done("import", "codex")


def test_what_was_begun_goes_on_where_it_was_ended(tmp_path: Path, memory: Milepost) -> None:
    file = tmp_path / "notes.jsonl"
    rows = [json.dumps({"text": f"note number {number}"}) for number in range(2_500)]
    file.write_text("\n".join(rows))
    memory.store_batch([f"note number {number}" for number in range(1_200)])
    said = milepost("import", file, "--json")
    assert said.code == 0
    assert json.loads(said.out)["files"][0]["known"] == 1_200
    assert memory.stats().memories == 2_500
