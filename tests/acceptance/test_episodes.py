"""What is tried is written down, rewarded, found again and handed over."""

from __future__ import annotations

import itertools
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import milepost
from milepost import InvalidInput, Milepost, NotFound
from milepost.storage import maintenance
from milepost.testing import Clock
from milepost.text.tokens import ceiling
from support import RunPython, StartPython


def tried(memory: Milepost, task: str, outcome: str = "success", **fields: Any) -> str:
    """Go through a whole episode: an error, what mends it, and how it ends."""
    name = memory.create_episode(task, **fields)
    memory.add_step(name, "bash", "pytest", observation="ImportError: no x", success=False)
    memory.add_step(name, "bash", "pip install x", observation="ok")
    memory.add_step(name, "bash", "pytest", observation="3 passed", success=outcome == "success")
    memory.complete_episode(name, outcome, f"{task} ended in {outcome}")
    return name


def ids(found: milepost.EpisodeList) -> list[str]:
    return [episode.id for episode in found.episodes]


def test_an_episode_is_written_down_from_its_beginning_to_its_end(memory: Milepost) -> None:
    name = memory.create_episode(
        "fix the login test",
        {"language": "python", "domain": "auth", "complexity": "high", "tags": ["flaky"]},
        task_type="debugging",
        tags="ci",
    )
    first = memory.add_step(
        name, "bash", "pytest", {"k": "login"}, "1 failed: ImportError: no x", False, 12.5, 40
    )
    memory.add_steps(
        name, [{"tool": "edit", "action": "login.py"}, {"tool": "bash", "action": "pytest"}]
    )
    ended = memory.complete_episode(name, "success", "x was missing", ["login.py"])

    found = memory.get_episode(name)
    assert first == 1
    assert [step.number for step in found.steps] == [1, 2, 3]
    assert found.steps[0].parameters == {"k": "login"}
    assert (found.steps[0].latency_ms, found.steps[0].tokens) == (12.5, 40)
    assert found.tags == ("ci", "flaky")
    assert (found.outcome, found.verdict) == ("success", "x was missing")
    assert found.artifacts == ("login.py",)
    assert found.reward == ended.reward > 0
    assert found.insights == ended.insights != ()
    assert found.completed is not None
    assert found.completed >= found.created


def test_ids_sort_by_the_time_of_their_making_and_are_short(memory: Milepost) -> None:
    names = [memory.create_episode("again", wait=False) for _ in range(300)]

    assert names == sorted(set(names))
    assert max(map(len, names)) <= 16


