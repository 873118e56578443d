"""Times in a store are whole microseconds; what earlier versions stored in seconds is read."""

from __future__ import annotations

import json
from pathlib import Path

import apsw
import pytest

import milepost
from milepost.app import Milepost, open_memory
from milepost.experience.values import Pattern, StoredPattern
from milepost.opening import settings_for
from milepost.upkeep.ledger import Ledger
from milepost.upkeep.values import Expense

AT = 1_700_000_000.25
PATTERN = Pattern(
    "pt_a", "trap", "rain", "wait", (), {}, (), 1, 0, 0.4, created=AT, updated=AT + 1
)  # fmt: skip


@pytest.fixture
def used(path: Path) -> Path:
    """A store with a pattern, a checkpoint and an expense."""
    with open_memory(settings_for(path)) as memory:
        store = memory._context.store
        store.patterns.learn("default", None, [StoredPattern(PATTERN, 0)])
        episode = memory.create_episode("paint the boat")
        memory.checkpoint_episode(episode, "half of it is dry")
        memory._context.part(Ledger).record("default", Expense(AT, "get", 10, 40))
    return path


def run(path: Path, statement: str, *values: str) -> str:
    connection = apsw.Connection(str(path))
    try:
        return str(connection.execute(statement, values).get)
    finally:
        connection.close()


def times(memory: Milepost) -> tuple[float, ...]:
    context = memory._context
    (stored,) = context.store.patterns.named("default", ["pt_a"])
    (episode,) = context.store.episodes.named("default", [memory.list_episodes().episodes[0].id])
    (expense,) = context.part(Ledger).expenses("default")
    return stored.pattern.created, stored.pattern.updated, episode.checkpoints[0].at, expense.at


def test_moments_in_json_are_whole_microseconds(used: Path) -> None:
    body = json.loads(run(used, "SELECT body FROM patterns"))
    points = json.loads(run(used, "SELECT checkpoints FROM episodes"))
    entry = json.loads(run(used, "SELECT entry FROM journal WHERE topic = 'ledger'"))

    assert (body["created_us"], body["updated_us"]) == (
        1_700_000_000_250_000,
        1_700_000_001_250_000,
    )
    assert entry[0] == 1_700_000_000_250_000
    assert isinstance(points[0][0], int)
    with open_memory(settings_for(used)) as memory:
        assert times(memory) == (AT, AT + 1, points[0][0] / 1e6, AT)


def test_moments_that_an_earlier_version_stored_in_seconds_are_read(used: Path) -> None:
    body = PATTERN._asdict()
    run(used, "UPDATE patterns SET body = ?", json.dumps(body))
    run(used, "UPDATE episodes SET checkpoints = ?", json.dumps([[AT, "half", None, 0]]))
    entry = json.dumps([AT, "get", 10, 40, None, [], None])
    run(used, "UPDATE journal SET entry = ? WHERE topic = 'ledger'", entry)

    with open_memory(settings_for(used)) as memory:
        assert times(memory) == (AT, AT + 1, AT, AT)


def test_what_callers_see_is_in_seconds(path: Path) -> None:
    with milepost.connect(path) as memory:
        name = memory.store("the harbour opens at nine", created="2026-01-02T03:04:05+00:00")
        assert memory.get(name).created == 1_767_323_045.0
