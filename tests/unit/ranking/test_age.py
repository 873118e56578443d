"""What is out of date: a newer memory speaks of the same thing."""

from math import log1p

import numpy as np
import pytest
from ranking_parts import age, features
from small_pools import Note, Search, search

COLOURS = {"red": 4, "blue": 2}


def rivals(found: Search) -> age.Rivals:
    return features.features(found.pool, found.probe).rivals


def pairs(found: Search) -> list[tuple[int, int]]:
    known = rivals(found)
    return sorted(zip(known.older.tolist(), known.newer.tolist(), strict=True))


def said(*hours: float, session: str | None = None) -> list[Note]:
    return [Note("red", (0.6, 0.8), hour=hour, session=session) for hour in hours]


def test_each_newer_memory_is_a_rival_of_each_older_one():
    assert pairs(search(COLOURS, *said(48, 0, 24))) == [(1, 0), (1, 2), (2, 0)]


@pytest.mark.parametrize(("hours", "found"), [(0, []), (11.9, []), (12, [(0, 1)])])
def test_within_half_a_day_neither_is_newer(hours, found):
    assert pairs(search(COLOURS, *said(50, 50 + hours))) == found


def test_what_was_said_in_one_session_is_no_rival():
    assert pairs(search(COLOURS, *said(0, 48, session="s"))) == []


def test_who_tells_rather_than_asks_wants_no_newer_one():
    found = search(COLOURS, *said(0, 48))

    assert pairs(found._replace(probe=found.probe._replace(asks=False))) == []


@pytest.mark.parametrize(("better", "compared"), [(19, True), (20, False)])
def test_only_the_twenty_best_are_compared(better, compared):
    notes = [Note("red", (1, 0), hour=24)] * better
    found = pairs(search({"red": 4}, *notes, Note("", (1, 0))))

    assert bool(found) == compared


def test_a_pair_is_known_by_likeness_words_and_time():
    notes = [Note("red blue", (1, 0)), Note("red", (0.6, 0.8), hour=48), Note("", (0, 1), hour=1)]
    known = rivals(search(COLOURS, *notes))

    assert (known.older[0], known.newer[0]) == (0, 1)
    row = {name: float(values[0]) for name, values in known.columns.items()}
    # Six pairs, each counted both ways, and forty imagined ones.
    usual = (2 * (0.6 + 0 + 0.8) + 40 * 0.25) / (6 + 40)
    assert row["alike"] == pytest.approx(0.6)
    assert row["alike_for_here"] == pytest.approx((0.6 - usual) / (1 - usual))
    # The newer meets two thirds of what the older meets, which is everything.
    assert (row["shared"], row["met"]) == (pytest.approx(2 / 3), pytest.approx(1))
    assert row["nearer"] == pytest.approx(0.6)
    assert row["days"] == pytest.approx(log1p(2))
    assert row["past"] == 0


def three(*chances: float, alone: bool = True) -> age.Aged:
    """Three candidates, each newer than those before it, and the less like the question."""
    older, newer, days = np.array([0, 0, 1]), np.array([1, 2, 2]), np.array([1.0, 3.0, 2.0])
    pairs = age.Rivals(older, newer, np.full(3, alone), {"days": days})
    return age.aged(np.array([3.0, 2.0, 1.0]), pairs, np.array(chances))


def test_what_surely_replaces_another_stands_before_it():
    assert np.argsort(-three(0.95, 0, 0).scores).tolist() == [1, 0, 2]
    assert np.argsort(-three(0, 0.95, 0).scores).tolist() == [2, 0, 1]


def test_of_several_that_replace_one_the_newest_comes_first():
    found = three(0.99, 0.97, 0)

    assert np.argsort(-found.scores).tolist() == [2, 1, 0]
    assert found.replaced_by == {0: 2}


def test_what_is_told_must_be_surer_than_what_is_put_first():
    found = three(0.95, 0, 0)

    assert np.argsort(-found.scores).tolist() == [1, 0, 2]
    assert found.replaced_by == {}


def test_what_is_part_of_a_talk_must_be_surer_to_be_replaced():
    chance = (age.SURE + age.SURE_OF_PARTS) / 2

    assert three(chance, 0, 0).added[1] > 0
    assert not three(chance, 0, 0, alone=False).added.any()
    assert three(0.95, 0, 0, alone=False).added[1] > 0


def test_a_pair_is_alone_where_neither_has_neighbours():
    found = search(
        COLOURS, *said(0, 48), Note("red", (0.6, 0.8), "s", hour=96), Note("", (1, 0), "s")
    )
    known = rivals(found)
    in_talk = (known.older >= 2) | (known.newer >= 2)

    assert known.alone[~in_talk].all()
    assert not known.alone[in_talk].any()
    assert in_talk.any()
    assert not in_talk.all()


def test_what_may_replace_another_changes_nothing():
    found = three(age.SURE, age.SURE, 0)

    assert found.scores.tolist() == [3, 2, 1]
    assert found.replaced_by == {}
    assert not found.added.any()


def test_only_what_is_newer_gains():
    assert three(0.95, 0, 0).added.tolist() == pytest.approx([0, 1.002, 0])
