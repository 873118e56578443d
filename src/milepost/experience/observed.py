"""Write down episodes that were seen as a whole: what is read of them later replaces them."""

from collections.abc import Iterator, Sequence

from milepost.experience.entries import analysed_episode
from milepost.experience.learning import ALL, IDLE_US, forget_episode, forget_evidence
from milepost.experience.patterns.pattern import succeeded
from milepost.experience.recording import Stepping, beginning, ending, remove_episode, with_steps
from milepost.experience.steps import acts_in
from milepost.experience.values import SOLVED_BY, Episode, EpisodeChanges, EpisodeFilter
from milepost.knowledge.values import EventFilter
from milepost.memory.context import Context
from milepost.memory.keeping import refuse_held
from milepost.memory.traces import SessionTraces
from milepost.text.mending import next_run
from milepost.upkeep.recorder import Recorder

# So many of the latest episodes are asked whether what failed in them works now.
_ASKED = 60
_REACHED = ("success", "partial")


def keep(context: Context, episodes: Sequence[Episode]) -> list[str]:
    """Write down episodes that have ended, with their steps, and return those that are new.

    One that is known as it is stays; one of which more was seen meanwhile is written anew.
    """
    context.part(Recorder).flush()
    names = [episode.id for episode in episodes]
    known = {episode.id: episode for episode in context.store.episodes.named(context.space, names)}
    fresh = [each for each in episodes if _differs(each, known.get(each.id))]
    if not fresh:
        return []
    written = [(each, analysed_episode(context, each), ending(context, each)[1]) for each in fresh]
    solved = list(_solved(context, fresh))
    with context.store.writing() as work:
        for episode, entry, end in written:
            if episode.id in known:
                forget_evidence(context, work, episode.id)
                remove_episode(work, context.space, episode.id)
            beginning(context.space, episode, entry, context.clock() + IDLE_US)(work)
            Stepping(context.space, episode.id, episode.steps)(work)
            end(work)
        for name, by in solved:
            changes = EpisodeChanges(relation=(SOLVED_BY, by))
            work.episodes.change(context.space, name, changes, context.clock())
    return [episode.id for episode in fresh]


def _differs(episode: Episode, known: Episode | None) -> bool:
    if known is None:
        return True
    return (known.outcome, known.verdict, known.step_count) != (
        episode.outcome,
        episode.verdict,
        episode.step_count,
    )


def _solved(context: Context, fresh: Sequence[Episode]) -> Iterator[tuple[str, str]]:
    """Yield the episodes that had not succeeded, and by which later one what failed works now."""
    latest = context.store.episodes.find(EpisodeFilter(context.space), _ASKED)
    for earlier in latest:
        if succeeded(earlier) or earlier.outcome is None or SOLVED_BY in dict(earlier.relations):
            continue
        failures = [act for act in acts_in(with_steps(context, earlier)) if not act.ok]
        for later in fresh:
            same_place = earlier.context.get("project") == later.context.get("project")
            if not failures or not same_place or later.created <= earlier.created:
                continue
            if later.outcome not in _REACHED:
                continue  # what was taken back solved nothing
            if next_run(failures[-1], [act for act in acts_in(later) if act.ok]) is not None:
                yield earlier.id, later.id
                break


class SessionEpisodes(SessionTraces):
    """The episodes of a session, and the events that were written down beside them."""

    def episodes(self, context: Context, session: str, project: str | None) -> list[str]:
        """Return the episodes that took place in a session."""
        context.part(Recorder).flush()
        where = EpisodeFilter(context.space, project=project, session=session)
        return [episode.id for episode in context.store.episodes.find(where, ALL)]

    def whole(self, context: Context, names: Sequence[str] | None = None) -> list[Episode]:
        """Return episodes with all their steps, those of some names or every one."""
        context.part(Recorder).flush()
        episodes, space = context.store.episodes, context.space
        found = episodes.find(EpisodeFilter(space), ALL)
        chosen = found if names is None else [each for each in found if each.id in set(names)]
        return [each._replace(steps=tuple(episodes.steps(space, each.id))) for each in chosen]

    def forget(self, context: Context, names: Sequence[str]) -> None:
        """Delete episodes for good, with what rests on them alone."""
        for name in names:
            forget_episode(context, name)

    def erase(self, context: Context, session: str, project: str | None) -> None:
        """Delete the episodes and the events of a session for good."""
        names = self.episodes(context, session, project)
        refuse_held(context, (), self.whole(context, names))
        for name in names:
            forget_episode(context, name)
        with context.store.writing() as work:
            work.events.remove(EventFilter(context.space, session_id=session, project=project))
