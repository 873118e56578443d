"""Learn from episodes after their end: patterns, and whether those that were shown helped.

What is learned from an episode is written in one transaction with the mark that it was, so that
each counts once, whoever dies on the way and however many work at it.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from milepost.errors import StoreBusy
from milepost.experience.lookup import (
    SALIENT,
    analysed,
    entry_hash,
    episode_entry,
    episodes_beside,
    label,
    nearest,
    pattern_entry,
    patterns_beside,
    with_steps,
)
from milepost.experience.novelty import Novelty
from milepost.experience.patterns.pattern import decayed, merge
from milepost.experience.recording import UPKEEP, Recorder, Write, ending
from milepost.experience.values import (
    ABANDONED,
    Episode,
    EpisodeChanges,
    EpisodeFilter,
    Pattern,
    StoredPattern,
)
from milepost.memory.context import Context
from milepost.memory.values import Draft, Filter
from milepost.ports import Conflict, Reflector, Work
from milepost.upkeep.values import Job

# Another worker may change a pattern between reading and writing it: so often is tried again.
_TRIES = 20
# An episode on which nobody worked for so long is closed as abandoned.
IDLE_US = 24 * 3_600_000_000
# An episode is compared with so many that were completed last.
_PEERS = 60
# An episode is compared with so many others, if they are about as similar as this.
_SIMILAR, _ALIKE = 8, 0.6
_CANDIDATES = 3
_CHUNK = 200
_HELPED = {"success": (1, 0), "failure": (0, 1)}
# A confidence that changed by less is not worth a write.
_CHANGED = 0.005
_REFLECTED = "reflected"
EVERY_S = 24 * 3600.0
ALL = 1_000_000


def learn(context: Context, job: Job) -> None:
    """Do the work that a completed episode leaves."""
    learn_from(context, job.key)
    _prove(context, job.key)
    if context.reflector is not None:
        _reflect_again(context, context.reflector, job.key)


def _prove(context: Context, name: str) -> None:
    """Tell the episodes that this one tried again with success that what they taught helped."""
    from milepost.experience.salience import RETRY_OF
    from milepost.experience.selection import SOLVED_BY

    found = context.store.episodes.named(context.space, [name])
    if not found or found[0].outcome != "success":
        return
    earlier, seen = dict(found[0].relations).get(RETRY_OF), {name}
    while earlier is not None and earlier not in seen:
        seen.add(earlier)
        before = context.store.episodes.named(context.space, [earlier])
        if not before:
            return
        proof = (SOLVED_BY, name)
        if proof not in before[0].relations:
            changes = EpisodeChanges(relation=proof)
            context.store.episodes.change(context.space, earlier, changes, context.clock())
        earlier = dict(before[0].relations).get(RETRY_OF)


def _reflect_again(context: Context, reflect: Reflector, name: str) -> None:
    """Let a language model word what rules found; what they found stays when it does not answer."""
    found = context.store.episodes.named(context.space, [name])
    if not found or context.store.values.get(context.space, _REFLECTED, name):
        return
    from milepost.experience.redaction import episode_told, lessons_kept

    worded = reflect(episode_told(with_steps(context, found[0])))
    if worded:
        insights = lessons_kept(worded)
        entry = renewed(context, found[0]._replace(insights=insights))
        with context.store.writing() as work:
            changes = EpisodeChanges(insights=insights)
            work.episodes.change(context.space, name, changes, context.clock())
            work.memories.put(entry)
            work.values.put(context.space, _REFLECTED, name, "1")


def learn_from(context: Context, name: str) -> list[str]:
    """Take out of an episode what it teaches, once; return the patterns that it is in."""
    for _ in range(_TRIES):
        found = context.store.episodes.named(context.space, [name])
        if not found or found[0].outcome is None:
            return []
        patterns = _Lessons(context, with_steps(context, found[0])).patterns()
        with suppress(Conflict):
            put(context, name, patterns)
            return [change.stored.pattern.id for change in patterns]
    raise StoreBusy(f"Others change the same patterns all the time; {name} is tried later.")


class PatternChange(NamedTuple):
    """A pattern to write, and what it is found by from now on if that changed."""

    stored: StoredPattern
    entry: Draft | None = None


class _Lessons:
    """What one episode changes in the patterns that are known."""

    def __init__(self, context: Context, episode: Episode) -> None:
        self._context = context
        self._episode = episode
        self._known: dict[str, StoredPattern] = {}
        self._changed: dict[str, Pattern] = {}

    def patterns(self) -> list[PatternChange]:
        """Return the patterns to write, each with what it is found by."""
        from milepost.experience.patterns.kinds import compare, extract
        from milepost.experience.redaction import pattern_kept

        self._count_shown()
        found = [*extract(self._episode), *compare(self._alike())]
        self._add([pattern_kept(pattern) for pattern in found])
        now = (self._episode.completed or self._episode.created, self._context.clock() / 1e6)
        patterns = [decayed(pattern, max(now)) for pattern in self._changed.values()]
        return changes_of(self._context, patterns, self._known)

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

    def _add(self, found: Sequence[Pattern]) -> None:
        self._fetch([pattern.id for pattern in found])
        entries = [pattern_entry(self._context.space, pattern) for pattern in found]
        for pattern, entry in zip(found, analysed(self._context.texts, entries), strict=True):
            home = self._home(pattern, entry)
            self._changed[home.id] = pattern if home is pattern else merge(home, pattern)

    def _home(self, pattern: Pattern, entry: Draft) -> Pattern:
        """Return the known pattern that says the same, or the pattern itself."""
        from milepost.experience.patterns.kinds import same

        own = self._now(pattern.id)
        if own is not None:
            return own
        where = Filter(
            patterns_beside(self._context.space), self._context.clock(), kind=pattern.kind
        )
        near = dict(nearest(self._context, entry, where, _CANDIDATES))
        for other in self._fetch(near):
            if same(other, pattern, near[other.id]):
                return other
        return pattern

    def _fetch(self, ids: Iterable[str]) -> list[Pattern]:
        """Return the patterns of some ids as they are by now."""
        wanted = list(dict.fromkeys(ids))
        missing = [name for name in wanted if name not in self._known]
        for stored in self._context.store.patterns.named(self._context.space, missing):
            self._known[stored.pattern.id] = stored
        return [found for name in wanted if (found := self._now(name)) is not None]

    def _now(self, name: str) -> Pattern | None:
        known = self._known.get(name)
        return self._changed.get(name, known.pattern if known else None)

    def _alike(self) -> list[Episode]:
        """Return episodes like this one with their steps, and this one last."""
        context, episode = self._context, self._episode
        entry = analysed(context.texts, [episode_entry(context.space, episode)])[0]
        where = Filter(
            episodes_beside(context.space),
            context.clock(),
            tags=(SALIENT,),
            kind=episode.task_type,
        )
        near = [n for n, score in nearest(context, entry, where, _SIMILAR) if score >= _ALIKE]
        found = context.store.episodes.named(context.space, near)
        ended = [with_steps(context, other) for other in found if other.outcome is not None]
        return [*reversed(ended), episode]


def changes_of(
    context: Context, patterns: Sequence[Pattern], known: Mapping[str, StoredPattern]
) -> list[PatternChange]:
    """Return patterns as they are written: those that changed, found by what they say now."""
    changes = []
    for pattern in patterns:
        before = known.get(pattern.id)
        if before is not None and before.pattern == pattern:
            continue
        entry = pattern_entry(context.space, pattern)
        if before is not None and pattern_entry(context.space, before.pattern) == entry:
            changes.append(PatternChange(StoredPattern(pattern, before.version)))
        else:
            stored = StoredPattern(pattern, 0 if before is None else before.version)
            changes.append(PatternChange(stored, analysed(context.texts, [entry])[0]))
    return changes


def put(context: Context, episode: str | None, changes: Sequence[PatternChange]) -> None:
    """Write patterns with what they are found by, all of them or, on a conflict, none."""
    with context.store.writing() as work:
        if work.patterns.learn(context.space, episode, [change.stored for change in changes]):
            for change in changes:
                if change.entry is not None:
                    work.memories.put(change.entry)


def _shown(context: Context, episode: Episode) -> list[str]:
    """Return the patterns that whoever worked on an episode knew of."""
    named = [episode.context, *(step.parameters for step in episode.steps)]
    given = [mapping.get("pattern_ids") for mapping in named]
    ids = [name for one in given if isinstance(one, list | tuple) for name in one]
    return [
        *context.store.patterns.shown(context.space, episode.id),
        *(name for name in ids if isinstance(name, str)),
    ]


def look_after(context: Context, job: Job) -> None:
    """Close what was abandoned and let patterns fade that nobody uses; again after a day."""
    del job
    now = context.clock()
    close_idle(context, now - IDLE_US)
    fade(context)
    some_open = context.store.episodes.idle(context.space, now, 1)
    if some_open or context.store.patterns.find(context.space, None, False, 1):
        context.store.jobs.enqueue(context.space, UPKEEP, "", "", now + int(EVERY_S * 1e6))


def close(context: Context, episode: Episode) -> tuple[Episode, Write]:
    """Return an episode that has an outcome as it is after its end, and what writes it."""
    from milepost.experience.closing import closed, judged

    store, space = context.store, context.space
    domain = episode.context.get("domain")
    named = domain if isinstance(domain, str) else None
    peers = store.episodes.peers(space, episode.task_type, named, _PEERS)
    names = store.patterns.shown(space, episode.id)
    shown = [one.pattern for one in store.patterns.named(space, names)] if names else []
    ended, now = closed(episode, peers, shown), context.clock()
    entry = analysed(context.texts, [episode_entry(space, ended.episode)])[0]
    alike = Filter(
        entry.space, now, tags=(label("outcome", episode.outcome),), kind=episode.task_type
    )
    ended = judged(ended, context.part(Novelty).nearest(entry, alike))
    if not ended.is_salient:
        entry = entry._replace(tags=episode_entry(space, ended.episode, salient=False).tags)
    return ended.episode, ending(space, ended, entry, now)


def renewed(context: Context, episode: Episode) -> Draft:
    """Return what an episode is found by after it was changed; how salient it is stays."""
    space = episodes_beside(context.space)
    before = context.store.memories.record(space, entry_hash(episode.id))
    salient = before is None or SALIENT in before.tags
    return analysed(context.texts, [episode_entry(context.space, episode, salient=salient)])[0]


def close_idle(context: Context, before: int) -> int:
    """Close the episodes that nobody worked on since a time, and return how many there were."""
    closed = 0
    while names := context.store.episodes.idle(context.space, before, _CHUNK):
        idle = context.store.episodes.named(context.space, names)
        ended = [close(context, _given_up(context, one)) for one in idle]
        context.part(Recorder).write([write for _, write in ended])
        closed += len(names)
    return closed


def _given_up(context: Context, episode: Episode) -> Episode:
    return with_steps(context, episode)._replace(
        outcome=ABANDONED, verdict="nobody went on with it", completed=context.clock() / 1e6
    )


def fade(context: Context, *, dry_run: bool = False) -> tuple[int, list[str]]:
    """Give patterns the confidence they have by now; return how many lost some, and who retired."""
    now = context.clock() / 1e6
    kept = context.store.patterns.find(context.space, None, None, ALL)
    weakened, retired = 0, []
    for start in range(0, len(kept), _CHUNK):
        chunk = {one.pattern.id: one for one in kept[start : start + _CHUNK]}
        faded = [_faded(one.pattern, now) for one in chunk.values()]
        changed = [pattern for pattern in faded if chunk[pattern.id].pattern != pattern]
        weakened += sum(p.confidence < chunk[p.id].pattern.confidence for p in changed)
        retired += [p.id for p in changed if p.retired and not chunk[p.id].pattern.retired]
        if changed and not dry_run:
            # A chunk that another changes meanwhile fades the next time.
            with suppress(Conflict):
                put(context, None, changes_of(context, changed, chunk))
    return weakened, retired


def _faded(pattern: Pattern, now: float) -> Pattern:
    fresh = decayed(pattern, now)
    little = abs(fresh.confidence - pattern.confidence) < _CHANGED
    return pattern if little and fresh.retired == pattern.retired else fresh


def forget_lessons(context: Context, work: Work, episode: str) -> None:
    """Take an episode out of the evidence of patterns; those that rest on it alone go with it."""
    known = {one.pattern.id: one for one in work.patterns.of(context.space, episode)}
    now = context.clock() / 1e6
    left = [
        decayed(_reworded(context, _without(one.pattern, episode)), now) for one in known.values()
    ]
    alone = [p.id for p in left if p.successes + p.failures <= 0]
    put(context, None, changes_of(context, [p for p in left if p.id not in alone], known))
    space = patterns_beside(context.space)
    entries = [work.memories.record(space, entry_hash(name)) for name in alone]
    work.memories.remove([entry.id for entry in entries if entry is not None])
    work.patterns.remove(context.space, alone)


def _without(pattern: Pattern, episode: str) -> Pattern:
    lost = episode in pattern.evidence
    return pattern._replace(
        evidence=tuple(name for name in pattern.evidence if name != episode),
        against=tuple(name for name in pattern.against if name != episode),
        successes=pattern.successes - lost,
        failures=pattern.failures - (episode in pattern.against),
    )


def _reworded(context: Context, pattern: Pattern) -> Pattern:
    """Return a pattern in the words of an episode that is left: its own may be of one that is not.

    What only a comparison of episodes tells is told by their kinds of actions, in nobody's words.
    """
    from milepost.experience.patterns.kinds import extract, same
    from milepost.experience.redaction import pattern_kept

    for other in context.store.episodes.named(context.space, pattern.evidence[::-1]):
        for found in extract(with_steps(context, other)):
            if same(pattern, found, 1.0):
                said = pattern_kept(found)
                return pattern._replace(
                    situation=said.situation, advice=said.advice, steps=said.steps
                )
    return pattern


def unlearned(context: Context, limit: int) -> list[str]:
    """Return completed episodes that nothing was learned from yet, oldest first."""
    where = EpisodeFilter(context.space, learned=False)
    return [episode.id for episode in reversed(context.store.episodes.find(where, limit))]
