"""What similar episodes have in common, and where they parted."""

import random

from made_runs import episode, household, shell, step

from milepost.experience.patterns.kinds import compare
from milepost.experience.patterns.sequence import fits, frequent, generalised
from support import processor_time_below


def cleaned(number, thing, start, *between, outcome="success"):
    return household(
        f"take {thing} 1 from {start} 1",
        *between,
        f"clean {thing} 1 with sinkbasin 1",
        f"put {thing} 1 in/on cabinet 2",
        id=f"ep_{number}",
        outcome=outcome,
        task=f"put a clean {thing} in cabinet",
    )


def test_what_successful_runs_share_is_found_whatever_the_objects():
    runs = [
        cleaned(1, "mug", "desk"),
        cleaned(2, "pan", "stove", "go to sinkbasin 1"),
        cleaned(3, "cloth", "shelf", "open cabinet 2"),
    ]
    (sequence, *_) = [p for p in compare(runs) if p.kind == "sequence"]
    assert sequence.steps == ("take * from *", "clean * with sinkbasin", "put * in cabinet")
    assert sequence.evidence == ("ep_1", "ep_2", "ep_3")


def test_failed_runs_with_the_sequence_count_against_it():
    runs = [cleaned(n, "mug", "desk") for n in range(3)]
    runs.append(cleaned(9, "mug", "desk", outcome="failure"))
    (sequence, *_) = [p for p in compare(runs) if p.kind == "sequence"]
    assert (sequence.successes, sequence.failures) == (3, 1)
    assert sequence.against == ("ep_9",)


def test_one_episode_has_nothing_to_be_compared_with():
    assert compare([cleaned(1, "mug", "desk")]) == []


def test_sequences_of_rewarded_runs_come_first():
    good, poor = [["a", "b", "c"]] * 3, [["x", "y", "z"]] * 3
    assert frequent([*good, *poor], [2.0] * 3 + [0.1] * 3)[0] == ("a", "b", "c")
    assert frequent([*good, *poor], [0.1] * 3 + [2.0] * 3)[0] == ("x", "y", "z")


def test_only_the_longest_of_what_the_same_runs_share_is_kept():
    assert frequent([["a", "b", "c", "d"], ["a", "b", "x", "c", "d"]], [1.0, 1.0]) == [
        ("a", "b", "c", "d")
    ]


def test_long_runs_of_many_actions_are_compared_in_bounded_time():
    rng = random.Random(7)
    ways = [[rng.choice("abcdefghij") for _ in range(40)] for _ in range(40)]
    with processor_time_below(10):
        assert frequent(ways, [1.0] * 40)


def choice(number, action, outcome):
    return episode(
        shell(1, "make build", "error: stale cache", ok=False),
        step(2, "bash", action),
        id=f"ep_{number}",
        outcome=outcome,
    )


def test_a_choice_after_which_runs_ended_differently_is_a_decision():
    runs = [
        choice(1, "make clean", "success"),
        choice(2, "make clean", "success"),
        choice(3, "git reset --hard", "failure"),
        choice(4, "git reset --hard", "failure"),
    ]
    (decision,) = [p for p in compare(runs) if p.kind == "decision"]
    assert decision.advice == (
        "after run make build failed with error: stale cache, run make clean (2 of 2 ended well) "
        "rather than run git reset (2 of 2 failed)"
    )
    assert decision.evidence == ("ep_1", "ep_2")
    assert decision.steps == ("run make build", "run make clean")


def test_a_choice_that_made_no_difference_is_no_decision():
    runs = [choice(n, "make clean" if n % 2 else "make all", "success") for n in range(6)]
    assert [p for p in compare(runs) if p.kind == "decision"] == []


def test_objects_are_named_only_where_paths_agree():
    ways = [["take mug from desk", "go to sinkbasin"], ["take pan from desk", "go to sinkbasin"]]
    assert generalised(ways) == [("take * from desk", "go to sinkbasin")] * 2


def test_a_star_fits_any_object_and_a_name_only_itself():
    assert fits("take * from desk", "take mug from desk")
    assert not fits("take * from desk", "take mug from shelf")
    assert not fits("take * from desk", "put mug in desk")
    assert not fits("run pytest", "run ruff")
