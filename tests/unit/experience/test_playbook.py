"""What an agent is told before it tries a task like others before."""

import pytest
from made_runs import episode, fixed_by_an_edit, household, pattern

from milepost.experience.patterns.kinds import extract
from milepost.experience.playbook import playbook
from milepost.experience.reflection import reflect
from milepost.text.tokens import ceiling


def reflected(run):
    return run._replace(insights=reflect(run))


def cleaned(number, thing, start, *between):
    return household(
        f"take {thing} 1 from {start} 1",
        *between,
        f"clean {thing} 1 with sinkbasin 1",
        f"put {thing} 1 in/on cabinet 2",
        id=f"ep_{number}",
    )


def test_it_names_the_steps_that_worked_and_where():
    runs = [cleaned(1, "mug", "desk"), cleaned(2, "pan", "stove"), cleaned(3, "cloth", "shelf")]
    told = playbook("put a clean plate in cabinet", [(run, 0.9) for run in runs], [])
    assert told.splitlines() == [
        "Steps that worked (3 of 3: ep_1, ep_2, ep_3):",
        "1. take * from *",
        "2. clean * with sinkbasin",
        "3. put * in cabinet",
    ]


def test_the_nearer_episodes_decide_between_ways():
    near = [(cleaned(n, "mug", "desk"), 0.9) for n in (1, 2)]
    other = household(
        "take mug 1 from desk 1", "heat mug 1 with microwave 1", "put mug 1 in desk 1"
    )
    far = [(other._replace(id=f"ep_{n}"), 0.3) for n in (3, 4, 5)]
    told = playbook("put a clean mug in cabinet", [*far, *near], [])
    assert "2. clean mug with sinkbasin" in told
    assert "heat" not in told


def test_failures_give_no_steps_but_their_lessons():
    run = reflected(
        episode(outcome="failure", verdict="The key lacks the tenant because nobody passed it on.")
    )
    told = playbook("Fix the lookup", [(run, 0.9)], [])
    assert told == "- Trap: The key lacks the tenant because nobody passed it on. (ep_1)"


def test_a_known_sequence_steps_in_where_no_episode_shows_one():
    told = playbook("Fix the lookup", [], [(pattern(), 0.8)])
    assert told.splitlines() == ["Steps that worked (once: ep_1):", "1. edit *.py", "2. run pytest"]


def test_traps_and_fixes_come_with_their_evidence():
    patterns = [(p, 0.8) for p in extract(fixed_by_an_edit()) if p.kind == "recovery"]
    trap = pattern("trap", advice="`tox` fails: no config", evidence=("ep_7", "ep_8"), successes=2)
    told = playbook("Fix the lookup", [], [*patterns, (trap, 0.9)])
    assert "- Trap: `tox` fails: no config (2/2: ep_7, ep_8)" in told
    assert "- Fix: On run pytest: KeyError: <value>: `replace src/users.py`" in told
    assert told.index("Trap") < told.index("Fix")


def test_retired_patterns_are_not_told():
    assert playbook("Fix the lookup", [], [(pattern(retired=True), 0.9)]) == ""


def test_a_pattern_that_helped_comes_before_one_that_hindered():
    good = pattern("trap", id="pt_a", advice="beware of the cache", helped=5)
    bad = pattern("trap", id="pt_b", advice="restart the whole machine", hindered=5)
    told = playbook("Fix the lookup", [], [(bad, 0.8), (good, 0.8)])
    assert told.index("cache") < told.index("machine")


def test_of_equal_warnings_the_one_about_the_task_itself_comes_first():
    about = pattern("trap", id="pt_a", advice="the lookup of users forgets the tenant")
    other = pattern("trap", id="pt_b", advice="restart the whole machine")
    told = playbook("Fix the lookup of users", [], [(other, 0.8), (about, 0.8)])
    assert told.index("tenant") < told.index("machine")


def test_the_same_lesson_is_told_once():
    verdict = "The key lacks the tenant because nobody passed it on."
    runs = [
        (reflected(episode(id=f"ep_{n}", outcome="failure", verdict=verdict)), 0.9)
        for n in range(5)
    ]
    assert playbook("Fix the lookup", runs, []).count("tenant") == 1


@pytest.mark.parametrize("budget", [5, 40, 120, 300])
def test_the_budget_is_kept(budget):
    words = "cache tenant index queue shard lease token parser socket header".split()
    traps = [
        (
            pattern("trap", id=f"pt_{n}", advice=f"never trust the {word} {n} " + "at all " * 20),
            0.9,
        )
        for n, word in enumerate(words)
    ]
    runs = [(cleaned(n, "mug", "desk"), 0.9) for n in range(3)]
    told = playbook("Fix the lookup", runs, traps, budget)
    assert ceiling(told) <= budget
    if budget >= 120:
        assert told.startswith("Steps that worked")
        assert "Trap" in told


def test_nothing_known_is_nothing_told():
    assert playbook("Fix the lookup", [], []) == ""
