"""In which order episodes are shown."""

from made_runs import episode

from milepost.experience.reflection import reflect
from milepost.experience.relevance import Match, ranked

DAY_S = 86_400.0


def failed(id, verdict, task="Fix the lookup", created=0.0, **more):
    run = episode(id=id, outcome="failure", verdict=verdict, task=task, created=created, **more)
    return run._replace(insights=reflect(run))


def order(*found, proven=(), limit=9):
    return [e.id for e, _ in ranked(found, 30 * DAY_S, limit, proven)]


def test_the_episode_with_the_task_most_alike_comes_first():
    near = Match(failed("ep_near", "The cache was stale because of X.", "Fix a lookup"), 0.2, 0.9)
    far = Match(failed("ep_far", "The disk was full because of logs.", "Free the disk"), 0.8, 0.3)
    assert order(far, near) == ["ep_near", "ep_far"]


def test_of_several_trials_the_latest_speaks_first():
    trials = [
        Match(failed(f"ep_{n}", f"Wrong because of reason {n} here.", created=n * DAY_S), 0.5, 0.8)
        for n in range(3)
    ]
    other = Match(failed("ep_other", "Bad because the clock is off.", "Fix the clock"), 0.5, 0.7)
    assert order(*trials, other) == ["ep_2", "ep_other", "ep_1", "ep_0"]


def test_a_lesson_after_which_the_task_was_solved_beats_one_that_did_not_help():
    solved = failed("ep_solved", "Wrong because the index is off by one.", "Sum the rows")
    not_solved = failed("ep_unsolved", "Wrong because the axis is swapped.", "Sum the columns")
    found = Match(not_solved, 0.5, 0.8), Match(solved, 0.5, 0.75)
    assert order(*found) == ["ep_unsolved", "ep_solved"]
    assert order(*found, proven={"ep_solved"}) == ["ep_solved", "ep_unsolved"]
    told = solved._replace(relations=(("solved by", "ep_9"),))
    assert order(found[0], found[1]._replace(episode=told)) == ["ep_solved", "ep_unsolved"]
    retry = episode(
        id="ep_retry", task="Sum rows", created=DAY_S, relations=(("retry of", "ep_solved"),)
    )
    assert order(*found, Match(retry, 0.1, 0.7)) == ["ep_solved", "ep_unsolved", "ep_retry"]


def test_the_lesson_of_this_very_task_is_not_displaced_by_a_proven_one():
    own = failed("ep_own", "Wrong because the index is off by one.", "Sum the rows")
    proven = failed("ep_proven", "Wrong because the axis is swapped.", "Sum the columns")
    found = Match(proven, 0.5, 0.9), Match(own, 0.5, 1.0)
    assert order(*found, proven={"ep_proven"}) == ["ep_own", "ep_proven"]


def test_the_same_lesson_again_is_pushed_back():
    told = "Wrong because the index is off by one."
    found = [
        Match(failed(f"ep_{n}", told, f"Sum matrix {n}"), 0.5, 0.8 - n / 100) for n in range(3)
    ]
    other = Match(failed("ep_other", "Wrong because the axis is swapped.", "Sum it"), 0.5, 0.5)
    assert order(*found, other)[:2] == ["ep_0", "ep_other"]


def test_an_episode_without_a_lesson_comes_last():
    silent = Match(episode(id="ep_silent", task="Fix the lookup now"), 0.9, 0.95)
    telling = Match(failed("ep_telling", "The cache was stale because of X."), 0.3, 0.6)
    assert order(silent, telling) == ["ep_telling", "ep_silent"]


def test_retries_in_a_circle_are_survived():
    one = failed("ep_1", "Wrong because of X and Y.", relations=(("retry of", "ep_2"),))
    two = failed("ep_2", "Wrong because of Z and W.", relations=(("retry of", "ep_1"),))
    assert set(order(Match(one, 0.5, 0.5), Match(two, 0.5, 0.5))) == {"ep_1", "ep_2"}


def test_no_more_than_the_limit_are_shown():
    found = [
        Match(failed(f"ep_{n}", f"Wrong because {n}.", f"Task {n}"), 0.5, 0.5) for n in range(9)
    ]
    assert len(order(*found, limit=3)) == 3
