"""Hand an unfinished episode over: put it down with a note, and tell whoever takes it up."""

from collections.abc import Sequence

from milepost.errors import InvalidInput
from milepost.experience.arguments import VERDICT_CHARS
from milepost.experience.recording import find_episode
from milepost.experience.redaction import as_shown, redacted
from milepost.experience.summaries import LESSON_CHARS, TASK_CHARS
from milepost.experience.values import (
    ABANDONED,
    Checkpoint,
    Episode,
    EpisodeChanges,
    Handover,
    Insight,
    Step,
)
from milepost.memory import validation
from milepost.memory.context import Context, Service
from milepost.once import settle
from milepost.operation import operation
from milepost.ports import Work
from milepost.text.failures import error_line
from milepost.text.fit import first_fitting
from milepost.text.lines import clip

_STEP_CHARS = 100
_DONE, _FAILED = 12, 4


class Handovers(Service):
    """The operations that hand episodes over."""

    @operation(
        "episode",
        example='checkpoint_episode("ep_04wzxy3m8kq2", "the fixture is next")',
        aliases=("checkpoint",),
    )
    def checkpoint_episode(self, episode: str, note: str, agent: str | None = None) -> str:
        """Put an unfinished episode down with a note for whoever takes it up; return its id.

        episode: the id of the episode.
        note: what whoever goes on has to know: what is open, what comes next.
        agent: who puts it down.
        """
        context = self._context
        intake = context.intake()
        text = intake.text("note", note, VERDICT_CHARS)
        who = intake.optional_name("agent", agent)
        unfinished = _unfinished(context, episode)
        name = intake.told(unfinished.id)
        with context.store.writing() as work:
            _checkpoint(context, work, unfinished, text, who)
            settle(work, name, "checkpoint_episode")
        return name

    @operation(
        "episode",
        example='resume_episode("ep_04wzxy3m8kq2", agent="night shift")',
        aliases=("resume",),
    )
    def resume_episode(self, episode: str, agent: str | None = None, budget: int = 400) -> Handover:
        """Take up an unfinished episode: what was done, what failed, what is open.

        episode: the id of the episode.
        agent: who takes it up.
        budget: ceiling in tokens for the text of the result.
        """
        context = self._context
        ceiling, intake = validation.budget(budget) or 400, context.intake()
        who = intake.optional_name("agent", agent)
        unfinished = _unfinished(context, episode)
        steps = tuple(context.store.episodes.steps(context.space, unfinished.id))
        told = intake.told(_handover(unfinished._replace(steps=steps), ceiling))
        with context.store.writing() as work:
            _checkpoint(context, work, unfinished, "", who)
            settle(work, told, "resume_episode")
        return told


def _unfinished(context: Context, name: object) -> Episode:
    episode = find_episode(context, name)
    if episode.outcome not in (None, ABANDONED):
        raise InvalidInput(
            f"{episode.id} ended as {episode.outcome}; only an open one is handed over."
        )
    return episode


def _checkpoint(
    context: Context, work: Work, episode: Episode, note: str, agent: str | None
) -> None:
    now_us = context.clock()
    point = Checkpoint(now_us / 1e6, note, agent, episode.step_count)
    changes = EpisodeChanges(checkpoint=point)
    work.episodes.change(context.space, episode.id, changes, now_us)


def _handover(episode: Episode, budget: int) -> Handover:
    """Return what whoever takes an episode up has to know, the oldest steps left out first."""
    done, failed, still_open = _progress(episode)
    note = next((point.note for point in reversed(episode.checkpoints) if point.note), "")
    whole = Handover(
        episode.id,
        clip(episode.task, 2 * TASK_CHARS),
        clip(note, 3 * LESSON_CHARS),
        done[-_DONE:],
        failed[-_FAILED:],
        still_open,
        episode.step_count,
    )
    later = (whole._replace(done=whole.done[first:]) for first in range(len(whole.done) + 1))
    least = whole._replace(done=(), failed=())
    return first_fitting([*later, least, least._replace(note="", open=())], budget)


def _progress(episode: Episode) -> tuple[tuple[str, ...], ...]:
    """Return what was done, what is known about failures, and what failed when last tried."""
    from milepost.experience.reflection import reflect
    from milepost.experience.steps import acts_in

    taken = acts_in(episode)
    last = {act.action: act for act in taken}
    ended = [act for act in taken if last[act.action] is act]
    done = tuple(_line(act.step) for act in ended if act.ok)
    failed = [act.step for act in ended if not act.ok][-_FAILED:]
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
    return _shown(error_line(step.observation), _STEP_CHARS) or "no message"


def _shown(text: str, most: int) -> str:
    return as_shown(clip(redacted(text), most))
