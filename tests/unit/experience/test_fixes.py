"""What mended a failure, and what only looks like it."""

from made_runs import edit, episode, shell, step

from milepost.experience.reflection import reflect
from milepost.experience.relevance import Match, bearing
from milepost.experience.steps import acts_in
from milepost.text.failures import signature, tells
from milepost.text.mending import attempts, mendings

REFUSED = "OperationalError: connection refused"


def mended(*steps):
    return [fix.failure.number for fix in mendings(acts_in(episode(*steps)))]


def test_an_error_that_gives_way_to_another_is_mended():
    run = (
        shell(1, "pytest tests/a.py", REFUSED, ok=False),
        shell(2, "docker compose up -d db"),
        shell(3, "pytest tests/a.py", "KeyError: 'x'", ok=False),
    )
    assert mended(*run) == [1]


def test_an_error_that_comes_back_was_not_mended():
    run = (
        shell(1, "pytest", REFUSED, ok=False),
        shell(2, "docker compose up -d db"),
        shell(3, "pytest", "KeyError: 'x'", ok=False),
        edit(4, "a.py"),
        shell(5, "pytest", REFUSED, ok=False),
    )
    assert mended(*run) == []


def test_a_count_of_failures_does_not_show_that_the_error_is_gone():
    run = (
        shell(1, "pytest", "AssertionError: 1 != 2", ok=False),
        edit(2, "a.py"),
        shell(3, "pytest", "2 failed, 48 passed in 40.3s", ok=False),
    )
    assert mended(*run) == []
    assert not tells(signature("2 failed, 48 passed in 40.3s"))
    assert tells(signature("KeyError: 'x'"))


def test_to_take_back_is_no_other_way():
    run = (
        shell(1, "kubectl apply -f k8s/shop", "error: timed out", ok=False),
        shell(2, "kubectl delete -f k8s/shop"),
    )
    assert mended(*run) == []


def test_another_test_that_passes_mends_nothing():
    run = shell(1, "pytest tests/a.py", REFUSED, ok=False), shell(2, "pytest tests/b.py")
    assert mended(*run) == []


def test_the_next_command_of_a_shell_is_another_way_only_with_the_same_aim():
    failing = shell(1, "python tool.py", "command not found", ok=False)
    assert mended(failing, shell(2, "python3 tool.py")) == [1]
    assert mended(failing, shell(2, "git commit -m done")) == []


def test_a_command_with_something_added_is_another_way():
    run = shell(1, "uv sync", "error: no solution", ok=False), shell(2, "uv sync --upgrade")
    assert mended(*run) == [1]


def test_what_was_changed_in_vain_is_an_attempt():
    run = (
        shell(1, "pytest", REFUSED, ok=False),
        edit(2, "a.py"),
        shell(3, "pytest", REFUSED, ok=False),
    )
    (vain,) = attempts(acts_in(episode(*run)))
    assert [deed.number for deed in vain.change] == [2]


def test_the_reason_that_is_given_is_kept_beside_many_errors():
    steps = [shell(n, f"make part{n}", f"error: kind {'abcdef'[n]}", ok=False) for n in range(1, 6)]
    said = reflect(episode(*steps, outcome="failure", verdict="The disk was full, which broke it."))
    failures = [insight for insight in said if insight.aspect == "failed"]
    assert len(failures) == 3
    assert failures[-1].text == "The disk was full, which broke it."


def test_what_took_part_of_the_time_that_was_measured_once_is_not_told():
    steps = shell(1, "make", latency_ms=9_000.0), shell(2, "ls"), shell(3, "git push")
    assert not [i for i in reflect(episode(*steps)) if i.aspect == "cost"]


def found(id, relevance, likeness, outcome="success"):
    return Match(episode(step(1, "bash", "ls"), id=id, outcome=outcome), relevance, likeness)


def test_only_what_is_near_in_task_or_in_words_bears_on_a_task():
    shown = bearing([found("a", 0.0, 0.9), found("b", 0.0, 0.2), found("c", 0.5, 0.1)])
    assert [item.episode.id for item in shown] == ["a", "c"]
    assert bearing([found("b", 0.0, 0.2)]) == []


def test_where_all_that_is_near_failed_the_next_that_succeeded_shows_a_way():
    failed, next_best = found("a", 0.0, 0.5, "failure"), found("b", 0.0, 0.3)
    assert bearing([failed, next_best]) == [failed, next_best]
