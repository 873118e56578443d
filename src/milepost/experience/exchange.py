"""Episodes that have ended, as stores of one person tell each other of them.

What an episode came to is taken as it is told; patterns are learned from it anew.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from milepost.experience.closing import SALIENCE_MIN
from milepost.experience.entries import analysed_episode
from milepost.experience.learning import ALL, REFLECTED, forget_episode, forget_evidence
from milepost.experience.recording import LEARN, WrittenSteps
from milepost.experience.values import (
    Checkpoint,
    Episode,
    EpisodeChanges,
    EpisodeFilter,
    Insight,
    Reward,
    Step,
    Term,
)
from milepost.memory.context import Context
from milepost.memory.keeping import Hold
from milepost.ports import Work
from milepost.stored_time import to_us
from milepost.upkeep.recorder import Recorder

Data = Mapping[str, Any]


class Told(NamedTuple):
    """An episode with its steps, and how its reward came to be."""

    episode: Episode
    reward: Reward | None


def ended(context: Context) -> Iterator[tuple[str, Data]]:
    """Yield the episodes that have ended as plain data, by their ids."""
    context.part(Recorder).flush()
    for episode in context.store.episodes.find(EpisodeFilter(context.space), ALL):
        if episode.outcome is not None:
            yield episode.id, _data(context, episode)


def read(context: Context, name: str) -> Data | None:
    """Return one that has ended as plain data."""
    for episode in context.store.episodes.named(context.space, [name]):
        if episode.outcome is not None:
            return _data(context, episode)
    return None


def _data(context: Context, episode: Episode) -> Data:
    store, space = context.store.episodes, context.space
    reward = store.reward(space, episode.id)
    steps = store.steps(space, episode.id)
    completed = None if episode.completed is None else to_us(episode.completed)
    return {
        "about": [episode.task, episode.task_type, episode.context, list(episode.tags),
                  to_us(episode.created)],
        "end": [episode.outcome, episode.verdict, list(episode.artifacts), completed,
                None if reward is None else [reward.total, [list(t) for t in reward.terms]],
                [[i.aspect, i.text, list(i.steps)] for i in episode.insights], episode.salience],
        "steps": [[*step[:-1], to_us(step.at)] for step in steps],
        "checkpoints": [[to_us(at), *about] for at, *about in episode.checkpoints],
        "relations": sorted(f"{kind} {other}" for kind, other in episode.relations),
    }  # fmt: skip


def told(name: str, data: Data) -> Told:
    """Return the episode that plain data tells of."""
    task, task_type, where, tags, created = data["about"]
    outcome, verdict, artifacts, completed, reward, insights, salience = data["end"]
    steps = tuple(Step._make([*step[:-1], step[-1] / 1e6]) for step in data["steps"])
    relations = [each.rpartition(" ") for each in data["relations"]]
    episode = Episode(
        name, task, task_type, where, tuple(tags), outcome, verdict, tuple(artifacts),
        created / 1e6, None if completed is None else completed / 1e6,
        None if reward is None else reward[0],
        tuple(Insight(aspect, text, tuple(numbers)) for aspect, text, numbers in insights),
        salience, tuple((kind, other) for kind, _, other in relations), len(steps), steps,
        tuple(Checkpoint(at / 1e6, *about) for at, *about in data["checkpoints"]),
    )  # fmt: skip
    terms = None if reward is None else tuple(Term(*term) for term in reward[1])
    return Told(episode, None if terms is None else Reward(reward[0], terms))


def put(context: Context, work: Work, name: str, data: Data) -> None:
    """Write an episode as it is told, in place of what is known of it."""
    before = read(context, name)
    episode, reward = told(name, data)
    space, now_us = context.space, context.clock()
    if before is not None and {**before, "relations": ()} == {**data, "relations": ()}:
        for relation in episode.relations:
            work.episodes.change(space, name, EpisodeChanges(relation=relation), now_us)
        return
    forget_evidence(context, work, name)
    work.episodes.remove(space, name)
    context.part(WrittenSteps).forget((space, name))
    work.episodes.begin(space, episode)
    work.episodes.add_steps(space, name, episode.steps)
    changes = EpisodeChanges(
        outcome=episode.outcome, verdict=episode.verdict, artifacts=episode.artifacts,
        completed=episode.completed, reward=reward, insights=episode.insights,
        salience=episode.salience,
    )  # fmt: skip
    work.episodes.change(space, name, changes, now_us)
    for checkpoint in episode.checkpoints:
        work.episodes.change(space, name, EpisodeChanges(checkpoint=checkpoint), now_us)
    is_salient = episode.salience is None or episode.salience > SALIENCE_MIN
    work.memories.put(analysed_episode(context, episode, salient=is_salient))
    work.values.put(space, REFLECTED, name, "1")
    work.jobs.enqueue(space, LEARN, name, "", now_us)


def is_held(work: Work, space: str, name: str, holds: Sequence[Hold]) -> bool:
    """Whether a hold keeps an episode."""
    whole = [
        episode._replace(steps=tuple(work.episodes.steps(space, name)))
        for episode in work.episodes.named(space, [name])
    ]
    return any(hold.subject.has_episode(episode) for hold in holds for episode in whole)


def forget(context: Context, name: str) -> None:
    """Delete an episode for good, with all that rests on it alone."""
    forget_episode(context, name)
