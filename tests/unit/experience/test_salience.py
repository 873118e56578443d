"""Which episodes deserve to be found."""

from made_runs import episode, fixed_by_an_edit

from milepost.experience.closing import SALIENCE_MIN, salience
from milepost.experience.reflection import reflect
from milepost.experience.reward import Peers, reward


def value(found, nearest=0.0):
    return salience(found, reflect(found), reward(found, Peers()), nearest)


def test_an_episode_that_taught_nothing_is_not_salient():
    assert value(episode()) < SALIENCE_MIN


def test_a_failure_that_was_mended_is_salient():
    assert value(fixed_by_an_edit()) > SALIENCE_MIN


def test_the_same_success_again_is_not_salient():
    assert value(fixed_by_an_edit(), nearest=1.0) < SALIENCE_MIN


def test_the_same_failure_again_is_salient_because_it_is_the_latest():
    failed = episode(outcome="failure", verdict="The cache was stale because nobody cleared it.")
    assert value(failed, nearest=1.0) > SALIENCE_MIN


def test_what_is_new_is_more_salient_than_what_is_known():
    found = fixed_by_an_edit()
    assert value(found, nearest=0.5) > value(found, nearest=0.99) > value(found, nearest=0.999)


def test_a_retry_that_succeeded_is_salient_even_in_silence():
    again = episode(relations=(("retry of", "ep_0"),))
    assert value(again) > SALIENCE_MIN > value(episode(relations=(("follows", "ep_0"),)))


def test_salience_is_a_share():
    for outcome in ("success", "partial", "failure", "abandoned"):
        assert 0 <= value(fixed_by_an_edit(outcome=outcome), nearest=-0.5) <= 1
