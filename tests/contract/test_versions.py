"""Which state of a space a read shows, in every store."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from made_memories import NOW, drafts, id_of

from milepost.knowledge.values import MAY_REPLACE, MemoryLink
from milepost.memory.values import Changes
from milepost.ports import Store


@pytest.fixture
def filled(store: Store) -> Store:
    store.memories.add(drafts(["one fact", "another fact", "a third"]))
    return store


ONE, OTHER = (draft.hash for draft in drafts(["one fact", "another fact"]))
LINK = MemoryLink(ONE, OTHER, MAY_REPLACE)


def delete(store: Store) -> None:
    with store.writing() as work:
        work.memories.discard(
            [id_of(store, "one fact")], work.deeds.begin("default", "delete", NOW)
        )


CHANGES: dict[str, Callable[[Store], object]] = {
    "storing": lambda s: s.memories.add(drafts(["a new fact"])),
    "storing again": lambda s: s.memories.add(drafts(["one fact"])),
    "new tags": lambda s: s.memories.change(id_of(s, "one fact"), Changes(tags=("x",))),
    "standing": lambda s: s.memories.change(id_of(s, "one fact"), Changes(standing=1)),
    "replacing": lambda s: s.memories.supersede(
        id_of(s, "one fact"), id_of(s, "another fact"), NOW
    ),
    "deleting": delete,
    "erasing": lambda s: s.memories.remove([id_of(s, "one fact")]),
    "a link": lambda s: s.links.add("default", [LINK]),
    "a vector": lambda s: s.candidates.put_vectors(
        "another model", {id_of(s, "one fact"): np.ones(4, np.float32)}
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_a_space_shows_changes_its_version(change: str, filled: Store) -> None:
    before, other = filled.version("default", NOW), filled.version("other", NOW)
    assert before is not None
    assert filled.version("default", NOW + 5) == before

    CHANGES[change](filled)

    assert filled.version("default", NOW) != before
    assert filled.version("other", NOW) == other


def test_taking_something_back_is_a_change_too(filled: Store) -> None:
    filled.links.add("default", [LINK])
    linked = filled.version("default", NOW)
    filled.links.remove("default", LINK)
    parted = filled.version("default", NOW)
    delete(filled)
    deleted = filled.version("default", NOW)
    with filled.writing() as work:
        (deed,) = work.deeds.find("default", ("delete",), 1)
        work.deeds.take_back(deed.id, NOW)

    assert len({linked, parted, deleted, filled.version("default", NOW)}) == 4


def test_what_no_search_shows_changes_nothing(filled: Store) -> None:
    before = filled.version("default", NOW)

    filled.values.put("default", "state", "s1", "{}")
    filled.values.note("default", "ledger", NOW, ["x"], 10)
    filled.jobs.enqueue("default", "work", "", "{}", NOW)
    filled.answers.keep("default", "k", "call", "1", NOW)
    filled.memories.add([d._replace(space="other") for d in drafts(["theirs"])])

    assert filled.version("default", NOW) == before
    assert filled.version("other", NOW) != filled.version("third", NOW)


def test_what_ends_by_itself_changes_the_version_when_it_does(filled: Store) -> None:
    later, last = NOW + 1_000, NOW + 2_000
    filled.memories.supersede(id_of(filled, "one fact"), id_of(filled, "a third"), later)
    filled.memories.supersede(id_of(filled, "another fact"), id_of(filled, "a third"), last)

    versions = [filled.version("default", at) for at in (NOW, later - 1, later, last - 1, last)]
    assert versions[0] == versions[1]
    assert versions[2] == versions[3]
    assert len(set(versions)) == 3
    # The clock was set back.
    assert filled.version("default", NOW) == versions[0]


def test_in_a_transaction_there_is_none_for_it_may_be_undone(filled: Store) -> None:
    before = filled.version("default", NOW)
    with filled.writing() as work:
        work.values.put("default", "state", "s1", "{}")
        assert filled.version("default", NOW) is None
    assert filled.version("default", NOW) == before
