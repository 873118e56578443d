"""Memories in every store: once, with what they replace, until they are deleted."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from made_memories import (
    MODEL,
    NOW,
    T0,
    add,
    contents_of,
    drafts,
    found,
    id_of,
    listed,
    texts,
    where,
)

from milepost.errors import NotFound
from milepost.knowledge.values import MAY_REPLACE, MemoryLink
from milepost.memory.remember import content_hash
from milepost.memory.values import FOREVER, Changes, Filter
from milepost.ports import Store


def test_a_stored_memory_comes_back_as_it_was_given(store: Store) -> None:
    store.memories.add(
        drafts(
            ["the harbour opens at six"],
            kind="fact",
            tags=("sea", "time"),
            metadata={"n": [1, None, "é"]},
            session="s",
            author="Ann",
            projects=("port",),
            recorded_us=T0 + 5,
            created_us=T0 + 3,
            valid_from_us=T0 + 4,
        )
    )

    record = store.memories.record("default", content_hash("the harbour opens at six"))

    assert record is not None
    assert record == store.memories.records([record.id])[0]
    assert record._replace(id=0) == record._make(
        (
            0,
            "default",
            content_hash("the harbour opens at six"),
            "the harbour opens at six",
            "fact",
            ("sea", "time"),
            {"n": [1, None, "é"]},
            "s",
            0,
            "Ann",
            ("port",),
            T0 + 5,
            T0 + 3,
            T0 + 4,
            FOREVER,
            None,
        )
    )


def test_an_unknown_memory_is_none(store: Store) -> None:
    assert store.memories.record("default", content_hash("never stored")) is None


def test_storing_nothing_changes_nothing(store: Store) -> None:
    store.memories.add([])

    assert store.memories.count(Filter("default", NOW)) == 0


def test_known_content_gains_tags_and_projects_and_keeps_the_rest(store: Store) -> None:
    first = add(store, "a fact", tags=("b",), projects=("p",), author="Ann", kind="fact")
    second = add(store, "a fact", tags=("a", "b"), projects=("q",), author="Bob", created_us=T0 + 9)

    (record,) = store.memories.records([first])
    assert second == first
    assert record.tags == ("a", "b")
    assert record.projects == ("p", "q")
    assert (record.author, record.kind, record.created_us) == ("Ann", "fact", T0)
    assert listed(store, tags=("a",)) == listed(store, project="q") == ["a fact"]
    assert store.memories.count(Filter("default", NOW)) == 1


def test_content_twice_in_one_batch_is_one_memory_with_both_tags(store: Store) -> None:
    store.memories.add([*drafts(["a fact"], tags=("x",)), *drafts(["a fact"], tags=("y",))])

    assert store.candidates.page(where(), 10).total == 1
    assert store.memories.records([id_of(store, "a fact")])[0].tags == ("x", "y")


def test_places_in_a_session_rise_in_the_order_of_storing(store: Store) -> None:
    for content in ("one", "two", "three"):
        add(store, content, session="s")
    add(store, "elsewhere", session="other")

    positions = [
        store.memories.records([id_of(store, c)])[0].position for c in ("one", "two", "three")
    ]
    assert positions == [0, 1, 2]
    assert store.memories.records([id_of(store, "elsewhere")])[0].position == 0


def test_a_memory_stored_after_the_last_of_a_session_was_deleted_comes_last(store: Store) -> None:
    first, second = add(store, "one", session="s"), add(store, "two", session="s")
    store.memories.remove([second])
    third = add(store, "three", session="s")

    before, after = store.memories.records([first, third])
    assert after.position > before.position


def test_a_superseded_memory_is_hidden_and_names_its_successor(store: Store) -> None:
    old = add(store, "we use MySQL", created_us=T0)
    add(store, "we use PostgreSQL", created_us=T0 + 9, supersedes=content_hash("we use MySQL"))

    (record,) = store.memories.records([old])
    assert record.valid_to_us == T0 + 9
    assert record.superseded_by == content_hash("we use PostgreSQL")
    assert listed(store) == ["we use PostgreSQL"]
    assert found(store, "we use MySQL") == {"we use PostgreSQL"}
    assert store.memories.count(Filter("default", NOW)) == 1


def test_storing_superseded_content_again_lets_it_hold_again(store: Store) -> None:
    old = add(store, "we use MySQL")
    add(store, "we use PostgreSQL", created_us=T0 + 9, supersedes=content_hash("we use MySQL"))
    add(store, "we use MySQL", created_us=T0 + 20)

    (record,) = store.memories.records([old])
    assert (record.valid_to_us, record.superseded_by) == (FOREVER, None)
    assert (record.created_us, record.valid_from_us) == (T0 + 20, T0 + 20)
    assert listed(store) == ["we use MySQL", "we use PostgreSQL"]


def test_content_stored_again_that_may_be_replaced_is_the_newer_and_is_so_no_longer(
    store: Store,
) -> None:
    old, new = add(store, "the demo is tomorrow"), add(store, "the demo is off", created_us=T0 + 9)
    hashes = [content_hash("the demo is off"), content_hash("the demo is tomorrow")]
    store.links.add("default", [MemoryLink(*hashes, MAY_REPLACE, 1.0, 0.0, "")])
    later = T0 + 90 * 86_400 * 1_000_000
    add(store, "the demo is tomorrow", created_us=later)

    (record,) = store.memories.records([old])
    assert record.created_us == later
    assert store.links.of("default", [old, new]) == []


def test_content_that_is_stored_again_with_an_older_date_keeps_the_later_one(store: Store) -> None:
    old = add(store, "we use MySQL", created_us=T0 + 5)
    add(store, "we use PostgreSQL", created_us=T0 + 9, supersedes=content_hash("we use MySQL"))
    add(store, "we use MySQL", created_us=T0)

    assert store.memories.records([old])[0].created_us == T0 + 5


def test_two_memories_can_change_places(store: Store) -> None:
    add(store, "on")
    add(store, "off", created_us=T0 + 5, supersedes=content_hash("on"))
    add(store, "on", created_us=T0 + 9, valid_from_us=T0 + 9, supersedes=content_hash("off"))

    assert listed(store) == ["on"]


def test_a_memory_does_not_supersede_itself(store: Store) -> None:
    add(store, "a fact")
    add(store, "a fact", supersedes=content_hash("a fact"))

    assert listed(store) == ["a fact"]


def test_superseding_an_unknown_memory_is_refused_and_stores_nothing(store: Store) -> None:
    with pytest.raises(NotFound):
        store.memories.add(
            [*drafts(["first"]), *drafts(["second"], supersedes=content_hash("never stored"))]
        )

    assert store.candidates.page(where(), 10).total == 0
    assert store.memories.count(Filter("default", NOW)) == 0


def test_deleting_a_successor_lets_the_older_memory_hold_again(store: Store) -> None:
    old = add(store, "we use MySQL")
    new = add(
        store, "we use PostgreSQL", created_us=T0 + 9, supersedes=content_hash("we use MySQL")
    )
    store.memories.remove([new])

    (record,) = store.memories.records([old])
    assert (record.valid_to_us, record.superseded_by) == (FOREVER, None)
    assert listed(store) == ["we use MySQL"]


def test_deleting_a_middle_version_does_not_bring_back_the_first(store: Store) -> None:
    add(store, "version one")
    add(store, "version two", created_us=T0 + 5, supersedes=content_hash("version one"))
    add(store, "version three", created_us=T0 + 9, supersedes=content_hash("version two"))
    store.memories.remove([id_of(store, "version two")])

    assert listed(store) == ["version three"]


def test_a_change_in_place_is_seen_by_filters_at_once(store: Store) -> None:
    memory_id = add(store, "a fact", tags=("old",), metadata={"a": 1})
    assert listed(store, tags=("old",)) == ["a fact"]

    store.memories.change(
        memory_id, Changes(tags=("new", "fresh"), kind="decision", metadata={"b": 2})
    )

    (record,) = store.memories.records([memory_id])
    assert (record.tags, record.kind, record.metadata) == (("fresh", "new"), "decision", {"b": 2})
    assert listed(store, tags=("old",)) == listed(store, kind="note") == []
    assert listed(store, tags=("new",)) == listed(store, kind="decision") == ["a fact"]


def test_what_a_change_does_not_name_stays(store: Store) -> None:
    memory_id = add(store, "a fact", tags=("t",), kind="fact", metadata={"a": 1})

    store.memories.change(memory_id, Changes(metadata={"a": 2}))
    store.memories.change(memory_id, Changes(kind="error"))

    (record,) = store.memories.records([memory_id])
    assert (record.tags, record.kind, record.metadata) == (("t",), "error", {"a": 2})


def test_tags_and_metadata_can_be_emptied(store: Store) -> None:
    memory_id = add(store, "a fact", tags=("t",), metadata={"a": 1})

    store.memories.change(memory_id, Changes(tags=(), metadata={}))

    (record,) = store.memories.records([memory_id])
    assert (record.tags, record.metadata) == ((), {})


def test_a_memory_deleted_meanwhile_is_not_changed_back_to_life(store: Store) -> None:
    memory_id = add(store, "a fact")
    store.memories.remove([memory_id])

    with suppress(NotFound):
        store.memories.change(memory_id, Changes(tags=("t",), kind="error", metadata={"a": 1}))

    assert store.memories.records([memory_id]) == []
    assert listed(store) == listed(store, tags=("t",)) == []


def test_what_a_caller_does_to_a_record_does_not_reach_the_store(store: Store) -> None:
    given: dict[str, Any] = {"a": [1]}
    memory_id = add(store, "a fact", metadata=given)
    given["a"].append(2)
    store.memories.records([memory_id])[0].metadata["a"].append(3)

    assert store.memories.records([memory_id])[0].metadata == {"a": [1]}


def test_a_removed_memory_is_gone_everywhere(store: Store) -> None:
    contents = [f"the harbour has berth {i}" for i in range(20)]
    store.memories.add(drafts(contents, tags=("sea",), session="s"))
    store.candidates.put_vectors(MODEL, {id_of(store, contents[3]): np.ones(8, np.float32)})
    gone = id_of(store, contents[3])
    assert contents[3] in found(store, "berth 3")

    assert store.memories.remove([gone]) == 1

    assert store.memories.records([gone]) == []
    assert store.memories.record("default", content_hash(contents[3])) is None
    assert store.memories.hashes("default", content_hash(contents[3]), 5) == []
    assert store.candidates.vectors(gone) == {}
    assert contents[3] not in listed(store)
    assert contents[3] not in listed(store, tags=("sea",))
    assert contents[3] not in found(store, "berth 3")
    assert gone not in store.candidates.find(texts().probe("berth 3"), where(), 400).ids
    assert store.memories.count(Filter("default", NOW)) == 19
    assert gone not in [memory.id for memory in store.candidates.lacking(MODEL, 0, 100)]


def test_removing_what_is_not_there_removes_nothing(store: Store) -> None:
    memory_id = add(store, "a fact")

    assert store.memories.remove([]) == 0
    assert store.memories.remove([memory_id + 1]) == 0
    assert store.memories.remove([memory_id, memory_id]) == 1
    assert store.memories.remove([memory_id]) == 0


def test_removed_content_can_be_stored_anew(store: Store) -> None:
    first = add(store, "a fact", tags=("old",))
    store.memories.remove([first])
    second = add(store, "a fact", tags=("new",))

    assert second != first
    assert listed(store, tags=("new",)) == found(store, "a fact").pop().splitlines() == ["a fact"]
    assert listed(store, tags=("old",)) == []


def test_everything_can_be_removed_and_the_store_used_again(store: Store) -> None:
    store.memories.add(drafts([f"old {i}" for i in range(700)]))
    assert len(listed(store)) == 700
    store.memories.remove(store.candidates.page(where(), 1_000).ids)
    assert listed(store) == []

    store.memories.add(drafts([f"new {i}" for i in range(700)]))

    assert len(listed(store)) == 700
    assert all(content.startswith("new") for content in listed(store))


def test_hashes_with_a_prefix_are_listed_in_order_up_to_a_limit(store: Store) -> None:
    contents = [f"memory {i}" for i in range(200)]
    store.memories.add(drafts(contents))
    known = sorted(map(content_hash, contents))
    prefix = known[100][:1]
    fitting = [text for text in known if text.startswith(prefix)]

    assert store.memories.hashes("default", prefix, 1_000) == fitting
    assert store.memories.hashes("default", prefix, 3) == fitting[:3]
    assert store.memories.hashes("default", known[5], 3) == [known[5]]
    assert store.memories.hashes("default", "", 1_000) == known
    assert store.memories.hashes("other", prefix, 3) == []


def test_the_shortest_name_is_told_apart_from_all_others(store: Store) -> None:
    contents = [f"memory {i}" for i in range(200)]
    store.memories.add(drafts(contents))
    add(store, "memory 0", space="other")

    for full in map(content_hash, contents):
        (short,) = store.memories.shortest("default", [full], 1)
        assert store.memories.hashes("default", short, 2) == [full]
        if len(short) > 1:
            assert len(store.memories.hashes("default", short[:-1], 2)) == 2
    zero = content_hash("memory 0")
    assert store.memories.shortest("default", [zero], 8) == [zero[:8]]
    assert store.memories.shortest("other", [zero], 1) == [zero[0]]


def test_records_come_in_the_order_asked_for_without_the_deleted(store: Store) -> None:
    one, two, three = (add(store, content) for content in ("one", "two", "three"))
    store.memories.remove([two])

    assert contents_of(store, [three, two, one, 10**9]) == ["three", "one"]
    assert store.memories.records([]) == []


def test_spaces_see_only_their_own(store: Store) -> None:
    add(store, "shared words", tags=("t",), session="s")
    add(store, "shared words", space="other", tags=("u",), session="s")
    add(store, "more words", space="other", tags=("t",), session="s")

    assert listed(store) == ["shared words"]
    assert set(listed(store, space="other")) == {"shared words", "more words"}
    assert found(store, "words") == {"shared words"}
    assert store.memories.count(Filter("other", NOW)) == 2
    assert store.memories.records([id_of(store, "shared words")])[0].tags == ("t",)
    store.memories.remove([id_of(store, "shared words")])
    assert set(listed(store, space="other")) == {"shared words", "more words"}
    assert listed(store, space="unknown") == []


def test_superseding_stays_within_a_space(store: Store) -> None:
    add(store, "old", space="other")
    with pytest.raises(NotFound):
        add(store, "new", supersedes=content_hash("old"))

    assert listed(store, space="other") == ["old"]


def test_the_past_is_seen_as_it_was(store: Store) -> None:
    add(store, "version 1", created_us=T0)
    add(store, "version 2", created_us=T0 + 10, supersedes=content_hash("version 1"))
    add(store, "version 3", created_us=T0 + 20, supersedes=content_hash("version 2"))

    assert listed(store) == ["version 3"]
    assert listed(store, include_superseded=True) == ["version 3", "version 2", "version 1"]
    assert listed(store, as_of_us=T0 - 1) == []
    assert listed(store, as_of_us=T0) == ["version 1"]
    assert listed(store, as_of_us=T0 + 9) == ["version 1"]
    assert listed(store, as_of_us=T0 + 10) == ["version 2"]
    assert listed(store, as_of_us=T0 + 25) == ["version 3"]
    assert found(store, "version", as_of_us=T0 + 15) == {"version 2"}


def test_a_count_is_of_the_memories_that_hold(store: Store) -> None:
    add(store, "version 1")
    add(store, "version 2", created_us=T0 + 10, supersedes=content_hash("version 1"))

    assert store.memories.count(Filter("default", NOW)) == 1
    assert store.memories.count(Filter("other", NOW)) == 0


def test_many_threads_may_write_and_read_at_once(store: Store) -> None:
    def work(thread: int) -> None:
        for i in range(12):
            memory_id = add(store, f"harbour {thread} {i}", tags=(f"t{thread}",), session="s")
            assert store.memories.count(Filter("default", NOW)) > 0
            assert memory_id in store.candidates.page(where(tags=(f"t{thread}",)), 100).ids
            assert memory_id in store.candidates.find(texts().probe(f"{i}"), where(), 400).ids
            store.candidates.lacking(MODEL, 0, 1_000)
            store.memories.shortest("default", [content_hash(f"harbour {thread} {i}")], 8)
        store.memories.remove([id_of(store, f"harbour {thread} 0")])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))

    assert len(listed(store)) == len(set(listed(store))) == 8 * 11
    records = store.memories.records(store.candidates.page(where(), 1_000).ids)
    assert len({record.position for record in records}) == len(records)
