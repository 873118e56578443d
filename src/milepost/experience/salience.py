"""Whether an episode is worth being shown again: does it teach, and is that new?

An episode that is not stays as it was and can be listed; it only does not crowd out others.
"""

from __future__ import annotations

from collections.abc import Sequence

from milepost.experience.values import Episode, Insight, Reward

# Measured on 1,995 published runs (`bench/reflexion.py`): with all of them shown the useful lesson
# of the most similar task is among the first three in 26 % of cases, above this threshold in 30 %.
# A higher one begins to leave out failures that repeat an earlier one, and with them up to a tenth
# of the lessons of a task itself: the latest is the one to go by. So it is only successes that must
# teach something new.
SALIENT = 0.2
RETRY_OF = "retry of"

# Up to this similarity an earlier episode is about something else, from the second on it is the
# same over again; and what is left of a lesson then.
_UNLIKE, _SAME = 0.985, 0.9995
_KNOWN_SUCCESS, _KNOWN_FAILURE = 0.15, 0.5
_LESSONS = {"fixed": 1.0, "failed": 0.8, "worked": 0.6, "cost": 0.3}
# That a retry succeeded proves the lesson of the trial before it.
_SUCCEEDED_AGAIN = 0.5
_GIVEN_UP = 0.6


def salience(
    episode: Episode, insights: Sequence[Insight], reward: Reward, nearest: float
) -> float:
    """Return how much an episode deserves to be found, from 0 to 1.

    nearest: the similarity of the most similar earlier episode that ended the same way.
    """
    lesson = max((_LESSONS.get(insight.aspect, 0.0) for insight in insights), default=0.0)
    if episode.outcome == "success" and any(name == RETRY_OF for name, _ in episode.relations):
        lesson = max(lesson, _SUCCEEDED_AGAIN)
    if episode.outcome == "abandoned":
        lesson *= _GIVEN_UP
    known = _KNOWN_SUCCESS if episode.outcome == "success" else _KNOWN_FAILURE
    news = min(max((_SAME - nearest) / (_SAME - _UNLIKE), 0.0), 1.0)
    worth = 0.9 + 0.1 * min(reward.total, 1.0)
    return lesson * worth * (known + (1 - known) * news)
