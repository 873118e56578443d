"""Learn from episodes after their end: patterns, and whether those that were shown helped.

What is learned from an episode is written in one transaction with the mark that it was, so that
each counts once, whoever dies on the way and however many work at it.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from milepost.errors import StoreBusy
from milepost.experience.entries import (
    SALIENT,
    analysed,
    analysed_episode,
    entry_hash,
    episode_space,
    nearest,
    pattern_entry,
    pattern_space,
)
from milepost.experience.patterns.pattern import decayed, in_order, merge
from milepost.experience.recording import (
    UPKEEP,
    WrittenSteps,
    ending,
    remove_episode,
    renewed,
    with_steps,
)
from milepost.experience.values import (
    ABANDONED,
    RETRY_OF,
    SOLVED_BY,
    Episode,
    EpisodeChanges,
    EpisodeFilter,
    Pattern,
    StoredPattern,
)
from milepost.memory.context import Context
from milepost.memory.values import Draft, Filter
from milepost.ports import Conflict, Reflector, Work
from milepost.upkeep.recorder import Recorder
from milepost.upkeep.values import Job

# Another worker may change a pattern between reading and writing it: so often is tried again.
_TRIES = 20
# An episode on which nobody worked for so long is closed as abandoned; how often that is looked at.
IDLE_US = EVERY_US = 24 * 3_600_000_000
# An episode is compared with so many others, if they are about as similar as this.
_SIMILAR, _ALIKE = 8, 0.6
_CANDIDATES = 3
_CHUNK = 200
_HELPED = {"success": (1, 0), "failure": (0, 1)}
# A confidence that changed by less is not worth a write.
_CHANGED = 0.005
# Where it is noted that a language model worded what an episode taught.
REFLECTED = "reflected"
ALL = 1_000_000


class PatternChange(NamedTuple):
    """A pattern to write, and its entry if that changed."""

    stored: StoredPattern
    entry: Draft | None = None


def learn(context: Context, job: Job) -> None:
    """Do the work that a completed episode leaves."""
    learn_from(context, job.key)
    _prove(context, job.key)
    if context.reflector is not None:
        _reflect_again(context, context.reflector, job.key)


def _prove(context: Context, name: str) -> None:
    """Tell the episodes that this one tried again with success that what they taught helped."""
    episode = _named(context, name)
    if episode is None or episode.outcome != "success":
        return
    earlier, seen = dict(episode.relations).get(RETRY_OF), {name}
    while earlier is not None and earlier not in seen:
        seen.add(earlier)
        before = _named(context, earlier)
        if before is None:
            return
        if (SOLVED_BY, name) not in before.relations:
            changes = EpisodeChanges(relation=(SOLVED_BY, name))
            context.store.episodes.change(context.space, earlier, changes, context.clock())
        earlier = dict(before.relations).get(RETRY_OF)


def _named(context: Context, name: str) -> Episode | None:
    return next(iter(context.store.episodes.named(context.space, [name])), None)


def _reflect_again(context: Context, reflect: Reflector, name: str) -> None:
    """Let a language model word what rules found; what they found stays when it does not answer."""
    episode = _named(context, name)
    if episode is None or context.store.values.get(context.space, REFLECTED, name):
        return
    from milepost.experience.redaction import redacted_episode, redacted_insights

    worded = reflect(redacted_episode(with_steps(context, episode)))
    if worded:
        insights = redacted_insights(worded)
        entry = renewed(context, episode._replace(insights=insights))
        with context.store.writing() as work:
            changes = EpisodeChanges(insights=insights)
            work.episodes.change(context.space, name, changes, context.clock())
            work.memories.put(entry)
            work.values.put(context.space, REFLECTED, name, "1")


def learn_from(context: Context, name: str) -> list[str]:
    """Take out of an episode what it teaches, once; return the patterns that it is in."""
    for _ in range(_TRIES):
        episode = _named(context, name)
        if episode is None or episode.outcome is None:
            return []
        changes = _Learning(context, with_steps(context, episode)).changes()
        with suppress(Conflict):
            put(context, name, changes)
            return [change.stored.pattern.id for change in changes]
    raise StoreBusy(f"Others change the same patterns all the time; {name} is tried later.")


class _Learning:
    """What one episode changes in the patterns that are known."""

    def __init__(self, context: Context, episode: Episode) -> None:
        self._context = context
        self._episode = episode
        self._known: dict[str, StoredPattern] = {}
        self._changed: dict[str, Pattern] = {}

    def changes(self) -> list[PatternChange]:
        """Return the patterns to write, each with its entry."""
        from milepost.experience.patterns.kinds import compare, extract
        from milepost.experience.redaction import redacted_pattern

        self._count_shown()
        patterns = [*extract(self._episode), *compare(self._similar())]
        self._add([redacted_pattern(pattern) for pattern in patterns])
        now_s = max(self._episode.completed or self._episode.created, self._context.now_s)
        changed = [decayed(pattern, now_s) for pattern in self._changed.values()]
        return changes_of(self._context, changed, self._known)

    def _count_shown(self) -> None:
        if self._episode.outcome == ABANDONED:
            return  # whoever comes back to it may still show what they were good for
        helped, hindered = _HELPED.get(self._episode.outcome or "", (0, 0))
        for pattern in self._fetch(_shown(self._context, self._episode)):
            self._changed[pattern.id] = pattern._replace(
                shown=pattern.shown + 1,
                helped=pattern.helped + helped,
                hindered=pattern.hindered + hindered,
                updated=max(pattern.updated, self._episode.completed or 0.0),
            )

    def _add(self, patterns: Sequence[Pattern]) -> None:
        self._fetch([pattern.id for pattern in patterns])
        entries = [pattern_entry(self._context.space, pattern) for pattern in patterns]
        for pattern, entry in zip(patterns, analysed(self._context.texts, entries), strict=True):
            known = self._same(pattern, entry)
            name = pattern.id if known is None else known.id
            self._changed[name] = pattern if known is None else merge(known, pattern)

    def _same(self, pattern: Pattern, entry: Draft) -> Pattern | None:
        """Return the known pattern that says the same."""
        from milepost.experience.patterns.kinds import same

        own = self._now(pattern.id)
        if own is not None:
            return own
        space = pattern_space(self._context.space)
        where = Filter(space, self._context.clock(), kind=pattern.kind)
        near = dict(nearest(self._context, entry, where, _CANDIDATES))
        others = (o for o in self._fetch(near) if same(o, pattern, near[o.id]))
        return next(others, None)

    def _fetch(self, ids: Iterable[str]) -> list[Pattern]:
        """Return the patterns of some ids as they are by now."""
        wanted = list(dict.fromkeys(ids))
        missing = [name for name in wanted if name not in self._known]
        for stored in self._context.store.patterns.named(self._context.space, missing):
            self._known[stored.pattern.id] = stored
        return [pattern for name in wanted if (pattern := self._now(name)) is not None]

    def _now(self, name: str) -> Pattern | None:
        known = self._known.get(name)
        return self._changed.get(name, known.pattern if known else None)

    def _similar(self) -> list[Episode]:
        """Return episodes like this one with their steps, and this one last."""
        context, episode = self._context, self._episode
        entry = analysed_episode(context, episode)
        where = Filter(
            episode_space(context.space), context.clock(), tags=(SALIENT,), kind=episode.task_type
        )
        near = [n for n, score in nearest(context, entry, where, _SIMILAR) if score >= _ALIKE]
        others = context.store.episodes.named(context.space, near)
        ended = [with_steps(context, other) for other in others if other.outcome is not None]
        return [*reversed(ended), episode]


def _shown(context: Context, episode: Episode) -> list[str]:
    """Return the patterns that whoever worked on an episode knew of."""
    mappings = [episode.context, *(step.parameters for step in episode.steps)]
    lists = [mapping.get("pattern_ids") for mapping in mappings]
    ids = [name for each in lists if isinstance(each, list | tuple) for name in each]
    return [
        *context.store.patterns.shown(context.space, episode.id),
        *(name for name in ids if isinstance(name, str)),
    ]


def changes_of(
    context: Context, patterns: Sequence[Pattern], known: Mapping[str, StoredPattern]
) -> list[PatternChange]:
    """Return patterns as they are written: those that changed, found by what they say now."""
    changes = []
    for pattern in patterns:
        before = known.get(pattern.id)
        if before is not None and before.pattern == pattern:
            continue
        stored = StoredPattern(pattern, 0 if before is None else before.version)
        entry = pattern_entry(context.space, pattern)
        if before is not None and pattern_entry(context.space, before.pattern) == entry:
            changes.append(PatternChange(stored))
        else:
            changes.append(PatternChange(stored, analysed(context.texts, [entry])[0]))
    return changes


def put(context: Context, episode: str | None, changes: Sequence[PatternChange]) -> None:
    """Write patterns with their entries, all of them or, on a conflict, none."""
    with context.store.writing() as work:
        if work.patterns.learn(context.space, episode, [change.stored for change in changes]):
            for change in changes:
                if change.entry is not None:
                    work.memories.put(change.entry)


def look_after(context: Context, job: Job) -> None:
    """Close what was abandoned and let patterns fade that nobody uses; again after a day."""
    del job
    now_us = context.clock()
    close_idle(context, now_us - IDLE_US)
    fade(context)
    some_open = context.store.episodes.idle(context.space, now_us, 1)
    if some_open or context.store.patterns.find(context.space, None, False, 1):
        context.store.jobs.enqueue(context.space, UPKEEP, "", "", now_us + EVERY_US)


def close_idle(context: Context, before_us: int) -> int:
    """Close the episodes that nobody worked on since a time, and return how many there were."""
    count = 0
    while names := context.store.episodes.idle(context.space, before_us, _CHUNK):
        idle = context.store.episodes.named(context.space, names)
        ended = [ending(context, _given_up(context, episode)) for episode in idle]
        context.part(Recorder).write(context.space, [write for _, write in ended])
        count += len(names)
    return count


def _given_up(context: Context, episode: Episode) -> Episode:
    return with_steps(context, episode)._replace(
        outcome=ABANDONED, verdict="nobody went on with it", completed=context.now_s
    )


def fade(context: Context, *, dry_run: bool = False) -> tuple[int, list[str]]:
    """Give patterns the confidence they have by now; return how many lost some, and who retired."""
    now_s, weakened, retired = context.now_s, 0, []
    known = context.store.patterns.find(context.space, None, None, ALL)
    for start in range(0, len(known), _CHUNK):
        chunk = {stored.pattern.id: stored for stored in known[start : start + _CHUNK]}
        faded = [_faded(stored.pattern, now_s) for stored in chunk.values()]
        changed = [pattern for pattern in faded if chunk[pattern.id].pattern != pattern]
        weakened += sum(p.confidence < chunk[p.id].pattern.confidence for p in changed)
        retired += [p.id for p in changed if p.retired and not chunk[p.id].pattern.retired]
        if changed and not dry_run:
            # A chunk that another changes meanwhile fades the next time.
            with suppress(Conflict):
                put(context, None, changes_of(context, changed, chunk))
    return weakened, retired


def _faded(pattern: Pattern, now_s: float) -> Pattern:
    fresh = decayed(pattern, now_s)
    little = abs(fresh.confidence - pattern.confidence) < _CHANGED
    return pattern if little and fresh.retired == pattern.retired else fresh


def forget_evidence(context: Context, work: Work, episode: str) -> None:
    """Take an episode out of the evidence of patterns; those that rest on it alone go with it."""
    known = {stored.pattern.id: stored for stored in work.patterns.of(context.space, episode)}
    now_s = context.now_s
    left = [
        decayed(_reworded(context, _without(stored.pattern, episode)), now_s)
        for stored in known.values()
    ]
    alone = [p.id for p in left if p.successes + p.failures <= 0]
    put(context, None, changes_of(context, [p for p in left if p.id not in alone], known))
    space = pattern_space(context.space)
    entries = [work.memories.record(space, entry_hash(name)) for name in alone]
    work.memories.remove([entry.id for entry in entries if entry is not None])
    work.patterns.remove(context.space, alone)


def forget_episode(context: Context, name: str) -> None:
    """Delete an episode for good, with its steps and all that rests on it alone."""
    with context.store.writing() as work:
        forget_evidence(context, work, name)
        entry = work.memories.record(episode_space(context.space), entry_hash(name))
        work.memories.remove([entry.id] if entry else [])
        remove_episode(work, context.space, name)
    context.part(WrittenSteps).forget((context.space, name))


def _without(pattern: Pattern, episode: str) -> Pattern:
    return pattern._replace(
        evidence=tuple(name for name in pattern.evidence if name != episode),
        against=tuple(name for name in pattern.against if name != episode),
        successes=pattern.successes - (episode in pattern.evidence),
        failures=pattern.failures - (episode in pattern.against),
    )


def _reworded(context: Context, pattern: Pattern) -> Pattern:
    """Return a pattern in the words of an episode that is left: its own may be of one that is not.

    What only a comparison of episodes tells is told by their kinds of actions, in nobody's words,
    and so is what none of those that are left says alone.
    """
    from milepost.experience.patterns.kinds import extract, same
    from milepost.experience.redaction import redacted_pattern

    left = context.store.episodes.named(context.space, pattern.evidence[::-1])
    own = [each for other in left for each in extract(with_steps(context, other))]
    said = [redacted_pattern(each) for each in own if same(pattern, each, 1.0)]
    if not said:
        return pattern
    words = next((each for each in said if each.steps == pattern.steps), None)
    advice = words.advice if words else in_order(pattern.steps)
    return pattern._replace(situation=(words or said[0]).situation, advice=advice)


def unlearned(context: Context, limit: int) -> list[str]:
    """Return completed episodes that nothing was learned from yet, oldest first."""
    where = EpisodeFilter(context.space, learned=False)
    return [episode.id for episode in reversed(context.store.episodes.find(where, limit))]