def test_the_same_id_begins_nothing_new(memory: Milepost) -> None:
    assert memory.create_episode("the first task", id="mine") == "mine"
    assert memory.create_episode("another task", id="mine") == "mine"

    assert memory.get_episode("mine").task == "the first task"
    assert memory.list_episodes().total == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: m.create_episode(" "), "task must have 1 to 4,000 characters"),
        (lambda m: m.create_episode("a", context="x"), "context must be a mapping"),
        (lambda m: m.create_episode("a", task_type=""), "task_type must have"),
        (lambda m: m.create_episode("a", id="a b"), "ids have no spaces"),
        (lambda m: m.create_episode("a", wait="no"), "wait must be true or false"),
        (lambda m: m.add_step("e", "", "b"), "tool must have"),
        (lambda m: m.add_step("e", "a", ""), "action must have"),
        (lambda m: m.add_step("e", "a", "b", success="yes"), "success must be true or false"),
        (lambda m: m.add_step("e", "a", "b", number=0), "number must be a whole number from 1"),
        (lambda m: m.add_step("e", "a", "b", tokens=-1), "tokens must be a whole number"),
        (lambda m: m.add_step("e", "a", "b", latency_ms="x"), "latency_ms must be a number"),
        (lambda m: m.add_step("e", "a", "b", latency_ms=float("nan")), "latency_ms must be"),
        (lambda m: m.add_step("e", "a", "b", parameters={"a": {1}}), "parameters cannot be kept"),
        (lambda m: m.add_step("e", "a", "b", observation="a\0b"), "observation contains a NUL"),
        (lambda m: m.add_steps("e", "ab"), "steps must be a list"),
        (lambda m: m.add_steps("e", [{"tool": "a"}]), "action must be a string"),
        (lambda m: m.add_steps("e", [{"colour": 1}]), "a step has no field 'colour'"),
        (lambda m: m.complete_episode("e", "good"), "outcome must be one of success, partial"),
        (lambda m: m.complete_episode("e", "success", artifacts=7), "artifacts must be"),
        (lambda m: m.list_episodes(outcome="good"), "outcome must be one of"),
        (lambda m: m.list_episodes(limit=0), "limit must be"),
        (lambda m: m.list_episodes(after="soon-ish"), "after:"),
        (lambda m: m.search_episodes(" "), "query is empty"),
        (lambda m: m.checkpoint_episode("e", " "), "note must have"),
        (lambda m: m.relate_episodes("e", "follows", "e"), "cannot relate to itself"),
        (lambda m: m.explain_reward("e"), "still open"),
    ],
)
def test_what_cannot_be_is_refused_with_what_would_do(
    memory: Milepost, call: Callable[[Any], object], message: str
) -> None:
    memory.create_episode("a task", id="e")

    with pytest.raises(InvalidInput, match=message):
        call(memory)
    assert memory.get_episode("e").steps == ()


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.add_step("nobody", "bash", "ls"),
        lambda m: m.add_step("nobody", "bash", "ls", wait=False),
        lambda m: m.add_steps("nobody", [{"tool": "bash", "action": "ls"}]),
        lambda m: m.add_steps("nobody", []),
        lambda m: m.complete_episode("nobody", "success"),
        lambda m: m.get_episode("nobody"),
        lambda m: m.delete_episode("nobody"),
        lambda m: m.create_episode("a", retry_of="nobody"),
        lambda m: m.resume_episode("nobody"),
    ],
)
def test_an_unknown_episode_is_told_of(memory: Milepost, call: Callable[[Any], object]) -> None:
    with pytest.raises(NotFound, match="no episode nobody"):
        call(memory)


def test_a_long_observation_keeps_its_beginning_and_its_end(memory: Milepost) -> None:
    name = memory.create_episode("read a log")
    memory.add_step(name, "bash", "cat log", observation="begin " + "x" * 100_000 + " end")

    seen = memory.get_episode(name).steps[0].observation
    assert seen.startswith("begin")
    assert seen.endswith("end")
    assert "characters left out" in seen
    assert len(seen) < 21_000


def test_what_nobody_waits_for_is_seen_at_once_by_whoever_asks(memory: Milepost) -> None:
    name = memory.create_episode("count the boats", wait=False)
    numbers = [memory.add_step(name, "look", f"boat {i}", wait=False) for i in range(50)]
    numbers.append(memory.add_step(name, "look", "the last"))

    assert numbers == list(range(1, 52))
    assert [step.action for step in memory.get_episode(name).steps][-2:] == ["boat 49", "the last"]
    assert ids(memory.search_episodes("boats")) == [name]


STEPS: list[dict[str, Any]] = [
    {"tool": "bash", "action": "pytest", "observation": "ImportError: no x", "success": False},
    {"tool": "bash", "action": "cd app && pip install x", "observation": "ok"},
    {"tool": "bash", "action": "pytest", "observation": "3 passed"},
]


def test_an_end_teaches_the_same_whether_its_steps_were_waited_for_or_not(
    memory: Milepost,
) -> None:
    ended = []
    for wait in (False, True):
        name = memory.create_episode("fix the import", id=f"waits-{wait}", wait=wait)
        for step in STEPS:
            memory.add_step(name, **step, wait=wait)
        ended.append(memory.complete_episode(name, "success", wait=wait))

    assert ended[0].insights == ended[1].insights
    assert {insight.aspect for insight in ended[0].insights} >= {"worked", "fixed"}
    assert memory.get_episode("waits-False").insights == ended[0].insights


