"""Episodes, steps and patterns in every store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from milepost.config import Settings
from milepost.experience.lookup import (
    analysed,
    episode_trace,
    episodes_beside,
    pattern_trace,
    trace_hash,
)
from milepost.experience.values import (
    Checkpoint,
    ClosingEntry,
    Enqueued,
    Episode,
    EpisodeChanges,
    EpisodeEntry,
    EpisodeFilter,
    Insight,
    Kept,
    Pattern,
    Reward,
    Step,
    StepEntry,
    Term,
)
from milepost.memory.texts import Texts
from milepost.memory.values import Filter
from milepost.opening import open_context
from milepost.ports import Store

T0 = 1_700_000_000.0
NOW = round(T0 * 1e6) + 10**12
BACKENDS: dict[str, Callable[[Path], str]] = {
    "sqlite": lambda folder: str(folder / "m.db"),
    "memory": lambda folder: "memory://",
}


@pytest.fixture(params=BACKENDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    opened = open_context(Settings(BACKENDS[request.param](tmp_path))).store
    yield opened
    opened.close()


@cache
def texts() -> Texts:
    return open_context(Settings("memory://")).texts


def episode(name: str = "ep_a", **fields: Any) -> Episode:
    plain = Episode(
        id=name,
        task="paint the harbour",
        task_type="painting",
        context={"domain": "sea", "n": [1, None, "é"]},
        tags=("red", "blue"),
        outcome=None,
        verdict="",
        artifacts=(),
        created=T0,
        completed=None,
        reward=None,
        insights=(),
        salience=None,
        relations=(("follows", "ep_0"),),
        step_count=0,
    )
    return plain._replace(**fields)


def begin(store: Store, name: str = "ep_a", space: str = "s", **fields: Any) -> Episode:
    begun = episode(name, **fields)
    draft = analysed(texts(), [episode_trace(space, begun)])[0]
    assert store.log([EpisodeEntry(space, begun, draft)]) == [1]
    return begun


def step(number: int = 0, action: str = "ls", **fields: Any) -> Step:
    plain = Step(number, "bash", action, {"b": 1, "a": [2]}, "seen", True, 1.5, 7, T0 + 1)
    return plain._replace(**fields)


def log_steps(store: Store, *steps: Step, name: str = "ep_a", space: str = "s") -> list[int]:
    return store.log([StepEntry(space, name, one) for one in steps])


def actions(store: Store, name: str = "ep_a") -> list[tuple[int, str]]:
    return [(one.number, one.action) for one in store.steps("s", name)]


def close(store: Store, name: str = "ep_a", outcome: str = "success", **fields: Any) -> int:
    changes = EpisodeChanges(outcome=outcome, completed=T0 + 60, **fields)
    return store.log([ClosingEntry("s", name, changes, NOW)])[0]


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


def named(store: Store, *names: str) -> list[str]:
    return [found.id for found in store.episodes_named("s", names)]


def test_an_episode_comes_back_as_it_was_given(store: Store) -> None:
    begun = begin(store)

    assert store.episodes_named("s", ["ep_a"]) == [begun]
    assert store.episodes_named("other", ["ep_a"]) == []


def test_an_episode_begins_once(store: Store) -> None:
    begun = begin(store)
    draft = analysed(texts(), [episode_trace("s", begun)])[0]

    again = EpisodeEntry("s", begun._replace(task="another"), draft)
    assert store.log([again]) == [0]
    assert store.episodes_named("s", ["ep_a"]) == [begun]


def test_episodes_come_in_the_order_asked_for_without_unknown_ones(store: Store) -> None:
    begin(store, "ep_a")
    begin(store, "ep_b")

    assert named(store, "ep_b", "nobody", "ep_a") == ["ep_b", "ep_a"]


def test_a_step_comes_back_as_it_was_given_with_the_next_number(store: Store) -> None:
    begin(store)

    assert log_steps(store, step(), step(action="pwd", success=False)) == [1, 2]
    assert store.steps("s", "ep_a") == [step(1), step(2, "pwd", success=False)]
    assert store.last_step("s", "ep_a") == 2
    assert store.episodes_named("s", ["ep_a"])[0].step_count == 2


def test_steps_of_no_episode_are_told_apart_and_do_no_harm_to_others(store: Store) -> None:
    begin(store)

    entries = [StepEntry("s", "nobody", step()), StepEntry("s", "ep_a", step())]
    assert store.log(entries) == [0, 1]
    assert store.last_step("s", "nobody") is None
    assert store.steps("s", "nobody") == []


def test_steps_may_come_out_of_order(store: Store) -> None:
    begin(store)

    assert log_steps(store, step(3, "c"), step(1, "a"), step(0, "d"), step(2, "b")) == [3, 1, 4, 2]
    assert actions(store) == [(1, "a"), (2, "b"), (3, "c"), (4, "d")]


def test_the_same_numbered_step_again_is_ignored(store: Store) -> None:
    begin(store)
    log_steps(store, step(1), step(2))

    assert log_steps(store, step(1, parameters={"a": [2], "b": 1}, at=T0 + 99)) == [1]
    assert len(store.steps("s", "ep_a")) == 2
    assert store.episodes_named("s", ["ep_a"])[0].step_count == 2


def test_another_step_with_a_taken_number_gets_the_next_one_and_only_once(store: Store) -> None:
    begin(store)
    log_steps(store, step(1, "a"), step(2, "b"))

    assert log_steps(store, step(1, "other")) == [3]
    assert log_steps(store, step(1, "other")) == [3]
    assert log_steps(store, step(1, "a")) == [1]
    assert actions(store) == [(1, "a"), (2, "b"), (3, "other")]


def test_what_is_not_durable_yet_is_seen_by_all(store: Store) -> None:
    begin(store)

    assert store.log([StepEntry("s", "ep_a", step())], durable=False) == [1]
    assert actions(store) == [(1, "ls")]


def test_an_episode_ends_once_and_tells_all_of_its_end(store: Store) -> None:
    begin(store)
    worth = Reward(1.2, (Term("base", 1.0, "it worked"), Term("quality", 1.2, "no errors")))
    insights = (Insight("worked", "painting worked", (1, 2)),)

    told = {"verdict": "done", "artifacts": ("a.py",), "reward": worth, "insights": insights}
    assert close(store, salience=0.5, **told) == 1
    assert close(store, outcome="failure") == 0

    (found,) = store.episodes_named("s", ["ep_a"])
    ending = {"outcome": "success", "verdict": "done", "artifacts": ("a.py",), "reward": 1.2}
    ending |= {"insights": insights, "salience": 0.5, "completed": T0 + 60}
    assert found == episode(**ending)
    assert store.reward_of("s", "ep_a") == worth


def test_an_abandoned_episode_can_still_end_otherwise(store: Store) -> None:
    begin(store)

    assert close(store, outcome="abandoned") == 1
    assert close(store, outcome="success") == 1
    assert store.episodes_named("s", ["ep_a"])[0].outcome == "success"


def test_nothing_ends_that_never_began(store: Store) -> None:
    assert close(store, "nobody") == 0
    assert store.reward_of("s", "nobody") is None


def test_the_end_of_an_episode_leaves_work_and_what_it_is_found_by(store: Store) -> None:
    begun = begin(store)
    draft = analysed(texts(), [episode_trace("s", begun._replace(outcome="success"))])[0]

    close(store, draft=draft, job=Enqueued("learn", "ep_a", "", NOW))

    (job,) = store.jobs("s", None, 9)
    assert (job.topic, job.key, job.due) == ("learn", "ep_a", NOW)
    trace = store.record(episodes_beside("s"), trace_hash("ep_a"))
    assert trace is not None
    assert "outcome:success" in trace.tags
    assert "outcome:open" not in trace.tags


def test_a_trace_is_replaced_in_the_index_too(store: Store) -> None:
    begun = begin(store, task="the harbour")
    where = Filter(episodes_beside("s"), NOW)
    assert store.page(where._replace(tags=("outcome:open",)), 9).total == 1

    ended = begun._replace(outcome="success", task="the mountain")
    close(store, draft=analysed(texts(), [episode_trace("s", ended)])[0])

    assert store.page(where, 9).total == 1
    assert store.page(where._replace(tags=("outcome:open",)), 9).total == 0
    assert store.page(where._replace(tags=("outcome:success",)), 9).total == 1
    pool = store.pool(texts().probe("mountain")._replace(vectors={}), where, 9)
    assert pool.matched == 1
    pool = store.pool(texts().probe("harbour")._replace(vectors={}), where, 9)
    assert pool.matched == 0


def test_a_trace_leads_back_to_its_episode(store: Store) -> None:
    begin(store, "ep_a")
    begin(store, "ep_b")

    ids = store.page(Filter(episodes_beside("s"), NOW), 9).ids
    assert set(store.traced([*ids, 999]).values()) == {"ep_a", "ep_b"}


def test_what_is_said_of_an_episode_can_be_changed(store: Store) -> None:
    begin(store)
    point = Checkpoint(T0 + 5, "the roof is next", "Ann", 3)

    changes = EpisodeChanges(task="paint", tags=("green",), context={"domain": "land"})
    assert store.change_episode("s", "ep_a", changes, NOW)
    for _ in range(2):
        store.change_episode("s", "ep_a", EpisodeChanges(relation=("retry of", "ep_9")), NOW)
    store.change_episode("s", "ep_a", EpisodeChanges(checkpoint=point), NOW)

    (found,) = store.episodes_named("s", ["ep_a"])
    assert (found.task, found.tags, found.context) == ("paint", ("green",), {"domain": "land"})
    assert found.relations == (("follows", "ep_0"), ("retry of", "ep_9"))
    assert found.checkpoints == (point,)
    assert found.task_type == "painting"
    assert not store.change_episode("s", "nobody", changes, NOW)


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ({}, ["c", "b", "a"]),
        ({"outcome": "open"}, ["c"]),
        ({"outcome": "success"}, ["b"]),
        ({"task_type": "painting"}, ["c", "a"]),
        ({"domain": "land"}, ["b"]),
        ({"tags": ("red",)}, ["c", "a"]),
        ({"tags": ("red", "blue")}, ["a"]),
        ({"after": round(T0 * 1e6) + 1_000_000}, ["c", "b"]),
        ({"before": round(T0 * 1e6) + 1_000_000}, ["a"]),
        ({"learned": False}, ["b", "a"]),
        ({"learned": True}, []),
    ],
)
def test_episodes_are_filtered_newest_first(
    store: Store, conditions: dict[str, Any], expected: list[str]
) -> None:
    begin(store, "a")
    begin(store, "b", created=T0 + 1, task_type="other", context={"domain": "land"}, tags=())
    begin(store, "c", created=T0 + 2, tags=("red",))
    begin(store, "elsewhere", space="t")
    close(store, "a", "failure")
    close(store, "b")

    where = EpisodeFilter("s", **conditions)
    assert [found.id for found in store.episodes(where, 9)] == expected
    assert [found.id for found in store.episodes(where, 1)] == expected[:1]
    assert store.count_episodes(where) == len(expected)


def test_peers_are_those_of_the_same_type_and_domain_that_ended_last(store: Store) -> None:
    for place, name in enumerate("abc"):
        begin(store, name)
        log_steps(store, *[step() for _ in range(place)], name=name)
        changes = EpisodeChanges(outcome="success", completed=T0 + 60 + place)
        store.log([ClosingEntry("s", name, changes, NOW)])
    begin(store, "open")
    begin(store, "other", context={})
    close(store, "other")

    found = store.peers("s", "painting", "sea", 2)

    assert [(peer.id, peer.steps, peer.seconds) for peer in found] == [("c", 2, 62), ("b", 1, 61)]
    assert [peer.id for peer in store.peers("s", "painting", None, 9)] == ["other"]


def test_idle_episodes_are_the_open_ones_that_nobody_worked_on(store: Store) -> None:
    begin(store, "old")
    begin(store, "worked on")
    begin(store, "closed")
    log_steps(store, step(at=T0 + 100), name="worked on")
    close(store, "closed")

    before = round((T0 + 50) * 1e6)
    assert store.idle_episodes("s", before, 9) == ["old"]
    assert store.idle_episodes("t", before, 9) == []
    assert store.idle_episodes("s", NOW, 9) == ["old", "worked on"]


def test_a_deleted_episode_is_gone_with_its_steps(store: Store) -> None:
    begin(store)
    log_steps(store, step())
    store.show("s", "ep_a", ["pt_a"])

    assert store.remove_episode("s", "ep_a")
    assert named(store, "ep_a") == []
    assert store.steps("s", "ep_a") == []
    assert store.shown_to("s", "ep_a") == []
    assert not store.remove_episode("s", "ep_a")


def test_a_pattern_comes_back_as_it_was_given_with_a_version(store: Store) -> None:
    made = pattern(against=("ep_x",), retired=True)

    assert store.learn("s", None, [Kept(made, 0)])
    assert store.patterns_named("s", ["nobody", "pt_a"]) == [Kept(made, 1)]
    assert store.patterns_named("t", ["pt_a"]) == []


def test_a_pattern_that_was_changed_meanwhile_is_not_overwritten(store: Store) -> None:
    store.learn("s", None, [Kept(pattern(), 0)])
    store.learn("s", None, [Kept(pattern(successes=2), 1)])

    others = [Kept(pattern("pt_b"), 0), Kept(pattern(successes=9), 1)]
    assert not store.learn("s", None, others)
    assert not store.learn("s", None, [Kept(pattern(), 0)])

    assert [k.pattern.successes for k in store.patterns_named("s", ["pt_a", "pt_b"])] == [2]


def test_an_episode_teaches_once_for_each_time_it_ends(store: Store) -> None:
    begin(store)
    close(store, outcome="abandoned")

    assert store.learn("s", "ep_a", [Kept(pattern(successes=1), 0)])
    assert store.learn("s", "ep_a", [Kept(pattern(successes=2), 1)])
    assert store.patterns_named("s", ["pt_a"])[0].pattern.successes == 1

    close(store)
    assert store.learn("s", "ep_a", [Kept(pattern(successes=2), 1)])
    assert store.patterns_named("s", ["pt_a"])[0].pattern.successes == 2


def test_an_episode_that_teaches_in_vain_can_be_learned_from_again(store: Store) -> None:
    begin(store)
    close(store)
    store.learn("s", None, [Kept(pattern(), 0)])

    assert not store.learn("s", "ep_a", [Kept(pattern(successes=5), 0)])
    assert store.learn("s", "ep_a", [Kept(pattern(successes=5), 1)])
    assert store.patterns_named("s", ["pt_a"])[0].pattern.successes == 5


def test_nothing_is_learned_from_an_episode_that_was_deleted(store: Store) -> None:
    assert store.learn("s", "nobody", [Kept(pattern(), 0)])
    assert store.patterns("s", None, None, 9) == []


def test_patterns_are_listed_by_confidence(store: Store) -> None:
    made = [
        pattern("weak", confidence=0.1),
        pattern("strong", confidence=0.9),
        pattern("way", kind="sequence", confidence=0.5),
        pattern("gone", confidence=0.7, retired=True),
    ]
    store.learn("s", None, [Kept(one, 0) for one in made])

    def ids(kind: str | None, retired: bool | None, limit: int = 9) -> list[str]:
        return [kept.pattern.id for kept in store.patterns("s", kind, retired, limit)]

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
    store.learn("s", None, [Kept(one, 0) for one in made])

    assert {kept.pattern.id for kept in store.patterns_of("s", "ep_x")} == {"for", "against"}


def test_removed_patterns_are_gone(store: Store) -> None:
    store.learn("s", None, [Kept(pattern(), 0)])
    store.remove_patterns("s", ["pt_a", "nobody"])

    assert store.patterns("s", None, None, 9) == []


def test_what_is_shown_twice_is_shown_once(store: Store) -> None:
    store.show("s", "ep_a", ["pt_b", "pt_a"])
    store.show("s", "ep_a", ["pt_a"])

    assert store.shown_to("s", "ep_a") == ["pt_a", "pt_b"]
    assert store.shown_to("s", "ep_b") == []


def test_many_threads_that_change_one_pattern_lose_no_change(store: Store) -> None:
    draft = analysed(texts(), [pattern_trace("s", pattern())])[0]
    store.learn("s", None, [Kept(pattern(successes=0), 0, draft)])

    def add_one(_: int) -> None:
        while True:
            (kept,) = store.patterns_named("s", ["pt_a"])
            changed = kept.pattern._replace(successes=kept.pattern.successes + 1)
            if store.learn("s", None, [Kept(changed, kept.version)]):
                return

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(add_one, range(60)))
    assert store.patterns_named("s", ["pt_a"])[0].pattern.successes == 60


def test_many_threads_add_steps_without_losing_one(store: Store) -> None:
    begin(store)

    with ThreadPoolExecutor(6) as pool:
        numbers = [n for ns in pool.map(lambda _: log_steps(store, step()), range(60)) for n in ns]
    assert sorted(numbers) == list(range(1, 61))
