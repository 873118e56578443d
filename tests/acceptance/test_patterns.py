"""What was learned from episodes: with evidence, shown in time, and judged by what came of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from milepost import InvalidInput, Milepost, NotFound
from milepost.experience.values import CompactPattern
from milepost.testing import Clock
from milepost.text.tokens import ceiling


def fix_import(
    memory: Milepost, place: str = "app", outcome: str = "success", **fields: Any
) -> str:
    """Run into a missing module and install it."""
    given = {"context": {"language": "python", "domain": "web"}} | fields
    name = memory.create_episode(f"make the tests of {place} pass", **given)
    seen = f'File "/home/{place}/x.py", line {len(place)}\nModuleNotFoundError: No module named'
    memory.add_steps(
        name,
        [
            {
                "tool": "bash",
                "action": f"pytest {place}/tests",
                "observation": f"{seen} '{place}lib'",
                "success": False,
            },
            {"tool": "bash", "action": f"pip install {place}lib", "observation": "installed"},
            {
                "tool": "bash",
                "action": f"pytest {place}/tests",
                "observation": "3 passed" if outcome == "success" else "AssertionError: 1 != 2",
                "success": outcome == "success",
            },
        ],
    )
    memory.complete_episode(name, outcome)
    return name


def of_kind(memory: Milepost, kind: str) -> list[CompactPattern]:
    return list(memory.list_patterns(kind=kind, limit=99, include_retired=True).patterns)


def recovery(memory: Milepost) -> CompactPattern:
    (found,) = of_kind(memory, "recovery")
    return found


def test_the_same_error_elsewhere_strengthens_one_pattern(memory: Milepost) -> None:
    names = [fix_import(memory, place) for place in ("app", "billing", "search")]
    memory.extract_patterns()

    found = memory.get_pattern(recovery(memory).id)
    assert "ModuleNotFoundError" in found.situation
    assert "pip install" in found.advice
    assert set(found.evidence) == set(names)
    assert (found.successes, found.failures) == (3, 0)


def test_confidence_is_a_lower_bound_that_grows_with_evidence(memory: Milepost) -> None:
    fix_import(memory)
    memory.extract_patterns()
    once = recovery(memory).confidence
    for place in ("billing", "search", "shop"):
        fix_import(memory, place)
    memory.extract_patterns()

    assert 0 < once < recovery(memory).confidence < 1


def test_learning_twice_from_an_episode_is_learning_once(memory: Milepost) -> None:
    name = fix_import(memory)
    first = memory.extract_patterns(name)
    memory.run_jobs()

    assert memory.extract_patterns(name) == first
    assert recovery(memory).successes == 1
    assert memory.extract_patterns().patterns == ()


def test_what_is_learned_comes_by_itself_after_the_end(memory: Milepost) -> None:
    memory.worker.close()
    fix_import(memory)

    assert memory.list_patterns().total == 0
    assert memory.run_jobs() == 1
    assert recovery(memory).successes == 1


def test_a_failure_leaves_a_trap(memory: Milepost) -> None:
    name = memory.create_episode("deploy the shop")
    memory.add_step(
        name, "bash", "kubectl delete ns", observation="Error: forbidden", success=False
    )
    memory.complete_episode(name, "failure", "deleting the namespace is forbidden in production")
    memory.extract_patterns(name)

    traps = of_kind(memory, "trap")
    assert traps
    assert any("forbidden" in trap.advice for trap in traps)


def test_patterns_are_found_by_the_situation(memory: Milepost) -> None:
    fix_import(memory)
    memory.extract_patterns()

    found = memory.search_patterns("ModuleNotFoundError when running pytest", kind="recovery")
    assert [one.id for one in found.patterns] == [recovery(memory).id]
    assert memory.search_patterns("pytest", domain="web").patterns
    assert memory.search_patterns("pytest", domain="sea").patterns == ()
    assert memory.search_patterns("pytest", language="python").patterns
    assert memory.search_patterns("lemon cake recipe").patterns == ()


def test_an_explanation_names_the_evidence_and_the_arithmetic(memory: Milepost) -> None:
    good, also = fix_import(memory), fix_import(memory, "billing")
    memory.extract_patterns()

    told = memory.explain_pattern(recovery(memory).id)
    assert {episode.id for episode in told.evidence} == {good, also}
    assert "held in 2 of 2 episodes" in told.arithmetic
    assert any("lower bound" in line and "2 of 2" in line for line in told.arithmetic)


@pytest.mark.parametrize(
    ("outcome", "effect"), [("success", (1, 1, 0)), ("failure", (1, 0, 1)), ("partial", (1, 0, 0))]
)
def test_a_pattern_that_was_shown_is_judged_by_how_the_episode_ends(
    memory: Milepost, outcome: str, effect: tuple[int, int, int]
) -> None:
    fix_import(memory)
    memory.extract_patterns()
    pattern = recovery(memory).id
    name = memory.create_episode("make the tests of shop pass")
    answer = memory.query_memory("ModuleNotFoundError in the tests", episode=name)
    assert pattern in answer.patterns
    for _ in range(2):
        memory.note_shown(name, answer.patterns)
    assert memory.pattern_effectiveness() == []

    memory.complete_episode(name, outcome)
    memory.extract_patterns(name)
    memory.run_jobs()

    (told,) = memory.pattern_effectiveness(pattern)
    assert (told.shown, told.helped, told.hindered) == effect
    usual = 0.5
    assert (told.effectiveness > usual, told.effectiveness < usual) == (
        outcome == "success",
        outcome == "failure",
    )


def test_an_episode_may_say_itself_which_patterns_it_used(memory: Milepost) -> None:
    fix_import(memory)
    memory.extract_patterns()
    pattern = recovery(memory).id

    name = memory.create_episode("something else", {"pattern_ids": [pattern, "pt_unknown", 7]})
    memory.complete_episode(name, "success")
    memory.extract_patterns(name)

    assert memory.pattern_effectiveness(pattern)[0].helped == 1


def test_a_playbook_tells_the_steps_and_the_traps_within_its_budget(memory: Milepost) -> None:
    names = [fix_import(memory, place) for place in ("app", "billing", "search", "shop")]
    bad = fix_import(memory, "checkout", "failure")
    memory.extract_patterns()

    told = memory.recommend("make the tests of the wiki pass", {"language": "python"})

    assert "pip install" in told.text
    assert "pytest" in told.text
    assert set(told.episodes) & {*names, bad}
    assert ceiling(told.text) == told.tokens <= 300
    assert memory.recommend("make the tests of the wiki pass", budget=60).tokens <= 60
    assert str(memory.within("elsewhere").recommend("make the tests pass")) == (
        "nothing like this was tried before"
    )


def test_one_question_brings_memories_episodes_and_patterns_together(memory: Milepost) -> None:
    memory.store("The tests of app need the module applib, which is not in the requirements")
    memory.store("The lighthouse was painted red")
    fix_import(memory)
    memory.extract_patterns()

    told = memory.query_memory("the tests of app fail with ModuleNotFoundError applib")

    assert {finding.source for finding in told.findings} == {"memory", "episode", "pattern"}
    assert [finding.score for finding in told.findings] == sorted(
        [finding.score for finding in told.findings], reverse=True
    )
    assert "lighthouse" not in str(told)
    assert all(finding.id in str(told) for finding in told.findings)
    assert ceiling(str(memory.query_memory("tests of app", budget=80))) <= 80
    assert len(memory.query_memory("tests of app", limit=1).findings) == 1
    red = memory.query_memory("what colour is the lighthouse?")
    assert [finding.source for finding in red.findings] == ["memory"]


def test_a_question_can_be_narrowed_by_domain_and_time(clock: Clock, memory: Milepost) -> None:
    old = fix_import(memory, "app")
    clock.advance(days=10)
    new = memory.create_episode("make slow tests of billing run faster", {"domain": "money"})
    memory.complete_episode(new, "failure", "the database is started anew for every one of them")
    clock.advance(days=1)
    question = "make the tests pass"

    def episodes(**conditions: Any) -> set[str]:
        found = memory.query_memory(question, **conditions).findings
        return {finding.id for finding in found if finding.source == "episode"}

    assert episodes() == {old, new}
    assert episodes(domain="money") == {new}
    assert episodes(before="5 days ago") == {old}
    assert episodes(after="5 days ago") == {new}


def test_patterns_that_nobody_sees_again_fade_and_retire_and_come_back(
    clock: Clock, memory: Milepost
) -> None:
    fix_import(memory)
    memory.extract_patterns()
    before = recovery(memory)
    clock.advance(days=400)

    planned = memory.decay_patterns(dry_run=True)
    assert before.id in planned.retired
    assert before.id in {found.id for found in memory.list_patterns().patterns}
    assert memory.decay_patterns().retired == planned.retired
    assert memory.list_patterns().total == 0
    assert memory.search_patterns("ModuleNotFoundError in pytest").patterns == ()
    assert memory.get_pattern(before.id).retired

    fix_import(memory, "billing")
    memory.extract_patterns()
    assert not memory.get_pattern(before.id).retired
    assert memory.search_patterns("ModuleNotFoundError in pytest").patterns


def test_patterns_fade_by_themselves_in_time(clock: Clock, memory: Milepost) -> None:
    memory.worker.close()
    fix_import(memory)
    memory.run_jobs()
    for _ in range(3):
        clock.advance(days=200)
        memory.run_jobs()

    assert memory.list_patterns().total == 0
    assert memory.list_patterns(include_retired=True).total > 0


def test_patterns_are_scored_on_episodes_that_came_later(clock: Clock, memory: Milepost) -> None:
    for place in ("app", "billing", "search", "shop", "wiki", "blog", "chat"):
        fix_import(memory, place)
        clock.advance(days=1)
    memory.extract_patterns()

    told = memory.validate_patterns(share=0.3)

    assert told.episodes == 2
    checked = {one.kind: one for one in told.checked}
    assert (checked["recovery"].applied, checked["recovery"].held) == (2, 2)


def test_evidence_that_is_deleted_counts_no_more(memory: Milepost) -> None:
    first, second = fix_import(memory), fix_import(memory, "billing")
    memory.extract_patterns()
    memory.delete_episode(first)

    found = memory.get_pattern(recovery(memory).id)
    assert found.evidence == (second,)
    assert found.successes == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: m.list_patterns(kind="habit"), "kind must be one of sequence, decision"),
        (lambda m: m.list_patterns(kind=["trap"]), "kind must be one of sequence, decision"),
        (lambda m: m.search_patterns(" "), "query is empty"),
        (lambda m: m.validate_patterns(share=1), "share must be a number between 0 and 1"),
        (lambda m: m.decay_patterns(dry_run=1), "dry_run must be true or false"),
        (lambda m: m.extract_patterns("e"), "e is still open"),
        (lambda m: m.recommend("a", budget=1), "budget must be"),
        (lambda m: m.query_memory("a", context=[1]), "context must be a mapping"),
    ],
)
def test_what_cannot_be_is_refused(
    memory: Milepost, call: Callable[[Any], object], message: str
) -> None:
    memory.create_episode("a task", id="e")

    with pytest.raises(InvalidInput, match=message):
        call(memory)


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.get_pattern("pt_nobody"),
        lambda m: m.explain_pattern("pt_nobody"),
        lambda m: m.pattern_effectiveness("pt_nobody"),
        lambda m: m.extract_patterns("nobody"),
    ],
)
def test_what_is_not_there_is_told_of(memory: Milepost, call: Callable[[Any], object]) -> None:
    with pytest.raises(NotFound, match="There is no"):
        call(memory)
