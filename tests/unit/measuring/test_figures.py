"""Figures say how sure they are, and a difference is told only where chance would not give it."""

from __future__ import annotations

import pytest

from milepost.measuring.figures import (
    GROUPS_MAX,
    OTHERS,
    Outcome,
    by_age,
    difference,
    figures_of,
    grouped,
)
from milepost.measuring.values import BETTER, NO_DIFFERENCE, OTHER_WORDS, TOO_FEW, WORSE

DAY_US = 86_400_000_000


def outcome(
    place: int | None = 0, floor: int | None = None, kind: str = "note", age_days: float = 0
) -> Outcome:
    created_us = int(1_000 * DAY_US - age_days * DAY_US)
    return Outcome("name", OTHER_WORDS, kind, created_us, place, floor, place is None, 100)


def test_what_stands_among_the_first_five_is_found_and_what_stands_first_counts_most() -> None:
    row = figures_of("all", [outcome(0), outcome(1), outcome(7), outcome(None, floor=4)])

    assert (row.recall, row.empty, row.floor) == (0.5, 0.25, 0.25)
    assert row.mrr == pytest.approx((1 + 1 / 2 + 1 / 8) / 4, abs=1e-4)
    assert row.floor_mrr == pytest.approx(1 / 5 / 4, abs=1e-4)
    assert row.low < row.recall < row.high


def test_more_questions_make_a_narrower_interval() -> None:
    few = figures_of("all", [outcome(0), outcome(None)] * 10)
    many = figures_of("all", [outcome(0), outcome(None)] * 100)

    assert many.high - many.low < few.high - few.low


def test_what_stands_further_down_than_the_tenth_counts_for_nothing() -> None:
    assert figures_of("all", [outcome(10)]).mrr == 0


def test_many_small_groups_are_told_together() -> None:
    outcomes = [outcome(kind=f"kind {n}") for n in range(GROUPS_MAX + 3) for _ in range(20 - n)]
    rows = grouped(outcomes, lambda each: each.kind)

    assert [row.name for row in rows[:2]] == ["kind 0", "kind 1"]
    assert (rows[-1].name, len(rows)) == (OTHERS, GROUPS_MAX + 1)
    assert sum(row.questions for row in rows) == len(outcomes)


def test_ages_are_counted_from_the_newest_memory_and_the_youngest_come_first() -> None:
    rows = by_age([outcome(age_days=days) for days in (400, 0, 3, 200, 12, 800)])

    assert [(row.name, row.questions) for row in rows] == [
        ("within a week", 2),
        ("within a month", 1),
        ("within a year", 1),
        ("older than a year", 2),
    ]


@pytest.mark.parametrize(
    ("lost", "gained", "questions", "verdict"),
    [
        (0, 0, 200, NO_DIFFERENCE),
        (1, 0, 200, NO_DIFFERENCE),
        (12, 0, 200, WORSE),
        (0, 12, 200, BETTER),
        (9, 8, 200, NO_DIFFERENCE),
        (19, 0, 19, TOO_FEW),
    ],
)
def test_a_verdict_is_given_where_chance_would_not_give_it(
    lost: int, gained: int, questions: int, verdict: str
) -> None:
    same = questions - lost - gained
    told = difference([(1.0, 0.0)] * lost + [(0.0, 1.0)] * gained + [(1.0, 1.0)] * same)

    assert told.verdict == verdict
    assert told.mean == pytest.approx((gained - lost) / questions)
    assert told.low <= told.mean <= told.high


def test_a_difference_that_nobody_notices_is_none_however_sure_it_is() -> None:
    pairs = [(0.5, 0.49)] * 200

    assert difference(pairs).verdict == WORSE
    assert difference(pairs, least=0.02).verdict == NO_DIFFERENCE
