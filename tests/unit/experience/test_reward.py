"""What an episode was worth, term by term."""

import pytest
from hypothesis import given
from hypothesis import strategies as some
from made_runs import FAILED_TEST, PASSED, edit, episode, fixed_by_an_edit, shell, step

from milepost.experience.reward import Peers, reward

NOBODY = Peers()


def terms(*args, **more):
    return {term.name: term for term in reward(*args, **more).terms}


def test_the_total_is_what_its_terms_make():
    found = reward(fixed_by_an_edit(context={"complexity": "high"}), Peers([9, 8], [70.0, 90.0]))
    value = {term.name: term.value for term in found.terms}
    product = value["base"] * value["efficiency"] * value["quality"] * value["complexity"]
    assert found.total == pytest.approx(product + value["learning"], abs=1e-3)


@pytest.mark.parametrize(
    ("verdict", "share"),
    [("80 % of the endpoints are moved", 0.8), ("3 of 4 files done", 0.75), ("moved 1/2", 0.5)],
)
def test_a_partial_outcome_is_worth_the_share_that_its_verdict_names(verdict, share):
    base = terms(episode(outcome="partial", verdict=verdict), NOBODY)["base"]
    assert base.value == share
    assert "the verdict says" in base.why


def test_without_a_word_on_the_share_the_tests_tell():
    seen = episode(
        shell(1, "pytest", "=== 3 failed, 9 passed in 1s ===", ok=False), outcome="partial"
    )
    assert terms(seen, NOBODY)["base"].value == 0.75


def test_a_partial_outcome_of_which_nothing_is_known_is_half():
    assert terms(episode(outcome="partial"), NOBODY)["base"].value == 0.5


def test_efficiency_is_the_place_among_similar_episodes():
    mine = fixed_by_an_edit()
    slow, fast = Peers(steps=[20] * 12), Peers(steps=[1] * 12)
    assert terms(mine, slow)["efficiency"].value > 1.15
    assert terms(mine, fast)["efficiency"].value < 0.85
    assert (
        "4 steps against 20 in the middle one of 12 similar episodes"
        in terms(mine, slow)["efficiency"].why
    )


def test_few_similar_episodes_say_little():
    mine = fixed_by_an_edit()
    assert terms(mine, NOBODY)["efficiency"].value == 1.0
    one, many = Peers(steps=[20]), Peers(steps=[20] * 50)
    assert 1.0 < terms(mine, one)["efficiency"].value < terms(mine, many)["efficiency"].value


def test_an_episode_like_all_others_is_neither_fast_nor_slow():
    assert terms(fixed_by_an_edit(), Peers([4] * 9, [60.0] * 9))["efficiency"].value == 1.0


def test_failing_steps_and_tests_lower_the_quality():
    clean = episode(edit(1, "a.py"), shell(2, "pytest", PASSED))
    dirty = episode(
        shell(1, "pytest", FAILED_TEST, ok=False), shell(2, "pytest", FAILED_TEST, ok=False)
    )
    assert terms(clean, NOBODY)["quality"].value == 1.2
    assert terms(dirty, NOBODY)["quality"].value < 1.0
    assert "2 of 2 steps went wrong" in terms(dirty, NOBODY)["quality"].why


@pytest.mark.parametrize(
    ("seen", "share"),
    [
        ("Tests: 3 failed, 5 passed, 8 total", 5 / 8),
        ("test result: ok. 7 passed; 0 failed; 0 ignored", 1.0),
        ("Ran 4 tests in 0.1s\n\nOK", 1.0),
        ("ok  \texample.org/pkg\t0.3s", 1.0),
        ("FAIL\texample.org/pkg\t0.3s", 0.0),
        ("BUILD SUCCESSFUL in 3s", 1.0),
    ],
)
def test_test_results_of_many_runners_are_read(seen, share):
    quality = terms(episode(step(1, "run", "all tests", seen)), NOBODY)["quality"]
    assert f"{share:.0%} of the tests passed" in quality.why


def test_a_harder_task_is_worth_more():
    levels = ["low", "medium", "high"]
    totals = [reward(episode(context={"complexity": level}), NOBODY).total for level in levels]
    assert totals == sorted(set(totals))
    half = terms(episode(context={"complexity": 0.5}), NOBODY)["complexity"].value
    assert terms(episode(context={"complexity": 5}), NOBODY)["complexity"].value == half


def test_recovering_from_an_error_counts_as_learning():
    learned = terms(fixed_by_an_edit(), NOBODY)["learning"]
    assert learned.value > 0
    assert learned.why == "recovered from 1 error"


def test_using_a_known_pattern_counts_only_with_success():
    used = {"pattern_ids": ["pt_1"]}
    assert terms(episode(context=used), NOBODY)["learning"].value > 0
    assert terms(episode(step(1, "edit", "x", parameters=used)), NOBODY)["learning"].value > 0
    assert terms(episode(context=used, outcome="failure"), NOBODY)["learning"].value == 0


@given(
    wrong=some.lists(some.booleans(), max_size=8),
    complexity=some.sampled_from(["low", "high", 0, 10, None]),
    peers=some.lists(some.integers(0, 30), max_size=12),
    outcome=some.sampled_from(["failure", "abandoned"]),
)
def test_a_failure_is_never_worth_more_than_a_success(wrong, complexity, peers, outcome):
    """Whatever else is true of both, the same task done is worth more."""
    steps = [shell(n, "pytest", "", ok=not bad) for n, bad in enumerate(wrong, 1)]
    best_failure = episode(
        edit(1, "a.py"),
        *(shell(n, f"make x{n // 2}", "", ok=n % 2 == 1) for n in range(2, 12)),
        outcome=outcome,
        context={"complexity": "high", "pattern_ids": ["p"]},
        artifacts=["a"],
    )
    success = episode(*steps, context={"complexity": complexity})
    same = Peers(peers, [1.0] * len(peers))
    assert 0 <= reward(best_failure, same).total < reward(success, same).total
