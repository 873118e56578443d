"""Deletions and changes can be taken back for a time, and nothing else shows what was deleted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import milepost
from milepost import ConfigError, InvalidInput, Milepost, NotFound
from milepost.app import open_memory
from milepost.memory.remember import store_items
from milepost.opening import settings_for
from milepost.registry import operations_of
from milepost.sessions import inbox
from milepost.storage.tables.deeds import DeedTable
from milepost.storage.tables.jobs import JobTable
from milepost.storage.tables.named_values import ValueTable
from milepost.testing import Clock

SECRET = 'Nobody may know that the "café" of Zanzibar\nkeeps the ultramarine key'
NEEDLES = (b"ltramarine", b"anzibar")
READING = [o for o in operations_of(Milepost).values() if o.spec.read_only]


def holding(path: Path) -> list[str]:
    """The files of a store in which the secret's words are found."""
    files = [file for file in path.parent.rglob("*") if file.is_file()]
    return [f.name for f in files if any(needle in f.read_bytes() for needle in NEEDLES)]


def contents(memory: Milepost, **conditions: Any) -> set[str]:
    names = [m.hash for m in memory.list_memories(**conditions).memories]
    return {memory.get(name).content for name in names}


def test_a_deletion_that_is_taken_back_leaves_everything_as_it_was(memory: Milepost) -> None:
    older = memory.store("We chose MySQL for the shop", session="s1")
    name = memory.store(
        "We moved to PostgreSQL for the shop",
        tags=["db", "decision"],
        kind="decision",
        metadata={"by": "Ann"},
        session="s1",
        author="Ann",
        project="shop",
        supersedes=older,
    )
    newest = memory.store("We moved to CockroachDB for the shop", supersedes=name)
    before = [memory.get(each) for each in (older, name, newest)]
    answers = [memory.search("which database", as_of=m.valid_from) for m in before]

    assert memory.delete(name).undo_until is not None
    with pytest.raises(NotFound):
        memory.get(name)
    assert memory.get(older).superseded_by == newest
    memory.undo()

    assert [memory.get(each) for each in (older, name, newest)] == before
    assert [memory.search("which database", as_of=m.valid_from) for m in before] == answers


def test_what_was_deleted_is_found_and_told_by_nothing(memory: Milepost) -> None:
    others = memory.store_batch(["the ship left the harbour", "the crane stands still"])
    name = memory.store("the ultramarine ship left with a wombat", tags=["ultra"], session="s1")
    memory.search("harbour")
    memory.delete(name)

    values: dict[str, Any] = {"hash": others[0], "query": "which ultramarine ship left"}
    values |= {"text": "which ultramarine ship left", "tags": "ultra", "limit": 50}
    for operation in READING:
        given = {p.name: values[p.name] for p in operation.parameters if p.name in values}
        if all(p.name in given for p in operation.parameters if p.required):
            with suppress(ConfigError):  # of a database there are no copies to list
                answer = getattr(memory, operation.name)(**given)
                told = [*answer] if operation.streams else answer
                assert "wombat" not in str(told), operation.name
    assert "wombat" not in str(memory.brief(session="s2"))
    assert memory.health().count == 2


def test_the_last_deeds_are_taken_back_in_turn(memory: Milepost) -> None:
    first, second = memory.store_batch(["the first", "the second"])
    memory.update(first, tags=["a"], kind="decision", metadata={"x": 1})
    changed = memory.update(first, content="the first, changed")
    memory.delete(second)

    assert memory.undo(count=2).undone == 2
    assert contents(memory) == {"the first", "the second"}
    assert memory.get(first).tags == ("a",)
    with pytest.raises(NotFound):
        memory.get(changed)

    memory.undo()
    assert memory.get(first)[2:5] == ((), "note", {})
    assert memory.undo().undone == 0
    assert str(memory.undo()) == "nothing to take back"


def test_a_change_of_some_fields_is_taken_back_and_others_stay(memory: Milepost) -> None:
    name = memory.store("the harbour opens at six", tags=["a"])
    memory.update(name, kind="decision")
    memory.store("the harbour opens at six", tags=["b"])

    memory.undo()

    assert memory.get(name)[2:4] == (("a", "b"), "note")


def test_what_an_undo_took_away_comes_back_by_its_hash(memory: Milepost) -> None:
    old = memory.store("the harbour opens at six")
    new = memory.update(old, content="the harbour opens at seven")
    memory.undo()
    assert contents(memory) == {"the harbour opens at six"}

    memory.undo(hash=new)

    assert contents(memory) == {"the harbour opens at seven"}
    assert memory.get(old).superseded_by == new


