"""Consolidation tells the times at which something comes back, and none where there are none."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

from milepost import Milepost

pytestmark = pytest.mark.slow

MONDAY = datetime(2026, 1, 5)
THINGS = "harbour crane oven violin railway signal pump ladder window carpet engine bottle".split()


def days(count: int, *, weekend: bool = True) -> Iterator[datetime]:
    every = (MONDAY + timedelta(n) for n in range(count))
    return (day for day in every if weekend or day.weekday() < 5)


def note(dice: random.Random, at: datetime, number: int) -> dict[str, str]:
    """Return a memory of one of many things."""
    things = " and ".join(dice.sample(THINGS, 2))
    text = f"Looked after {things}, entry {number} of the log"
    return {"content": text, "created": at.isoformat(), "kind": "note"}


def failure(at: datetime, number: int) -> dict[str, str]:
    text = f"The nightly build {number} failed: certificate of the registry expired"
    return {"content": text, "created": at.isoformat(), "kind": "error"}


def any_hour(dice: random.Random, day: datetime) -> datetime:
    return day + timedelta(hours=dice.randrange(8, 19), minutes=dice.randrange(1, 60))


def told_times(memory: Milepost) -> list[str]:
    result = memory.consolidate(days_back=3650, dry_run=True, complete=True)
    return [pattern.description for pattern in result.patterns if pattern.type == "time"]


def test_what_fails_on_mondays_is_told_with_the_day(memory: Milepost) -> None:
    dice = random.Random(1)
    rows = [note(dice, any_hour(dice, day), n) for n, day in enumerate(days(70, weekend=False))]
    rows += [
        failure(any_hour(dice, day), n) for n, day in enumerate(days(70)) if day.weekday() == 0
    ]
    memory.store_batch(rows)

    result = memory.consolidate(days_back=3650, dry_run=True, complete=True)

    (time,) = [pattern for pattern in result.patterns if pattern.type == "time"]
    assert time.description.endswith("on Mondays: 10 of 10 days")
    assert time.support == 10
    assert 0.5 < time.confidence < 1
    assert {memory.get(name).kind for name in time.members} == {"error"}


def test_what_fails_at_night_is_told_with_the_hours_though_not_each_time(memory: Milepost) -> None:
    dice = random.Random(2)
    rows = [note(dice, any_hour(dice, day), n) for n, day in enumerate(days(60))]
    for n, day in enumerate(days(60)):
        if n % 3 == 0:
            at = any_hour(dice, day) if n % 15 == 0 else day + timedelta(hours=3, minutes=n)
            rows.append(failure(at, n))
    memory.store_batch(rows)

    assert any("between 03:00 and 05:00: 16 of 20" in told for told in told_times(memory))


@pytest.mark.parametrize("seed", range(6))
def test_times_that_are_chance_are_no_pattern(memory: Milepost, seed: int) -> None:
    dice = random.Random(seed)
    rows = [
        note(dice, any_hour(dice, day), 3 * n + again)
        for n, day in enumerate(days(90, weekend=seed % 2 == 0))
        for again in range(2)
    ]
    failed = dice.sample(list(days(90, weekend=seed % 2 == 0)), 12)
    rows += [failure(any_hour(dice, day), n) for n, day in enumerate(failed)]
    memory.store_batch(rows)

    assert told_times(memory) == []


def test_one_bad_day_with_many_failures_is_no_pattern(memory: Milepost) -> None:
    dice = random.Random(4)
    rows = [note(dice, any_hour(dice, day), n) for n, day in enumerate(days(40))]
    rows += [failure(MONDAY + timedelta(hours=9, minutes=n), n) for n in range(30)]
    memory.store_batch(rows)

    assert told_times(memory) == []


def test_memories_of_which_the_day_alone_is_known_have_no_hour(memory: Milepost) -> None:
    dice = random.Random(5)
    memory.store_batch([note(dice, day, n) for n, day in enumerate(days(40))])

    assert told_times(memory) == []