def test_an_end_counts_the_steps_that_another_wrote_meanwhile(memory: Milepost, path: Path) -> None:
    name = memory.create_episode("fix the import", wait=False)
    for step in STEPS[:2]:
        memory.add_step(name, **step, wait=False)
    memory.get_episode(name)
    with milepost.connect(path) as other:
        other.add_step(name, "bash", "make", observation="make: *** missing rule", success=False)
    ended = memory.complete_episode(name, "failure", wait=False)

    assert any("missing rule" in insight.text for insight in ended.insights)


def test_what_nobody_waits_for_is_written_by_itself(memory: Milepost, path: Path) -> None:
    name = memory.create_episode("count the boats", wait=False)
    memory.add_step(name, "look", "one", wait=False)

    with milepost.connect(path) as other:
        for _ in range(500):
            if other.list_episodes().total and other.get_episode(name).steps:
                return
            threading.Event().wait(0.01)
    pytest.fail("it was not written within 5 s")


def test_a_program_that_just_ends_has_written_everything(path: Path, run_python: RunPython) -> None:
    script = """
import sys, milepost
memory = milepost.connect(sys.argv[1])
name = memory.create_episode("count the boats", id="boats", wait=False)
for i in range(700):
    memory.add_step(name, "look", str(i), wait=False)
"""
    run_python(script, path)

    with milepost.connect(path) as memory:
        assert len(memory.get_episode("boats").steps) == 700


def test_a_forked_child_does_not_write_what_its_parent_took(
    path: Path, run_python: RunPython
) -> None:
    script = """
import os, sys, warnings, milepost
warnings.simplefilter("ignore")
memory = milepost.connect(sys.argv[1])
name = memory.create_episode("count the boats", id="boats")
for i in range(5):
    memory.add_step(name, "look", f"parent {i}", wait=False)
child = os.fork()
if child == 0:
    memory.add_step(name, "look", "child")
    os._exit(0)
os.waitpid(child, 0)
memory.close()
"""
    run_python(script, path)

    with milepost.connect(path) as memory:
        actions = [step.action for step in memory.get_episode("boats").steps]
    assert sorted(actions) == ["child", *(f"parent {i}" for i in range(5))]


def test_no_step_that_was_acknowledged_is_lost_by_a_kill(
    path: Path, start_python: StartPython
) -> None:
    script = """
import itertools, sys, milepost
memory = milepost.connect(sys.argv[1])
memory.create_episode("count the boats", id="boats")
for i in itertools.count():
    print(memory.add_step("boats", "look", f"boat {i}"), flush=True)
"""
    process = start_python(script, path)
    assert process.stdout
    for _ in range(40):
        process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    rest = process.stdout.read()
    process.wait()

    told = 40 + len(rest.splitlines())
    with milepost.connect(path) as memory:
        steps = memory.get_episode("boats").steps
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
    assert len(steps) >= told - (0 if rest.endswith("\n") or not rest else 1)


def test_many_threads_and_processes_add_to_one_episode(memory: Milepost, path: Path) -> None:
    name = memory.create_episode("count the boats")

    with milepost.connect(path) as other, ThreadPoolExecutor(8) as pool:
        add = [memory.add_step, other.add_step]
        work = [pool.submit(add[i % 2], name, "look", str(i)) for i in range(80)]
        numbers = [done.result() for done in work]

    assert sorted(numbers) == list(range(1, 81))


def test_an_episode_ends_once(memory: Milepost) -> None:
    name = memory.create_episode("fix it")
    first = memory.complete_episode(name, "partial", "3 of 4 done")

    assert memory.complete_episode(name, "partial", "something else") == first
    assert memory.get_episode(name).verdict == "3 of 4 done"
    with pytest.raises(InvalidInput, match="ended as partial already"):
        memory.complete_episode(name, "success")


