"""Whatever an agent writes down, something sensible is learned from it, and soon."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from made_runs import episode, step

from milepost.experience.closing import salience
from milepost.experience.patterns.kinds import compare, extract, validate
from milepost.experience.playbook import playbook
from milepost.experience.reflection import PER_ASPECT_MAX, reflect
from milepost.experience.reward import Peers, reward
from milepost.text.tokens import ceiling
from support import processor_time_below

TEXT = some.text(max_size=60)
STEPS = some.lists(
    some.builds(
        lambda number, tool, action, seen, ok: step(number, tool, action, seen, ok=ok),
        some.integers(0, 50),
        some.one_of(TEXT, some.sampled_from(["bash", "edit", "alfworld", ""])),
        TEXT,
        some.one_of(TEXT, some.just("KeyError: 'x'"), some.just("Nothing happens.")),
        some.booleans(),
    ),
    max_size=12,
)
OUTCOMES = some.sampled_from(["success", "partial", "failure", "abandoned"])
RUNS = some.builds(
    lambda steps, outcome, verdict, task: episode(
        *steps, outcome=outcome, verdict=verdict, task=task, context={"language": "python"}
    ),
    STEPS,
    OUTCOMES,
    TEXT,
    TEXT,
)


@pytest.mark.slow
@given(RUNS)
def test_every_episode_can_be_looked_back_at(run):
    insights = reflect(run)
    for aspect in ("worked", "cost", "failed", "fixed"):
        assert sum(insight.aspect == aspect for insight in insights) <= PER_ASPECT_MAX
    numbers = {one.number for one in run.steps}
    assert all(set(insight.steps) <= numbers for insight in insights)
    worth = reward(run, Peers([3, 4], [1.0, 2.0]))
    assert worth.total >= 0
    assert 0 <= salience(run, insights, worth, 0.9) <= 1


@settings(max_examples=50)
@given(some.lists(RUNS, min_size=1, max_size=5))
def test_every_group_of_episodes_can_be_learned_from(runs):
    named = [run._replace(id=f"ep_{n}", insights=reflect(run)) for n, run in enumerate(runs)]
    found = [*compare(named), *(pattern for run in named for pattern in extract(run))]
    for pattern in found:
        assert pattern.successes + pattern.failures == len({*pattern.evidence, *pattern.against})
        assert pattern.situation or pattern.advice
    assert len(validate(found, named).checked) == len(found)
    told = playbook("anything", [(run, 0.5) for run in named], [(p, 0.5) for p in found], 120)
    assert ceiling(told) <= 120


@pytest.mark.parametrize("unit", ["a.", "a/", "'", "thread '", "[a]", "1 ", "E  ", "a@", "\\"])
def test_a_huge_observation_does_not_hold_up_anything(unit):
    seen = "error: " + unit * (200_000 // len(unit))
    run = episode(
        *(step(n, "bash", unit * 500, seen, ok=False) for n in range(1, 6)), outcome="failure"
    )
    with processor_time_below(2):
        reflect(run), reward(run, Peers()), extract(run)
