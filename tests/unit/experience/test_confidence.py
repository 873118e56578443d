"""How far a pattern can be relied on."""

import pytest
from hypothesis import given
from hypothesis import strategies as some
from made_runs import pattern

from milepost.experience.patterns.pattern import confidence, decayed, effectiveness, merge
from milepost.experience.relevance import weight

DAY_S = 86_400.0


@given(some.integers(0, 500), some.integers(0, 500))
def test_confidence_is_below_the_ratio(successes, failures):
    found = confidence(successes, failures)
    assert 0 <= found < 1
    if successes:
        assert found < successes / (successes + failures)


@given(some.integers(0, 200), some.integers(0, 200))
def test_each_success_raises_and_each_failure_lowers_it(successes, failures):
    found = confidence(successes, failures)
    assert confidence(successes + 1, failures) > found
    assert confidence(successes, failures + 1) <= found


def test_more_of_the_same_share_is_more_certain():
    assert confidence(1, 0) < confidence(3, 0) < confidence(30, 0)
    assert confidence(2, 2) < confidence(20, 20) < 0.5


def test_nothing_seen_is_no_confidence():
    assert confidence(0, 0) == 0


def test_the_bound_holds_nine_times_in_ten():
    """Counted over all outcomes of twenty tries with a true share of 0.7."""
    from math import comb

    chance = {k: comb(20, k) * 0.7**k * 0.3 ** (20 - k) for k in range(21)}
    covered = sum(p for k, p in chance.items() if confidence(k, 20 - k) <= 0.7)
    assert 0.85 < covered < 0.98


def test_effectiveness_starts_at_one_half_and_follows_what_happened():
    assert effectiveness(pattern(shown=9)) == 0.5
    assert effectiveness(pattern(shown=9, helped=6)) > 0.8
    assert effectiveness(pattern(shown=9, hindered=6)) < 0.2


def test_an_unused_pattern_loses_confidence_and_retires():
    fresh = pattern(successes=10, updated=0.0)
    soon, later, long_after = (decayed(fresh, days * DAY_S) for days in (1, 90, 400))
    assert soon.confidence > later.confidence > long_after.confidence
    assert later.confidence == pytest.approx(confidence(10, 0) / 2)
    assert not later.retired
    assert long_after.retired


def test_a_well_supported_pattern_outlives_a_single_sighting():
    now = 200 * DAY_S
    assert decayed(pattern(successes=1), now).retired
    assert not decayed(pattern(successes=10), now).retired


def test_a_refuted_pattern_retires_without_growing_old():
    refuted = pattern(successes=1, shown=6, hindered=6, updated=0.0)
    assert decayed(refuted, 0.0).retired


def test_decaying_twice_is_decaying_once():
    now = 100 * DAY_S
    once = decayed(pattern(successes=5), now)
    assert decayed(once, now) == once


def test_nothing_of_a_retired_pattern_is_lost_and_new_evidence_revives_it():
    old = pattern(successes=1, updated=0.0)
    retired = decayed(old, 400 * DAY_S)
    assert retired._replace(confidence=old.confidence, retired=False) == old
    found = pattern(evidence=("ep_9",), updated=400 * DAY_S)
    assert not decayed(merge(retired, found), 401 * DAY_S).retired


def test_each_factor_of_a_weight_counts():
    best = weight(1.0, "success", 0.0, 1.0)
    assert best == 1.0
    assert weight(0.5, "success", 0.0, 1.0) < best
    assert weight(1.0, "abandoned", 0.0, 1.0) < weight(1.0, "failure", 0.0, 1.0) < best
    assert weight(1.0, "success", 365.0, 1.0) < best
    assert weight(1.0, "success", 0.0, 0.2) < best
    assert weight(1.0, None, 0.0, 1.0) < best


def test_age_and_doubt_never_outweigh_relevance():
    assert weight(1.0, "success", 9_999.0, 0.0) > weight(0.2, "success", 0.0, 1.0)


def test_a_time_in_the_future_is_no_age():
    assert weight(1.0, "success", -5.0, 1.0) == 1.0
