"""What every store offers to those that shall hold the same as others."""

from __future__ import annotations

from made_memories import T0, add, drafts, id_of, where

from milepost.memory.values import FOREVER
from milepost.ports import LET_GO, Store, SyncedRow


def test_what_is_known_of_things_is_found_by_key_and_by_number(store: Store) -> None:
    space = where().space
    first = SyncedRow("m aa", 1, True, None, "x")
    later = SyncedRow("m bb", 2, False, "[1, null]", "")
    store.synced.put(space, [(first, "one"), (later, "two")])
    store.synced.put(space, [(first._replace(number=3, seen="y"), "three")])
    store.synced.put("another", [(first, "elsewhere")])

    assert sorted(store.synced.rows(space)) == [first._replace(number=3, seen="y"), later]
    assert store.synced.states(space, ["m aa", "m cc"]) == {"m aa": "three"}
    assert [tuple(each) for each in store.synced.since(space, 1)] == [
        ("m bb", 2, "two"),
        ("m aa", 3, "three"),
    ]

    store.synced.let_go(space, ["m aa", "m bb"])
    seen = {row.key: row.seen for row in store.synced.rows(space)}
    assert seen == {"m aa": LET_GO, "m bb": ""}, "what is gone for all is not let go here alone"


def test_a_memory_is_made_what_another_store_says_it_is(store: Store) -> None:
    for text in ("the port is 8080", "the port is 8443"):
        add(store, text, tags=("net",))
    (draft, newer) = drafts(["the port is 8080", "the port is 8443"])
    other = draft._replace(
        kind="fact", author="Ines", session="ops", tags=("port",), source="tool",
        marks=("instructs",), branch="next", standing=1, recorded_us=T0, created_us=T0,
        valid_from_us=T0,
    )  # fmt: skip

    with store.writing() as work:
        work.memories.put(other)
        work.memories.settle(other, T0 + 5, newer.hash)
    (ended,) = store.memories.records([id_of(store, "the port is 8080")])
    with store.writing() as work:
        work.memories.put(draft)
        work.memories.settle(draft, FOREVER, None)
    (again,) = store.memories.records([ended.id])

    assert (ended.kind, ended.author, ended.session, ended.tags) == (
        "fact",
        "Ines",
        "ops",
        ("port",),
    )
    assert (ended.source, ended.marks, ended.branch, ended.standing) == (
        "tool", ("instructs",), "next", 1,
    )  # fmt: skip
    assert (ended.valid_to_us, ended.superseded_by) == (T0 + 5, newer.hash)
    assert (again.valid_to_us, again.superseded_by, again.author) == (FOREVER, None, draft.author)
    assert again.standing == draft.standing