def test_a_text_that_was_replaced_by_an_older_one_is_put_back(memory: Milepost) -> None:
    first = memory.store("the harbour opens at six", tags=["a"])
    second = memory.update(first, content="the harbour opens at seven")
    memory.update(second, content="the harbour opens at six")
    assert contents(memory) == {"the harbour opens at six"}

    memory.undo()

    assert contents(memory) == {"the harbour opens at seven"}
    assert memory.get(first).superseded_by == second


def test_of_many_that_were_deleted_one_comes_back_by_its_hash(memory: Milepost) -> None:
    old = memory.store("the harbour opens at six", session="s")
    new = memory.store("the harbour opens at seven", session="s", supersedes=old)
    memory.store("the crane stands still", session="s")
    memory.delete_where(session="s")
    assert contents(memory) == set()

    memory.undo(hash=old)
    assert contents(memory) == {"the harbour opens at six"}
    memory.undo(hash=new)

    assert contents(memory) == {"the harbour opens at seven"}
    assert memory.get(old).superseded_by == new
    memory.undo()
    assert contents(memory) == {"the harbour opens at seven", "the crane stands still"}


def test_what_was_stored_again_meanwhile_gains_what_comes_back(memory: Milepost) -> None:
    older = memory.store("the harbour is closed")
    name = memory.store("the harbour opens at six", tags=["a"], project="p", supersedes=older)
    memory.delete(name)
    assert memory.store("the harbour opens at six", tags=["b"]) == name

    memory.undo()

    assert memory.get(name).tags == ("a", "b")
    assert memory.get(name).project == "p"
    assert memory.get(older).superseded_by == name
    assert memory.health().notes == ()


def test_what_was_replaced_by_another_meanwhile_stays_so(memory: Milepost) -> None:
    old = memory.store("the harbour opens at six")
    new = memory.store("the harbour opens at seven", supersedes=old)
    memory.delete(new)
    other = memory.store("the harbour opens at eight", supersedes=old)

    memory.undo(hash=new)

    assert memory.get(old).superseded_by == other


def test_what_hooks_replaced_is_taken_back_only_by_its_hash(memory: Milepost) -> None:
    old = memory.store("pytest fails with an ImportError", metadata={"by": "notice"})
    item = {"content": "mended by pip install", "metadata": {"by": "notice"}, "supersedes": old}
    store_items(memory._context, [item], deed="notice")

    assert memory.undo().undone == 0
    memory.undo(hash=old)

    assert contents(memory) == {"pytest fails with an ImportError"}


def test_a_dry_run_says_what_would_be_taken_back(memory: Milepost) -> None:
    name = memory.store("the harbour opens at six")
    memory.delete(name)

    told = memory.undo(count=10, dry_run=True)

    assert told.dry_run
    assert (told.deeds[0].deed, told.deeds[0].hashes) == ("delete", (name,))
    assert told.deeds[0].preview == "the harbour opens at six"
    assert contents(memory) == set()


def test_nothing_can_be_taken_back_that_was_not_done(memory: Milepost) -> None:
    name = memory.store("the harbour opens at six")

    with pytest.raises(NotFound, match="can be taken back"):
        memory.undo(hash=name)
    with pytest.raises(InvalidInput, match="count must be"):
        memory.undo(count=0)


def test_erasing_reaches_what_was_deleted_before(memory: Milepost, path: Path) -> None:
    name = memory.store(SECRET, tags=["ultramarine"], metadata={"from": "Zanzibar"})
    memory.store("another")
    memory.update(name, metadata={"from": "elsewhere"})
    memory.delete(name)
    memory.store(SECRET)
    memory.delete(name)
    memory.store(SECRET)
    assert holding(path)

    assert memory.delete(name, erase=True).undo_until is None

    assert holding(path) == []
    assert memory.undo(count=50).undone == 0
    with pytest.raises(NotFound):
        memory.delete(name, erase=True)


def test_erasing_by_a_tag_reaches_what_was_deleted_before(memory: Milepost, path: Path) -> None:
    memory.store(SECRET, tags=["secret"])
    memory.store("another")
    memory.delete_by_tag("secret")
    assert memory.delete_by_tag("secret").deleted == 0

    assert memory.delete_by_tag("secret", dry_run=True, erase=True).deleted == 1
    assert str(memory.delete_by_tag("secret", erase=True)).startswith("erased 1")

    assert holding(path) == []


