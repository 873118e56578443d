"""Order the episodes that bear on a task: the most alike first, each lesson once.

Measured on published runs (`bench/reflexion.py`): how alike the tasks are tells more than how well
the whole text answers, and a lesson after which the task was solved beats one that did not help.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from milepost.experience.patterns.pattern import DAY_S, HALF_LIFE_DAYS, succeeded
from milepost.experience.salience import RETRY_OF
from milepost.experience.values import Episode
from milepost.values import NamedTuple

# How an episode is related to the retry that succeeded after it.
SOLVED_BY = "solved by"

_RELEVANCE_SHARE = 0.3
_PROVEN = 1.3
# What was learned from this very task counts like a proven lesson: no other's shall displace it.
_THIS_VERY_TASK = 0.98
# Earlier trials of a task were known when the latest was made: each is worth less than the next.
_EARLIER = 0.6
_SAID_BEFORE = 0.3
# An episode without a lesson proves those of others and has nothing to say itself.
_NOTHING_SAID = 0.1
# Tasks less alike than this have nothing to do with each other, nor have those far behind the
# best; but a text that answers as well as this is about the same thing in other words.
_BEARING, _BESIDE_BEST, _RELEVANT = 0.35, 0.4, 0.25
_NEXT_BEST = 0.25
# Both ways of ending teach, but a way that worked can be followed; one given up tells least.
_OUTCOMES = {"success": 1.0, "partial": 0.9, "failure": 0.85, "abandoned": 0.6}
_RECENCY_FLOOR = 0.5
_CONFIDENCE_FLOOR = 0.5


class Found(NamedTuple):
    """An episode that a search found.

    relevance: how well its text answers, from 0 to 1. likeness: the cosine of its task and this.
    """

    episode: Episode
    relevance: float
    likeness: float


def weight(relevance: float, outcome: str | None, age_days: float, confidence: float) -> float:
    """Return what an experience weighs in retrieval: relevance × outcome × recency × confidence.

    Age and doubt halve a weight at most: an old lesson about this task beats a fresh one about
    another.
    """
    # By the hour, so that asking twice in a row gives the same.
    age_days = int(age_days * 24) / 24
    fresh: float = 0.5 ** (max(age_days, 0.0) / HALF_LIFE_DAYS)
    recency = _RECENCY_FLOOR + (1 - _RECENCY_FLOOR) * fresh
    trust = _CONFIDENCE_FLOOR + (1 - _CONFIDENCE_FLOOR) * confidence
    return relevance * _OUTCOMES.get(outcome or "", 0.6) * recency * trust


def bearing(found: Sequence[Found]) -> list[Found]:
    """Return those that bear on a task: by what was to be done, or by what was met on the way.

    Where none of them shows a way, the next that succeeded may.
    """
    best = max((_base(item) for item in found), default=0.0)
    least = max(_BEARING, _BESIDE_BEST * best)
    near = [item for item in found if item.relevance >= _RELEVANT or _base(item) >= least]
    if near and not any(_shows_a_way(item) for item in near):
        near += [item for item in found if _shows_a_way(item) and _base(item) >= _NEXT_BEST]
    return near


def _shows_a_way(item: Found) -> bool:
    return succeeded(item.episode) and item.episode.step_count > 0


def line_up(
    found: Sequence[Found], now: float, limit: int, proven: Collection[str] = ()
) -> list[tuple[Episode, float]]:
    """Return the episodes to show with their weights, best first.

    proven: ids of episodes after whose lesson the task is known to have been solved. Retries among
    the found ones, and a relation that says so, are seen without it.
    """
    weighed = [pair for chain in _chains(found) for pair in _weighed(chain, now, proven)]
    weighed.sort(key=lambda pair: -pair[1])
    return _each_lesson_once(weighed)[:limit]


def _chains(found: Sequence[Found]) -> list[list[Found]]:
    """Return the trials of each task together, the latest first."""
    chains: dict[str, list[Found]] = {}
    roots = _roots([item.episode for item in found])
    for item in found:
        chains.setdefault(roots[item.episode.id], []).append(item)
    for chain in chains.values():
        chain.sort(key=lambda item: (bool(item.episode.insights), _ended(item)), reverse=True)
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
    chain: Sequence[Found], now: float, proven: Collection[str]
) -> list[tuple[Episode, float]]:
    base = max(_base(item) for item in chain)
    solved_at = max((_ended(i) for i in chain if succeeded(i.episode)), default=None)
    weighed = []
    for place, item in enumerate(chain):
        episode = item.episode
        helped = solved_at is not None and not succeeded(episode) and _ended(item) <= solved_at
        value = weight(base, episode.outcome, (now - _ended(item)) / DAY_S, confidence=1.0)
        helped = helped or episode.id in proven or _related(episode, SOLVED_BY)
        own = item.likeness >= _THIS_VERY_TASK
        value *= _PROVEN if helped or own else 1.0
        value *= _EARLIER**place if episode.insights else _NOTHING_SAID
        weighed.append((episode, value))
    return weighed


def _base(item: Found) -> float:
    return item.likeness + _RELEVANCE_SHARE * item.relevance


def _each_lesson_once(weighed: Sequence[tuple[Episode, float]]) -> list[tuple[Episode, float]]:
    """Push back what says the same as something better."""
    said: set[str] = set()
    kept = []
    for episode, value in weighed:
        lesson = episode.insights[0].text if episode.insights else episode.task
        kept.append((episode, value * (_SAID_BEFORE if lesson in said else 1.0)))
        said.add(lesson)
    return sorted(kept, key=lambda pair: -pair[1])


def _related(episode: Episode, wanted: str) -> bool:
    return any(name == wanted for name, _ in episode.relations)


def _ended(item: Found) -> float:
    return item.episode.completed or item.episode.created
