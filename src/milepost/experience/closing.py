"""Close an episode: its reward, its reflection, and whether it deserves to be found.

What is closed is judged by the episode and its peers alone; writing it is for others.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from milepost.experience.redaction import lessons_kept
from milepost.experience.reflection import reflect
from milepost.experience.reward import Peers, reward
from milepost.experience.salience import SALIENT, salience
from milepost.experience.values import ABANDONED, Episode, EpisodeChanges, Pattern, Peer, Reward
from milepost.text.words import content_words, stem
from milepost.values import NamedTuple

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
        return self.salience > SALIENT


def closed(episode: Episode, peers: Sequence[Peer], shown: Sequence[Pattern]) -> Closed:
    """Return an episode that has an outcome and its steps with its reward and its lessons.

    peers: episodes of its type that were completed lately.
    shown: the patterns that whoever worked on it was told of.
    """
    worth = reward(episode, _chosen(episode, peers), shown)
    lessons = lessons_kept(reflect(episode))
    return Closed(episode._replace(insights=lessons, reward=worth.total), worth)


def judged(ended: Closed, nearest: float) -> Closed:
    """Return a closed episode with its salience.

    nearest: the similarity of the most similar earlier episode that ended the same way.
    """
    episode = ended.episode
    return ended._replace(salience=salience(episode, episode.insights, ended.reward, nearest))


def _chosen(episode: Episode, peers: Sequence[Peer]) -> Peers:
    """Return how those with a similar task went, or all."""
    others = [peer for peer in peers if peer.id != episode.id and peer.outcome != ABANDONED]
    alike = _alike(episode.task, others)
    chosen = alike if len(alike) >= _PEERS_FEW else others
    return Peers([peer.steps for peer in chosen], [peer.seconds for peer in chosen])


def _alike(task: str, peers: Sequence[Peer]) -> list[Peer]:
    mine = _words(task)
    if not mine:
        return []
    return [
        peer
        for peer in peers
        if len(mine & (theirs := _words(peer.task))) >= _ALIKE * max(len(mine), len(theirs))
    ]


@lru_cache(maxsize=_TASKS_CACHED)
def _words(task: str) -> frozenset[str]:
    return frozenset(stem(word) for word in content_words(task))