def test_an_erased_text_leaves_how_other_memories_were(memory: Milepost, path: Path) -> None:
    other = memory.store("another", metadata={"says": SECRET})
    name = memory.store(SECRET)
    memory.update(other, metadata={})

    memory.delete(name, erase=True)

    assert holding(path) == []
    memory.undo()
    assert memory.get(other).metadata == {"says": ""}


def test_what_sessions_kept_of_a_deleted_memory_goes_at_once(memory: Milepost, path: Path) -> None:
    name = memory.store(SECRET)
    memory.store("another")
    values = memory._context.store.values
    values.put("default", "state", "s1", json.dumps({"said": SECRET, "more": 1}))
    inbox.append(f"{path}.inbox", "s3", {"turn": {"role": "user", "content": SECRET}})

    memory.delete(name)

    assert json.loads(str(values.get("default", "state", "s1"))) == {"said": "", "more": 1}
    assert "ltramarine" not in (Path(f"{path}.inbox") / "s3.jsonl").read_text()


@pytest.fixture
def dated(clock: Clock, path: Path) -> Iterator[tuple[Milepost, Clock]]:
    """A memory whose clock is set by hand."""
    with open_memory(settings_for(path)) as memory:
        yield memory, clock


def test_after_the_days_of_the_setting_it_is_gone_from_all_files(
    dated: tuple[Milepost, Clock], path: Path
) -> None:
    memory, clock = dated
    memory.store("another")
    memory.delete(memory.store(SECRET))
    clock.advance(days=29)
    memory.run_jobs()
    assert memory.undo(dry_run=True).undone == 1

    clock.advance(days=2)
    memory.run_jobs()

    assert holding(path) == []
    assert memory.undo().undone == 0


def test_what_is_deleted_next_empties_what_was_held_long_enough(
    dated: tuple[Milepost, Clock], path: Path
) -> None:
    memory, clock = dated
    memory.delete(memory.store(SECRET))
    clock.advance(days=31)

    memory.delete(memory.store("another"))

    assert holding(path) == []
    assert memory.undo(count=10).undone == 1


def test_what_was_deleted_later_is_held_longer(dated: tuple[Milepost, Clock]) -> None:
    memory, clock = dated
    memory.delete(memory.store("the first"))
    clock.advance(days=20)
    memory.delete(memory.store("the second"))
    clock.advance(days=11)
    memory.run_jobs()
    assert [deed.preview for deed in memory.undo(count=9, dry_run=True).deeds] == ["the second"]

    clock.advance(days=20)
    memory.run_jobs()

    assert memory.undo(count=9).undone == 0


