"""Tell of episodes in few words: in a line, within a budget, to whoever takes one up."""

import re
from collections.abc import Iterator

from milepost.experience.redaction import as_shown
from milepost.experience.values import CompactEpisode, Episode, Step
from milepost.text.fit import first_fitting, largest_fitting
from milepost.text.lines import clip

TASK_CHARS = 120
LESSON_CHARS = 160
_LEAST_CHARS = 40
_WORD_CHARS = 4
# Which insight of an episode is told first.
_TELLING = ("fixed", "failed", "worked", "cost")


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
        episode.completed,
        *(_named(episode, name) for name in ("project", "session")),
    )


def _named(episode: Episode, name: str) -> str | None:
    value = episode.context.get(name)
    return value if isinstance(value, str) else None


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


def shortened(episode: Episode, budget: int) -> Episode:
    """Return an episode with as many of its steps, from both ends, as a budget allows."""
    steps = episode.steps
    fewer = largest_fitting(
        len(steps), lambda count: episode._replace(steps=_ends(steps, count)), budget
    )
    return first_fitting(_ever_shorter(fewer), budget)


def _ever_shorter(episode: Episode) -> Iterator[Episode]:
    """Yield an episode in ever fewer words, for one whose words alone are too many."""
    yield episode
    for most in (2_000, 400, TASK_CHARS, _LEAST_CHARS):
        said = [insight._replace(text=clip(insight.text, most)) for insight in episode.insights]
        episode = episode._replace(
            task=clip(episode.task, most),
            verdict=clip(episode.verdict, most),
            insights=tuple(said[: most // _LEAST_CHARS]),
            artifacts=episode.artifacts[: most // _LEAST_CHARS],
            context={},
        )
        yield episode
    yield episode._replace(insights=(), artifacts=(), verdict="", tags=(), relations=())


def _ends(steps: tuple[Step, ...], count: int) -> tuple[Step, ...]:
    first = count - count // 2
    return steps[:first] + steps[len(steps) - count // 2 :]
