"""Tell of episodes in few words: in a line, within a budget, to whoever takes one up."""

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from milepost.experience.redaction import kept_from, told
from milepost.experience.values import CompactEpisode, Episode, Handover, Insight, Step
from milepost.text.sentences import clip
from milepost.text.tokens import ceiling

TASK_CHARS = 120
LESSON_CHARS = 160
_STEP_CHARS = 100
_LEAST_CHARS = 40
_WORD_CHARS = 4
_DONE, _FAILED = 12, 4
# Which insight of an episode is told first.
_TELLING = ("fixed", "failed", "worked", "cost")

R = TypeVar("R")
Row = TypeVar("Row")


def compact(episode: Episode, score: float = 1.0, about: str = "") -> CompactEpisode:
    """Return an episode in a line, with the lesson that bears on a question if there is one."""
    return CompactEpisode(
        episode.id,
        told(clip(episode.task, TASK_CHARS)),
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
    return told(clip(said[best], LESSON_CHARS))


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"[^\W_]+", text.lower()) if len(word) >= _WORD_CHARS}


def _place(aspect: str) -> int:
    return _TELLING.index(aspect) if aspect in _TELLING else len(_TELLING)


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


def handover(episode: Episode, budget: int) -> Handover:
    """Return what whoever takes an episode up has to know, the oldest steps left out first."""
    done, failed, still_open = _progress(episode)
    note = next((point.note for point in reversed(episode.checkpoints) if point.note), "")
    made = Handover(
        episode.id,
        clip(episode.task, 2 * TASK_CHARS),
        clip(note, 3 * LESSON_CHARS),
        done[-_DONE:],
        failed[-_FAILED:],
        still_open,
        episode.step_count,
    )
    while ceiling(str(made)) > budget and (made.done or made.failed):
        made = made._replace(done=made.done[1:]) if made.done else made._replace(failed=())
    return made if ceiling(str(made)) <= budget else made._replace(note="", open=())


def _progress(episode: Episode) -> tuple[tuple[str, ...], ...]:
    """Return what was done, what is known about failures, and what failed when last tried."""
    from milepost.experience.reflection import reflect
    from milepost.experience.steps import deeds

    taken = deeds(episode)
    last = {deed.action: deed for deed in taken}
    ended = [deed for deed in taken if last[deed.action] is deed]
    done = tuple(_line(deed.step) for deed in ended if deed.ok)
    failed = [deed.step for deed in ended if not deed.ok][-_FAILED:]
    still = {step.number for step in failed}
    insights = [insight.text for insight in _past(reflect(episode), still)]
    return (
        done,
        tuple(_shown(text, LESSON_CHARS) for text in insights),
        tuple(f"{_line(step)}: {_seen(step)}" for step in failed),
    )


def _past(insights: Sequence[Insight], still: set[int]) -> list[Insight]:
    """Return what was learned from failures that are not open, each told once: with its mend."""
    fixed = [insight for insight in insights if insight.aspect == "fixed"]
    told_of = still.union(*(insight.steps for insight in fixed))
    failed = [i for i in insights if i.aspect == "failed" and told_of.isdisjoint(i.steps)]
    return [*failed, *fixed]


def _line(step: Step) -> str:
    return _shown(f"{step.number} {step.tool} {step.action}", _STEP_CHARS)


def _seen(step: Step) -> str:
    from milepost.text.failures import error_line

    return _shown(error_line(step.observation), _STEP_CHARS) or "no message"


def _shown(text: str, most: int) -> str:
    return told(clip(kept_from(text), most))
