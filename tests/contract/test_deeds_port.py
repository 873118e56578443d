"""Deeds in every store: what they hold, how it is taken back, and when it is gone."""

from __future__ import annotations

from made_memories import T0, add, contents_of, drafts, found, id_of, listed, where

from milepost.memory.remember import content_hash
from milepost.memory.values import FOREVER, Changes, bin_of
from milepost.ports import Store

KINDS = ("delete", "update", "store")


def discard(store: Store, *contents: str, at_us: int = T0, space: str = "default") -> int:
    with store.writing() as work:
        deed = work.deeds.begin(space, "delete", at_us)
        work.memories.discard([id_of(store, content, space) for content in contents], deed)
    return deed


def test_what_was_discarded_is_in_no_list_and_no_search(store: Store) -> None:
    for content in ("the harbour opens", "the harbour closes"):
        add(store, content, tags=("sea",))

    discard(store, "the harbour opens")

    assert listed(store) == ["the harbour closes"]
    assert listed(store, tags=("sea",)) == ["the harbour closes"]
    assert found(store, "harbour opens") == {"the harbour closes"}
    assert store.memories.count(where()) == 1
    assert store.memories.hashes("default", content_hash("the harbour opens")[:8], 5) == []
    assert store.candidates.lacking("another model", 0, 10)[0].content == "the harbour closes"
    assert store.deeds.count("default") == 1
    assert store.problems() == ()


def test_what_was_discarded_comes_back_where_and_as_it_was(store: Store) -> None:
    memory_id = add(store, "the harbour opens", session="s", tags=("a",), projects=("p",))
    add(store, "the harbour closes", session="s")
    before = store.memories.records([memory_id])
    vectors = store.candidates.vectors(memory_id)
    deed = discard(store, "the harbour opens")

    assert store.deeds.take_back(deed, T0) == [memory_id]

    assert store.memories.records([memory_id]) == before
    assert store.candidates.vectors(memory_id).keys() == vectors.keys()
    assert found(store, "harbour opens") == {"the harbour opens", "the harbour closes"}
    assert store.deeds.find("default", KINDS, 10) == []


def test_deeds_are_listed_the_last_first_and_by_space(store: Store) -> None:
    for content in ("one", "two", "three"):
        add(store, content)
    add(store, "one", space="theirs")
    discard(store, "one")
    discard(store, "two", "three", at_us=T0 + 5)
    discard(store, "one", space="theirs")

    deeds = store.deeds.find("default", KINDS, 10)

    assert [(deed.kind, deed.memories, deed.at_us) for deed in deeds] == [
        ("delete", 2, T0 + 5),
        ("delete", 1, T0),
    ]
    assert store.deeds.find("default", ("update",), 10) == []
    assert [text for _, text in store.deeds.some(deeds[0].id, 10)] == ["two", "three"]
    about = store.deeds.about("default", content_hash("one")[:8])
    assert [(deed.id, full_hash) for deed, _, full_hash in about] == [
        (deeds[1].id, content_hash("one"))
    ]


def test_a_change_is_put_back_field_by_field(store: Store) -> None:
    memory_id = add(store, "the harbour", tags=("a",), kind="note")
    deed = store.deeds.begin("default", "update", T0)
    store.memories.change(memory_id, Changes(kind="fact"), deed)
    store.memories.change(memory_id, Changes(tags=("b",)))

    store.deeds.take_back(deed, T0)

    (record,) = store.memories.records([memory_id])
    assert (record.kind, record.tags) == ("note", ("b",))


def test_what_replaced_a_memory_is_discarded_when_that_is_taken_back(store: Store) -> None:
    older = add(store, "the harbour opens at six")
    deed = store.deeds.begin("default", "store", T0)
    known = content_hash("the harbour opens at six")
    store.memories.add(drafts(["the harbour opens at seven"], supersedes=known), deed)
    assert listed(store) == ["the harbour opens at seven"]

    assert store.deeds.take_back(deed, T0 + 1) == []

    assert listed(store) == ["the harbour opens at six"]
    assert store.memories.records([older])[0].valid_to_us == FOREVER
    (undone,) = store.deeds.find("default", ("undo",), 10)
    store.deeds.take_back(undone.id, T0 + 2)
    assert listed(store) == ["the harbour opens at seven"]


def test_what_is_held_long_enough_is_forgotten_with_what_is_kept_for_it(store: Store) -> None:
    for content in ("one", "two", "three"):
        add(store, content)
    first = discard(store, "one")
    store.values.put(bin_of(first), "skills", "s", "{}")
    discard(store, "two", at_us=T0 + 5)
    change = store.deeds.begin("default", "update", T0)
    store.memories.change(id_of(store, "three"), Changes(kind="x"), change)

    assert store.deeds.oldest_us("default") == T0
    assert store.deeds.forget("default", T0 + 1) == 1

    assert store.values.get(bin_of(first), "skills", "s") is None
    assert [deed.at_us for deed in store.deeds.find("default", KINDS, 10)] == [T0 + 5]
    assert store.deeds.forget("default", FOREVER) == 1
    assert store.deeds.oldest_us("default") is None
    assert listed(store) == ["three"]


def test_what_is_held_is_found_by_its_hash_and_by_a_filter(store: Store) -> None:
    add(store, "one", tags=("a",))
    add(store, "two")
    discard(store, "one", "two")

    (held,) = store.deeds.binned("default", content_hash("one")[:6])
    assert (held.content, held.tags) == ("one", ("a",))
    assert contents_of(store, store.deeds.held(where(tags=("a",)))) == ["one"]
    assert store.deeds.held(where("theirs")) == []


def test_an_erased_memory_is_forgotten_by_every_deed(store: Store) -> None:
    add(store, "one")
    deed = store.deeds.begin("default", "update", T0)
    store.memories.change(id_of(store, "one"), Changes(kind="x"), deed)
    store.memories.remove([id_of(store, "one")])

    assert store.deeds.find("default", KINDS, 10) == []


def test_what_two_discard_at_once_comes_back_once_and_stays(store: Store) -> None:
    memory_id = add(store, "the harbour opens", tags=("sea",))
    first = discard(store, "the harbour opens")
    with store.writing() as work:  # by one who had looked before the other was done
        second = work.deeds.begin("default", "delete", T0)
        assert work.memories.discard([memory_id], second) == 0

    assert store.deeds.take_back(first, T0) == [memory_id]
    assert store.deeds.take_back(second, T0) == []

    assert listed(store) == ["the harbour opens"]
    assert store.problems() == ()
