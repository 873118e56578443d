"""A memory that gives another value to what an older one says is noticed when it is stored."""

from pathlib import Path

import pytest

import milepost
from milepost import InvalidInput, NotFound
from milepost.render import to_text

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


def test_the_receipt_of_a_batch_tells_what_each_memory_may_replace(
    memory: milepost.Milepost,
) -> None:
    older = memory.store(OLD, created="2026-01-10")
    receipt = memory.store_batch([{"content": NEW, "created": "2026-05-10"}, "Lunch is at noon"])

    why = "carrier timeout: 10 seconds became 4 seconds"
    assert to_text(receipt) == f"{receipt[0]}; may replace {older}: {why}\n{receipt[1]}"
    assert receipt[0].may_replace == f"{older}: {why}"  # type: ignore[attr-defined]
    assert memory.get(receipt[0]).content == NEW, "it is a hash as any other"
    assert to_text(memory.store(NEW)) == receipt[0], "one store returns the hash alone"


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


UPDATES = [
    ("Deploys happen on Tuesdays.", "Deploys happen on Thursdays."),
    ("Our database is MySQL 5.7.", "Our database is PostgreSQL 16."),
    ("The team lead is Maria Lopez.", "The team lead is John Smith since March."),
    ("We use yarn for package management.", "We switched from yarn to pnpm."),
    ("User lives in Berlin.", "User moved to Munich."),
    ("Timeout for the worker: 30s", "Timeout for the worker: 60s"),
    ("Uploads are kept for two weeks.", "Uploads are kept for 30 days."),
    ("Two-factor login is disabled.", "Two-factor login is enabled."),
    ("The logs are in /var/log/app.", "The logs are in /srv/logs."),
    ("Die Sprechstunde ist montags.", "Die Sprechstunde ist jetzt freitags."),
    ("User works at Oslo Bank.", "User no longer works at Oslo Bank."),
]
BESIDE = [
    ("Alice owns the billing service.", "Alice owns the search service."),
    ("The port of the gateway is 8080.", "The port of the worker is 9090."),
    ("We use Redis for caching.", "We use Redis for queues."),
    ("On Tuesday we deployed 1.2.", "On Thursday we deployed 1.3."),
    ("The test for login passed.", "The test for checkout passed."),
    ("Uploads are kept for two weeks.", "Uploads are kept for 14 days."),
    ("The build took 4 minutes.", "The build took 6 minutes."),
    ("User likes jazz.", "User likes blues."),
    ("The shop opens at 9.", "On Sundays the shop opens at 11."),
    ("Still to do: the release notes", "Still to do: the changelog"),
    ("The current plan is wrong because of rounding.", "The current plan is slow because of I/O."),
]


@pytest.mark.parametrize(("before", "after"), UPDATES)
def test_another_value_in_the_same_statement_is_noticed_and_shown_first(
    memory: milepost.Milepost, before: str, after: str
) -> None:
    older, newer = memory.store(before), memory.store(after)

    (dispute,) = memory.conflicts()
    assert [claim.key for claim in dispute.claims] == [newer, older]
    found = memory.search(before).memories
    assert [line.hash for line in found[:2]] == [newer, older]
    assert "(older)" in str(found[1])


@pytest.mark.parametrize(("before", "after"), BESIDE)
def test_another_subject_one_more_thing_and_another_event_are_not_updates(
    memory: milepost.Milepost, before: str, after: str
) -> None:
    memory.store(before)
    memory.store(after)

    assert memory.conflicts() == []


def test_what_may_replace_a_line_is_shown_though_it_does_not_answer_by_itself(
    memory: milepost.Milepost,
) -> None:
    older = memory.store("We use yarn for package management.")
    newer = memory.store("We switched from yarn to pnpm.")
    found = memory.search("package management").memories

    assert [line.hash for line in found[:2]] == [newer, older]
    tagged = memory.store("We use npm for package management.", tags=["web"])
    memory.store("We switched from npm to bun.")
    assert [line.hash for line in memory.search("package management", tags=["web"]).memories] == [
        tagged
    ]


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


@pytest.mark.parametrize(("before", "after"), UPDATES)
def test_of_a_batch_what_stands_later_is_the_newer(
    memory: milepost.Milepost, before: str, after: str
) -> None:
    older, newer = memory.store_batch([before, after])

    assert [[claim.key for claim in each.claims] for each in memory.conflicts()] == [[newer, older]]
    assert [line.hash for line in memory.search(before).memories[:2]] == [newer, older]


def test_what_is_said_again_stands_before_what_may_have_replaced_it(
    memory: milepost.Milepost,
) -> None:
    first = memory.store(OLD, created="2026-01-10")
    second = memory.store(NEW, created="2026-05-10")

    assert memory.store(OLD) == first

    (dispute,) = memory.conflicts()
    assert [claim.key for claim in dispute.claims] == [first, second]
    assert memory.get(first).suggestions[0].startswith(f"may replace {second}")
    found = memory.search("carrier timeout").memories
    assert [line.hash for line in found[:2]] == [first, second]
    assert "(older)" in str(found[1])
    memory.consolidate()
    assert memory.get(second).superseded_by == first
    assert memory.get(first).superseded_by is None


def test_what_is_said_again_after_it_was_replaced_holds_from_then_on(
    memory: milepost.Milepost,
) -> None:
    first = memory.store(OLD, created="2026-01-10")
    second = memory.store(NEW, created="2026-05-10")
    memory.consolidate(days_back=36_500)
    assert memory.get(first).superseded_by == second

    memory.store(OLD, created="2026-06-10")

    held = memory.get(first)
    assert (held.superseded_by, held.created) == (None, held.valid_from)
    assert held.created > memory.get(second).created
    memory.consolidate(days_back=36_500)
    assert memory.get(second).superseded_by == first
    assert [line.hash for line in memory.search("carrier timeout").memories] == [first]


def test_what_nothing_replaces_keeps_its_date_when_it_is_said_again(
    memory: milepost.Milepost,
) -> None:
    name = memory.store(OLD, created="2026-01-10")
    before = memory.get(name)
    memory.store(OLD, tags=["again"])

    assert memory.get(name) == before._replace(tags=("again",))
