"""What every store offers about links between memories, and about those that share words."""

from __future__ import annotations

import pytest
from made_memories import T0, add, drafts, id_of, where

from milepost.knowledge.values import ALIKE, MAY_REPLACE, MemoryLink
from milepost.memory.remember import content_hash
from milepost.ports import Store
from support import processor_time_below


def test_links_towards_memories_are_those_of_a_kind_that_end_there(store: Store) -> None:
    for text in ("one", "two", "three"):
        add(store, text)
    one, two, three = (id_of(store, text) for text in ("one", "two", "three"))
    hashes = [content_hash(text) for text in ("one", "two", "three")]
    space = where().space
    store.links.add(space, [MemoryLink(hashes[1], hashes[0], MAY_REPLACE)])
    store.links.add(space, [MemoryLink(hashes[2], hashes[0], ALIKE)])

    assert store.links.towards(MAY_REPLACE, [one, three]) == [(two, one)]
    assert store.links.towards(MAY_REPLACE, [two, three]) == []


@pytest.mark.slow
def test_links_of_a_memory_are_read_by_the_links_however_many_memories_there_are(
    store: Store,
) -> None:
    texts = [f"note number {number}" for number in range(1_500)]
    store.memories.add(drafts(texts))
    first, last = content_hash(texts[0]), content_hash(texts[-1])
    store.links.add(where().space, [MemoryLink(last, first, ALIKE)])
    with processor_time_below(0.1):
        (link,) = store.links.of(where().space, [id_of(store, texts[0])])
    assert (link.memory, link.other) == (last, first)


def test_memories_that_share_terms_are_found_with_how_alike_they_are(store: Store) -> None:
    add(store, "the carrier timeout is long", created_us=T0)
    add(store, "the carrier timeout of checkout", created_us=T0 + 1)
    add(store, "holidays are in August", created_us=T0 + 2)
    add(store, "carrier timeout of checkout", created_us=T0 + 3, kind="error")
    (asked,) = drafts(["the carrier timeout of checkout"])
    model = next(iter(asked.analysis.vectors))
    sharing = store.candidates.sharing(asked.analysis, model, where(kind="note"), 2)
    found = {record.id: likeness for record, likeness in sharing}

    same, other = (id_of(store, f"the carrier timeout {end}") for end in ("of checkout", "is long"))
    assert list(found) == [same, other]
    assert found[same] == pytest.approx(1, abs=0.02)
    assert found[other] < found[same]
