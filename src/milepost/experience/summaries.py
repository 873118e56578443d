"""Tell of episodes in few words: in a line, within a budget, to whoever takes one up."""

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from milepost.experience.entries import SALIENT, episode_space, find
from milepost.experience.redaction import as_shown
from milepost.experience.values import CompactEpisode, Episode, Step
from milepost.memory.context import Context
from milepost.memory.values import Filter
from milepost.text.sentences import clip
from milepost.text.tokens import ceiling

TASK_CHARS = 120
LESSON_CHARS = 160
_LEAST_CHARS = 40
_WORD_CHARS = 4
# An episode must be this likely to bear on the work at hand, or nothing is said of it.
_ADVICE_MIN = 0.1
# Which insight of an episode is told first.
_TELLING = ("fixed", "failed", "worked", "cost")

R = TypeVar("R")
Row = TypeVar("Row")


def compact(episode: Episode, score: float = 1.0, about: str = "") -> CompactEpisode:
    """Return an episode in a line, with the lesson that bears on a question if there is one."""
    return CompactEpisode(
        episode.id,
        as_shown(clip(episode.task, TASK_CHARS)),
        episode.task_type,
        episode.outcome,
        episode.reward,
        episode.created,
        lesson(episode, about),
        score,
    )


def lesson(episode: Episode, about: str = "") -> str:
    """Return the most telling sentence about an episode that ended, or the one about a question.

    Whoever tried it knows best why it ended so; else the rules tell what the steps show.
    """
    first = sorted(episode.insights, key=lambda i: (bool(i.steps), _place(i.aspect)))
    said = [insight.text for insight in first]
    if episode.verdict and (episode.outcome == "success" or not said):
        said.insert(0, episode.verdict)
    if not said:
        return ""
    asked = _words(about)
    shared = [len(asked & _words(text)) for text in said]
    # One word in common is chance.
    best = shared.index(max(shared)) if max(shared) > shared[0] + 1 else 0
    return as_shown(clip(said[best], LESSON_CHARS))


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"[^\W_]+", text.lower()) if len(word) >= _WORD_CHARS}


def _place(aspect: str) -> int:
    return _TELLING.index(aspect) if aspect in _TELLING else len(_TELLING)


def advice(context: Context, work: str, count: int) -> list[str]:
    """Return how the episodes ended that resemble some work, and what they taught, a line each."""
    where = Filter(episode_space(context.space), context.clock(), tags=(SALIENT,), match_all=True)
    if not work.strip() or not context.store.candidates.page(where, 1).ids:
        return []
    near = find(context, context.texts.probe(work), where, count, _ADVICE_MIN)
    episodes = context.store.episodes.named(context.space, [name for name, _ in near])
    return [
        f"{episode.id} {episode.outcome}: {clip(episode.task, TASK_CHARS)} -> {taught}"
        for episode in episodes
        if episode.outcome is not None and (taught := lesson(episode))
    ]


def shortened(episode: Episode, budget: int) -> Episode:
    """Return an episode with as many of its steps, from both ends, as a budget allows."""
    steps = episode.steps
    low, high = 0, len(steps)
    while low < high:
        middle = (low + high + 1) // 2
        if ceiling(str(episode._replace(steps=_ends(steps, middle)))) <= budget:
            low = middle
        else:
            high = middle - 1
    return _cut(episode._replace(steps=_ends(steps, low)), budget)


def _cut(episode: Episode, budget: int) -> Episode:
    """Return an episode that fits even where its words alone are too many."""
    for most in (2_000, 400, TASK_CHARS, _LEAST_CHARS):
        if ceiling(str(episode)) <= budget:
            return episode
        said = [insight._replace(text=clip(insight.text, most)) for insight in episode.insights]
        episode = episode._replace(
            task=clip(episode.task, most),
            verdict=clip(episode.verdict, most),
            insights=tuple(said[: most // _LEAST_CHARS]),
            artifacts=episode.artifacts[: most // _LEAST_CHARS],
            context={},
        )
    return episode._replace(insights=(), artifacts=(), verdict="", tags=(), relations=())


def _ends(steps: tuple[Step, ...], count: int) -> tuple[Step, ...]:
    first = count - count // 2
    return steps[:first] + steps[len(steps) - count // 2 :]


def fit_rows(
    result: R, rows: Sequence[Row], budget: int, with_rows: Callable[[tuple[Row, ...]], R]
) -> R:
    """Return a result with as many of its rows, from the first, as a budget allows."""
    low, high = 0, len(rows)
    while low < high:
        middle = (low + high + 1) // 2
        if ceiling(str(with_rows(tuple(rows[:middle])))) <= budget:
            low = middle
        else:
            high = middle - 1
    return result if low == len(rows) else with_rows(tuple(rows[:low]))
