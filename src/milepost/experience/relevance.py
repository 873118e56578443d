"""Which of the past bears on a task, and how much it weighs: the most alike first, each once.

Measured on published runs (`bench/reflexion.py`): how alike the tasks are tells more than how well
the whole text answers, and an insight after which the task was solved beats one that did not help.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from milepost.experience.entries import SALIENT, episode_space, find, label, pattern_space
from milepost.experience.patterns.pattern import (
    DAY_S,
    HALF_LIFE_DAYS,
    decayed,
    effectiveness,
    succeeded,
)
from milepost.experience.values import RETRY_OF, SOLVED_BY, Episode, Pattern
from milepost.memory.context import Context
from milepost.memory.values import Filter
from milepost.upkeep.recorder import Recorder
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from milepost.ranking.candidates import Probe

# Of the context, what tells whether two tasks belong together; and what is left of the weight of
# one that took place elsewhere. The words of a context are not searched for: every task in the same
# place has them, and says nothing by them.
PLACE = ("repository", "repo", "project", "framework", "language", "domain")
_ELSEWHERE = 0.6
# What is known is taken as true and as of value, whatever it is about.
TRUSTED, VALUED = 1.0, "success"
# So many of the best by words and meaning are put in order by how alike their tasks are.
_COMPARED = 24
_RELEVANCE_SHARE = 0.3
_PROVEN = 1.3
# What was learned from this very task counts like what was proven: nothing else shall displace it.
_THIS_VERY_TASK = 0.98
# Earlier trials of a task were known when the latest was made: each counts less than the next.
_EARLIER = 0.6
_SAID_BEFORE = 0.3
# An episode without an insight proves those of others and has nothing to say itself.
_NOTHING_SAID = 0.1
# Tasks less alike than this have nothing to do with each other, nor have those far behind the
# best; but a text that answers as well as this is about the same thing in other words.
_BEARING, _BESIDE_BEST, _RELEVANT = 0.35, 0.4, 0.4
_NEXT_BEST = 0.25
# Both ways of ending teach, but steps that worked can be followed; what was given up tells least.
_OUTCOMES = {"success": 1.0, "partial": 0.9, "failure": 0.85, "abandoned": 0.6}
_RECENCY_FLOOR = 0.5
_CONFIDENCE_FLOOR = 0.5


class TaskQuery(NamedTuple):
    """A task or a question, with where it comes up, and where and when to look."""

    text: str
    place: Mapping[str, Any]
    domain: str | None = None
    after_us: int | None = None
    before_us: int | None = None

    def where(self, context: Context, space: str) -> Filter:
        """Return what of a space of entries may bear on it."""
        labels = [] if self.domain is None else [label("domain", self.domain)]
        return Filter(
            space,
            context.clock(),
            tags=(SALIENT, *labels),
            match_all=True,
            after_us=self.after_us,
            before_us=self.before_us,
        )


class Match(NamedTuple):
    """An episode that a search found.

    relevance: how well its text answers, from 0 to 1. likeness: the cosine of its task and this.
    """

    episode: Episode
    relevance: float
    likeness: float


def most_similar(
    context: Context, task: str, probe: Probe, where: Filter, count: int, *, bearing_only: bool
) -> list[tuple[Episode, float]]:
    """Return the episodes most like a task with their weights, each insight once.

    bearing_only: leave out those that are most like it and yet have nothing to do with it.
    """
    scores = dict(find(context, probe, where, max(_COMPARED, count), least=0.0))
    episodes = context.store.episodes.named(context.space, list(scores))
    likenesses = context.texts.likeness(task, [episode.task for episode in episodes])
    matches = [Match(e, scores[e.id], like) for e, like in zip(episodes, likenesses, strict=True)]
    return ranked(bearing(matches) if bearing_only else matches, context.now_s, count)


def relevant_episodes(
    context: Context, probe: Probe, asked: TaskQuery, count: int
) -> list[tuple[Episode, float]]:
    """Return completed episodes with relevance × outcome × recency × nearness."""
    context.part(Recorder).flush()
    where = asked.where(context, episode_space(context.space))
    scores = dict(find(context, probe, where, count))
    now_s, weighed = context.now_s, []
    for episode in context.store.episodes.named(context.space, list(scores)):
        if episode.outcome is not None:
            age_days = (now_s - episode.created) / DAY_S
            value = weight(scores[episode.id], episode.outcome, age_days, TRUSTED)
            weighed.append((episode, value * nearness(episode.context, asked.place)))
    return weighed


def relevant_patterns(
    context: Context, probe: Probe, asked: TaskQuery, count: int
) -> list[tuple[Pattern, float]]:
    """Return patterns with relevance × recency × confidence × what became of showing them."""
    from milepost.experience.patterns.kinds import KINDS

    where = asked.where(context, pattern_space(context.space))
    scores = dict(find(context, probe, where, count))
    now_s, weighed = context.now_s, []
    for stored in context.store.patterns.named(context.space, list(scores)):
        pattern = decayed(stored.pattern, now_s)
        near = nearness(pattern.context, asked.place)
        if near == 1 or not KINDS[pattern.kind].is_local:
            age_days = (now_s - pattern.updated) / DAY_S
            value = weight(scores[pattern.id], VALUED, age_days, pattern.confidence)
            weighed.append((pattern, value * (0.5 + effectiveness(pattern)) * near))
    return sorted(weighed, key=lambda pair: -pair[1])


def nearness(context: Mapping[str, Any], place: Mapping[str, Any]) -> float:
    """Return 1 where nothing speaks against the same place, less where something does."""
    both = [key for key in place if context.get(key)]
    return _ELSEWHERE if any(context[key] != place[key] for key in both) else 1.0


def weight(relevance: float, outcome: str | None, age_days: float, confidence: float) -> float:
    """Return what an experience weighs in retrieval: relevance × outcome × recency × confidence.

    Age and doubt halve a weight at most: what is old and about this task beats what is fresh and
    about another.
    """
    # By the hour, so that asking twice in a row gives the same.
    age_days = int(age_days * 24) / 24
    fresh: float = 0.5 ** (max(age_days, 0.0) / HALF_LIFE_DAYS)
    recency = _RECENCY_FLOOR + (1 - _RECENCY_FLOOR) * fresh
    trust = _CONFIDENCE_FLOOR + (1 - _CONFIDENCE_FLOOR) * confidence
    return relevance * _OUTCOMES.get(outcome or "", 0.6) * recency * trust


def bearing(matches: Sequence[Match]) -> list[Match]:
    """Return those that bear on a task: by what was to be done, or by what was met meanwhile.

    Where none of them shows steps that worked, the next that succeeded may.
    """
    best = max((_base(match) for match in matches), default=0.0)
    least = max(_BEARING, _BESIDE_BEST * best)
    near = [match for match in matches if match.relevance >= _RELEVANT or _base(match) >= least]
    if near and not any(_shows_steps(match) for match in near):
        near += [match for match in matches if _shows_steps(match) and _base(match) >= _NEXT_BEST]
    return near


def _shows_steps(match: Match) -> bool:
    return succeeded(match.episode) and match.episode.step_count > 0


def ranked(
    matches: Sequence[Match], now_s: float, limit: int, proven: Collection[str] = ()
) -> list[tuple[Episode, float]]:
    """Return the episodes to show with their weights, best first.

    proven: ids of episodes after whose insight the task is known to have been solved. Retries among
    the matches, and a relation that says so, are seen without it.
    """
    weighed = [pair for chain in _chains(matches) for pair in _weighed(chain, now_s, proven)]
    weighed.sort(key=lambda pair: -pair[1])
    return _each_insight_once(weighed)[:limit]


def _chains(matches: Sequence[Match]) -> list[list[Match]]:
    """Return the trials of each task together, the latest first."""
    chains: dict[str, list[Match]] = {}
    roots = _roots([match.episode for match in matches])
    for match in matches:
        chains.setdefault(roots[match.episode.id], []).append(match)
    for chain in chains.values():
        chain.sort(key=lambda match: (bool(match.episode.insights), _ended_s(match)), reverse=True)
    return list(chains.values())


def _roots(episodes: Sequence[Episode]) -> dict[str, str]:
    """Return for each episode the first trial of what it tries again.

    Without a word on what an episode retries, the same task in the same words is taken for it.
    """
    before = {e.id: other for e in episodes for name, other in e.relations if name == RETRY_OF}
    retried = set(before.values())
    roots = {}
    for episode in episodes:
        root, seen = episode.id, {episode.id}
        while (earlier := before.get(root)) is not None and earlier not in seen:
            seen.add(earlier)
            root = earlier
        alone = root == episode.id and root not in retried
        roots[episode.id] = " ".join(episode.task.casefold().split()) if alone else root
    return roots


def _weighed(
    chain: Sequence[Match], now_s: float, proven: Collection[str]
) -> list[tuple[Episode, float]]:
    base = max(_base(match) for match in chain)
    solved_at = max((_ended_s(m) for m in chain if succeeded(m.episode)), default=None)
    weighed = []
    for place, match in enumerate(chain):
        episode = match.episode
        helped = solved_at is not None and not succeeded(episode) and _ended_s(match) <= solved_at
        value = weight(base, episode.outcome, (now_s - _ended_s(match)) / DAY_S, confidence=1.0)
        helped = helped or episode.id in proven or SOLVED_BY in dict(episode.relations)
        own = match.likeness >= _THIS_VERY_TASK
        value *= _PROVEN if helped or own else 1.0
        value *= _EARLIER**place if episode.insights else _NOTHING_SAID
        weighed.append((episode, value))
    return weighed


def _base(match: Match) -> float:
    return match.likeness + _RELEVANCE_SHARE * match.relevance


def _each_insight_once(weighed: Sequence[tuple[Episode, float]]) -> list[tuple[Episode, float]]:
    """Push back what says the same as something better."""
    said: set[str] = set()
    once = []
    for episode, value in weighed:
        insight = episode.insights[0].text if episode.insights else episode.task
        once.append((episode, value * (_SAID_BEFORE if insight in said else 1.0)))
        said.add(insight)
    return sorted(once, key=lambda pair: -pair[1])


def _ended_s(match: Match) -> float:
    return match.episode.completed or match.episode.created
