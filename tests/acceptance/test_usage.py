"""Memories that are shown often and never used become doubtful; one use takes the doubt away."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest

from milepost.app import open_memory
from milepost.memory.context import Context
from milepost.opening import settings_for
from milepost.sessions import state
from milepost.upkeep.values import Expense

FULL = "0123456789abcdef" * 4


@pytest.fixture
def context() -> Iterator[Context]:
    with open_memory(settings_for("memory://")) as memory:
        yield memory._opening()


def show(context: Context, times: int, *hashes: str, project: str | None = "app") -> None:
    for _ in range(times):
        state.note_shown(context, project, hashes)


def test_two_showings_raise_no_doubt(context: Context) -> None:
    show(context, 2, "0a1b2c3d")

    assert state.doubts(context, "app") == {}


def test_doubt_grows_with_every_showing_and_never_becomes_certainty(context: Context) -> None:
    grown = []
    for _ in range(40):
        show(context, 1, "0a1b2c3d")
        grown.append(state.doubts(context, "app").get("0a1b2c3d", 0.0))

    assert grown[:3] == [0.0, 0.0, pytest.approx(0.2)]
    assert grown[5] == pytest.approx(0.5)
    assert all(before < after < 1 for before, after in pairwise(grown[2:]))


def test_one_use_takes_the_doubt_away_and_it_begins_anew(context: Context) -> None:
    show(context, 9, "0a1b2c3d", "ffffffff")
    state.note_used(context, "app", ["0a1b2c3d"])

    assert list(state.doubts(context, "app")) == ["ffffffff"]
    show(context, 3, "0a1b2c3d")
    assert state.doubts(context, "app")["0a1b2c3d"] == pytest.approx(0.2)


def test_a_hash_is_the_same_with_more_or_fewer_digits(context: Context) -> None:
    show(context, 5, FULL)
    assert list(state.doubts(context, "app")) == [FULL]

    state.note_used(context, "app", [FULL[:8]])
    assert state.doubts(context, "app") == {}


def test_projects_and_spaces_know_nothing_of_each_other(context: Context) -> None:
    show(context, 5, "0a1b2c3d")

    assert state.doubts(context, None) == {}
    assert state.doubts(context, "web") == {}
    assert state.doubts(context.within("team"), "app") == {}


def test_what_was_never_shown_is_not_counted_when_it_is_used(context: Context) -> None:
    state.note_used(context, "app", ["0a1b2c3d"])

    assert context.store.values.get(context.space, "usage", "app") is None


def test_what_was_not_shown_for_longest_is_forgotten(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state, "ENTRIES_MAX", 2)
    now = iter(range(100))
    context = context._replace(clock=lambda: next(now))
    show(context, 3, "aaaaaaaa")
    show(context, 3, "bbbbbbbb")
    show(context, 3, "cccccccc")

    assert list(state.doubts(context, "app")) == ["bbbbbbbb", "cccccccc"]


def test_fetching_a_whole_memory_tells_that_it_was_used() -> None:
    expenses = [
        Expense(1.0, "get", 10, 40, "s", ("0a1b2c3d",)),
        Expense(2.0, "search", 10, 40, "s", ("ffffffff",)),
    ]

    assert state.fetched(expenses) == {"0a1b2c3d"}
