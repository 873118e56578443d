"""Patterns found in one episode."""

from made_runs import FAILED_TEST, PASSED, edit, episode, fixed_by_an_edit, household, shell, step

from milepost.experience.patterns.kinds import KINDS, extract
from support import processor_time_below


def found(run, kind):
    return [pattern for pattern in extract(run) if pattern.kind == kind]


def test_the_path_of_a_success_is_a_sequence():
    (sequence,) = found(fixed_by_an_edit(), "sequence")
    assert sequence.steps == ("read *.py", "edit *.py", "run pytest")
    assert sequence.advice == "read *.py, then edit *.py, then run pytest"
    assert sequence.evidence == ("ep_1",)
    assert (sequence.successes, sequence.failures) == (1, 0)


def test_a_failed_episode_has_no_path_to_follow():
    assert found(fixed_by_an_edit(outcome="failure"), "sequence") == []


def test_an_open_episode_has_no_patterns_yet():
    assert extract(fixed_by_an_edit(outcome=None)) == []


def test_rounds_that_recur_with_something_between_them_are_sequences():
    run = episode(
        *(edit(1, "a.py"), shell(2, "ruff check"), shell(3, "pytest", PASSED)),
        *(edit(4, "b.py"), shell(5, "mypy"), shell(6, "pytest", PASSED)),
        shell(7, "git commit -m done"),
    )
    assert ("edit *.py", "run pytest") in [pattern.steps for pattern in found(run, "sequence")]


def test_going_round_in_circles_is_not_part_of_the_path():
    run = household(
        "go to desk 1", "look", "go to desk 1", "look", "take mug 1 from desk 1", "go to sink 1"
    )
    assert found(run, "sequence")[0].steps == (
        *("go to desk", "look", "take mug from desk", "go to sink"),
    )


def test_an_error_and_what_mended_it_are_a_recovery():
    (recovery,) = found(fixed_by_an_edit(), "recovery")
    assert recovery.situation == "run pytest: KeyError: <value>"
    assert recovery.steps == ("run pytest", "edit *.py")
    assert "`replace src/users.py`" in recovery.advice


def test_a_recovery_is_known_again_by_its_error_in_another_place():
    elsewhere = episode(
        shell(1, "python -m pytest lib", "E   KeyError: 'order_17'", ok=False),
        edit(2, "lib/orders.py"),
        shell(3, "python -m pytest lib", PASSED),
        id="ep_2",
        task="Orders are not found",
    )
    here, there = found(fixed_by_an_edit(), "recovery")[0], found(elsewhere, "recovery")[0]
    assert here.situation == there.situation == "run pytest: KeyError: <value>"
    assert here.id == there.id


def test_trying_again_without_a_change_is_no_recovery():
    run = episode(shell(1, "git push", "error: RPC failed", ok=False), shell(2, "git push"))
    assert found(run, "recovery") == []


def test_a_failure_that_nothing_mended_is_a_trap():
    run = episode(
        shell(
            1, "pip install numpyy", "ERROR: No matching distribution found for numpyy", ok=False
        ),
        step(2, "ask", "ask the user"),
        outcome="failure",
    )
    (trap,) = found(run, "trap")
    assert trap.steps == ("run pip install",)
    assert "`pip install numpyy` fails: ERROR: No matching distribution" in trap.advice


def test_a_trap_says_what_worked_later():
    run = episode(
        shell(1, "docker pull acme/x", "Error response from daemon: denied", ok=False),
        step(2, "registry", "log in"),
        step(3, "registry", "fetch image"),
    )
    (trap,) = found(run, "trap")
    assert trap.advice.endswith("`log in` worked later")


def test_repeating_an_action_to_no_end_is_a_trap():
    run = household(
        "go to desk 1", "look", "go to desk 1", "look", "go to desk 1", outcome="failure"
    )
    (trap,) = found(run, "trap")
    assert "repeated 3 times and did not help" in trap.advice


def test_the_verdict_of_a_failure_is_a_trap():
    told = "The cache was stale because the key lacks the tenant. The key needs to hold the tenant."
    (trap,) = found(episode(outcome="failure", verdict=told), "trap")
    assert trap.advice == told
    assert trap.situation == "Fix the lookup of users"


def test_what_works_in_a_repository_is_a_context_pattern():
    run = fixed_by_an_edit(context={"language": "python", "repository": "acme/api"})
    (context,) = found(run, "context")
    assert context.context == {"repository": "acme/api"}
    assert (context.steps, context.successes) == (("run pytest",), 1)


def test_a_command_that_failed_to_the_end_counts_against_its_context():
    run = episode(
        shell(1, "tox", "command not found: tox", ok=False),
        outcome="failure",
        context={"language": "python"},
    )
    (context,) = found(run, "context")
    assert (context.successes, context.failures) == (0, 1)
    assert context.against == ("ep_1",)


def test_extracting_twice_gives_the_same_patterns():
    assert extract(fixed_by_an_edit()) == extract(fixed_by_an_edit())


def test_the_same_structure_in_another_episode_has_the_same_id():
    one, other = extract(fixed_by_an_edit()), extract(fixed_by_an_edit(id="ep_2"))
    assert [pattern.id for pattern in one] == [pattern.id for pattern in other]


def test_every_kind_is_a_known_one():
    run = fixed_by_an_edit(context={"language": "python"})
    assert {pattern.kind for pattern in extract(run)} <= set(KINDS)


def test_twenty_steps_are_extracted_in_two_milliseconds():
    turns = (
        ("edit", "replace", "ok", True),
        ("bash", "pytest tests/test_{}.py", FAILED_TEST, False),
        ("bash", "ruff check src/{}.py", "All checks passed!", True),
        ("read", "read src/{}.py", "x = 1\n" * 200, True),
    )
    steps = [
        step(n, turns[n % 4][0], turns[n % 4][1].format(n), turns[n % 4][2], ok=turns[n % 4][3])
        for n in range(1, 21)
    ]
    run = episode(*steps, context={"language": "python"})
    extract(run)
    with processor_time_below(20 * 0.002):
        for _ in range(20):
            extract(run)
