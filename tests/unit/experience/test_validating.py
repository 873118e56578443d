"""Patterns against episodes they were not made from."""

import pytest
from made_runs import PASSED, edit, episode, fixed_by_an_edit, pattern, shell, step

from milepost.experience.patterns.kinds import extract, validate


def with_tests(number, *, outcome="success"):
    return episode(edit(1, "a.py"), shell(2, "pytest", PASSED), id=f"ep_{number}", outcome=outcome)


def without_tests(number):
    return episode(edit(1, "a.py"), id=f"ep_{number}", outcome="failure")


def test_a_sequence_is_scored_by_how_the_episodes_that_follow_it_end():
    held_out = [
        with_tests(1),
        with_tests(2),
        with_tests(3, outcome="failure"),
        *map(without_tests, range(4, 8)),
    ]
    (checked,) = validate([pattern()], held_out).checked
    assert (checked.applied, checked.held) == (3, 2)
    assert checked.lift == pytest.approx(2 / 3 - 2 / 7, abs=1e-3)


def test_a_star_in_a_sequence_applies_to_any_object():
    made = pattern(steps=("take * from *", "put * in cabinet"))
    run = episode(
        step(1, "env", "take mug 1 from desk 1"),
        step(2, "env", "look"),
        step(3, "env", "put mug 1 in/on cabinet 2"),
    )
    assert validate([made], [run]).checked[0].applied == 1


def test_a_pattern_that_never_applies_has_no_lift():
    (checked,) = validate([pattern(steps=("run make",))], [with_tests(1)]).checked
    assert (checked.applied, checked.lift) == (0, 0.0)


def test_a_recovery_holds_when_the_error_is_mended_after_its_steps():
    (recovery,) = [p for p in extract(fixed_by_an_edit()) if p.kind == "recovery"]
    mended = fixed_by_an_edit("ep_2")
    tail = mended.steps[3]._replace(observation=mended.steps[0].observation, success=False)
    not_mended = mended._replace(id="ep_3", steps=(*mended.steps[:3], tail))
    (checked,) = validate([recovery], [mended, not_mended]).checked
    assert (checked.applied, checked.held) == (2, 1)


def test_a_trap_holds_when_it_springs():
    trap = pattern("trap", steps=("run tox",), situation="run tox: ERROR: no config")
    sprang = episode(
        shell(1, "tox", "ERROR: no config", ok=False), edit(2, "a.py"), outcome="failure"
    )
    went_well = episode(shell(1, "tox"), edit(2, "a.py"), id="ep_2")
    (checked,) = validate([trap], [sprang, went_well]).checked
    assert (checked.applied, checked.held) == (2, 1)
    assert checked.lift == pytest.approx(0.5 - 0.25)


def test_a_decision_applies_where_the_same_choice_was_made():
    made = pattern("decision", steps=("run make build", "run make clean"))
    took = episode(shell(1, "make build"), shell(2, "make clean"))
    other = episode(shell(1, "make build"), shell(2, "make all"), id="ep_2", outcome="failure")
    (checked,) = validate([made], [took, other]).checked
    assert (checked.applied, checked.held) == (1, 1)


def test_a_context_pattern_applies_only_in_its_context():
    made = pattern("context", steps=("run pytest",), context={"language": "python"})
    here = with_tests(1)._replace(context={"language": "python"})
    elsewhere = with_tests(2)._replace(context={"language": "go"})
    assert validate([made], [here, elsewhere]).checked[0].applied == 1


def test_open_episodes_are_left_out_and_the_most_telling_comes_first():
    held_out = [
        with_tests(1),
        with_tests(2),
        without_tests(3),
        with_tests(4)._replace(outcome=None),
    ]
    idle = pattern(id="pt_idle", steps=("run make",))
    found = validate([idle, pattern()], held_out)
    assert found.episodes == 3
    assert [checked.pattern for checked in found.checked] == ["pt_1", "pt_idle"]
    assert "3 held-out episodes, 67% of them successes" in str(found)
