"""Look at what was tried before: show, list and find episodes."""

from collections.abc import Sequence
from typing import Any

from milepost.errors import InvalidInput
from milepost.experience import arguments
from milepost.experience.entries import (
    SALIENT,
    TAUGHT_NOTHING,
    analysed_episode,
    episode_space,
    find,
    label,
    nearest,
)
from milepost.experience.recording import find_episode, is_given_name
from milepost.experience.relevance import most_similar
from milepost.experience.summaries import compact, shortened
from milepost.experience.values import (
    Episode,
    EpisodeEvent,
    EpisodeFilter,
    EpisodeList,
    Reward,
    Timeline,
)
from milepost.memory import validation
from milepost.memory.context import Context, Service
from milepost.memory.validation import Moment
from milepost.memory.values import Filter
from milepost.operation import operation
from milepost.text.fit import fit_rows
from milepost.upkeep.recorder import Recorder


class FindEpisodes(Service):
    """The operations about what was tried."""

    @operation(
        "episode",
        example='get_episode("ep_04wzxy3m8kq2")',
        read_only=True,
        aliases=("view_episode",),
    )
    def get_episode(self, episode: str, steps: bool = True, budget: int | None = None) -> Episode:
        """Show an episode with its steps, its reward and its reflection.

        episode: the id of the episode.
        steps: whether to show its steps.
        budget: ceiling in tokens for its text; steps in the middle are then left out.
        """
        context = self._context
        ceiling = validation.budget(budget)
        if not validation.flag("steps", steps):
            return find_episode(context, episode)
        whole = _whole(context, episode)
        return whole if ceiling is None else shortened(whole, ceiling)

    @operation(
        "episode",
        example='list_episodes(outcome="failure", limit=5)',
        read_only=True,
        renamed={"session": "session_id"},
    )
    def list_episodes(
        self,
        outcome: str | None = None,
        task_type: str | None = None,
        domain: str | None = None,
        tags: str | Sequence[str] | None = None,
        after: Moment | None = None,
        before: Moment | None = None,
        limit: int = 20,
        budget: int | None = None,
        project: str | None = None,
        session_id: str | None = None,
    ) -> EpisodeList:
        """List the newest episodes.

        outcome: only those that ended so: success, partial, failure, abandoned; or open.
        task_type: only this kind of task.
        domain: only this domain.
        tags: only those with all of these tags.
        after: only those begun at or after this time.
        before: only those begun before this time.
        limit: how many to show at most.
        budget: ceiling in tokens for the text of the result.
        project: only those of this project.
        session_id: only those of this session.
        """
        context = self._context
        count, ceiling, now_us = validation.limit(limit), validation.budget(budget), context.clock()
        named = context.lenient().intake()
        where = EpisodeFilter(
            context.space,
            None if outcome is None else arguments.outcome(outcome, or_open=True),
            named.optional_name("task_type", task_type),
            validation.optional_name("domain", domain),
            named.tags(tags),
            validation.moment("after", after, now_us),
            validation.moment("before", before, now_us),
            project=named.optional_name("project", project),
            session=named.optional_name("session_id", session_id),
        )
        context.part(Recorder).flush()
        newest = context.store.episodes.find(where, count)
        total = len(newest) if len(newest) < count else context.store.episodes.count(where)
        return _shown([compact(episode) for episode in newest], total, "", ceiling)

    @operation(
        "episode",
        example='search_episodes("login test fails now and then", limit=3)',
        read_only=True,
    )
    def search_episodes(
        self,
        query: str,
        limit: int = 5,
        outcome: str | None = None,
        task_type: str | None = None,
        domain: str | None = None,
        tags: str | Sequence[str] | None = None,
        after: Moment | None = None,
        before: Moment | None = None,
        include_minor: bool = False,
        budget: int | None = None,
    ) -> EpisodeList:
        """Find episodes by what they were about and what they taught, best first.

        query: what to look for, in words.
        limit: how many to show at most.
        outcome: only those that ended so: success, partial, failure, abandoned; or open.
        task_type: only this kind of task.
        domain: only this domain.
        tags: only those with all of these tags.
        after: only those begun at or after this time.
        before: only those begun before this time.
        include_minor: also those that taught nothing new.
        budget: ceiling in tokens for the text of the result.
        """
        context = self._context
        text, count = validation.query(query), validation.limit(limit)
        ceiling, minor = validation.budget(budget), validation.flag("include_minor", include_minor)
        ended = None if outcome is None else arguments.outcome(outcome, or_open=True)
        where = _narrowed(context, ended, task_type, domain, tags, after, before)
        where = where if minor else where._replace(tags=(SALIENT, *where.tags))
        context.part(Recorder).flush()
        scored = find(context, context.texts.probe(text), where, count)
        return _ranked(context, scored, text, ceiling)

    @operation(
        "episode",
        example='similar_episodes("the login test fails now and then", limit=3)',
        read_only=True,
    )
    def similar_episodes(
        self,
        episode: str,
        limit: int = 5,
        outcome: str | None = None,
        task_type: str | None = None,
        domain: str | None = None,
        after: Moment | None = None,
        before: Moment | None = None,
        include_all: bool = False,
        budget: int | None = None,
    ) -> EpisodeList:
        """Find the episodes most like another one, or most like a task in words.

        episode: the id of an episode, or a task in words.
        limit: how many to show at most.
        outcome: only those that ended so: success, partial, failure, abandoned.
        task_type: only this kind of task.
        domain: only this domain.
        after: only those begun at or after this time.
        before: only those begun before this time.
        include_all: also those that taught nothing.
        budget: ceiling in tokens for the text of the result.
        """
        context = self._context
        name = validation.text("episode", episode, arguments.TASK_CHARS)
        count, ceiling = validation.limit(limit), validation.budget(budget)
        ended = None if outcome is None else arguments.outcome(outcome)
        hidden = () if validation.flag("include_all", include_all) else (TAUGHT_NOTHING,)
        where = _narrowed(context, ended, task_type, domain, None, after, before)
        where = where._replace(without=hidden)
        context.part(Recorder).flush()
        named = context.store.episodes.named(context.space, [name])
        known = [find_episode(context, name)] if is_given_name(name) else named
        if known:
            entry = analysed_episode(context, known[0])
            return _ranked(context, nearest(context, entry, where, count), name, ceiling)
        probe = context.texts.probe(name, whole=True)
        similar = most_similar(context, name, probe, where, count, bearing_only=False)
        rows = [compact(episode, round(score, 3)) for episode, score in similar]
        return _shown(rows, len(rows), name, ceiling)

    @operation("episode", example='episode_timeline("ep_04wzxy3m8kq2")', read_only=True)
    def episode_timeline(self, episode: str, budget: int | None = None) -> Timeline:
        """Show what happened in an episode in the order of time.

        episode: the id of the episode.
        budget: ceiling in tokens for the text of the result.
        """
        context = self._context
        ceiling = validation.budget(budget)
        whole = _whole(context, episode)
        events = sorted(_events(whole), key=lambda event: event.after_s)
        result = Timeline(whole.id, whole.task, tuple(events), len(events))
        return fit_rows(result, "events", ceiling)

    @operation("episode", example='explain_reward("ep_04wzxy3m8kq2")', read_only=True)
    def explain_reward(self, episode: str) -> Reward:
        """Show the terms of an episode's reward, and why each has its value.

        episode: the id of a completed episode.
        """
        context = self._context
        name = find_episode(context, episode).id
        reward = context.store.episodes.reward(context.space, name)
        if reward is None:
            raise InvalidInput(f"{name} is still open; complete_episode gives it a reward.")
        return reward