def test_nothing_is_held_where_the_setting_says_so(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MILEPOST_UNDO_DAYS", "0")
    with milepost.connect(path) as memory:
        memory.store("another")
        old = memory.store("the ship", tags=["a"])
        memory.update(old, tags=["b"])

        assert str(memory.delete(memory.store(SECRET))).startswith("erased 1")
        assert holding(path) == []
        assert memory.undo().undone == 0


def test_what_fails_on_the_way_leaves_nothing_half_done(
    memory: Milepost, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = memory.store_batch(["the first", "the second"])

    def too_late(*_: object) -> None:
        raise RuntimeError("killed")

    for part, attribute in ((JobTable, "erase"), (ValueTable, "erase")):
        with monkeypatch.context() as patch:
            patch.setattr(part, attribute, too_late)
            with pytest.raises(RuntimeError):
                memory.delete_batch(names)
    assert contents(memory) == {"the first", "the second"}
    assert memory.undo().undone == 0

    memory.delete_batch(names)
    with monkeypatch.context() as patch:
        patch.setattr(DeedTable, "_link", too_late)
        with pytest.raises(RuntimeError):
            memory.undo()
    assert contents(memory) == set()
    memory.undo()
    assert contents(memory) == {"the first", "the second"}


@pytest.mark.slow
def test_whoever_is_killed_while_deleting_has_deleted_nothing(path: Path, run_python: Any) -> None:
    with milepost.connect(path) as memory:
        memory.store_batch([f"the ship {i}" for i in range(50)])
    program = f"""
import os, milepost
from milepost.app import open_memory
from milepost.opening import settings_for
memory = open_memory(settings_for({str(path)!r}))
store = memory._context.store
store.jobs.erase = lambda *_: os._exit(0)
memory.delete_where(query="ship", after="2000-01-01")
raise SystemExit("nobody was killed")
"""
    run_python(program)

    with milepost.connect(path) as memory:
        assert memory.health().count == 50
        assert memory.undo().undone == 0


def test_memories_of_other_tenants_are_not_touched(memory: Milepost) -> None:
    other = memory.within("theirs")
    other.store("the harbour opens at six")
    name = memory.store("the harbour opens at six")
    memory.delete(name)

    assert other.undo().undone == 0
    assert len(other.search("harbour").memories) == 1
    assert memory._context.store.deeds.count("default") == 1
    assert memory.within("\x1e1").list_memories().total == 0


@pytest.mark.parametrize(
    ("conditions", "left"),
    [
        ({"project": "shop"}, {"b", "d"}),
        ({"session": "s1"}, {"c", "d"}),
        ({"project": "shop", "session": "s1"}, {"b", "c", "d"}),
        ({"kind": "error"}, {"a", "b", "c"}),
        ({"tags": "x", "match": "all"}, {"a", "c", "d"}),
        ({"before": "2026-01-01"}, {"a", "c", "d"}),
    ],
)
def test_all_that_fulfils_every_condition_is_deleted(
    memory: Milepost, conditions: dict[str, Any], left: set[str]
) -> None:
    memory.store("a", project="shop", session="s1")
    memory.store("b", session="s1", tags=["x"], created="2025-01-01")
    memory.store("c", project="shop", session="s2")
    memory.store("d", kind="error")

    planned = memory.delete_where(**conditions, dry_run=True)
    assert contents(memory) == {"a", "b", "c", "d"}
    done = memory.delete_where(**conditions)

    assert contents(memory) == left
    assert planned.hashes == done.hashes
    memory.undo()
    assert contents(memory) == {"a", "b", "c", "d"}


def test_what_a_search_finds_is_deleted(memory: Milepost) -> None:
    memory.store_batch(["the harbour opens at six", "the harbour crane", "a cake for Monday"])

    assert memory.delete_where(query="harbour").deleted == 2

    assert contents(memory) == {"a cake for Monday"}


def test_everything_is_not_deleted_for_want_of_a_condition(memory: Milepost) -> None:
    memory.store("the harbour opens at six")

    with pytest.raises(InvalidInput, match="needs a condition"):
        memory.delete_where()
    with pytest.raises(InvalidInput, match="needs a condition"):
        memory.delete_where(tags="  , ".strip(" ,") or None)


def test_what_two_take_back_at_once_is_taken_back_by_one(memory: Milepost) -> None:
    def take_back(name: str | None) -> int:
        try:
            return memory.undo(hash=name).undone
        except NotFound:
            return 0

    with ThreadPoolExecutor(4) as threads:
        for i in range(20):
            name = memory.store(f"the harbour opens at {i}")
            memory.delete(name)
            asked = name if i % 2 else None
            assert sum(threads.map(take_back, [asked] * 4)) == 1
    assert len(contents(memory)) == 20


def test_what_was_deleted_before_its_successor_comes_back_by_its_name(memory: Milepost) -> None:
    first = memory.store("the harbour opens at six")
    second = memory.update(first, content="the harbour opens at seven")
    third = memory.update(second, content="the harbour opens at eight")
    memory.delete(second)
    memory.delete(third)

    memory.undo(hash=second)
    assert contents(memory) == {"the harbour opens at seven"}

    memory.undo(count=10)
    assert contents(memory) == {"the harbour opens at six"}
    memory.undo(hash=third)
    memory.undo(hash=second)
    assert len({memory.get(name).content for name in (first, second, third)}) == 3


def test_what_a_deletion_only_freed_is_not_what_was_deleted(memory: Milepost) -> None:
    first = memory.store("the harbour opens at six")
    memory.delete(memory.update(first, content="the harbour opens at seven"))

    assert memory.undo(hash=first).deeds[0].deed == "update"
    assert contents(memory) == {"the harbour opens at six"}
    memory.undo()
    assert "the harbour opens at six" in {memory.get(first).content}


def test_two_memories_never_come_to_replace_each_other(memory: Milepost) -> None:
    first = memory.store("the harbour opens at six")
    second = memory.update(first, content="the harbour opens at seven")
    memory.update(second, content="the harbour opens at six")
    memory.delete(first)
    memory.undo(hash=second)
    memory.undo()

    assert contents(memory)
