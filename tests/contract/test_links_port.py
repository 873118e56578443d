"""What every store offers about links between memories, and about those that share words."""

from __future__ import annotations

from made_memories import T0, add, id_of, where

from milepost.knowledge.values import ALIKE, MAY_REPLACE, MemoryLink
from milepost.memory.remember import content_hash
from milepost.ports import Store


def test_links_among_memories_are_those_with_both_ends(store: Store) -> None:
    for text in ("one", "two", "three"):
        add(store, text)
    one, two, three = (id_of(store, text) for text in ("one", "two", "three"))
    hashes = [content_hash(text) for text in ("one", "two", "three")]
    space = where().space
    store.links.add(space, [MemoryLink(hashes[1], hashes[0], MAY_REPLACE)])
    store.links.add(space, [MemoryLink(hashes[2], hashes[0], ALIKE)])

    assert store.links.among(MAY_REPLACE, [one, two, three]) == [(two, one)]
    assert store.links.among(MAY_REPLACE, [one, three]) == []


def test_memories_that_share_two_terms_are_found_those_with_most_first(store: Store) -> None:
    add(store, "the carrier timeout is long", created_us=T0)
    add(store, "the carrier timeout of checkout", created_us=T0 + 1)
    add(store, "the carrier is slow", created_us=T0 + 2)
    add(store, "carrier timeout of checkout", created_us=T0 + 3, kind="error")
    asked = store.memories.record(where().space, content_hash("the carrier timeout of checkout"))
    assert asked is not None
    terms = _terms("the carrier timeout of checkout")
    found = store.candidates.sharing(terms, where(kind="note"), 2)

    assert found == [asked.id, id_of(store, "the carrier timeout is long")]


def _terms(text: str) -> bytes:
    from milepost.memory.texts import packed_terms
    from milepost.memory.values import Indexed

    return packed_terms(Indexed(0, text, None, T0))