def test_steps_that_come_late_are_still_written_down(memory: Milepost) -> None:
    name = memory.create_episode("fix it")
    memory.add_step(name, "bash", "ls")
    memory.complete_episode(name, "success")

    assert memory.add_step(name, "bash", "git push") == 2
    assert memory.get_episode(name).step_count == 2


@pytest.mark.slow
def test_an_episode_can_end_while_others_add_steps(memory: Milepost) -> None:
    name = memory.create_episode("fix it")
    stop = threading.Event()
    counts: list[int] = []

    def add() -> None:
        for i in itertools.count(1):
            memory.add_step(name, "bash", "ls", wait=False)
            if stop.is_set():
                counts.append(i)
                return

    adding = [threading.Thread(target=add) for _ in range(3)]
    for thread in adding:
        thread.start()
    ended = memory.complete_episode(name, "success")
    stop.set()
    for thread in adding:
        thread.join()

    found = memory.get_episode(name)
    assert ended.outcome == found.outcome == "success"
    assert len(found.steps) == sum(counts)


def test_of_many_who_end_an_episode_one_does(memory: Milepost) -> None:
    name = memory.create_episode("fix it")

    def end(outcome: str) -> str | None:
        try:
            return memory.complete_episode(name, outcome).outcome
        except InvalidInput:
            return None

    with ThreadPoolExecutor(4) as pool:
        told = list(pool.map(end, ["success", "failure", "partial", "success"]))
    assert {outcome for outcome in told if outcome} == {memory.get_episode(name).outcome}


def test_success_is_worth_more_than_failure_and_the_reward_explains_itself(
    memory: Milepost,
) -> None:
    good, bad = tried(memory, "fix the login"), tried(memory, "fix the login", "failure")

    told = memory.explain_reward(good)
    assert told.total == memory.get_episode(good).reward
    assert told.total > memory.explain_reward(bad).total
    assert {term.name for term in told.terms} >= {"base", "efficiency", "quality", "complexity"}
    assert all(term.why for term in told.terms)


def test_what_looks_like_the_id_of_an_episode_is_not_taken_for_words(memory: Milepost) -> None:
    name = memory.create_episode("the login test is flaky")
    memory.complete_episode(name, "success", "a sleep was too short")

    with pytest.raises(NotFound, match="There is no episode ep_unknown"):
        memory.similar_episodes("ep_unknown")
    assert memory.similar_episodes("ep_unknown: the login test is flaky").total == 1


def test_efficiency_is_judged_by_similar_episodes(clock: Clock, memory: Milepost) -> None:
    def run(steps: int) -> float:
        name = memory.create_episode("fix the login test")
        memory.add_steps(name, [{"tool": "bash", "action": f"ls {i}"} for i in range(steps)])
        clock.advance(seconds=steps)
        memory.complete_episode(name, "success")
        terms = {term.name: term.value for term in memory.explain_reward(name).terms}
        return terms["efficiency"]

    for _ in range(6):
        run(10)
    assert run(3) > 1 > run(40)


def test_a_reflection_names_what_failed_and_what_fixed_it(memory: Milepost) -> None:
    found = memory.get_episode(tried(memory, "fix the login"))

    by_aspect = {insight.aspect: insight for insight in found.insights}
    assert "ImportError" in by_aspect["failed"].text
    assert "pip install x" in by_aspect["fixed"].text
    assert set(by_aspect["fixed"].steps) <= {1, 2, 3}


def test_the_same_success_over_and_over_does_not_flood_what_is_found(memory: Milepost) -> None:
    names = [tried(memory, "fix the login test") for _ in range(6)]
    other = tried(memory, "translate the login page", "failure")

    shown = ids(memory.search_episodes("login", limit=10))
    assert other in shown
    assert len(set(shown) & set(names)) == 1
    everything = memory.search_episodes("login", limit=10, include_minor=True)
    assert set(ids(everything)) == {*names, other}
    assert memory.list_episodes().total == 7


