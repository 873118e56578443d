"""Learn from episodes after their end: patterns, and whether those that were shown helped.

What is learned from an episode is written in one transaction with the mark that it was, so that
each counts once, whoever dies on the way and however many work at it.
"""

from collections.abc import Iterable, Sequence

from milepost.errors import StoreBusy
from milepost.experience.closing import IDLE_S, UPKEEP, closing
from milepost.experience.lookup import (
    SALIENT,
    analysed,
    episode_trace,
    episodes_beside,
    nearest,
    pattern_trace,
    patterns_beside,
    trace_hash,
    with_steps,
)
from milepost.experience.values import (
    ABANDONED,
    Episode,
    EpisodeChanges,
    EpisodeFilter,
    Kept,
    Pattern,
)
from milepost.memory.context import Context
from milepost.memory.values import Draft, Filter
from milepost.ports import Reflector
from milepost.upkeep.values import Job

# Another worker may change a pattern between reading and writing it: so often is tried again.
_TRIES = 20
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

    found = context.store.episodes_named(context.space, [name])
    if not found or found[0].outcome != "success":
        return
    earlier, seen = dict(found[0].relations).get(RETRY_OF), {name}
    while earlier is not None and earlier not in seen:
        seen.add(earlier)
        before = context.store.episodes_named(context.space, [earlier])
        if not before:
            return
        proof = (SOLVED_BY, name)
        if proof not in before[0].relations:
            changes = EpisodeChanges(relation=proof)
            context.store.change_episode(context.space, earlier, changes, context.clock())
        earlier = dict(before[0].relations).get(RETRY_OF)


def _reflect_again(context: Context, reflect: Reflector, name: str) -> None:
    """Let a language model word what rules found; what they found stays when it does not answer."""
    found = context.store.episodes_named(context.space, [name])
    if not found or context.store.kept(context.space, _REFLECTED, name):
        return
    from milepost.experience.redaction import episode_told, lessons_kept

    worded = reflect(episode_told(with_steps(context, found[0])))
    if worded:
        insights = lessons_kept(worded)
        told = found[0]._replace(insights=insights)
        before = context.store.record(episodes_beside(context.space), trace_hash(name))
        salient = before is None or SALIENT in before.tags
        trace = episode_trace(context.space, told, salient=salient)
        changes = EpisodeChanges(insights=insights, draft=analysed(context.texts, [trace])[0])
        context.store.change_episode(context.space, name, changes, context.clock())
        context.store.keep(context.space, _REFLECTED, name, "1")


def learn_from(context: Context, name: str) -> list[str]:
    """Take out of an episode what it teaches, once; return the patterns that it is in."""
    for _ in range(_TRIES):
        found = context.store.episodes_named(context.space, [name])
        if not found or found[0].outcome is None:
            return []
        kept = _Lessons(context, with_steps(context, found[0])).kept()
        if context.store.learn(context.space, name, kept):
            return [one.pattern.id for one in kept]
    raise StoreBusy(f"Others change the same patterns all the time; {name} is tried later.")


class _Lessons:
    """What one episode changes in the patterns that are known."""

    def __init__(self, context: Context, episode: Episode) -> None:
        self._context = context
        self._episode = episode
        self._known: dict[str, Kept] = {}
        self._changed: dict[str, Pattern] = {}

    def kept(self) -> list[Kept]:
        """Return the patterns to write, each with what it is found by."""
        from milepost.experience.confidence import decayed
        from milepost.experience.patterns.extraction import compare, extract
        from milepost.experience.redaction import pattern_kept

        self._count_shown()
        found = [*extract(self._episode), *compare(self._alike())]
        self._add([pattern_kept(pattern) for pattern in found])
        now = (self._episode.completed or self._episode.created, self._context.clock() / 1e6)
        patterns = [decayed(pattern, max(now)) for pattern in self._changed.values()]
        return to_keep(self._context, patterns, self._known)

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
        from milepost.experience.patterns.merging import merge

        self._fetch([pattern.id for pattern in found])
        traces = [pattern_trace(self._context.space, pattern) for pattern in found]
        for pattern, trace in zip(found, analysed(self._context.texts, traces), strict=True):
            home = self._home(pattern, trace)
            self._changed[home.id] = pattern if home is pattern else merge(home, pattern)

    def _home(self, pattern: Pattern, trace: Draft) -> Pattern:
        """Return the known pattern that says the same, or the pattern itself."""
        from milepost.experience.patterns.merging import same

        own = self._now(pattern.id)
        if own is not None:
            return own
        where = Filter(
            patterns_beside(self._context.space), self._context.clock(), kind=pattern.kind
        )
        near = dict(nearest(self._context, trace, where, _CANDIDATES))
        for other in self._fetch(near):
            if same(other, pattern, near[other.id]):
                return other
        return pattern

    def _fetch(self, ids: Iterable[str]) -> list[Pattern]:
        """Return the patterns of some ids as they are by now."""
        wanted = list(dict.fromkeys(ids))
        missing = [name for name in wanted if name not in self._known]
        for kept in self._context.store.patterns_named(self._context.space, missing):
            self._known[kept.pattern.id] = kept
        return [found for name in wanted if (found := self._now(name)) is not None]

    def _now(self, name: str) -> Pattern | None:
        known = self._known.get(name)
        return self._changed.get(name, known.pattern if known else None)

    def _alike(self) -> list[Episode]:
        """Return episodes like this one with their steps, and this one last."""
        context, episode = self._context, self._episode
        trace = analysed(context.texts, [episode_trace(context.space, episode)])[0]
        where = Filter(
            episodes_beside(context.space),
            context.clock(),
            tags=(SALIENT,),
            kind=episode.task_type,
        )
        near = [n for n, score in nearest(context, trace, where, _SIMILAR) if score >= _ALIKE]
        found = context.store.episodes_named(context.space, near)
        ended = [with_steps(context, other) for other in found if other.outcome is not None]
        return [*reversed(ended), episode]


