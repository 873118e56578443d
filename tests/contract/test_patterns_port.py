"""Patterns in every store: what was changed meanwhile is not overwritten."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest
from test_episodes_port import begin, close

from milepost.experience.values import (
    Pattern,
    StoredPattern,
)
from milepost.ports import Conflict, Store


def pattern(name: str = "pt_a", **fields: Any) -> Pattern:
    plain = Pattern(
        id=name,
        kind="trap",
        situation="paint in the rain",
        advice="wait",
        steps=("look", "wait"),
        context={"domain": "sea"},
        evidence=("ep_a",),
        successes=1,
        failures=0,
        confidence=0.4,
    )
    return plain._replace(**fields)


def test_a_pattern_comes_back_as_it_was_given_with_a_version(store: Store) -> None:
    made = pattern(against=("ep_x",), retired=True)

    assert store.patterns.learn("s", None, [StoredPattern(made, 0)])
    assert store.patterns.named("s", ["nobody", "pt_a"]) == [StoredPattern(made, 1)]
    assert store.patterns.named("t", ["pt_a"]) == []


def test_a_pattern_that_was_changed_meanwhile_is_not_overwritten(store: Store) -> None:
    store.patterns.learn("s", None, [StoredPattern(pattern(), 0)])
    store.patterns.learn("s", None, [StoredPattern(pattern(successes=2), 1)])

    others = [StoredPattern(pattern("pt_b"), 0), StoredPattern(pattern(successes=9), 1)]
    for changes in (others, [StoredPattern(pattern(), 0)]):
        with pytest.raises(Conflict):
            store.patterns.learn("s", None, changes)

    assert [k.pattern.successes for k in store.patterns.named("s", ["pt_a", "pt_b"])] == [2]


def test_an_episode_teaches_once_for_each_time_it_ends(store: Store) -> None:
    begin(store)
    close(store, outcome="abandoned")

    assert store.patterns.learn("s", "ep_a", [StoredPattern(pattern(successes=1), 0)])
    assert not store.patterns.learn("s", "ep_a", [StoredPattern(pattern(successes=2), 1)])
    assert store.patterns.named("s", ["pt_a"])[0].pattern.successes == 1

    close(store)
    assert store.patterns.learn("s", "ep_a", [StoredPattern(pattern(successes=2), 1)])
    assert store.patterns.named("s", ["pt_a"])[0].pattern.successes == 2


def test_an_episode_that_teaches_in_vain_can_be_learned_from_again(store: Store) -> None:
    begin(store)
    close(store)
    store.patterns.learn("s", None, [StoredPattern(pattern(), 0)])

    with pytest.raises(Conflict):
        store.patterns.learn("s", "ep_a", [StoredPattern(pattern(successes=5), 0)])
    assert store.patterns.learn("s", "ep_a", [StoredPattern(pattern(successes=5), 1)])
    assert store.patterns.named("s", ["pt_a"])[0].pattern.successes == 5


def test_nothing_is_learned_from_an_episode_that_was_deleted(store: Store) -> None:
    assert not store.patterns.learn("s", "nobody", [StoredPattern(pattern(), 0)])
    assert store.patterns.find("s", None, None, 9) == []


def test_patterns_are_listed_by_confidence(store: Store) -> None:
    made = [
        pattern("weak", confidence=0.1),
        pattern("strong", confidence=0.9),
        pattern("way", kind="sequence", confidence=0.5),
        pattern("gone", confidence=0.7, retired=True),
    ]
    store.patterns.learn("s", None, [StoredPattern(one, 0) for one in made])

    def ids(kind: str | None, retired: bool | None, limit: int = 9) -> list[str]:
        return [kept.pattern.id for kept in store.patterns.find("s", kind, retired, limit)]

    assert ids(None, None) == ["strong", "gone", "way", "weak"]
    assert ids("trap", False) == ["strong", "weak"]
    assert ids(None, True) == ["gone"]
    assert ids(None, None, 2) == ["strong", "gone"]


def test_patterns_are_found_by_the_episodes_that_speak_for_or_against_them(store: Store) -> None:
    made = [
        pattern("for", evidence=("ep_x", "ep_y")),
        pattern("against", evidence=(), against=("ep_x",)),
        pattern("neither", evidence=("ep_z",)),
    ]
    store.patterns.learn("s", None, [StoredPattern(one, 0) for one in made])

    assert {kept.pattern.id for kept in store.patterns.of("s", "ep_x")} == {"for", "against"}


def test_removed_patterns_are_gone(store: Store) -> None:
    store.patterns.learn("s", None, [StoredPattern(pattern(), 0)])
    store.patterns.remove("s", ["pt_a", "nobody"])

    assert store.patterns.find("s", None, None, 9) == []


def test_what_is_shown_twice_is_shown_once(store: Store) -> None:
    store.patterns.show("s", "ep_a", ["pt_b", "pt_a"])
    store.patterns.show("s", "ep_a", ["pt_a"])

    assert store.patterns.shown("s", "ep_a") == ["pt_a", "pt_b"]
    assert store.patterns.shown("s", "ep_b") == []


def test_many_threads_that_change_one_pattern_lose_no_change(store: Store) -> None:
    store.patterns.learn("s", None, [StoredPattern(pattern(successes=0), 0)])

    def add_one(_: int) -> None:
        while True:
            (kept,) = store.patterns.named("s", ["pt_a"])
            changed = kept.pattern._replace(successes=kept.pattern.successes + 1)
            with suppress(Conflict):
                store.patterns.learn("s", None, [StoredPattern(changed, kept.version)])
                return

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(add_one, range(60)))
    assert store.patterns.named("s", ["pt_a"])[0].pattern.successes == 60
