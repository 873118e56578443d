"""Memories counted in every store: by what they are, by tag, and those that are to be reviewed."""

from __future__ import annotations

from made_memories import NOW, SECOND, T0, add, contents_of, where

from milepost.memory.remember import content_hash
from milepost.memory.values import Changes, TagCount
from milepost.ports import Store

MONTH = 31 * 86_400 * SECOND


def fill(store: Store) -> None:
    add(store, "one", tags=("a", "b"), projects=("shop",), session="s1", kind="decision")
    add(store, "two", tags=("a",), projects=("shop", "port"), session="s1", created_us=T0 - MONTH)
    add(store, "three", tags=("a",), session="s2")
    add(store, "four", tags=("old",))
    add(store, "five", supersedes=content_hash("four"), created_us=T0 + 1)
    add(store, "theirs", space="theirs", tags=("a",))


def test_memories_are_counted_by_kind_project_session_and_month(store: Store) -> None:
    fill(store)

    tally = store.counts.tally("default", NOW)

    assert (tally.memories, tally.superseded) == (4, 1)
    assert tally.kinds == {"note": 3, "decision": 1}
    assert (tally.projects, tally.unowned) == ({"shop": 2, "port": 1}, 2)
    assert tally.months == {"2023-10": 1, "2023-11": 3}
    assert (tally.sessions, tally.session_count) == ({"s1": 2, "s2": 1}, 2)
    assert (tally.oldest_us, tally.newest_us) == (T0 - MONTH, T0 + 1)


def test_an_empty_space_counts_nothing(store: Store) -> None:
    tally = store.counts.tally("default", NOW)

    assert (tally.memories, tally.oldest_us, tally.kinds) == (0, None, {})
    assert store.counts.tags("default", None, NOW) == []


def test_tags_are_counted_once_a_memory_and_by_project(store: Store) -> None:
    fill(store)

    assert store.counts.tags("default", None, NOW) == [
        TagCount("a", 3, {"shop": 2, "port": 1}),
        TagCount("b", 1, {"shop": 1}),
    ]
    assert store.counts.tags("default", "port", NOW) == [TagCount("a", 1, {"port": 1})]


def test_a_session_narrows_lists_and_counts(store: Store) -> None:
    fill(store)

    page = store.candidates.page(where(session="s1"), 10)
    assert contents_of(store, page.ids) == ["one", "two"]
    assert store.memories.count(where(session="s1")) == 2
    assert store.candidates.page(where("theirs", session="s1"), 10).total == 0


def test_a_branch_narrows_lists_and_counts_to_what_belongs_to_it(store: Store) -> None:
    add(store, "one", branch="try-redis")
    add(store, "two", branch="fix")
    add(store, "three")

    for branch, contents in (("try-redis", ["one"]), ("fix", ["two"]), ("gone", [])):
        page = store.candidates.page(where(branch=branch), 10)
        assert contents_of(store, page.ids) == contents
        assert store.memories.count(where(branch=branch)) == len(contents)


def test_what_nobody_looked_at_is_listed_the_newest_first(store: Store) -> None:
    add(store, "one", metadata={"by": "notice"})
    add(store, "two", metadata={"by": "notice"}, created_us=T0 + 1)
    add(store, "three", created_us=T0 + 2)
    seen = add(store, "four", metadata={"by": "notice"})
    store.memories.change(seen, Changes(metadata={"by": "notice", "reviewed": "2026-01-01"}))

    captured = store.candidates.unreviewed(where(), "notice", 1)
    assert (contents_of(store, captured.ids), captured.total) == (["two"], 2)
    everything = store.candidates.unreviewed(where(), None, 10)
    assert contents_of(store, everything.ids) == ["three", "two", "one"]


def test_patterns_and_room_are_counted(store: Store) -> None:
    assert store.patterns.count("default") == 0
    assert (store.size_bytes() > 0) == (store.backend != "memory")


def test_the_beginning_of_time_is_a_moment_like_others(store: Store) -> None:
    fill(store)

    assert store.memories.count(where(after_us=0)) == 4
    assert store.memories.count(where(before_us=0)) == 0
