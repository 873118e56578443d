"""What is seen when looking back at an episode."""

import pytest
from made_runs import FAILED_TEST, PASSED, edit, episode, fixed_by_an_edit, household, shell, step

from milepost.experience.closing import closed
from milepost.experience.reflection import reflect, sentences


def said(found, aspect):
    return [insight for insight in reflect(found) if insight.aspect == aspect]


def test_the_way_that_led_to_success_is_told_with_its_end():
    (worked,) = said(fixed_by_an_edit(), "worked")
    assert worked.text == (
        f"read *.py, edit *.py, then `pytest tests/test_users.py` led to success: {PASSED}"
    )
    assert worked.steps == (2, 3, 4)


def test_a_failure_is_told_with_its_telling_line():
    (failed,) = said(fixed_by_an_edit(), "failed")
    assert failed.text == "`pytest tests/test_users.py` failed: KeyError: 'user_42'"
    assert failed.steps == (1,)


def test_what_changed_between_failure_and_success_is_the_fix():
    (fixed,) = said(fixed_by_an_edit(), "fixed")
    assert fixed.text == (
        "`replace src/users.py` made `pytest tests/test_users.py` work after: KeyError: 'user_42'"
    )
    assert fixed.steps == (1, 3, 4)


def test_another_way_of_doing_the_same_is_a_fix():
    tried = episode(
        shell(1, "conda install torch", "PackagesNotFoundError: no such package", ok=False),
        shell(2, "pip install torch", "Successfully installed torch"),
    )
    (fixed,) = said(tried, "fixed")
    assert fixed.text == (
        "`pip install torch` worked where `conda install torch` had failed: "
        "PackagesNotFoundError: no such package"
    )


@pytest.mark.parametrize(
    ("failing", "passing"),
    [("git push", "git push"), ("pytest -q", "pytest"), ("cd a && make", "make")],
)
def test_what_went_well_when_tried_again_passed_later_and_was_not_fixed(failing, passing):
    tried = episode(
        shell(1, failing, "error: RPC failed; HTTP 502", ok=False), shell(2, passing, "ok")
    )
    (failed,) = said(tried, "failed")
    assert failed.text.endswith("failed: error: RPC failed; HTTP 502; it passed later")
    assert said(tried, "fixed") == []
    assert "recovered" not in str(closed(tried, [], []).reward)


def test_looking_around_is_no_fix():
    tried = episode(
        shell(1, "make build", "error: no rule", ok=False),
        shell(2, "cat Makefile", "all:"),
        shell(3, "sed -i s/bild/build/ Makefile"),
        shell(4, "make build"),
    )
    (fixed,) = said(tried, "fixed")
    assert fixed.steps == (1, 3, 4)


def test_equal_failures_are_one_sentence_with_all_their_steps():
    run = episode(
        *(shell(n, f"pytest tests/test_{n}.py", FAILED_TEST, ok=False) for n in range(1, 5)),
        outcome="failure",
    )
    (failed,) = said(run, "failed")
    assert "failed 4 times" in failed.text
    assert failed.steps == (1, 2, 3, 4)


def test_at_most_three_failures_are_told_and_the_frequent_first():
    errors = ["KeyError: 'a'", "ValueError: b", "TypeError: c", "OSError: d", "TypeError: c"]
    run = episode(
        *(shell(n, f"make part{n}", seen, ok=False) for n, seen in enumerate(errors, 1)),
        shell(6, "make part3", "TypeError: c", ok=False),
        outcome="failure",
    )
    failed = said(run, "failed")
    assert len(failed) == 3
    assert "TypeError: c" in failed[0].text


def test_the_step_that_took_most_of_the_time_is_the_cost():
    run = episode(
        edit(1, "a.py"),
        shell(2, "cargo build", latency_ms=90_000.0),
        shell(3, "cargo test", latency_ms=4_000.0),
    )
    (cost,) = said(run, "cost")
    assert cost.text == "`run cargo build` took 96% of the time (90.0 s)"
    assert cost.steps == (2,)


def test_tokens_are_a_cost_too():
    run = episode(
        step(1, "read", "read all.log", tokens=40_000),
        edit(2, "a.py"),
        shell(3, "make", tokens=100),
    )
    assert "40,000 tokens" in said(run, "cost")[0].text


def test_going_round_in_circles_is_the_cost():
    run = household(*["go to countertop 1", "look"] * 6, outcome="failure")
    (cost,) = said(run, "cost")
    assert cost.text == "`go to countertop 1` was done 6 times in 12 steps"


def test_a_world_that_answers_nothing_happens_says_no():
    run = episode(
        step(1, "alfworld", "heat apple 1 with microwave 1", "Nothing happens."),
        step(2, "alfworld", "open microwave 1", "You open the microwave 1."),
        step(3, "alfworld", "heat apple 1 with microwave 1", "You heat the apple 1."),
    )
    (failed,) = said(run, "failed")
    assert "`heat apple 1 with microwave 1` failed: Nothing happens." in str(failed)
    (fixed,) = said(run, "fixed")
    assert fixed.text == (
        "`open microwave 1` made `heat apple 1 with microwave 1` work after: Nothing happens."
    )


def test_an_episode_without_steps_reflects_from_its_verdict():
    verdict = (
        "I was stuck in a loop in which I continually tried to heat apple 1 with microwave 1 "
        "without opening the microwave 1. I should have taken apple 1, then opened microwave 1, "
        "then heated apple 1. It did not help to execute two identical actions in a row. I will "
        "try to execute a different action if I am stuck in a loop again."
    )
    failed, fixed = reflect(episode(outcome="failure", verdict=verdict))
    assert (failed.aspect, fixed.aspect) == ("failed", "fixed")
    assert failed.text.endswith("without opening the microwave 1.")
    assert fixed.text.startswith("I should have taken apple 1, then opened microwave 1")


def test_an_episode_of_which_nothing_is_known_teaches_nothing():
    assert reflect(episode()) == ()


def test_the_order_of_steps_is_that_of_their_numbers():
    straight = fixed_by_an_edit()
    mixed = straight._replace(steps=straight.steps[::-1])
    assert reflect(mixed) == reflect(straight)


def test_the_output_of_a_commit_is_nothing_that_was_reached():
    changed = "[main 1a2b3c4] Find users\n 1 file changed, 2 insertions(+)"
    done = episode(
        edit(1, "src/users.py"), shell(2, "pytest", PASSED), shell(3, "git commit -am x", changed)
    )
    (worked,) = said(done, "worked")
    assert worked.text.endswith(f"led to success: {PASSED}")


def test_each_sentence_of_a_verdict_keeps_its_speaker():
    verdict = (
        "The user: no, not there. It covers the button. The agent: It failed because it floats."
    )
    assert sentences(verdict) == [
        "The user: no, not there.",
        "The user: It covers the button.",
        "The agent: It failed because it floats.",
    ]
