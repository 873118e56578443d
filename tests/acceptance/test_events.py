"""What happens is written down in order, apart from memories, and forgotten in time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import milepost
from milepost import InvalidInput, Milepost
from milepost.testing import Clock
from support import RunPython


def told(memory: Milepost, **conditions: Any) -> list[tuple[str, str]]:
    return [(e.event_type, e.content) for e in memory.recall_events(**conditions)]


def test_an_event_is_recalled_as_it_was_recorded(memory: Milepost) -> None:
    name = memory.record_event(
        event_type="action",
        content="ran the tests",
        outcome="failed",
        session_id="s",
        duration_ms=1200,
        project="shop",
    )

    (event,) = memory.recall_events(session_id="s", limit=50)

    assert event.id == name
    assert (event.event_type, event.content, event.outcome) == ("action", "ran the tests", "failed")
    assert (event.session_id, event.duration_ms, event.project) == ("s", 1200, "shop")
    assert event["content"] == event.content
    with pytest.raises(KeyError, match="there are id, at"):
        event["text"]


def test_events_never_show_in_a_search(memory: Milepost) -> None:
    memory.record_event("deploy", "the parrot service went to staging")

    assert not memory.search("parrot service staging")
    assert memory.stats().memories == 0


def test_the_latest_are_told_oldest_first(memory: Milepost) -> None:
    memory.record_events([{"event_type": "tick", "content": f"{i}"} for i in range(5)])

    assert told(memory, limit=2) == [("tick", "3"), ("tick", "4")]


def test_conditions_narrow_together(memory: Milepost) -> None:
    memory.record_event("test", "pytest tests/a", session_id="s1", at="2026-01-01")
    memory.record_event("test", "pytest tests/b", session_id="s2", at="2026-02-01")
    memory.record_event("tool", "edit b", session_id="s2", at="2026-02-02")

    assert told(memory, session_id="s2", event_type="test") == [("test", "pytest tests/b")]
    assert told(memory, query="tests/a PYTEST") == [("test", "pytest tests/a")]
    assert told(memory, after="2026-02-01", before="2026-02-02") == [("test", "pytest tests/b")]


def test_a_commit_is_written_down_once(memory: Milepost) -> None:
    first = memory.record_commit("8f7d497f", "Round half to even", files=["a.py"], author="Ines")
    again = memory.record_commit("8f7d497f", "Round half to even")

    assert first == again
    assert told(memory) == [("commit", "8f7d497f Round half to even (a.py) by Ines")]


def test_a_timeline_counts_by_day(memory: Milepost) -> None:
    memory.record_events(
        [
            {"event_type": "test", "content": "a", "outcome": "failed", "session_id": "s"},
            {"event_type": "test", "content": "b", "at": "40 days ago"},
        ]
    )

    timeline = memory.event_timeline(days=7)

    assert timeline.total == 1
    assert timeline["days"][0]["by_type"] == {"test": 1}
    assert str(timeline).endswith("1: test 1, 1 failed, sessions 1")
    assert memory.event_timeline(days=60).total == 2


def test_a_timeline_of_memories_shows_what_happened_meanwhile(memory: Milepost) -> None:
    first = memory.store("the queue was chosen")
    memory.record_event("test", "pytest", outcome="ok", wait=True)
    memory.store("the queue was built")

    rows = memory.timeline(first, events=True)

    assert [row.kind for row in rows] == ["note", "event", "note"]
    assert rows[1].content == "test: pytest (ok)"
    assert [row.kind for row in memory.timeline(first)] == ["note", "note"]


def test_an_episode_leaves_its_life_and_takes_it_along(memory: Milepost) -> None:
    name = memory.create_episode("fix the parser")
    memory.complete_episode(name, "failure", "it was the lexer")

    begun, ended = memory.recall_events(event_type="episode")
    assert begun.content == f"begun {name}: fix the parser"
    assert (ended.content, ended.outcome) == (f"ended {name}: fix the parser", "failure")

    memory.delete_episode(name)
    assert told(memory) == []


def test_what_happens_in_a_session_becomes_events_once(memory: Milepost) -> None:
    turns = [
        {"role": "user", "text": "make it pass", "at": 100.0},
        {
            "role": "tool",
            "text": "1 failed",
            "tool": "Bash",
            "input": "pytest -q",
            "failed": True,
            "at": 101.0,
        },
        {"role": "tool", "text": "", "tool": "Edit", "input": '{"file_path": "a.py"}', "at": 102.0},
        {
            "role": "tool",
            "text": "[main 1234567] Mend the parser\n 1 file changed",
            "tool": "Bash",
            "input": "git commit -am 'Mend the parser'",
            "at": 103.0,
        },
    ]
    memory.notice("s", turns, stage="interim")
    memory.notice("s", turns, stage="end")

    events = memory.recall_events(session_id="s")
    kinds = sorted((e.event_type, e.outcome) for e in events if e.event_type != "episode")
    assert kinds == [
        ("commit", "ok"),
        ("session", None),
        ("session", None),
        ("test", "failed"),
        ("tool", "ok"),
    ]
    assert told(memory, event_type="session") == [("session", "started"), ("session", "ended")]
    (commit,) = memory.recall_events(event_type="commit")
    assert "1234567" in commit.content
    assert "Mend the parser" in commit.content


def test_secrets_are_not_written_into_events(memory: Milepost) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    memory.record_event("tool", f"curl -H 'Authorization: token {secret}'")
    memory.notice(
        "s", [{"role": "tool", "text": "", "tool": "Bash", "input": f"export T={secret}"}]
    )

    assert secret not in str(memory.recall_events())


def test_events_that_quote_an_erased_memory_go_with_it(memory: Milepost) -> None:
    text = "the vault of the Helsinki office opens at noon on Fridays"
    name = memory.store(text)
    memory.record_event("note", f"told: {text}", wait=True)
    memory.record_event("note", "something else", wait=True)

    memory.delete(name, erase=True)

    assert told(memory) == [("note", "something else")]


def test_events_are_deleted_by_condition_and_never_all_at_once(memory: Milepost) -> None:
    memory.record_event("test", "a", session_id="s1")
    memory.record_event("test", "b", session_id="s2")

    assert memory.delete_events(session_id="s1", dry_run=True).deleted == 1
    assert memory.delete_events(session_id="s1").deleted == 1
    assert told(memory) == [("test", "b")]
    with pytest.raises(InvalidInput, match="needs a condition"):
        memory.delete_events()


def test_events_are_forgotten_after_their_days(path: Path) -> None:
    clock = Clock()
    with clock.running(), milepost.connect(path) as memory:
        memory.record_event("test", "old", wait=True)
        clock.advance(days=60)
        memory.record_event("test", "new", wait=True)
        clock.advance(days=45)
        assert memory.run_jobs() >= 1
        assert told(memory) == [("test", "new")]
        clock.advance(days=60)
        memory.run_jobs()
        assert told(memory) == []


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"event_type": "", "content": "x"}, "event_type"),
        ({"event_type": "a", "content": " "}, "content"),
        ({"event_type": "a", "content": "x", "duration_ms": -1}, "duration_ms"),
        ({"event_type": "a", "content": "x", "duration_ms": "soon"}, "duration_ms"),
        ({"event_type": "a", "content": "x", "duration_ms": 10**400}, "duration_ms"),
        ({"event_type": "a", "content": "x", "at": "whenever"}, "at"),
    ],
)
def test_bad_events_are_refused_with_what_is_wrong(
    memory: Milepost, fields: dict[str, Any], problem: str
) -> None:
    with pytest.raises(InvalidInput, match=problem):
        memory.record_event(**fields)
    with pytest.raises(InvalidInput, match=problem):
        memory.record_events([{"event_type": "fine", "content": "fine"}, fields])
    assert told(memory) == []


def test_a_batch_names_the_field_that_it_does_not_know(memory: Milepost) -> None:
    with pytest.raises(InvalidInput, match="no field 'kind'"):
        memory.record_events([{"event_type": "a", "content": "x", "kind": "y"}])


def test_what_was_recorded_without_waiting_outlives_its_process(
    path: Path, run_python: RunPython
) -> None:
    run_python(
        f"import milepost\nm = milepost.connect({str(path)!r})\n"
        "[m.record_event('tick', str(i)) for i in range(300)]"
    )
    with milepost.connect(path) as memory:
        assert len(memory.recall_events(limit=1000)) == 300
