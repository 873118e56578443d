"""What was erased is in no file any more: not in the store, its log, its index, its inbox."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest

import milepost
from milepost import Milepost
from milepost.config import Settings
from milepost.memory.values import Filter
from milepost.opening import open_context
from milepost.sessions import inbox
from milepost.storage.sqlite.sql import migrations
from milepost.storage.sqlite.store import SqliteStore

SECRET = 'Nobody may know that the "café" of Zanzibar\nkeeps the ultramarine key'
NEEDLES = (b"ltramarine", b"anzibar")
OTHERS = [f"the ship {i} left the harbour" for i in range(700)]
KEPT_TABLES = ("removals", "journal", "kept")


def holding(path: Path) -> list[str]:
    """The files of a store in which the secret's words are found."""
    files = [file for file in path.parent.rglob("*") if file.is_file()]
    return [f.name for f in files if any(needle in f.read_bytes() for needle in NEEDLES)]


def rows(path: Path, table: str) -> int:
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        # How many memories an operation removed is a number, and stays.
        told = " WHERE topic <> 'removed'" if table == "kept" else ""
        return int(connection.execute(f"SELECT count(*) FROM {table}{told}").get)


@contextmanager
def store_at(path: Path, scripts: list[str] | None = None) -> Iterator[SqliteStore]:
    texts = open_context(Settings("memory://")).texts
    store = SqliteStore(path, lambda it: texts.analyse([it])[0], scripts=scripts)
    yield store
    store.close()


def visible(store: SqliteStore) -> list[int]:
    return sorted(store.candidates.page(Filter("default", 1 << 60), 1 << 30).ids)


def test_an_erased_text_is_in_no_file(memory: Milepost, path: Path) -> None:
    memory.store_batch(OTHERS)
    name = memory.store(SECRET, tags=["ultramarine"], metadata={"from": "Zanzibar"})
    memory.update(name, kind="decision")
    memory.search("ship harbour")
    assert holding(path)

    memory.delete(name, erase=True)

    assert holding(path) == []
    assert memory.search("ship harbour").total > 0


@pytest.mark.usefixtures("sandbox")
def test_a_text_that_a_program_stored_goes_with_the_memory(memory: Milepost, path: Path) -> None:
    program = f"state['seen'] = {SECRET!r}; state['port'] = 'harbour'\nstore({SECRET!r})"
    memory.execute_code(program, session="s1")
    memory.execute_code(f"raise ValueError({SECRET!a})", session="s1")
    memory.store("another")
    (name,) = (m.hash for m in memory.search("ultramarine key").memories)

    memory.delete(name, erase=True)

    assert holding(path) == []
    assert memory.execute_code("state", session="s1").output == "{'seen': '', 'port': 'harbour'}"


def test_what_a_session_was_to_be_told_goes_with_the_memory(memory: Milepost, path: Path) -> None:
    said = f"From now on always remember: {' '.join(SECRET.split())}."
    told = {"role": "user", "text": said}
    memory.store_batch(OTHERS[:3])
    (name,) = memory.notice("s1", [told], stage="compaction")
    content = memory.get(name).content
    memory.brief(session="s2")
    memory.store("another")
    inbox.append(f"{path}.inbox", "s3", {"turn": {"role": "user", "content": said}})
    inbox.append(f"{path}.inbox", "s3", {"turn": {"role": "user", "content": "and the rest"}})
    left = {"mark": {"mark": "turn", "session": "s4"}, "entries": [{"turn": {"content": said}}]}
    store = memory._context.store
    store.jobs.enqueue("default", "session", "x", json.dumps(left), 1 << 60)
    assert store.values.get("default", "session", "s1")
    full = memory.get(name).full_hash

    memory.delete(name, erase=True)

    assert "ltramarine" in content
    assert holding(path) == []
    assert full not in str(
        [store.values.get("default", "session", "s2"), store.values.get("default", "usage", "")]
    )
    lines = (Path(f"{path}.inbox") / "s3.jsonl").read_text().split("\n")
    turns = [json.loads(line)["turn"]["content"] for line in lines if line]
    assert turns == ["", "and the rest"]
    (job,) = [job for job in store.jobs.list("default", None, 10) if job.key == "x"]
    assert json.loads(job.payload)["mark"]["session"] == "s4"


def observed(memory: Milepost, session: str, word: str) -> None:
    ran = {"role": "tool", "tool": "Bash", "input": f"sail {word}", "text": word}
    turns = [
        {"role": "user", "text": f"From now on always sail to {word} for the key."},
        ran | {"failed": True},
        ran | {"input": "pytest -q", "text": "1 passed"},
        {"role": "assistant", "text": f"It failed because {word} was closed."},
    ]
    memory.notice(session, turns, project="ships", stage="end")
    memory.run_jobs()


def test_an_erased_session_leaves_no_episode(memory: Milepost, path: Path) -> None:
    observed(memory, "s1", "Zanzibar")
    observed(memory, "s2", "Lisbon")
    left = memory.delete_where(session="s1", kind="preference")
    assert left.episodes == ()
    held = memory.delete_where(session="s1")
    assert len(held.episodes) == 1
    assert "stay until they are erased: ep_" in str(held)
    assert memory.list_episodes().total == 2

    would = memory.delete_where(session="s1", erase=True, dry_run=True)
    assert (would.episodes, memory.list_episodes().total) == (held.episodes, 2)
    gone = memory.delete_where(session="s1", erase=True)

    assert gone.episodes == held.episodes
    assert "with its episodes ep_" in str(gone)
    assert memory.list_episodes().total == 1
    assert memory.recall_events(session_id="s1") == []
    assert holding(path) == []


