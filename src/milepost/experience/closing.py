"""Close an episode: its reward, its reflection, and whether it deserves to be found.

What is closed is judged by the episode and its peers alone; writing it is for others. An episode
that does not deserve to be found stays as it was and can be listed; it only does not crowd out
others.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from milepost.experience.redaction import redacted_insights
from milepost.experience.reflection import reflect
from milepost.experience.reward import Peers, reward
from milepost.experience.steps import acts_in
from milepost.experience.values import (
    ABANDONED,
    RETRY_OF,
    Episode,
    EpisodeChanges,
    Insight,
    Pattern,
    Peer,
    Reward,
)
from milepost.text.mending import Act, mendings
from milepost.text.words import content_words, stem
from milepost.values import NamedTuple

# Measured on 1,995 published runs (`bench/reflexion.py`): with all of them shown the useful lesson
# of the most similar task is among the first three in 26 % of cases, above this threshold in 30 %.
# A higher one begins to leave out failures that repeat an earlier one, and with them up to a tenth
# of the lessons of a task itself: the latest is the one to go by. So it is only successes that must
# teach something new.
SALIENCE_MIN = 0.2
# Up to this similarity an earlier episode is about something else, from the second on it is the
# same over again; and what is left of what it teaches then.
_UNLIKE, _SAME = 0.985, 0.9995
_KNOWN_SUCCESS, _KNOWN_FAILURE = 0.15, 0.5
_INSIGHTS = {"fixed": 1.0, "failed": 0.8, "worked": 0.6, "cost": 0.3}
# That a retry succeeded proves what was learned from the trial before it.
_SUCCEEDED_AGAIN = 0.5
_GIVEN_UP = 0.6
# Peers are those whose tasks share this much of their words, if there are a few; else all.
_ALIKE = 0.4
_PEERS_FEW = 5
_TASKS_CACHED = 10_000


class Closed(NamedTuple):
    """An episode as it is after its end, and what of it changes with that."""

    episode: Episode
    reward: Reward
    salience: float = 0.0

    @property
    def changes(self) -> EpisodeChanges:
        """What is to be written."""
        ended = self.episode
        return EpisodeChanges(
            outcome=ended.outcome,
            verdict=ended.verdict,
            artifacts=ended.artifacts,
            completed=ended.completed,
            reward=self.reward,
            insights=ended.insights,
            salience=self.salience,
        )

    @property
    def is_salient(self) -> bool:
        """Whether it deserves to be found."""
        return self.salience > SALIENCE_MIN


def closed(
    episode: Episode,
    peers: Sequence[Peer],
    shown: Sequence[Pattern],
    done: Sequence[Act] | None = None,
) -> Closed:
    """Return an episode that has an outcome and its steps with its reward and its insights.

    The insights are in the words of its steps: `redacted` is to be written and shown to others.

    peers: episodes of its type that were completed lately.
    shown: the patterns that whoever worked on it was told of.
    done: what its steps did, where that is known already.
    """
    done = acts_in(episode) if done is None else done
    mended = mendings(done)
    rewarded = reward(episode, _chosen(episode, peers), shown, done, mended)
    insights = reflect(episode, done, mended)
    return Closed(episode._replace(insights=insights, reward=rewarded.total), rewarded)


def redacted(ended: Closed) -> Closed:
    """Return a closed episode whose insights hold no secrets."""
    insights = redacted_insights(ended.episode.insights)
    return ended._replace(episode=ended.episode._replace(insights=insights))


def judged(ended: Closed, nearest: float) -> Closed:
    """Return a closed episode with its salience.

    nearest: the similarity of the most similar earlier episode that ended the same way.
    """
    episode = ended.episode
    return ended._replace(salience=salience(episode, episode.insights, ended.reward, nearest))


def salience(
    episode: Episode, insights: Sequence[Insight], reward: Reward, nearest: float
) -> float:
    """Return how much an episode deserves to be found, from 0 to 1: does it teach, and is that new?

    nearest: the similarity of the most similar earlier episode that ended the same way.
    """
    teaching = max((_INSIGHTS.get(insight.aspect, 0.0) for insight in insights), default=0.0)
    if episode.outcome == "success" and any(name == RETRY_OF for name, _ in episode.relations):
        teaching = max(teaching, _SUCCEEDED_AGAIN)
    if episode.outcome == "abandoned":
        teaching *= _GIVEN_UP
    known = _KNOWN_SUCCESS if episode.outcome == "success" else _KNOWN_FAILURE
    news = min(max((_SAME - nearest) / (_SAME - _UNLIKE), 0.0), 1.0)
    value = 0.9 + 0.1 * min(reward.total, 1.0)
    return teaching * value * (known + (1 - known) * news)


def _chosen(episode: Episode, peers: Sequence[Peer]) -> Peers:
    """Return how those with a similar task went, or all."""
    others = [peer for peer in peers if peer.id != episode.id and peer.outcome != ABANDONED]
    alike = _alike(episode.task, others)
    chosen = alike if len(alike) >= _PEERS_FEW else others
    return Peers([peer.steps for peer in chosen], [peer.seconds for peer in chosen])


def _alike(task: str, peers: Sequence[Peer]) -> list[Peer]:
    mine = task_words(task)
    if not mine:
        return []
    return [
        peer
        for peer in peers
        if len(mine & (theirs := task_words(peer.task))) >= _ALIKE * max(len(mine), len(theirs))
    ]


@lru_cache(maxsize=_TASKS_CACHED)
def task_words(task: str) -> frozenset[str]:
    """Return what the words of a task are compared by."""
    return frozenset(stem(word) for word in content_words(task))