def _narrowed(
    context: Context,
    outcome: str | None,
    task_type: str | None,
    domain: str | None,
    tags: str | Sequence[str] | None,
    after: Moment | None,
    before: Moment | None,
) -> Filter:
    """Return which entries may be found: what it is narrowed by comes before all ranking."""
    now_us, named = context.clock(), context.lenient().intake()
    place = validation.optional_name("domain", domain)
    labels = [] if place is None else [label("domain", place)]
    labels += [] if outcome is None else [label("outcome", outcome)]
    labels += [label("tag", tag) for tag in named.tags(tags)]
    return Filter(
        episode_space(context.space),
        now_us,
        tags=tuple(labels),
        match_all=True,
        kind=named.optional_name("task_type", task_type),
        after_us=validation.moment("after", after, now_us),
        before_us=validation.moment("before", before, now_us),
    )


def _whole(context: Context, name: object) -> Episode:
    episode = find_episode(context, name)
    return episode._replace(steps=tuple(context.store.episodes.steps(context.space, episode.id)))


def _ranked(
    context: Context, scored: Sequence[tuple[str, float]], query: str, ceiling: int | None
) -> EpisodeList:
    scores = dict(scored)
    episodes = context.store.episodes.named(context.space, list(scores))
    rows = [compact(episode, round(scores[episode.id], 3), query) for episode in episodes]
    return _shown(rows, len(rows), query, ceiling)


def _shown(rows: Sequence[Any], total: int, query: str, ceiling: int | None) -> EpisodeList:
    return fit_rows(EpisodeList(tuple(rows), total, query), "episodes", ceiling)


def _events(episode: Episode) -> list[EpisodeEvent]:
    def at(moment: float) -> float:
        return round(max(moment - episode.created, 0.0), 3)

    events = [EpisodeEvent(0.0, "begun", episode.task)]
    events += [EpisodeEvent(at(step.at), "step", str(step)) for step in episode.steps]
    events += [
        EpisodeEvent(at(p.at), "checkpoint" if p.note else "resumed", p.note or p.agent or "")
        for p in episode.checkpoints
    ]
    if episode.completed is not None:
        ended = f"{episode.outcome} {episode.verdict}".strip()
        events.append(EpisodeEvent(at(episode.completed), "ended", ended))
    return events
