"""Rules say for how long what is kept; what goes by them is gone, and a receipt tells of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from everywhere import Place

import milepost
from milepost import InvalidInput, Milepost
from milepost.upkeep.jobs import run_due

pytestmark = pytest.mark.slow

DAY_US = 86_400 * 1_000_000
OLD, NEW = "2024-03-01", "30d"


@pytest.fixture
def memory(place: Place) -> Iterator[Milepost]:
    with milepost.connect(place.url) as opened:
        assert isinstance(opened, Milepost)
        yield opened


def filled(memory: Milepost) -> None:
    memory.store("the xylotrope was loud", created=OLD)
    memory.store("we chose the xylotrope", kind="decision", created=OLD)
    memory.store("the ferry leaves at nine")
    memory.record_event("action", "ran the xylotrope", at=OLD)
    memory.record_event("action", "ran the ferry")


def later(memory: Milepost, days: int) -> None:
    """Do the work that is due so many days from now."""
    from milepost.opening import handlers_in

    context = memory._context
    then = context._replace(clock=lambda: context.clock() + days * DAY_US)
    ahead = then._replace(placed=None)
    run_due(handlers_in(ahead), ahead.store, ahead.clock)


def test_a_plan_shows_what_would_go_and_changes_nothing(memory: Milepost) -> None:
    filled(memory)
    memory.set_retention("note", days=90)

    plan = memory.plan_retention()

    assert [(due.rule.kind, due.rows) for due in plan.due] == [("event", 1), ("note", 1)]
    assert "note: 90 days: 1 (" in str(plan)
    assert memory.list_memories().total == 3
    assert memory.apply_retention(dry_run=True) == plan


def test_what_goes_by_a_rule_is_gone_and_a_receipt_tells_when_and_why(
    memory: Milepost, place: Place
) -> None:
    filled(memory)
    memory.set_retention("note", days=90)
    memory.set_retention("decision", for_good=True)
    memory.set_retention("memory", days=1)
    memory.set_retention("event", days=30)

    memory.apply_retention()

    assert memory.list_memories().total == 2
    (event,) = memory.recall_events()
    assert event.content == "ran the ferry"
    (receipt,) = memory.erasure_receipts()
    assert (receipt.kind, receipt.rows) == ("retention", {"event": 1, "note": 1})
    assert "note 90 days" in receipt.what
    assert receipt.is_whole
    memory.set_retention("decision", days=30)
    memory.apply_retention()
    assert place.holding("xylotrope") == []
    assert len(memory.erasure_receipts()) == 2


def test_the_setting_stands_for_the_rule_of_events_where_there_is_none(memory: Milepost) -> None:
    assert str(memory.list_retention()) == "event: 90 days (the setting)\napplied: off"

    memory.set_retention("event", for_good=True)
    filled(memory)
    later(memory, 400)
    assert len(memory.recall_events()) == 2

    memory.set_retention("event", days=30)
    later(memory, 2)
    assert [event.content for event in memory.recall_events()] == ["ran the ferry"]
    assert memory.erasure_receipts()[0].who == "milepost"
    memory.set_retention("event")
    assert memory.list_retention().rules[0].is_usual


def test_rules_are_applied_by_themselves_when_that_is_asked_for(memory: Milepost) -> None:
    filled(memory)
    memory.set_retention("note", days=90)
    later(memory, 1)
    assert memory.list_memories().total == 3

    shown = memory.schedule_retention("daily")
    assert shown.every == "daily"
    later(memory, 2)
    assert memory.list_memories().total == 2
    memory.schedule_retention("off")
    memory.store("an old one", created=OLD)
    later(memory, 9)
    assert memory.list_memories().total == 3


def test_a_rule_holds_in_its_space_alone(memory: Milepost) -> None:
    other = memory.within("team-a")
    filled(memory)
    other.store("an old one", created=OLD)
    other.set_retention("note", days=90)

    other.apply_retention()

    assert other.list_memories().total == 0
    assert memory.list_memories().total == 3
    assert memory.erasure_receipts() == []


def test_episodes_journals_bins_and_sessions_have_rules_too(memory: Milepost) -> None:
    episode = memory.create_episode("mend it")
    memory.complete_episode(episode, "success", "done")
    memory.brief(session="s1", project="shop")
    memory.delete(memory.store("a mistake"))
    context = memory._context
    context.store.values.note("default", "executions", 1, ['{"session": "s1"}'], 10)
    for kind in ("episode", "bin", "session", "program", "ledger"):
        memory.set_retention(kind, days=1)
    ahead = context._replace(clock=lambda: context.clock() + 2 * DAY_US)
    from milepost.access.retention import Keeping

    (told,) = [Keeping(lambda: ahead).apply_retention()]

    rows = {due.rule.kind: due.rows for due in told.due}
    assert rows["episode"] == rows["bin"] == rows["session"] == rows["program"] == 1
    assert memory.list_episodes().total == 0
    assert context.store.deeds.count("default") == 0
    assert context.store.values.get("default", "session", "s1") is None


def test_what_is_held_stays(memory: Milepost) -> None:
    filled(memory)
    memory.set_retention("note", days=90)
    memory.set_retention("event", days=30)
    memory.set_hold("17", "a dispute", matching="xylotrope")

    assert [due.held for due in memory.plan_retention().due] == [1, 1]
    memory.apply_retention()

    assert memory.list_memories().total == 3
    assert len(memory.recall_events()) == 2
    memory.release_hold("17")
    memory.apply_retention()
    assert memory.list_memories().total == 2


def test_the_audit_has_no_rule(memory: Milepost) -> None:
    with pytest.raises(InvalidInput, match="bound to the one before"):
        memory.set_retention("audit", days=365)
    with pytest.raises(InvalidInput):
        memory.set_retention("note", days=0)
    with pytest.raises(InvalidInput):
        memory.set_retention("note", days=9, for_good=True)
    with pytest.raises(InvalidInput):
        memory.set_retention("bin", for_good=True)
    with pytest.raises(InvalidInput):
        memory.schedule_retention("hourly")
