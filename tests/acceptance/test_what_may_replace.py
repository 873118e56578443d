"""A memory that gives another value to what an older one says is noticed when it is stored."""

from pathlib import Path

import pytest

import milepost
from milepost import InvalidInput, NotFound

OLD, NEW = "The carrier timeout is 10 seconds", "The carrier timeout is 4 seconds"


@pytest.fixture(params=["memory://", "file"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> milepost.Milepost:
    url = request.param if request.param == "memory://" else tmp_path / "memories.db"
    opened = milepost.connect(url)
    opened.store("Releases are announced in the newsletter")
    return opened


def test_get_tells_what_a_memory_may_replace_and_what_may_replace_it(
    memory: milepost.Milepost,
) -> None:
    older = memory.store(OLD, created="2026-01-10")
    newer = memory.store(NEW, created="2026-05-10")

    why = "carrier timeout: 10 seconds became 4 seconds"
    assert memory.get(newer).suggestions == (f"may replace {older}: {why}",)
    assert memory.get(older).suggestions == (f"may be replaced by {newer}: {why}",)
    assert f"may replace {older}: {why}" in str(memory.get(newer))


def test_what_was_said_before_is_noticed_when_it_is_stored_later(
    memory: milepost.Milepost,
) -> None:
    newer = memory.store(NEW, created="2026-05-10")
    older = memory.store(OLD, created="2026-01-10")

    assert memory.get(newer).suggestions[0].startswith(f"may replace {older}")


def test_a_batch_is_compared_with_itself(memory: milepost.Milepost) -> None:
    items = [{"content": OLD, "created": "2026-01-10"}, {"content": NEW, "created": "2026-05-10"}]
    older, newer = memory.store_batch(items)

    assert memory.get(newer).suggestions[0].startswith(f"may replace {older}")


@pytest.mark.parametrize(
    "other",
    [
        {"content": "The courier timeout is 4 seconds"},
        {"content": "Should the carrier timeout be 4 seconds?"},
        {"content": NEW, "project": "another"},
        {"content": NEW, "kind": "error"},
    ],
)
def test_what_is_about_something_else_is_not(
    memory: milepost.Milepost, other: dict[str, str]
) -> None:
    older = memory.store(OLD, created="2026-01-10")
    memory.store(**other)

    assert memory.get(older).suggestions == ()


def test_search_shows_the_newer_first_and_marks_the_older(memory: milepost.Milepost) -> None:
    older = memory.store(OLD, created="2026-05-10 09:00")
    newer = memory.store(NEW, created="2026-05-10 09:05")
    found = memory.search("carrier timeout of 10 seconds").memories

    assert [line.hash for line in found[:2]] == [newer, older]
    assert "(older)" in str(found[1])


def test_who_asks_what_was_gets_what_answers_best(memory: milepost.Milepost) -> None:
    older = memory.store(OLD, created="2026-05-10 09:00")
    memory.store(NEW, created="2026-05-10 09:05")
    found = memory.search("what was the carrier timeout of 10 seconds before?").memories

    assert found[0].hash == older


def test_a_suggestion_is_a_conflict_that_is_settled_either_way_and_undone(
    memory: milepost.Milepost,
) -> None:
    older = memory.store(OLD, created="2026-01-10")
    newer = memory.store(NEW, created="2026-05-10")
    (dispute,) = memory.conflicts()

    assert (dispute.kind, [claim.key for claim in dispute.claims]) == ("memory", [newer, older])
    assert [claim.text for claim in dispute.claims] == [NEW, OLD]
    with pytest.raises(InvalidInput, match="or both"):
        memory.resolve(dispute.id, keep="neither")

    assert str(memory.resolve(dispute.id, keep=newer)) == f"kept {newer}, ended {older} (undo())"
    assert memory.get(older).superseded_by == newer
    assert memory.conflicts() == []
    assert memory.get(newer).suggestions == ()
    memory.undo()
    assert memory.get(older).superseded_by is None
    assert memory.conflicts() == [dispute]

    memory.resolve(dispute.id, keep=older)
    assert memory.get(newer).superseded_by == older
    memory.undo()
    assert memory.resolve(dispute.id, keep="both").ended == ()
    assert memory.conflicts() == []
    with pytest.raises(NotFound, match="no conflict"):
        memory.resolve(dispute.id, keep=newer)


def test_taking_back_which_memory_holds_leaves_what_was_changed_since(
    memory: milepost.Milepost,
) -> None:
    older = memory.store(OLD, created="2026-01-10", tags=["a"])
    newer = memory.store(NEW, created="2026-05-10")
    memory.resolve(memory.conflicts()[0].id, keep=newer)
    memory.update(newer, tags=["later"])

    memory.undo(hash=older)

    assert memory.get(older).superseded_by is None
    assert memory.get(newer).tags == ("later",)
    memory.undo()
    assert memory.get(newer).tags == ()