def to_keep(context: Context, patterns: Sequence[Pattern], known: dict[str, Kept]) -> list[Kept]:
    """Return patterns as they are written: those that changed, found by what they say now."""
    found = []
    for pattern in patterns:
        before = known.get(pattern.id)
        if before is not None and before.pattern == pattern:
            continue
        trace = pattern_trace(context.space, pattern)
        if before is not None and pattern_trace(context.space, before.pattern) == trace:
            found.append(Kept(pattern, before.version))
        else:
            version = 0 if before is None else before.version
            found.append(Kept(pattern, version, analysed(context.texts, [trace])[0]))
    return found


def _shown(context: Context, episode: Episode) -> list[str]:
    """Return the patterns that whoever worked on an episode knew of."""
    named = [episode.context, *(step.parameters for step in episode.steps)]
    given = [mapping.get("pattern_ids") for mapping in named]
    ids = [name for one in given if isinstance(one, list | tuple) for name in one]
    return [
        *context.store.shown_to(context.space, episode.id),
        *(name for name in ids if isinstance(name, str)),
    ]


def look_after(context: Context, job: Job) -> None:
    """Close what was abandoned and let patterns fade that nobody uses; again after a day."""
    del job
    now = context.clock()
    close_idle(context, now - int(IDLE_S * 1e6))
    fade(context)
    some_open = context.store.idle_episodes(context.space, now, 1)
    if some_open or context.store.patterns(context.space, None, False, 1):
        context.store.enqueue(context.space, UPKEEP, "", "", now + int(EVERY_S * 1e6))


def close_idle(context: Context, before: int) -> int:
    """Close the episodes that nobody worked on since a time, and return how many there were."""
    closed = 0
    while names := context.store.idle_episodes(context.space, before, _CHUNK):
        idle = context.store.episodes_named(context.space, names)
        context.recorder.write([closing(context, _given_up(context, one)) for one in idle])
        closed += len(names)
    return closed


def _given_up(context: Context, episode: Episode) -> Episode:
    return with_steps(context, episode)._replace(
        outcome=ABANDONED, verdict="nobody went on with it", completed=context.clock() / 1e6
    )


def fade(context: Context, *, dry_run: bool = False) -> tuple[int, list[str]]:
    """Give patterns the confidence they have by now; return how many lost some, and who retired."""
    now = context.clock() / 1e6
    kept = context.store.patterns(context.space, None, None, ALL)
    weakened, retired = 0, []
    for start in range(0, len(kept), _CHUNK):
        chunk = {one.pattern.id: one for one in kept[start : start + _CHUNK]}
        faded = [_faded(one.pattern, now) for one in chunk.values()]
        changed = [pattern for pattern in faded if chunk[pattern.id].pattern != pattern]
        weakened += sum(p.confidence < chunk[p.id].pattern.confidence for p in changed)
        retired += [p.id for p in changed if p.retired and not chunk[p.id].pattern.retired]
        if changed and not dry_run:
            # A chunk that another changes meanwhile fades the next time.
            context.store.learn(context.space, None, to_keep(context, changed, chunk))
    return weakened, retired


def _faded(pattern: Pattern, now: float) -> Pattern:
    from milepost.experience.confidence import decayed

    fresh = decayed(pattern, now)
    little = abs(fresh.confidence - pattern.confidence) < _CHANGED
    return pattern if little and fresh.retired == pattern.retired else fresh


def forget_lessons(context: Context, episode: str) -> None:
    """Take an episode out of the evidence of patterns; those that rest on it alone go with it."""
    from milepost.experience.confidence import decayed

    for _ in range(_TRIES):
        found = context.store.patterns_of(context.space, episode)
        known = {kept.pattern.id: kept for kept in found}
        now = context.clock() / 1e6
        left = [decayed(_reworded(context, _without(kept.pattern, episode)), now) for kept in found]
        alone = [p.id for p in left if p.successes + p.failures <= 0]
        kept = to_keep(context, [p for p in left if p.id not in alone], known)
        if context.store.learn(context.space, None, kept):
            _remove(context, alone)
            return
    raise StoreBusy("Others change the same patterns all the time; try again.")


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
    from milepost.experience.patterns.extraction import extract
    from milepost.experience.patterns.merging import same
    from milepost.experience.redaction import pattern_kept

    for other in context.store.episodes_named(context.space, pattern.evidence[::-1]):
        for found in extract(with_steps(context, other)):
            if same(pattern, found, 1.0):
                said = pattern_kept(found)
                return pattern._replace(
                    situation=said.situation, advice=said.advice, steps=said.steps
                )
    return pattern


def _remove(context: Context, ids: Sequence[str]) -> None:
    space = patterns_beside(context.space)
    traces = [context.store.record(space, trace_hash(name)) for name in ids]
    context.store.remove([trace.id for trace in traces if trace is not None])
    context.store.remove_patterns(context.space, ids)


def unlearned(context: Context, limit: int) -> list[str]:
    """Return completed episodes that nothing was learned from yet, oldest first."""
    where = EpisodeFilter(context.space, learned=False)
    return [episode.id for episode in reversed(context.store.episodes(where, limit))]