def test_twins_are_similar_and_those_that_taught_nothing_are_shown_on_request(
    memory: Milepost,
) -> None:
    twins = [tried(memory, "fix the login test") for _ in range(3)]
    bare = memory.create_episode("fix the login test")
    memory.complete_episode(bare, "success")

    for name in twins:
        assert set(ids(memory.similar_episodes(name))) == {*twins} - {name}
    assert set(ids(memory.similar_episodes("fix the login test"))) == {*twins}
    assert set(ids(memory.similar_episodes(twins[0], outcome="success"))) == {*twins[1:]}
    assert memory.similar_episodes(twins[0], outcome="failure").episodes == ()
    assert set(ids(memory.similar_episodes(twins[0], include_all=True))) == {*twins[1:], bare}
    everything = memory.similar_episodes("fix the login test", include_all=True)
    assert set(ids(everything)) == {*twins, bare}


@pytest.mark.parametrize("said", ["huge", "", -1, 11, True, ["low"]])
def test_an_unknown_complexity_is_refused_with_those_there_are(
    memory: Milepost, said: object
) -> None:
    known = memory.create_episode("a boat", {"complexity": "High"})
    with pytest.raises(InvalidInput, match="low, medium, high"):
        memory.create_episode("count the boats", {"complexity": said})
    with pytest.raises(InvalidInput, match="low, medium, high"):
        memory.update_episode(known, context={"complexity": said})
    assert memory.list_episodes().total == 1


def test_episodes_are_found_by_their_meaning_and_their_lesson(memory: Milepost) -> None:
    login = tried(memory, "the login test fails now and then", context={"domain": "auth"})
    paint = tried(memory, "paint the harbour wall")

    assert ids(memory.search_episodes("sign-in test is flaky"))[0] == login
    assert ids(memory.search_episodes("harbor"))[0] == paint
    assert memory.search_episodes("quantum chromodynamics").episodes == ()
    assert ids(memory.similar_episodes("the login tests are flaky", limit=1)) == [login]
    assert ids(memory.similar_episodes(login)) == [paint]


def test_search_can_be_narrowed(clock: Clock, memory: Milepost) -> None:
    old = tried(memory, "fix the login", context={"domain": "auth"}, task_type="debugging")
    clock.advance(hours=48)
    new = tried(memory, "fix the login page", "failure", context={"domain": "web"}, tags=["ui"])
    opened = memory.create_episode("fix the login of the app")
    clock.advance(hours=1)

    def found(**conditions: Any) -> set[str]:
        listed = memory.list_episodes(**conditions)
        searched = memory.search_episodes("fix the login", limit=9, **conditions)
        assert set(ids(listed)) == set(ids(searched))
        assert listed.total == len(listed.episodes)
        return set(ids(listed))

    assert found() == {old, new, opened}
    assert found(domain="auth") == {old}
    assert found(task_type="debugging") == {old}
    assert found(outcome="failure") == {new}
    assert found(outcome="open") == {opened}
    assert found(tags="ui") == {new}
    assert found(after="1 day ago") == {new, opened}
    assert found(before="1 day ago") == {old}
    assert found(domain="auth", outcome="failure") == set()


def test_episodes_are_listed_by_project_and_session(clock: Clock, memory: Milepost) -> None:
    shop = tried(memory, "fix the cart", context={"project": "shop", "session": "s1"})
    clock.advance(hours=1)
    other = tried(memory, "fix the map", context={"project": "atlas", "session": "s2"})

    assert ids(memory.list_episodes(project="shop")) == [shop]
    assert ids(memory.list_episodes(session_id="s2")) == [other]
    assert memory.list_episodes(project="shop", session_id="s2").total == 0
    (row,) = memory.list_episodes(project="shop").episodes
    assert (row.project, row.session) == ("shop", "s1")
    assert row.completed == memory.get_episode(shop).completed