def test_what_another_space_keeps_is_left(memory: Milepost, path: Path) -> None:
    name = memory.store(SECRET)
    memory._context.store.values.put("theirs", "state", "s1", json.dumps({"a": SECRET}))

    memory.delete(name, erase=True)

    assert SECRET in json.loads(str(memory._context.store.values.get("theirs", "state", "s1")))["a"]


@pytest.mark.usefixtures("sandbox")
def test_nothing_is_kept_beside_memories_that_are_all_gone(path: Path) -> None:
    with milepost.connect(path) as memory:
        names = memory.store_batch(OTHERS)
        memory.execute_code("state['a'] = 1", session="s1")
        memory.brief(project="shop", identity="here", session="s1")
        memory.delete_batch(names[:300], erase=True)
        memory.delete_batch(names[300:], erase=True)

    assert {table: rows(path, table) for table in KEPT_TABLES} == dict.fromkeys(KEPT_TABLES, 0)


@pytest.mark.usefixtures("sandbox")
def test_episodes_keep_what_is_kept_beside_them_until_they_are_gone(path: Path) -> None:
    with milepost.connect(path) as memory:
        name = memory.store("the only one")
        memory.execute_code("state['a'] = 1", session="s1")
        episode = memory.create_episode("sail to Zanzibar for ultramarine")
        memory.delete(name, erase=True)
        assert memory.execute_code("state", session="s1").output == "{'a': 1}"

        memory.delete_episode(episode)
        assert holding(path) == []

    assert {table: rows(path, table) for table in KEPT_TABLES} == dict.fromkeys(KEPT_TABLES, 0)


def test_an_index_that_has_not_looked_for_long_learns_of_forgotten_deletions(path: Path) -> None:
    with milepost.connect(path) as memory:
        names = memory.store_batch(OTHERS)
        with store_at(path) as other:
            assert len(visible(other)) == len(OTHERS)

            memory.delete_batch(names, erase=True)
            assert rows(path, "removals") == 0
            memory.store("the only one left")

            assert visible(other) == [len(OTHERS) + 1]
    with store_at(path) as later:
        assert visible(later) == [len(OTHERS) + 1]


@pytest.mark.slow
def test_compacting_forgets_deletions_that_no_index_needs(path: Path) -> None:
    with store_at(path) as other:
        with milepost.connect(path) as memory:
            names = memory.store_batch(OTHERS)
            assert len(visible(other)) == len(OTHERS)
            memory.delete_batch(names[:100], erase=True)
            memory.store("a later one")
            memory.search("later")
            store: Any = memory._context.store
            store.index.join()
            store.forget_removals()

            assert rows(path, "removals") == 0
            assert visible(other) == list(range(101, 702))
        with store_at(path) as later:
            assert visible(later) == list(range(101, 702))


def test_a_log_that_a_reader_holds_is_emptied_after_the_next_write(
    memory: Milepost, path: Path
) -> None:
    name = memory.store(SECRET)
    memory.store("another")
    with closing(apsw.Connection(str(path))) as reader:
        reader.execute("BEGIN; SELECT count(*) FROM memories").fetchall()
        memory.delete(name, erase=True)
        assert holding(path)

    memory.store("a third")

    assert holding(path) == []


def test_old_journals_lose_the_texts_of_programs(path: Path) -> None:
    entry = {"session": "s1", "code": f"store({SECRET!r})", "error": SECRET, "stats": {}}
    with store_at(path, scripts=migrations()[:4]) as old:
        old.values.note("default", "executions", 1, [json.dumps(entry)], 10)

    with store_at(path) as store:
        (noted,) = store.values.notes("default", "executions", 0, 10)
        assert json.loads(noted[1]) == {"session": "s1", "stats": {}}

    Path(f"{path}.v4.backup").unlink()
    assert holding(path) == []


@pytest.mark.parametrize("content", ["Use tabs", "🔥🔥", "猫が好き", "x" * 5_000])
def test_texts_of_any_shape_go_from_the_state(memory: Milepost, content: str) -> None:
    name = memory.store(content)
    memory.store("another")
    store = memory._context.store
    store.values.put(
        "default", "state", "s1", json.dumps({"said": [f"he said: {content}!", "more"]})
    )

    memory.delete(name, erase=True)

    assert json.loads(str(store.values.get("default", "state", "s1"))) == {"said": ["", "more"]}


def test_an_erased_text_leaves_what_a_killed_process_had_taken(path: Path) -> None:
    with milepost.connect(path) as memory:
        name = memory.store("The zyzzyva sails at dawn from the northern pier of the harbour")
        folder = f"{path}.inbox"
        said = "The zyzzyva sails at dawn from the northern pier of the harbour"
        inbox.append(folder, "s9", {"turn": {"role": "user", "content": said}})
        left = Path(folder) / "s9.jsonl"
        left.rename(Path(folder) / "s9.jsonl.999999999-1.taken")

        memory.delete(name, erase=True)

        assert [file.name for file in Path(folder).iterdir()] == ["s9.jsonl"]
        assert "zyzzyva" not in left.read_text()
