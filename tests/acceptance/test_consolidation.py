"""What is remembered is kept in order by plans that can be read, applied and undone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import milepost
from milepost import InvalidInput, Milepost, NotFound
from milepost.knowledge import applying
from milepost.testing import Clock
from support import PATIENCE_S, StartPython

QUEUE = ("The queue is Redis.", "the queue is redis", "Note: the queue is Redis!", "Queue is Redis")

TUESDAYS = (
    ("Staging deploys run on Tuesdays.", "2026-01-05"),
    ("Staging deploys run on Thursdays now, no longer on Tuesdays.", "2026-01-10"),
)


def said_four_times(memory: Milepost) -> list[str]:
    """Store what says the same four times, each with a tag of its own."""
    return [memory.store(text, tags=[f"t{i}"]) for i, text in enumerate(QUEUE)]


EXPORT = """
import json, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.row_factory = sqlite3.Row
tables = "memories", "tags", "projects", "links", "vectors"
rows = {t: [dict(row) for row in db.execute(f"SELECT * FROM {t} ORDER BY 1, 2")] for t in tables}
for row in rows["memories"]:
    del row["change"]
print(json.dumps(rows, default=str))
"""


def exported(path: Path) -> str:
    """Return all that a store says of its memories, but for the numbers of changes.

    Another process reads it: to close a file ends all locks that a process has on it.
    """
    command = [sys.executable, "-ISc", EXPORT, path]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_four_notes_that_say_the_same_come_back_as_one_line(memory: Milepost) -> None:
    *_, newest = said_four_times(memory)

    run = memory.consolidate()

    assert (run.state, run.totals["merged"]) == ("applied", 1)
    (line,) = memory.search("which queue?")
    assert line.hash == newest
    assert line.mark == "3 alike"
    assert line.tags == ("t0", "t1", "t2", "t3")
    assert len(memory.get(newest).metadata["alike"]) == 3


def test_a_dry_run_plans_and_changes_nothing_until_it_is_applied(memory: Milepost) -> None:
    hashes = said_four_times(memory)

    planned = memory.consolidate(dry_run=True)

    assert planned.state == "planned"
    assert planned["merged"][0]["keep"] == hashes[-1]
    assert all(memory.get(name).superseded_by is None for name in hashes)
    assert memory.get_consolidation(planned.run_id) == planned

    applied = memory.apply_consolidation(planned.run_id)
    assert (applied.state, applied.merged) == ("applied", planned.merged)
    assert memory.get(hashes[0]).superseded_by == hashes[-1]
    with pytest.raises(InvalidInput, match="is applied"):
        memory.apply_consolidation(planned.run_id)


def test_an_export_before_and_after_undo_is_equal_byte_by_byte(path: Path) -> None:
    with milepost.connect(path) as memory:
        said_four_times(memory)
        memory.store_batch(
            [
                {"content": "edited a.py", "kind": "change", "created": "2024-01-01"},
                {"content": "billing fails without a currency", "metadata": {"a": [1, 2.5, "ü"]}},
                {"content": "the billing of the shop fails without currency", "kind": "error"},
            ]
        )
        before = exported(path)
        run = memory.consolidate(strategy="quality", days_back=1000)
        assert exported(path) != before
        undone = memory.undo_consolidation(run.run_id)
        assert undone.state == "undone"
        assert undone.left == ()
        assert exported(path) == before


def test_what_was_only_replaced_is_put_back(path: Path) -> None:
    with milepost.connect(path) as memory:
        old, new = (memory.store(text, created=day) for text, day in TUESDAYS)
        before = exported(path)
        run = memory.consolidate(days_back=1000)
        assert run.totals["superseded"] == 1
        assert memory.get(old).superseded_by == new
        memory.delete(memory.store("a note on nothing else"), erase=True)

        assert memory.undo_consolidation(run.run_id).left == ()

        assert memory.get(old).superseded_by is None
        assert exported(path) == before


def test_what_replaced_others_may_be_deleted_and_stored_anew_before_undo(memory: Milepost) -> None:
    old, new = (memory.store(text, created=day) for text, day in TUESDAYS)
    memory.consolidate(days_back=1000)
    memory.delete(new)
    memory.store(TUESDAYS[1][0])
    memory.undo()

    assert memory.undo_consolidation("last").left == ()
    assert memory.get(old).superseded_by is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"project": "shop"}, {"project": "bank"}),
        ({"project": "shop"}, {"project": "everywhere"}),
        ({"author": "Ana"}, {"author": "Ben"}),
        ({"kind": "decision"}, {"kind": "error"}),
        ({"valid_from": "2040-01-01"}, {}),
        ({}, {"source": "document"}),
    ],
)
def test_nothing_is_replaced_by_what_holds_elsewhere_or_is_believed_less(
    memory: Milepost, one: dict[str, Any], other: dict[str, Any]
) -> None:
    old, _ = (
        memory.store(text, created=day, **given)
        for (text, day), given in zip(TUESDAYS, (one, other), strict=True)
    )
    assert memory.consolidate(days_back=1000).superseded == ()
    assert memory.get(old).superseded_by is None


def test_an_assistant_may_note_what_its_user_changed(memory: Milepost) -> None:
    old, new = (
        memory.store(text, created=day, source=source)
        for (text, day), source in zip(TUESDAYS, ("user", "assistant"), strict=True)
    )
    memory.consolidate(days_back=1000)
    assert memory.get(old).superseded_by == new


def test_undoing_an_earlier_run_leaves_what_a_later_one_archived(path: Path) -> None:
    clock = Clock()
    with clock.running(), milepost.connect(path) as memory:
        log = memory.store("the parser was rewritten in Rust", kind="change", source="tool")
        clock.advance(days=100)
        before = exported(path)
        faded = memory.consolidate()
        clock.advance(days=25)
        archived = memory.consolidate()
        assert (faded.totals["decayed"], archived.totals["archived"]) == (1, 1)

        (left,) = memory.undo_consolidation(faded.run_id).left
        assert log in left
        assert memory.get(log).marks == ("archived",)

        assert memory.undo_consolidation(archived.run_id).left == ()
        assert exported(path) == before


def test_what_a_later_run_hides_again_stays_hidden_when_the_earlier_is_undone(
    memory: Milepost,
) -> None:
    old, new = (memory.store(text, created=day) for text, day in TUESDAYS)
    first = memory.consolidate(days_back=1000)
    # As an import that is run again: it says what was said then, and no more.
    memory.store(TUESDAYS[0][0], created=TUESDAYS[0][1])
    assert memory.get(old).superseded_by is None
    second = memory.consolidate(days_back=1000)

    (left,) = memory.undo_consolidation(first.run_id).left
    assert old in left
    assert memory.get(old).superseded_by == new
    assert memory.undo_consolidation(second.run_id).left == ()
    assert memory.get(old).superseded_by is None


def test_all_that_a_recent_memory_repeats_becomes_one_in_one_run(path: Path) -> None:
    clock = Clock()
    with clock.running(), milepost.connect(path) as memory:
        for text in QUEUE[:3]:
            memory.store(text)
            clock.advance(days=20)
        memory.store(QUEUE[3])
        (merge,) = memory.consolidate(strategy="speed").merged
        assert len(merge.drop) == 3


def test_a_run_that_found_nothing_is_undone_like_others(memory: Milepost) -> None:
    run = memory.consolidate()
    assert memory.undo_consolidation(run.run_id).state == "undone"


def test_undo_after_later_writes_says_what_it_leaves(memory: Milepost) -> None:
    first, second, third, newest = said_four_times(memory)
    run = memory.consolidate()
    memory.update(newest, tags=["mine"])
    other = memory.store("The queue is Kafka now", supersedes=first)

    undone = memory.undo_consolidation(run.run_id)

    assert memory.get(newest).tags == ("mine",)
    assert memory.get(first).superseded_by == other
    assert memory.get(second).superseded_by is memory.get(third).superseded_by is None
    assert any(newest in line and "changed since" in line for line in undone.left)
    assert any(first in line and "replaced by another" in line for line in undone.left)


def test_later_changes_and_runs_are_undone_in_any_order(path: Path) -> None:
    with milepost.connect(path) as memory:
        old = memory.store(QUEUE[0], tags=["a"], created="2026-01-01")
        memory.store(QUEUE[1], tags=["b"])
        other = memory.store(QUEUE[2], tags=["c"], created="2026-01-02", project="shop")
        before = exported(path)
        first = memory.consolidate(project="milepost", strategy="speed")
        memory.update(other, tags=["c", "d"])
        memory.delete(old)
        memory.undo_consolidation(first.run_id)
        memory.undo(count=2)
        assert exported(path) == before


def test_runs_that_overlap_are_undone_in_either_order(path: Path) -> None:
    with milepost.connect(path) as memory:
        oldest = memory.store(QUEUE[0], tags=["a"], created="2026-01-01")
        survivor = memory.store(QUEUE[1], tags=["b"])
        first = memory.consolidate()
        memory.store(QUEUE[2], tags=["c"], created="2026-01-02")
        second = memory.consolidate()

        undone = memory.undo_consolidation(first.run_id)
        assert any(survivor in line for line in undone.left)
        memory.undo_consolidation(second.run_id)

        assert memory.get(survivor).tags == ("b",)
        assert memory.get(survivor).metadata == {}
        assert memory.get(oldest).superseded_by is None


@pytest.mark.parametrize("erase", [False, True])
def test_deleting_what_was_merged_keeps_nothing_from_being_undone(
    memory: Milepost, *, erase: bool
) -> None:
    first, *_, newest = said_four_times(memory)
    run = memory.consolidate()
    memory.delete(first, erase=erase)
    assert memory.undo_consolidation(run.run_id).left == ()
    assert (memory.get(newest).tags, memory.get(newest).metadata) == (("t3",), {})


def test_a_deletion_that_is_taken_back_after_the_run_hides_nothing(memory: Milepost) -> None:
    first, *_, newest = said_four_times(memory)
    memory.consolidate()
    memory.delete(newest)
    memory.undo_consolidation("last")
    memory.undo()
    assert memory.get(first).superseded_by is None
    assert memory.get(newest).tags == ("t3",)


def test_what_can_be_undone_is_not_forgotten_for_later_plans(memory: Milepost) -> None:
    first, *_ = said_four_times(memory)
    run = memory.consolidate()
    for _ in range(25):
        memory.consolidate(dry_run=True, strategy="speed")
    assert memory.undo_consolidation(run.run_id).state == "undone"
    assert memory.get(first).superseded_by is None


def test_undo_of_one_memory_refuses_half_of_a_consolidation(memory: Milepost) -> None:
    *_, newest = said_four_times(memory)
    run = memory.consolidate()
    with pytest.raises(InvalidInput, match="undo_consolidation"):
        memory.undo(hash=newest)
    assert memory.undo_consolidation(run.run_id).state == "undone"


def test_texts_without_a_word_are_not_one(memory: Milepost) -> None:
    for text in ("!!!", "...", "the", "Note: a", "👍", "❤"):
        memory.store(text)
    assert memory.consolidate().merged == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The primary key is _id", "The primary key is id"),
        ("Override __str__ in the class User", "Override str in the class User"),
        ("No, deploy on Friday evening", "no deploy on Friday evening"),
        ("No. Deploy on Friday evening", "no deploy on Friday evening"),
        ("The LA office is closed in May", "The office is closed in May"),
        ("The DES cipher is weak here", "The cipher is weak here"),
        ("IT is down until Monday", "it is down until Monday"),
        ("Name the class Die in the game", "Name the class in the game"),
        ("Pass `*args` to the base class", "Pass `args` to the base class"),
        ("Pass **kwargs to the base class", "Pass *kwargs to the base class"),
        ("Delete the files build* first", "Delete the files build first"),
        ("Lint only *.py in the folder src", "Lint only .py in the folder src"),
        ("Run `ls ..` in the deploy script", "Run `ls` in the deploy script"),
        ("The price is $5 per seat", "The price is €5 per seat"),
        ("It takes 5% of the memory", "It takes 5 of the memory"),
        ("The parser is written in C#", "The parser is written in C"),
        ("The operator is != in the rule", "The operator is = in the rule"),
        ("The template uses {name} here", "The template uses name here"),
        ("The type is list[int] here", "The type is list int here"),
        ("Separate the fields by `,` in exports", "Separate the fields by `;` in exports"),
        ("The buffer has 10 MB per worker", "The buffer has 10 Mb per worker"),
        ("The timeout is 30s in prod", "The timeout is 30S in prod"),
        ("Set the offset to - 1 there", "Set the offset to 1 there"),
        ("Please rename User to user", "Please rename user to User"),
    ],
)
def test_a_sign_or_a_capital_that_says_more_keeps_two_apart(
    memory: Milepost, one: str, other: str
) -> None:
    for text in (one, other):
        memory.store(text)
    assert memory.consolidate().merged == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The answer is no.", "the answer is no"),
        ("_Never_ use tabs here", "never use tabs here!"),
        ("*Never use* **tabs** here", "never use tabs here"),
        ("## Rules\n- never use tabs - ever", "Rules\n* Never use tabs (ever)"),
        ("The cursor = null at the end", "the cursor is null at the end"),
    ],
)
def test_signs_that_say_nothing_keep_nothing_apart(memory: Milepost, one: str, other: str) -> None:
    for text in (one, other):
        memory.store(text)
    assert len(memory.consolidate().merged) == 1


def test_what_a_caller_keeps_under_the_same_name_stays(path: Path) -> None:
    with milepost.connect(path) as memory:
        mine: list[Any] = ["mine", {"a": 1}, [1, "x"], 5]
        for text, value in zip(QUEUE, mine, strict=True):
            newest = memory.store(text, metadata={"alike": value})
        before = exported(path)
        memory.consolidate()
        assert memory.get(newest).metadata == {"alike": 5}
        memory.undo_consolidation("last")
        assert exported(path) == before


@pytest.mark.slow
def test_very_many_that_say_the_same_are_counted_and_few_are_named(memory: Milepost) -> None:
    texts = ["the queue is Redis" + "!" * (i % 50) + "." * (i // 50) for i in range(1_500)]
    memory.store_batch([{"content": text} for text in texts])
    memory.consolidate()
    memory.store("Note: the queue is Redis")
    memory.consolidate()
    (line,) = memory.search("which queue?")
    assert "1500 alike" in line.mark
    assert len(json.dumps(memory.get(line.hash).metadata)) < 20_000
    memory.undo_consolidation("last")
    memory.undo_consolidation("last")
    assert memory.get(line.hash).metadata == {}


def test_what_changed_between_plan_and_application_is_left(memory: Milepost) -> None:
    hashes = said_four_times(memory)
    planned = memory.consolidate(dry_run=True)
    memory.update(hashes[0], content="The queue is NATS.")
    memory.delete(hashes[1])

    applied = memory.apply_consolidation(planned.run_id)

    (left,) = applied.left
    assert hashes[0] in left
    assert "replaced meanwhile" in left
    assert memory.get(hashes[2]).superseded_by == hashes[-1]


def test_what_became_of_another_kind_meanwhile_is_not_merged(memory: Milepost) -> None:
    first, *_ = said_four_times(memory)
    planned = memory.consolidate(dry_run=True)
    memory.update(first, kind="decision")

    (left,) = memory.apply_consolidation(planned.run_id).left

    assert first in left
    assert "changed meanwhile" in left
    assert memory.get(first).superseded_by is None


def test_what_is_held_no_longer_cannot_be_undone(path: Path) -> None:
    clock = Clock()
    with clock.running(), milepost.connect(path) as memory:
        said_four_times(memory)
        run = memory.consolidate()
        clock.advance(days=40)
        memory.run_jobs()
        with pytest.raises(NotFound, match="undo_days is over"):
            memory.undo_consolidation(run.run_id)


def test_nothing_is_consolidated_where_it_could_not_be_undone(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MILEPOST_UNDO_DAYS", "0")
    with milepost.connect(path) as memory:
        hashes = said_four_times(memory)
        with pytest.raises(InvalidInput, match="undo_days is 0"):
            memory.consolidate()
        assert memory.get(hashes[0]).superseded_by is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({}, {"author": "Ines"}),
        ({"project": "shop"}, {"project": "bank"}),
        ({"kind": "decision"}, {"kind": "error"}),
    ],
)
def test_what_two_say_or_what_holds_in_two_places_is_not_one(
    memory: Milepost, one: dict[str, Any], other: dict[str, Any]
) -> None:
    memory.store("The queue is Redis.", **one)
    memory.store("the queue is redis", **other)

    assert memory.consolidate(days_back=30).totals["merged"] == 0


def test_only_what_has_a_recent_member_is_compared(path: Path) -> None:
    clock = Clock()
    with clock.running(), milepost.connect(path) as memory:
        for text in QUEUE[:2]:
            memory.store(text)
        clock.advance(days=30)
        assert memory.consolidate(days_back=7).totals["merged"] == 0
        memory.store(QUEUE[2])
        assert memory.consolidate(days_back=7).totals["merged"] == 1


def test_old_logs_are_archived_and_come_back_on_request(memory: Milepost) -> None:
    turns = [{"role": "user", "text": "From now on always use tabs.", "at": 1_600_000_000.0}]
    memory.notice("s", turns)
    memory.store("rotated the staging keys", kind="summary", created="2020-01-01")
    memory.store("the staging keys are in the vault", created="2020-01-01")
    log = memory.store("x", kind="summary", created="2020-01-01", metadata={"by": "notice"})

    run = memory.consolidate(complete=True)

    assert "faded" in memory.get(memory.search("rotated the staging keys")[0].hash).marks
    assert "always use tabs" in str(memory.search("tabs"))
    assert log in (*run.decayed, *run.archived)
    memory.undo_consolidation("last")
    assert memory.get(log).marks == ()


def test_what_comes_back_is_told_with_a_lower_bound(memory: Milepost) -> None:
    for day in range(10, 18):
        memory.store(
            f"The invoice export {day} fails when a currency is missing in the ledger",
            kind="error",
            created=f"2026-03-{day}",
        )

    result = memory.consolidate(strategy="balanced", days_back=3650, dry_run=True)

    (failure,) = [p for p in result["patterns"] if p["type"] == "failure"]
    assert failure.support == 8
    assert 0.7 < failure["confidence"] < 1
    assert set(failure.members) <= {row.hash for row in memory.list_memories(limit=50)}
    assert result.clusters[0].summary[0].hash in failure.members


def test_a_subject_goes_by_what_its_memories_name_and_one_of_their_sentences(
    memory: Milepost,
) -> None:
    for day, text in enumerate(
        (
            "Retries of the courier call live in src/shipping/courier.py.",
            "Raised the timeout of src/shipping/courier.py, the courier is slow on Mondays.",
            "src/shipping/courier.py must not retry a booking that was already accepted.",
        ),
        10,
    ):
        memory.store(text, created=f"2026-03-{day}")

    (topic,) = memory.consolidate(days_back=3650, dry_run=True)["patterns"]

    assert topic.type == "topic"
    assert topic.description.startswith("src/shipping/courier.py: ")
    assert "retr" in topic.description.lower()


def test_memories_that_share_a_name_alone_are_of_one_subject(memory: Milepost) -> None:
    about = (
        "Grafana shows the queue length.",
        "The Grafana login moved to SSO.",
        "Alerts in Grafana go to the night shift.",
    )
    for text in (*about, "Bread needs a hot oven.", "The meeting room is on floor two."):
        memory.store(text)

    (cluster,) = memory.consolidate(dry_run=True, complete=True).clusters

    assert {memory.get(name).content for name in cluster.members} == set(about)


def test_one_failure_among_much_else_is_no_failure_that_comes_back(memory: Milepost) -> None:
    for day in range(10, 18):
        memory.store(
            f"The invoice export {day} writes one file for each currency of the ledger",
            kind="error" if day < 12 else "note",
            created=f"2026-03-{day}",
        )

    patterns = memory.consolidate(days_back=3650, dry_run=True)["patterns"]

    assert [pattern.type for pattern in patterns] == ["topic"]


def test_what_fails_again_is_not_hidden_by_many_topics(memory: Milepost) -> None:
    things = ("harbour crane", "bakery oven", "violin string", "railway signal", "garden pump")
    for thing in things:
        for day in range(10, 17):
            text = f"The {thing} was looked after on day {day}, the {thing} is in order"
            memory.store(text, created=f"2026-03-{day}")
    for day in range(10, 13):
        text = f"Upload {day} of the tax return broke off: certificate expired"
        memory.store(text, kind="error", created=f"2026-03-{day}")

    patterns = memory.consolidate(days_back=3650, dry_run=True)["patterns"]

    assert [pattern.type for pattern in patterns[:2]] == ["topic", "failure"]


def test_results_are_small_unless_all_is_asked_for(memory: Milepost) -> None:
    for i in range(20):
        memory.store(f"Fact {i} stands here.")
        memory.store(f"note: fact {i} stands here")

    small, whole = memory.consolidate(dry_run=True), memory.consolidate(dry_run=True, complete=True)

    assert (len(small.merged), len(whole.merged)) == (5, 20)
    assert small.totals == whole.totals


def test_the_same_memories_give_the_same_plan(memory: Milepost) -> None:
    said_four_times(memory)
    runs = [memory.consolidate(dry_run=True, complete=True) for _ in range(2)]
    same = [run._replace(run_id="", duration=0.0, since=0.0) for run in runs]
    assert same[0] == same[1]


def test_nothing_runs_by_itself_unless_it_was_asked_for(path: Path) -> None:
    clock = Clock()
    with clock.running(), milepost.connect(path) as memory:
        said_four_times(memory)
        clock.advance(days=2)
        memory.run_jobs()
        assert memory.consolidation_status().runs == ()

        assert memory.schedule_consolidation("daily").schedule == "daily"
        said_four_times(memory)
        memory.schedule_consolidation("pause")
        clock.advance(days=2)
        memory.run_jobs()
        assert memory.consolidation_status().runs == ()

        memory.schedule_consolidation("resume")
        clock.advance(days=2)
        memory.run_jobs()
        status = memory.consolidation_status()
        assert status.last is not None
        assert len(status.runs) == 1
        clock.advance(days=2)
        memory.run_jobs()
        assert len(memory.consolidation_status().runs) == 2

        memory.schedule_consolidation("off")
        clock.advance(days=2)
        memory.run_jobs()
        assert len(memory.consolidation_status().runs) == 2


def test_what_was_undone_is_done_again_only_when_somebody_asks(path: Path) -> None:
    clock = Clock()
    with clock.running(), milepost.connect(path) as memory:
        first, *_, newest = said_four_times(memory)
        old, new = (memory.store(text) for text, _ in TUESDAYS)
        memory.undo_consolidation(memory.consolidate().run_id)
        memory.schedule_consolidation("daily")
        other = memory.store("Billing runs in Dublin.")
        memory.store("billing runs in Dublin")
        clock.advance(days=1, hours=1)
        memory.run_jobs()

        assert memory.consolidation_status().last is not None
        assert memory.get(other).superseded_by is not None
        assert memory.get(first).superseded_by is memory.get(old).superseded_by is None

        memory.consolidate()
        assert memory.get(first).superseded_by == newest
        assert memory.get(old).superseded_by == new


@pytest.mark.parametrize("wish", ["off", "pause"])
def test_who_turns_it_off_while_it_runs_is_heard(
    path: Path, monkeypatch: pytest.MonkeyPatch, wish: str
) -> None:
    clock, apply_plan = Clock(), applying.apply_plan

    def meanwhile(context: Any, name: str) -> Any:
        memory.schedule_consolidation(wish)
        return apply_plan(context, name)

    monkeypatch.setattr(applying, "apply_plan", meanwhile)
    with clock.running(), milepost.connect(path) as memory:
        memory.schedule_consolidation("daily")
        clock.advance(days=2)
        memory.run_jobs()
        status = memory.consolidation_status()
        assert status.last is not None
        assert status.next is None
        assert (status.schedule, status.paused) in [("off", False), ("daily", True)]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"strategy": "best"}, "strategy must be one of speed, balanced, quality"),
        ({"days_back": 0}, "days_back"),
    ],
)
def test_bad_arguments_are_refused_with_what_would_do(
    memory: Milepost, arguments: dict[str, Any], problem: str
) -> None:
    with pytest.raises(InvalidInput, match=problem):
        memory.consolidate(**arguments)


def test_unknown_runs_and_schedules_are_refused(memory: Milepost) -> None:
    with pytest.raises(NotFound, match="no consolidation co_x"):
        memory.apply_consolidation("co_x")
    with pytest.raises(InvalidInput, match="No consolidation is applied"):
        memory.undo_consolidation("last")
    with pytest.raises(InvalidInput, match="daily, weekly, off"):
        memory.schedule_consolidation("hourly")


KILLED = """
import os, shutil, signal, sys
import milepost
from milepost.storage.sqlite.file import SqliteFile
path, step, name, points = *sys.argv[1:4], int(sys.argv[4])

