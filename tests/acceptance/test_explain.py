"""Why a memory stands where it stands in an answer."""

from collections.abc import Iterator

import pytest

import milepost
from milepost import NotFound

QUESTION = "which database does billing use?"


@pytest.fixture
def memory() -> Iterator[milepost.Milepost]:
    with milepost.connect("memory://") as memory:
        memory.store("Standup is at half past nine")
        yield memory


def test_the_first_is_told_what_it_meets_and_what_it_is_better_in(
    memory: milepost.Milepost,
) -> None:
    chosen = memory.store("The billing database is PostgreSQL")
    other = memory.store("Ana is allergic to nuts")
    told = memory.explain(QUESTION, chosen)
    (found,) = memory.search(QUESTION, limit=1).memories

    assert (told.hash, told.place, told.score, told.shown) == (chosen, 1, found.score, True)
    assert "words: meets database, billing; misses use" in told.reasons
    assert memory.explain(QUESTION, other).place != 1


def test_what_is_not_shown_is_told_what_held_it_back(memory: milepost.Milepost) -> None:
    chosen = memory.store("The billing database is PostgreSQL")
    other = memory.store("Ana is allergic to nuts")
    told = memory.explain(QUESTION, other)

    assert not told.shown
    assert told.reasons[-1].startswith(f"beside {chosen}: ")
    assert "words -" in told.reasons[-1]
    assert "meaning -" in told.reasons[-1]


def test_silence_is_explained(memory: milepost.Milepost) -> None:
    name = memory.store("Ana is allergic to nuts")

    assert memory.search("what is the capital of France?").memories == ()
    assert any(
        reason.startswith("silence: ")
        for reason in memory.explain("what is the capital of France?", name).reasons
    )


def test_an_older_memory_is_told_that_a_newer_one_says_the_same(
    memory: milepost.Milepost,
) -> None:
    older = memory.store("We chose PostgreSQL as the billing database", created="2026-01-01")
    newer = memory.store("We chose MySQL as the billing database", created="2026-06-01")

    assert "age: a newer memory says much the same" in memory.explain(QUESTION, older).reasons
    assert memory.explain(QUESTION, newer).place == 1


def test_what_was_replaced_or_is_elsewhere_is_not_looked_at(memory: milepost.Milepost) -> None:
    old = memory.store("The billing database is PostgreSQL", project="shop")
    memory.update(old, content="The billing database is MySQL")
    other = memory.store("The search database is Elastic", project="search")

    assert "replaced" in memory.explain(QUESTION, old).reasons[0]
    assert "does not belong to shop" in memory.explain(QUESTION, other, project="shop").reasons[0]
    assert memory.explain(QUESTION, other, project="shop").place is None


def test_an_unknown_memory_cannot_be_explained(memory: milepost.Milepost) -> None:
    with pytest.raises(NotFound):
        memory.explain(QUESTION, "deadbeef")
