"""The same pattern found again becomes one with more evidence."""

from hypothesis import given
from hypothesis import strategies as some
from made_runs import fixed_by_an_edit, pattern

from milepost.experience.patterns.kinds import extract, same
from milepost.experience.patterns.pattern import EVIDENCE_MAX, confidence, merge

EPISODES = some.lists(some.integers(0, 30), unique=True, max_size=12)


def seen_in(held, against=()):
    return pattern(
        evidence=tuple(f"ep_{n}" for n in held),
        against=tuple(f"ep_{n}" for n in against),
        successes=len(held),
        failures=len(against),
        confidence=confidence(len(held), len(against)),
    )


def test_merging_counts_distinct_episodes():
    merged = merge(seen_in([1, 2]), seen_in([2, 3], [4]))
    assert merged.evidence == ("ep_1", "ep_2", "ep_3")
    assert merged.against == ("ep_4",)
    assert (merged.successes, merged.failures) == (3, 1)
    assert merged.confidence == confidence(3, 1)


def test_merging_the_same_evidence_changes_nothing():
    known = seen_in([1, 2], [3])
    assert merge(known, known) == known
    assert merge(known, seen_in([2])) == known


@given(EPISODES, EPISODES, EPISODES, EPISODES)
def test_counts_do_not_depend_on_the_order(held_a, against_a, held_b, against_b):
    """An episode on both sides of one pattern cannot be."""
    a = seen_in(held_a, [n for n in against_a if n not in held_a])
    b = seen_in(held_b, [n for n in against_b if n not in held_b])
    one, other = merge(a, b), merge(b, a)
    assert (one.successes, one.failures) == (other.successes, other.failures)
    assert one.successes == len({*held_a, *held_b})
    assert set(one.evidence).isdisjoint(one.against)


@given(EPISODES, EPISODES)
def test_merging_twice_is_merging_once(held, more):
    once = merge(seen_in(held), seen_in(more))
    assert merge(once, seen_in(more)) == once


def test_evidence_is_bounded_to_the_latest_and_counts_go_on():
    known = seen_in(range(EVIDENCE_MAX))
    merged = merge(known, seen_in([100, 101]))
    assert len(merged.evidence) == EVIDENCE_MAX
    assert merged.evidence[-2:] == ("ep_100", "ep_101")
    assert merged.evidence[0] == "ep_2"
    assert merged.successes == EVIDENCE_MAX + 2


def test_the_advice_of_the_better_supported_stays():
    weak = seen_in([1])._replace(advice="weak")
    strong = seen_in([2, 3, 4])._replace(advice="strong")
    assert merge(weak, strong).advice == merge(strong, weak).advice == "strong"
    assert merge(weak, strong).id == weak.id


def test_new_evidence_revives_a_retired_pattern():
    retired = seen_in([1])._replace(retired=True)
    assert merge(retired, seen_in([1])).retired
    assert not merge(retired, seen_in([2])).retired


def test_the_context_is_what_all_evidence_has_in_common():
    here = seen_in([1])._replace(context={"language": "python", "framework": "flask"})
    there = seen_in([2])._replace(context={"language": "python", "framework": "django"})
    assert merge(here, there).context == {"language": "python"}


def test_an_extracted_pattern_is_the_same_in_another_episode():
    for one, other in zip(
        extract(fixed_by_an_edit()), extract(fixed_by_an_edit("ep_2")), strict=True
    ):
        assert same(one, other, similarity=0.0)
        assert merge(one, other).successes == 2


def test_patterns_of_different_kinds_are_never_the_same():
    assert not same(pattern("sequence"), pattern("decision"), similarity=1.0)


def test_sequences_with_nearly_the_same_steps_are_the_same():
    steps = ("read *.py", "edit *.py", "run ruff", "run pytest")
    one = pattern(id="pt_a", steps=steps)
    near = pattern(id="pt_b", steps=(*steps, "run git commit"))
    assert same(one, near, similarity=0.0)
    assert not same(one, pattern(id="pt_c", steps=("run make", "run pytest")), similarity=0.9)


def test_meaning_decides_where_steps_are_only_near():
    one = pattern(id="pt_a", steps=("read *.py", "edit *.py", "run pytest"))
    near = pattern(id="pt_b", steps=("edit *.py", "run mypy", "run pytest"))
    assert same(one, near, similarity=0.9)
    assert not same(one, near, similarity=0.2)


def test_recoveries_of_different_errors_are_not_the_same_however_alike_they_read():
    one = pattern("recovery", id="pt_a", situation="run pytest: KeyError: <value>")
    other = one._replace(id="pt_b", situation="run pytest: IndexError: <value>")
    assert not same(one, other, similarity=0.9)
    assert same(one, one._replace(id="pt_c", advice="other words"), similarity=0.5)


def test_traps_told_in_words_are_the_same_only_when_they_mean_the_same():
    one = pattern("trap", id="pt_a", steps=())
    assert same(one, one._replace(id="pt_b"), similarity=0.97)
    assert not same(one, one._replace(id="pt_b"), similarity=0.8)


def test_sequences_that_are_nearly_the_same_claim_only_what_both_did():
    whole = ("read *.py", "edit *.py", "run sed", "run pytest", "run git commit")
    less = tuple(step for step in whole if step != "run sed")
    for one, other in ((whole, less), (less, whole)):
        merged = merge(pattern(steps=one), pattern(steps=other, evidence=("ep_2",)))
        assert merged.steps == less
        assert "sed" not in merged.advice
    apart = merge(pattern(steps=("a", "b", "c")), pattern(steps=("b", "x", "c"), evidence=("e",)))
    assert (apart.steps, apart.advice) == (("b", "c"), "b, then c")


def test_recoveries_that_did_different_things_are_not_the_same():
    one = pattern("recovery", id="pt_a", steps=("run pytest", "edit *.py"))
    assert same(one, one._replace(id="pt_b", steps=(*one.steps, "run sed")), similarity=0.9)
    assert not same(one, one._replace(id="pt_b", steps=("run pytest", "run pip")), similarity=0.9)
