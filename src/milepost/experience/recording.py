"""Write down what happens in episodes."""

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from milepost.errors import InvalidInput, NotFound
from milepost.experience.entries import (
    SALIENT,
    Novelty,
    analysed_episode,
    entry_hash,
    episode_entry,
    episode_space,
    label,
)
from milepost.experience.values import Episode, Step
from milepost.knowledge.values import Event, EventFilter
from milepost.memory.context import Context
from milepost.memory.validation import KEEP, REDACT, Intake
from milepost.memory.values import Draft, Filter
from milepost.ports import Store, Work
from milepost.upkeep.recorder import Recorder, Write

if TYPE_CHECKING:
    from milepost.experience.closing import Closed
    from milepost.text.mending import Act

# The topics of what is learned from an episode after its end, and of looking after all of them.
LEARN, UPKEEP = "episode", "experience"
Key = tuple[str, str]

_EPISODES_REMEMBERED = 100_000
# So many steps are held in all, none of which showed more than so much; the others are read again.
_STEPS_HELD, _HELD_CHARS = 2_000, 2_000
# An episode is compared with so many that were completed last.
_PEERS = 60
# A step may be written down a little after the end.
_LATE_S = 1.0


class WrittenSteps:
    """How far the steps of episodes go, and the last of them, as far as this process wrote them."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._last: dict[Key, int] = {}
        self._acts: dict[Key, dict[int, tuple[Step, list[Act]]]] = {}
        self._held = 0

    def following(self, episode: Key) -> int | None:
        """Return the number that the next step of an episode gets; None without the episode.

        Should another process add steps to it meanwhile, it may get a later one.
        """
        known = self._last.get(episode)
        if known is None:
            known = self._store.episodes.last_step(*episode)
        return None if known is None else known + 1

    def remember(self, episode: Key, number: int) -> None:
        """Remember how far the steps of an episode go."""
        if len(self._last) > _EPISODES_REMEMBERED:
            self._last.clear()
        self._last[episode] = max(number, self._last.get(episode, 0))

    def hold(self, episode: Key, step: Step, acts: "list[Act]") -> None:
        """Hold a short step that was written, with what it did, until the episode ends."""
        if len(step.observation) > _HELD_CHARS:
            return
        if self._held >= _STEPS_HELD:
            self._acts.clear()
            self._held = 0
        self._acts.setdefault(episode, {})[step.number] = step, acts
        self._held += 1

    def held(self, episode: Key, count: int) -> "tuple[tuple[Step, ...], list[Act]] | None":
        """Return the steps of an episode and what they did, if all so many of them are held."""
        from milepost.experience.steps import STEPS_MAX

        found = self._acts.get(episode, {})
        if len(found) != count or count > STEPS_MAX:
            return None
        steps = [found[number] for number in sorted(found)]
        return tuple(step for step, _ in steps), [act for _, acts in steps for act in acts]

    def forget(self, episode: Key) -> None:
        """Forget how far the steps of an episode go."""
        self._last.pop(episode, None)
        self._held -= len(self._acts.pop(episode, ()))

    def close(self) -> None:
        """Nothing is open."""


def checking(context: Context) -> Intake:
    """Return what refuses at once what is written later; secrets are hidden when it is written."""
    return Intake(KEEP if context.secrets == REDACT else context.secrets)


def episode_name(intake: Intake, value: object) -> str:
    """Return the id under which an episode is begun or asked for."""
    name = intake.name("episode", value)
    if len(name.split()) > 1:
        raise InvalidInput(f"{name[:60]!r} is not the id of an episode; ids have no spaces.")
    return name


def is_given_name(text: str) -> bool:
    """Tell whether a text has the shape of the ids that episodes get by themselves."""
    return re.fullmatch(r"ep_\w+", text) is not None


def find_episode(context: Context, value: object) -> Episode:
    """Return the episode of an id that somebody asks for, without its steps."""
    name = episode_name(context.lenient().intake(), value)
    context.part(Recorder).flush()
    episodes = context.store.episodes.named(context.space, [name])
    if not episodes:
        raise NotFound(f"There is no episode {name}; list_episodes shows those there are.")
    return episodes[0]


def with_steps(context: Context, episode: Episode) -> Episode:
    """Return an episode with its steps; what was noted after its end is no part of how it went."""
    steps = context.store.episodes.steps(context.space, episode.id)
    end_s = None if episode.completed is None else episode.completed + _LATE_S
    return episode._replace(steps=tuple(s for s in steps if end_s is None or s.at <= end_s))


def beginning(space: str, episode: Episode, entry: Draft, upkeep_us: int) -> Write:
    """Return what writes that an episode begins, with its entry."""

    def write(work: Work) -> int:
        if not work.episodes.begin(space, episode):
            return 0
        work.memories.put(entry)
        work.events.add(space, [_life(episode, "begun")])
        work.jobs.enqueue(space, UPKEEP, "", "", upkeep_us)
        return 1

    return write


class Stepping:
    """A write that adds steps to an episode; it comes to the number of the last, 0 without one.

    written: is told of the steps under the numbers that they got.
    """

    def __init__(
        self,
        space: str,
        episode: str,
        steps: Sequence[Step],
        written: Callable[[Sequence[Step]], None] = lambda _steps: None,
    ) -> None:
        self._space, self.goes_to = space, episode
        self.steps, self._written = steps, written

    def __call__(self, work: Work) -> int:
        return self.together([self], work)[0]

    def together(self, writes: "Sequence[Stepping]", work: Work) -> list[int]:
        """Add the steps of several to their one episode."""
        steps = [step for each in writes for step in each.steps]
        numbers = iter(work.episodes.add_steps(self._space, self.goes_to, steps))
        return [each.told([next(numbers) for _ in each.steps]) for each in writes]

    def told(self, numbers: Sequence[int]) -> int:
        """Be told which numbers the steps got; return what came of the write."""
        pairs = zip(self.steps, numbers, strict=True)
        self._written([step._replace(number=number) for step, number in pairs if number])
        return numbers[-1]


def ending(context: Context, episode: Episode) -> tuple[Episode, Write]:
    """Return an episode that has an outcome as it is after its end, and what writes it."""
    from milepost.experience.closing import redacted

    ended = redacted(looked_back(context, episode))
    return ended.episode, written_end(context, ended, context.clock())


def looked_back(
    context: Context, episode: Episode, done: "Sequence[Act] | None" = None
) -> "Closed":
    """Return an episode that has an outcome with its reward and, in its words, what it teaches.

    done: what its steps did, where that is known.
    """
    from milepost.experience.closing import closed

    store, space = context.store, context.space
    domain = episode.context.get("domain")
    named = domain if isinstance(domain, str) else None
    peers = store.episodes.peers(space, episode.task_type, named, _PEERS)
    names = store.patterns.shown(space, episode.id)
    shown = [stored.pattern for stored in store.patterns.named(space, names)] if names else []
    return closed(episode, peers, shown, done)


def written_end(context: Context, ended: "Closed", now_us: int) -> Write:
    """Return what writes that an episode ended.

    It is not written when the episode has ended already; what is to be learned from it is put off.
    """
    from milepost.experience.closing import judged

    space, episode = context.space, ended.episode
    entry = analysed_episode(context, episode)
    outcome = label("outcome", episode.outcome)
    alike = Filter(entry.space, now_us, tags=(outcome,), kind=episode.task_type)
    ended = judged(ended, context.part(Novelty).nearest(entry, alike))
    if not ended.is_salient:
        entry = entry._replace(tags=episode_entry(space, episode, salient=False).tags)

    def write(work: Work) -> int:
        name = episode.id
        if not work.episodes.change(space, name, ended.changes, now_us, unless_ended=True):
            return 0
        work.memories.put(entry)
        work.events.add(space, [_life(episode, "ended")])
        work.jobs.enqueue(space, LEARN, name, "", now_us)
        return 1

    return write


def _life(episode: Episode, what: str) -> Event:
    """Return the event that an episode began or ended."""
    at = episode.created if episode.completed is None else episode.completed
    took = None if episode.completed is None else (at - episode.created) * 1e3
    project = episode.context.get("project")
    return Event(
        f"{episode.id}.{what}",
        at,
        "episode",
        f"{what} {episode.id}: {episode.task}",
        episode.outcome,
        None,
        took,
        project if isinstance(project, str) else None,
    )


def remove_episode(work: Work, space: str, episode: str) -> bool:
    """Delete an episode with its steps and the events of its life; False when there is none."""
    ids = tuple(f"{episode}.{what}" for what in ("begun", "ended"))
    work.events.remove(EventFilter(space, ids=ids))
    return work.episodes.remove(space, episode)


def renewed(context: Context, episode: Episode) -> Draft:
    """Return the entry of an episode after it was changed; how salient it is stays."""
    before = context.store.memories.record(episode_space(context.space), entry_hash(episode.id))
    return analysed_episode(context, episode, salient=before is None or SALIENT in before.tags)
