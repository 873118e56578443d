"""Episodes and their steps in every store: begun once, ended once, found by what they tell."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from made_memories import texts

from milepost.experience.entries import (
    analysed,
    entry_hash,
    episode_entry,
    episode_space,
)
from milepost.experience.values import (
    Checkpoint,
    Episode,
    EpisodeChanges,
    EpisodeFilter,
    Insight,
    Reward,
    Step,
    Term,
)
from milepost.memory.values import Filter
from milepost.ports import Store, Work

T0 = 1_700_000_000.0
NOW = round(T0 * 1e6) + 10**12


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
    with store.writing() as work:
        assert work.episodes.begin(space, begun)
        work.memories.put(analysed(texts(), [episode_entry(space, begun)])[0])
    return begun


def step(number: int = 0, action: str = "ls", **fields: Any) -> Step:
    plain = Step(number, "bash", action, {"b": 1, "a": [2]}, "seen", True, 1.5, 7, T0 + 1)
    return plain._replace(**fields)


def log_steps(store: Store, *steps: Step, name: str = "ep_a", space: str = "s") -> list[int]:
    return store.episodes.add_steps(space, name, steps)


def actions(store: Store, name: str = "ep_a") -> list[tuple[int, str]]:
    return [(one.number, one.action) for one in store.episodes.steps("s", name)]


def close(store: Work, name: str = "ep_a", outcome: str = "success", **fields: Any) -> bool:
    changes = EpisodeChanges(outcome=outcome, **({"completed": T0 + 60} | fields))
    return store.episodes.change("s", name, changes, NOW, unless_ended=True)


def named(store: Store, *names: str) -> list[str]:
    return [found.id for found in store.episodes.named("s", names)]


def test_an_episode_comes_back_as_it_was_given(store: Store) -> None:
    begun = begin(store)

    assert store.episodes.named("s", ["ep_a"]) == [begun]
    assert store.episodes.named("other", ["ep_a"]) == []


def test_an_episode_begins_once(store: Store) -> None:
    begun = begin(store)

    assert not store.episodes.begin("s", begun._replace(task="another"))
    assert store.episodes.named("s", ["ep_a"]) == [begun]


def test_episodes_come_in_the_order_asked_for_without_unknown_ones(store: Store) -> None:
    begin(store, "ep_a")
    begin(store, "ep_b")

    assert named(store, "ep_b", "nobody", "ep_a") == ["ep_b", "ep_a"]


def test_a_step_comes_back_as_it_was_given_with_the_next_number(store: Store) -> None:
    begin(store)

    assert log_steps(store, step(), step(action="pwd", success=False)) == [1, 2]
    assert store.episodes.steps("s", "ep_a") == [step(1), step(2, "pwd", success=False)]
    assert store.episodes.last_step("s", "ep_a") == 2
    assert store.episodes.named("s", ["ep_a"])[0].step_count == 2


def test_steps_of_no_episode_are_told_apart_and_do_no_harm_to_others(store: Store) -> None:
    begin(store)

    with store.writing() as work:
        assert work.episodes.add_steps("s", "nobody", [step(), step()]) == [0, 0]
        assert work.episodes.add_steps("s", "ep_a", [step()]) == [1]
    assert store.episodes.last_step("s", "nobody") is None
    assert store.episodes.steps("s", "nobody") == []


def test_steps_may_come_out_of_order(store: Store) -> None:
    begin(store)

    assert log_steps(store, step(3, "c"), step(1, "a"), step(0, "d"), step(2, "b")) == [3, 1, 4, 2]
    assert actions(store) == [(1, "a"), (2, "b"), (3, "c"), (4, "d")]


def test_the_same_numbered_step_again_is_ignored(store: Store) -> None:
    begin(store)
    log_steps(store, step(1), step(2))

    assert log_steps(store, step(1, parameters={"a": [2], "b": 1}, at=T0 + 99)) == [1]
    assert len(store.episodes.steps("s", "ep_a")) == 2
    assert store.episodes.named("s", ["ep_a"])[0].step_count == 2


def test_another_step_with_a_taken_number_gets_the_next_one_and_only_once(store: Store) -> None:
    begin(store)
    log_steps(store, step(1, "a"), step(2, "b"))

    assert log_steps(store, step(1, "other")) == [3]
    assert log_steps(store, step(1, "other")) == [3]
    assert log_steps(store, step(1, "a")) == [1]
    assert actions(store) == [(1, "a"), (2, "b"), (3, "other")]


def test_what_is_not_durable_yet_is_seen_by_all(store: Store) -> None:
    begin(store)

    with store.writing(durable=False) as work:
        assert work.episodes.add_steps("s", "ep_a", [step()]) == [1]
    assert actions(store) == [(1, "ls")]


def test_an_episode_ends_once_and_tells_all_of_its_end(store: Store) -> None:
    begin(store)
    worth = Reward(1.2, (Term("base", 1.0, "it worked"), Term("quality", 1.2, "no errors")))
    insights = (Insight("worked", "painting worked", (1, 2)),)

    told = {"verdict": "done", "artifacts": ("a.py",), "reward": worth, "insights": insights}
    assert close(store, salience=0.5, **told) == 1
    assert close(store, outcome="failure") == 0

    (found,) = store.episodes.named("s", ["ep_a"])
    ending = {"outcome": "success", "verdict": "done", "artifacts": ("a.py",), "reward": 1.2}
    ending |= {"insights": insights, "salience": 0.5, "completed": T0 + 60}
    assert found == episode(**ending)
    assert store.episodes.reward("s", "ep_a") == worth


def test_an_abandoned_episode_can_still_end_otherwise(store: Store) -> None:
    begin(store)

    assert close(store, outcome="abandoned") == 1
    assert close(store, outcome="success") == 1
    assert store.episodes.named("s", ["ep_a"])[0].outcome == "success"


def test_nothing_ends_that_never_began(store: Store) -> None:
    assert close(store, "nobody") == 0
    assert store.episodes.reward("s", "nobody") is None


def test_the_end_of_an_episode_leaves_work_and_what_it_is_found_by(store: Store) -> None:
    begun = begin(store)
    draft = analysed(texts(), [episode_entry("s", begun._replace(outcome="success"))])[0]

    with store.writing() as work:
        close(work)
        work.memories.put(draft)
        work.jobs.enqueue("s", "learn", "ep_a", "", NOW)

    (job,) = store.jobs.list("s", None, 9)
    assert (job.topic, job.key, job.due) == ("learn", "ep_a", NOW)
    entry = store.memories.record(episode_space("s"), entry_hash("ep_a"))
    assert entry is not None
    assert "outcome:success" in entry.tags
    assert "outcome:open" not in entry.tags


def test_a_trace_is_replaced_in_the_index_too(store: Store) -> None:
    begun = begin(store, task="the harbour")
    where = Filter(episode_space("s"), NOW)
    assert store.candidates.page(where._replace(tags=("outcome:open",)), 9).total == 1

    ended = begun._replace(outcome="success", task="the mountain")
    store.memories.put(analysed(texts(), [episode_entry("s", ended)])[0])

    assert store.candidates.page(where, 9).total == 1
    assert store.candidates.page(where._replace(tags=("outcome:open",)), 9).total == 0
    assert store.candidates.page(where._replace(tags=("outcome:success",)), 9).total == 1
    pool = store.candidates.find(texts().probe("mountain")._replace(vectors={}), where, 9)
    assert pool.matched == 1
    pool = store.candidates.find(texts().probe("harbour")._replace(vectors={}), where, 9)
    assert pool.matched == 0


def test_a_trace_leads_back_to_its_episode(store: Store) -> None:
    begin(store, "ep_a")
    begin(store, "ep_b")

    ids = store.candidates.page(Filter(episode_space("s"), NOW), 9).ids
    assert set(store.memories.owners([*ids, 999]).values()) == {"ep_a", "ep_b"}


def test_what_is_said_of_an_episode_can_be_changed(store: Store) -> None:
    begin(store)
    point = Checkpoint(T0 + 5, "the roof is next", "Ann", 3)

    changes = EpisodeChanges(task="paint", tags=("green",), context={"domain": "land"})
    assert store.episodes.change("s", "ep_a", changes, NOW)
    for _ in range(2):
        store.episodes.change("s", "ep_a", EpisodeChanges(relation=("retry of", "ep_9")), NOW)
    store.episodes.change("s", "ep_a", EpisodeChanges(checkpoint=point), NOW)

    (found,) = store.episodes.named("s", ["ep_a"])
    assert (found.task, found.tags, found.context) == ("paint", ("green",), {"domain": "land"})
    assert found.relations == (("follows", "ep_0"), ("retry of", "ep_9"))
    assert found.checkpoints == (point,)
    assert found.task_type == "painting"
    assert not store.episodes.change("s", "nobody", changes, NOW)


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
        ({"after_us": round(T0 * 1e6) + 1_000_000}, ["c", "b"]),
        ({"before_us": round(T0 * 1e6) + 1_000_000}, ["a"]),
        ({"project": "map"}, ["b"]),
        ({"session": "s1"}, ["c", "b"]),
        ({"project": "map", "session": "s2"}, []),
        ({"learned": False}, ["b", "a"]),
        ({"learned": True}, []),
    ],
)
def test_episodes_are_filtered_newest_first(
    store: Store, conditions: dict[str, Any], expected: list[str]
) -> None:
    begin(store, "a")
    place = {"domain": "land", "project": "map", "session": "s1"}
    begin(store, "b", created=T0 + 1, task_type="other", context=place, tags=())
    begin(store, "c", created=T0 + 2, tags=("red",), context={"session": "s1"})
    begin(store, "elsewhere", space="t")
    close(store, "a", "failure")
    close(store, "b")

    where = EpisodeFilter("s", **conditions)
    assert [found.id for found in store.episodes.find(where, 9)] == expected
    assert [found.id for found in store.episodes.find(where, 1)] == expected[:1]
    assert store.episodes.count(where) == len(expected)


def test_peers_are_those_of_the_same_type_and_domain_that_ended_last(store: Store) -> None:
    for place, name in enumerate("abc"):
        begin(store, name)
        log_steps(store, *[step() for _ in range(place)], name=name)
        close(store, name, completed=T0 + 60 + place)
    begin(store, "open")
    begin(store, "other", context={})
    close(store, "other")

    found = store.episodes.peers("s", "painting", "sea", 2)

    assert [(peer.id, peer.steps, peer.seconds) for peer in found] == [("c", 2, 62), ("b", 1, 61)]
    assert [peer.id for peer in store.episodes.peers("s", "painting", None, 9)] == ["other"]


def test_idle_episodes_are_the_open_ones_that_nobody_worked_on(store: Store) -> None:
    begin(store, "old")
    begin(store, "worked on")
    begin(store, "closed")
    log_steps(store, step(at=T0 + 100), name="worked on")
    close(store, "closed")

    before = round((T0 + 50) * 1e6)
    assert store.episodes.idle("s", before, 9) == ["old"]
    assert store.episodes.idle("t", before, 9) == []
    assert store.episodes.idle("s", NOW, 9) == ["old", "worked on"]
    assert before <= (store.episodes.worked_on_us("s") or 0) < NOW
    assert store.episodes.worked_on_us("t") is None


def test_a_deleted_episode_is_gone_with_its_steps(store: Store) -> None:
    begin(store)
    log_steps(store, step())
    store.patterns.show("s", "ep_a", ["pt_a"])

    assert store.episodes.remove("s", "ep_a")
    assert named(store, "ep_a") == []
    assert store.episodes.steps("s", "ep_a") == []
    assert store.patterns.shown("s", "ep_a") == []
    assert not store.episodes.remove("s", "ep_a")


def test_many_threads_add_steps_without_losing_one(store: Store) -> None:
    begin(store)

    with ThreadPoolExecutor(6) as pool:
        numbers = [n for ns in pool.map(lambda _: log_steps(store, step()), range(60)) for n in ns]
    assert sorted(numbers) == list(range(1, 61))


def test_what_ended_is_counted_with_the_tools_it_used(store: Store) -> None:
    ends = ("success", "failure", "abandoned", None)
    with store.writing() as work:
        for number, outcome in enumerate(ends):
            name = f"ep_{number}"
            where = {"domain": "sea" if number else "land"}
            work.episodes.begin("s", episode(name, created=T0 + number, context=where))
            steps = [Step(0, "look", "out", {}, "", True), Step(0, "row", "on", {}, "", False)]
            work.episodes.add_steps("s", name, steps[: 1 + (number == 1)])
            changes = EpisodeChanges(outcome=outcome, completed=T0 + 60)
            work.episodes.change("s", name, changes, NOW)
    where = EpisodeFilter("s")

    ended = store.episodes.ended(where, 9)
    assert [each.id for each in ended] == ["ep_2", "ep_1", "ep_0"]
    assert ended[2][1:] == ("painting", "success", T0 + 60, {"domain": "land"})
    assert [each.id for each in store.episodes.ended(where._replace(domain="sea"), 1)] == ["ep_2"]
    assert store.episodes.ended(EpisodeFilter("other"), 9) == []
    tools = store.episodes.tools(where, 9)
    assert tools == [("look", 2, 1, 2, 0), ("row", 1, 0, 1, 1)]
    late = where._replace(after_us=round((T0 + 1) * 1e6))
    assert store.episodes.tools(late, 9) == [("look", 1, 0, 1, 0), ("row", 1, 0, 1, 1)]
