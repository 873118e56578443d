"""Several nouns are written together or not at all, and seen by others only then."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from made_memories import add, drafts, found, id_of, where
from test_episodes_port import episode, step
from test_patterns_port import pattern

from milepost.errors import NotFound, OutOfTime, StoreUnavailable
from milepost.experience.values import StoredPattern
from milepost.ports import Conflict, Store


class Lost(Exception):
    """Something that goes wrong on the way."""


def kept(store: Store) -> str | None:
    return store.values.get("default", "state", "s1")


def test_what_is_written_together_is_there_together(store: Store) -> None:
    with store.writing() as work:
        work.memories.add(drafts(["the harbour"]))
        work.values.put("default", "state", "s1", "{}")
        work.jobs.enqueue("default", "work", "a", "", 0)
        work.episodes.begin("default", episode())
        work.episodes.add_steps("default", "ep_a", [step()])
        work.patterns.learn("default", None, [StoredPattern(pattern(), 0)])

    assert found(store, "harbour") == {"the harbour"}
    assert kept(store) == "{}"
    assert [job.key for job in store.jobs.list("default", None, 9)] == ["a"]
    assert len(store.episodes.steps("default", "ep_a")) == 1
    assert len(store.patterns.find("default", None, None, 9)) == 1


def test_what_fails_on_the_way_leaves_nothing_of_any_noun(store: Store) -> None:
    add(store, "an older one")
    with pytest.raises(Lost), store.writing() as work:  # noqa: PT012
        work.memories.add(drafts(["the harbour"]))
        work.memories.remove([id_of(store, "an older one")])
        work.values.put("default", "state", "s1", "{}")
        work.jobs.enqueue("default", "work", "a", "", 0)
        work.episodes.begin("default", episode())
        work.patterns.learn("default", None, [StoredPattern(pattern(), 0)])
        raise Lost

    assert store.candidates.page(where(), 9).total == store.memories.count(where()) == 1
    assert found(store, "older harbour") == {"an older one"}
    assert kept(store) is None
    assert not store.jobs.list("default", None, 9)
    assert store.episodes.named("default", ["ep_a"]) == []
    assert store.patterns.find("default", None, None, 9) == []


def test_a_conflict_undoes_what_was_written_before_it(store: Store) -> None:
    store.patterns.learn("default", None, [StoredPattern(pattern(), 0)])

    with pytest.raises(Conflict), store.writing() as work:  # noqa: PT012
        work.values.put("default", "state", "s1", "{}")
        work.patterns.learn("default", None, [StoredPattern(pattern(successes=9), 7)])

    assert kept(store) is None


def test_whoever_writes_sees_what_he_wrote_and_others_do_not(store: Store) -> None:
    seen: list[str | None] = []
    looked = threading.Thread(target=lambda: seen.append(kept(store)))
    with store.writing() as work:
        work.values.put("default", "state", "s1", "{}")
        work.memories.add(drafts(["the harbour"]))
        assert work.values.get("default", "state", "s1") == "{}"
        assert work.memories.record("default", drafts(["the harbour"])[0].hash) is not None
        looked.start()
        if store.backend != "memory":  # one connection answers all by turns
            looked.join()
    looked.join()

    assert seen == ["{}" if store.backend == "memory" else None]


def test_a_unit_within_another_is_a_part_of_it(store: Store) -> None:
    with pytest.raises(Lost), store.writing() as work:  # noqa: PT012
        with store.writing() as inner:
            inner.values.put("default", "state", "s1", "{}")
        assert work.values.get("default", "state", "s1") == "{}"
        raise Lost

    assert kept(store) is None


def test_a_store_can_be_written_after_a_unit_failed(store: Store) -> None:
    with pytest.raises(NotFound):
        store.memories.add(drafts(["one"], supersedes="0" * 64))

    add(store, "two")
    assert store.memories.count(where()) == 1


def test_a_rehearsal_says_what_it_would_do_and_does_nothing(store: Store) -> None:
    older = add(store, "an older one")
    with store.rehearsing() as would:
        store.memories.add(drafts(["the harbour"]))
        store.memories.remove([older])
        store.episodes.begin("default", episode())
        assert store.memories.count(where()) == 1

    assert [deed.partition(" (")[0] for deed in would] == [
        "store 1 memory", "erase 1 memory", "begin the episode 'paint the harbour'",
    ]  # fmt: skip
    assert found(store, "older harbour") == {"an older one"}
    assert store.episodes.named("default", ["ep_a"]) == []


def test_a_rehearsal_that_fails_is_undone_too(store: Store) -> None:
    with pytest.raises(Lost), store.rehearsing():  # noqa: PT012
        store.values.put("default", "state", "s1", "{}")
        raise Lost

    store.values.put("default", "state", "s2", "{}")
    assert kept(store) is None


def test_what_fails_within_a_unit_and_is_caught_leaves_nothing_of_itself(store: Store) -> None:
    with store.writing() as work:
        work.values.put("default", "state", "s1", "{}")
        with pytest.raises(NotFound):
            work.memories.add(drafts(["first", "second"], supersedes="0" * 64))

    assert store.memories.count(where()) == 0
    assert kept(store) == "{}"


def test_a_search_within_a_unit_that_fails_leaves_the_index_as_it_was(store: Store) -> None:
    add(store, "a quiet harbour")
    with pytest.raises(Lost), store.writing() as work:  # noqa: PT012
        work.memories.add(drafts(["a loud harbour", "another harbour"]))
        work.memories.remove([id_of(store, "a quiet harbour")])
        store.candidates.page(where(), 9)
        raise Lost

    add(store, "a quokka in the harbour")
    assert found(store, "harbour") == {"a quiet harbour", "a quokka in the harbour"}


def test_what_follows_from_a_write_cannot_make_it_fail(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    from milepost.storage.tables import memories

    if store.backend == "postgres":
        pytest.skip("nothing follows there: the database is the index")

    def too_late() -> None:
        raise OutOfTime("no time is left")

    with monkeypatch.context() as patched:
        patched.setattr(memories, "INDEX_LAG", 1)
        patched.setattr(store.index, "segments", too_late)  # type: ignore[attr-defined]
        store.memories.add(drafts(["the harbour"]))

    assert store.memories.count(where()) == 1


def test_an_interrupt_while_waiting_to_write_leaves_the_store_usable(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    from milepost.storage.postgres import database
    from milepost.storage.sqlite import file

    begin, enter = file._begin, database.PostgresDatabase._entered

    def interrupted(writer: Any, wait_s: float) -> None:
        begin(writer, wait_s)
        raise KeyboardInterrupt

    def interrupted_there(self: Any) -> None:
        enter(self)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):  # noqa: PT012
        patched.setattr(file, "_begin", interrupted)
        patched.setattr(database.PostgresDatabase, "_entered", interrupted_there)
        add(store, "lost")

    add(store, "the harbour")
    assert store.memories.count(where()) == 1


def test_a_store_that_was_closed_says_so(store: Store) -> None:
    if store.backend != "memory":
        pytest.skip("a file is opened again")
    store.close()

    with pytest.raises(StoreUnavailable):
        kept(store)


def test_a_part_that_failed_takes_nothing_from_what_is_written_after_it(store: Store) -> None:
    with store.writing() as work:
        with pytest.raises(NotFound):
            work.memories.add(drafts(["one"], supersedes="0" * 64))
        work.memories.add(drafts(["two"]))
    before = store.version("default", 0)
    add(store, "three")

    assert store.memories.count(where()) == 2
    assert before is None or store.version("default", 0) != before
