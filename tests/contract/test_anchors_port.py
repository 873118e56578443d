"""What memories rest on, in every store: theirs alone, and gone with them."""

from __future__ import annotations

from made_memories import NOW, T0, add, id_of

from milepost.memory.remember import content_hash
from milepost.ports import Store
from milepost.workspace.values import Anchor

FILE = Anchor("src/cart.py", "", "aa")
SYMBOL = Anchor("src/cart.py", "total", "bb")


def test_a_memory_rests_on_what_it_was_stored_with(store: Store) -> None:
    anchored = add(store, "total is rounded", anchors=(SYMBOL, FILE))
    other = add(store, "the harbour opens at six")

    assert store.anchors.of([anchored, other, 10**9]) == {anchored: (FILE, SYMBOL)}
    assert store.anchors.of([]) == {}


def test_a_text_that_is_stored_again_rests_on_the_code_as_it_is_now(store: Store) -> None:
    memory_id = add(store, "total is rounded", anchors=(FILE, SYMBOL))
    add(store, "total is rounded", anchors=(SYMBOL._replace(digest="cc"),))

    assert store.anchors.of([memory_id]) == {memory_id: (FILE, SYMBOL._replace(digest="cc"))}


def test_anchors_that_are_put_take_the_place_of_all_before(store: Store) -> None:
    memory_id = add(store, "total is rounded", anchors=(FILE, SYMBOL))

    store.anchors.put(memory_id, [FILE._replace(digest="cc")])
    assert store.anchors.of([memory_id]) == {memory_id: (FILE._replace(digest="cc"),)}
    store.anchors.put(memory_id, [])
    assert store.anchors.of([memory_id]) == {}


def test_anchors_go_with_their_memory(store: Store) -> None:
    memory_id = add(store, "total is rounded", anchors=(FILE,))
    store.memories.remove([memory_id])

    assert store.anchors.of([memory_id]) == {}


def test_what_rests_on_something_is_listed_by_project_the_newest_first(store: Store) -> None:
    shop = {"projects": ("shop",), "anchors": (FILE, SYMBOL)}
    older = add(store, "total is rounded", **shop)
    newer = add(store, "total is a Decimal", **shop, created_us=T0 + 1)
    add(store, "total is an int", **shop, created_us=T0 + 2)
    heir = add(
        store, "total is a Money", **shop, created_us=T0 + 3,
        supersedes=content_hash("total is an int"),
    )  # fmt: skip
    add(store, "nothing of the code", projects=("shop",))
    add(store, "theirs", space="theirs", **shop)
    add(store, "elsewhere", projects=("port",), anchors=(FILE,))

    assert store.anchors.anchored("default", "shop", NOW) == [heir, newer, older]
    assert store.anchors.anchored("default", "port", NOW) == [id_of(store, "elsewhere")]
    assert store.anchors.anchored("default", "unknown", NOW) == []