def test_spaces_know_nothing_of_each_other(memory: Milepost) -> None:
    name = tried(memory, "fix the login")
    other = memory.within("other")

    assert other.list_episodes().total == 0
    assert other.search_episodes("login").episodes == ()
    with pytest.raises(NotFound):
        other.add_step(name, "bash", "ls")


def test_what_is_tried_is_not_taken_for_a_memory(memory: Milepost, path: Path) -> None:
    memory.store("The login uses passkeys", tags=["auth"])
    tried(memory, "fix the login")
    memory.extract_patterns()

    assert memory.health().count == 1
    assert [m.preview for m in memory.search("login", limit=9, min_score=0).memories] == [
        "The login uses passkeys"
    ]
    assert len(list(memory.search_iter("login", min_score=0))) == 1
    about = maintenance.info(str(path))
    assert (about.memories, about.episodes) == (1, 1)
    assert about.patterns == memory.list_patterns().total > 0
    assert about.spaces == {"default": 1}
    assert about.tags == {"auth": 1}
    assert set(about.vectors.values()) == {1}


def test_an_episode_can_be_corrected(memory: Milepost) -> None:
    name = tried(memory, "fix the lgin", tags=["a"])

    assert memory.update_episode(
        name, task="repair the harbour", tags=["b"], context={"domain": "d"}
    )
    found = memory.get_episode(name)
    assert (found.task, found.tags, found.context) == (
        "repair the harbour",
        ("b",),
        {"domain": "d"},
    )
    assert found.outcome == "success"
    assert ids(memory.search_episodes("harbour", domain="d", tags="b")) == [name]
    assert memory.search_episodes("harbour", tags="a").episodes == ()


def test_a_deleted_episode_is_nowhere(memory: Milepost, path: Path) -> None:
    secret = "the zanzibar token"
    name = tried(memory, secret)
    memory.extract_patterns()
    assert memory.list_patterns().total > 0

    assert memory.delete_episode(name).hashes == (name,)

    with pytest.raises(NotFound):
        memory.get_episode(name)
    assert memory.search_episodes(secret).episodes == ()
    assert memory.search_episodes(secret, include_minor=True).episodes == ()
    assert memory.list_patterns(include_retired=True).total == 0
    assert memory.search_patterns(secret).patterns == ()


def test_a_timeline_tells_what_happened_when(clock: Clock, memory: Milepost) -> None:
    name = memory.create_episode("fix the login")
    clock.advance(seconds=2)
    memory.add_step(name, "bash", "pytest", observation="1 failed", success=False)
    memory.checkpoint_episode(name, "the fixture is next", agent="Ann")
    memory.resume_episode(name, agent="Bob")
    clock.advance(seconds=60)
    memory.complete_episode(name, "success", "fixed")

    told = memory.episode_timeline(name)
    assert [event.what for event in told.events] == [
        "begun",
        "step",
        "checkpoint",
        "resumed",
        "ended",
    ]
    assert 2 <= told.events[1].after_s < 3
    assert told.events[-1].after_s > 62
    assert "Bob" in told.events[3].text


def test_an_unfinished_episode_is_handed_over_in_few_words(memory: Milepost) -> None:
    name = memory.create_episode("port the build to bazel")
    memory.add_step(name, "edit", "WORKSPACE", observation="ok")
    memory.add_step(
        name, "bash", "bazel build", observation="error: no such package", success=False
    )
    memory.checkpoint_episode(name, "the rules for protobuf are missing")

    told = memory.resume_episode(name, agent="night shift")

    assert told.note == "the rules for protobuf are missing"
    assert any("WORKSPACE" in line for line in told.done)
    assert any("no such package" in line for line in told.open)
    assert told.step_count == 2
    assert ceiling(str(told)) <= 400
    many = [{"tool": "bash", "action": f"touch file_{i}"} for i in range(500)]
    memory.add_steps(name, many)
    assert ceiling(str(memory.resume_episode(name, budget=120))) <= 120
    memory.complete_episode(name, "success")
    with pytest.raises(InvalidInput, match="only an open one"):
        memory.resume_episode(name)