def applied(copy, until):
    count, run = 0, SqliteFile.run
    def counting(self, *given):
        nonlocal count
        count += 1
        if count == until:
            os.kill(os.getpid(), signal.SIGKILL)
        return run(self, *given)
    with milepost.connect(copy) as memory:
        SqliteFile.run = counting
        getattr(memory, step)(name)
        SqliteFile.run = run
    return count

shutil.copy(path, path + ".whole")
total = applied(path + ".whole", 0)
for point in range(points):
    copy = f"{path}.{point}"
    shutil.copy(path, copy)
    if os.fork() == 0:
        applied(copy, 1 + point * (total - 1) // (points - 1))
        os._exit(0)
    os.wait()
print(total)
"""


@pytest.mark.parametrize(
    ("step", "state"), [("apply_consolidation", "planned"), ("undo_consolidation", "applied")]
)
def test_a_kill_at_any_of_twenty_points_leaves_before_or_after(
    path: Path, start_python: StartPython, step: str, state: str
) -> None:
    with milepost.connect(path) as memory:
        said_four_times(memory)
        for text, day in TUESDAYS:
            memory.store(text, created=day)
        memory.store("the parser was rewritten in Rust", kind="summary", created="2020-01-01")
        planned = state == "planned"
        run = memory.consolidate(strategy="quality", days_back=1000, dry_run=planned)
        assert (run.totals["merged"], run.totals["superseded"]) == (1, 1)
    before = exported(path)

    killed = start_python(KILLED, path, step, run.run_id, 20)
    assert int(killed.communicate(timeout=PATIENCE_S)[0]) > 20

    after = [exported(path.with_name(f"{path.name}.{point}")) for point in range(20)]
    hidden = [text.count('"superseded_by": null') for text in (before, *after)]
    assert {*after} == {before}
    assert len(set(hidden)) == 1
    for point in range(20):
        with milepost.connect(path.with_name(f"{path.name}.{point}")) as memory:
            assert memory.search("which queue?")
            assert memory.get_consolidation(run.run_id).state == state
            assert getattr(memory, step)(run.run_id).left == ()