def test_episodes_relate_to_each_other(memory: Milepost) -> None:
    first = tried(memory, "fix the login", "failure")
    second = memory.create_episode("fix the login", retry_of=first)
    third = memory.create_episode("write it up", follows=second)
    memory.relate_episodes(third, "explains", first)
    memory.relate_episodes(third, "explains", first)

    assert memory.get_episode(second).relations == (("retry of", first),)
    assert memory.get_episode(third).relations == (("follows", second), ("explains", first))


def test_a_budget_holds_for_whatever_is_shown(memory: Milepost) -> None:
    names = [tried(memory, f"fix the login of shop number {i}", "failure") for i in range(12)]
    memory.add_steps(names[0], [{"tool": "bash", "action": f"ls {i}"} for i in range(300)])

    for result in (
        memory.list_episodes(budget=120),
        memory.search_episodes("login", limit=9, budget=120),
        memory.similar_episodes("login", limit=9, budget=120),
        memory.episode_timeline(names[0], budget=120),
        memory.get_episode(names[0], budget=250),
    ):
        assert ceiling(str(result)) <= 250
    assert "more not shown" in str(memory.list_episodes(budget=120))
    shown = memory.get_episode(names[0], budget=250).steps
    assert shown[0].number == 1
    assert shown[-1].number == 303


def test_what_nobody_goes_on_with_is_closed_as_abandoned(clock: Clock, memory: Milepost) -> None:
    forgotten = memory.create_episode("forgotten")
    memory.add_step(forgotten, "bash", "ls")
    clock.advance(hours=23)
    busy = memory.create_episode("busy")
    memory.run_jobs()
    assert memory.get_episode(forgotten).outcome is None

    clock.advance(hours=2)
    memory.run_jobs()
    assert memory.get_episode(forgotten).outcome == "abandoned"
    assert memory.get_episode(busy).outcome is None

    clock.advance(hours=25)
    memory.run_jobs()
    assert memory.get_episode(busy).outcome == "abandoned"

    later = memory.create_episode("later")
    clock.advance(hours=25)
    memory.run_jobs()
    assert memory.get_episode(later).outcome == "abandoned"


def test_whoever_comes_back_to_an_abandoned_episode_can_finish_it(
    clock: Clock, memory: Milepost
) -> None:
    name = memory.create_episode("forgotten")
    clock.advance(hours=25)
    memory.run_jobs()
    assert memory.get_episode(name).outcome == "abandoned"

    memory.resume_episode(name)
    memory.add_step(name, "bash", "make")
    assert memory.complete_episode(name, "success").outcome == "success"
    assert memory.get_episode(name).outcome == "success"


@pytest.mark.slow
def test_thousands_of_episodes_can_be_open_at_once(memory: Milepost, backend: str) -> None:
    many = 10_000 if backend == "sqlite" else 2_000
    for i in range(many):
        memory.create_episode(f"task {i} of the {i % 7}th kind", wait=False)
    listed = memory.list_episodes(outcome="open", limit=10_000)
    names = ids(listed)
    assert listed.total == len(set(names)) == many

    for name in names[::100]:
        memory.add_step(name, "bash", "ls", wait=False)
    for name in names[::100]:
        assert memory.complete_episode(name, "success").outcome == "success"
    assert memory.list_episodes(outcome="open").total == many - many // 100
    assert ids(memory.search_episodes("task 1321 of the kind", limit=3, outcome="open"))


def test_an_episode_can_be_asked_for_from_another_process_at_once(
    memory: Milepost, path: Path, run_python: RunPython
) -> None:
    name = tried(memory, "fix the login")
    script = "import sys, milepost\nprint(milepost.connect(sys.argv[1]).get_episode(sys.argv[2]))"

    assert "3 passed" in run_python(script, path, name).stdout
