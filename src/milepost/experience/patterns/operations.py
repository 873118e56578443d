"""Look at what holds across episodes: ways that work, traps, errors and what mends them."""

from collections.abc import Sequence

from milepost.errors import InvalidInput, NotFound
from milepost.experience.entries import SALIENT, find, label, pattern_space
from milepost.experience.learning import ALL, fade, learn_from, unlearned
from milepost.experience.patterns.pattern import (
    DAY_S,
    HALF_LIFE_DAYS,
    confidence,
    decayed,
    effectiveness,
)
from milepost.experience.recording import find_episode
from milepost.experience.redaction import as_shown
from milepost.experience.summaries import compact
from milepost.experience.values import (
    CompactPattern,
    Decayed,
    EpisodeFilter,
    Explanation,
    Pattern,
    PatternEffect,
    PatternList,
    StoredPattern,
    Validation,
)
from milepost.memory import validation
from milepost.memory.context import Context, Service
from milepost.memory.values import Filter
from milepost.operation import operation
from milepost.text.fit import fit_rows

_EPISODES_MAX = 10_000


class KnownPatterns(Service):
    """The operations about what was learned."""

    @operation(
        "pattern",
        example='search_patterns("ModuleNotFoundError in tests", kind="recovery")',
        read_only=True,
    )
    def search_patterns(
        self,
        query: str,
        kind: str | None = None,
        limit: int = 5,
        domain: str | None = None,
        language: str | None = None,
        include_retired: bool = False,
        budget: int | None = None,
    ) -> PatternList:
        """Find patterns by the situation they are about, best first.

        query: the situation, an error or a task, in words.
        kind: only this kind: sequence, decision, recovery, context or trap.
        limit: how many to show at most.
        domain: only what was seen in this domain.
        language: only what was seen with this programming language.
        include_retired: also those that did not hold or were long not seen.
        budget: ceiling in tokens for the text of the result.
        """
        context = self._context
        text, count = validation.query(query), validation.limit(limit)
        ceiling, wanted = validation.budget(budget), _kind(kind)
        labels = [] if validation.flag("include_retired", include_retired) else [SALIENT]
        for key, value in (("domain", domain), ("language", language)):
            named = validation.optional_name(key, value)
            labels += [] if named is None else [label(key, named)]
        where = Filter(
            pattern_space(context.space),
            context.clock(),
            tags=tuple(labels),
            match_all=True,
            kind=wanted,
        )
        scores = dict(find(context, context.texts.probe(text), where, count))
        stored = context.store.patterns.named(context.space, list(scores))
        rows = [compact_pattern(context, p, round(scores[p.id], 3)) for p, _ in stored]
        return _shown(rows, len(rows), text, ceiling)

    @operation("pattern", example='list_patterns(kind="trap")', read_only=True)
    def list_patterns(
        self,
        kind: str | None = None,
        limit: int = 20,
        include_retired: bool = False,
        budget: int | None = None,
    ) -> PatternList:
        """List patterns, those that can be relied on most first.

        kind: only this kind: sequence, decision, recovery, context or trap.
        limit: how many to show at most.
        include_retired: also those that did not hold or were long not seen.
        budget: ceiling in tokens for the text of the result.
        """
        context = self._context
        count, ceiling, wanted = validation.limit(limit), validation.budget(budget), _kind(kind)
        retired = None if validation.flag("include_retired", include_retired) else False
        known = context.store.patterns.find(context.space, wanted, retired, ALL)
        rows = [compact_pattern(context, pattern) for pattern, _ in known[:count]]
        return _shown(rows, len(known), "", ceiling)

    @operation(
        "pattern",
        example='get_pattern("pt_0f1e2d3c4b5a6978")',
        read_only=True,
        aliases=("view_pattern",),
    )
    def get_pattern(self, pattern: str) -> Pattern:
        """Show a whole pattern.

        pattern: the id of the pattern.
        """
        context = self._context
        return _fresh(find_pattern(context, pattern), context.now_s)

    @operation("pattern", example='explain_pattern("pt_0f1e2d3c4b5a6978")', read_only=True)
    def explain_pattern(self, pattern: str) -> Explanation:
        """Show the episodes that speak for and against a pattern, and how its figures came about.

        pattern: the id of the pattern.
        """
        context = self._context
        known, now_s = find_pattern(context, pattern), context.now_s
        named = context.store.episodes.named
        return Explanation(
            _fresh(known, now_s),
            tuple(compact(episode) for episode in named(context.space, known.evidence)),
            tuple(compact(episode) for episode in named(context.space, known.against)),
            _arithmetic(known, now_s),
        )

    @operation("pattern", example='pattern_effectiveness("pt_0f1e2d3c4b5a6978")', read_only=True)
    def pattern_effectiveness(
        self, pattern: str | None = None, limit: int = 20
    ) -> list[PatternEffect]:
        """Show whether episodes went well after patterns were shown, the most shown first.

        pattern: only this one.
        limit: how many to show at most.
        """
        context = self._context
        count = validation.limit(limit)
        if pattern is not None:
            return [_effect(find_pattern(context, pattern))]
        known = context.store.patterns.find(context.space, None, None, ALL)
        most_shown = sorted((pattern for pattern, _ in known), key=lambda p: (-p.shown, p.id))
        return [_effect(pattern) for pattern in most_shown[:count] if pattern.shown]

    @operation(
        "pattern",
        example='extract_patterns("ep_04wzxy3m8kq2")',
        idempotent=True,
    )
    def extract_patterns(self, episode: str | None = None, limit: int = 20) -> PatternList:
        """Learn now what episodes teach, which else happens in the background.

        episode: only this one; otherwise all that were completed and not yet learned from.
        limit: how many patterns to show at most.
        """
        context = self._context
        count = validation.limit(limit)
        if episode is None:
            learned = _learned(context)
        else:
            name = _completed(context, episode)
            learn_from(context, name)
            learned = context.store.patterns.of(context.space, name)
        alive = [pattern for pattern, _ in learned if not pattern.retired]
        best = sorted(alive, key=lambda pattern: (-pattern.confidence, pattern.id))
        rows = [compact_pattern(context, pattern) for pattern in best[:count]]
        return PatternList(tuple(rows), len(best))

    @operation("pattern", example="decay_patterns(dry_run=True)", idempotent=True)
    def decay_patterns(self, dry_run: bool = False) -> Decayed:
        """Let patterns fade that were long not seen, and retire those of which little is left.

        dry_run: only say what would fade.
        """
        only_say = validation.flag("dry_run", dry_run)
        weakened, retired = fade(self._context, dry_run=only_say)
        return Decayed(weakened, tuple(retired), only_say)

    @operation("pattern", example="validate_patterns(share=0.3)", read_only=True)
    def validate_patterns(self, share: float = 0.3, limit: int = 20) -> Validation:
        """Score patterns on the latest episodes, of which only earlier ones could have taught them.

        share: the share of episodes that is held out.
        limit: how many patterns to show at most.
        """
        from milepost.experience.patterns.kinds import validate

        context = self._context
        part, count = _share(share), validation.limit(limit)
        where = EpisodeFilter(context.space, learned=True)
        newest = context.store.episodes.find(where, _EPISODES_MAX)
        held_out = newest[: int(len(newest) * part)]
        earlier = {episode.id for episode in newest[len(held_out) :]}
        stored = context.store.patterns.find(context.space, None, None, ALL)
        known = [p for p, _ in stored if earlier & {*p.evidence, *p.against}]
        steps = context.store.episodes.steps
        whole = [e._replace(steps=tuple(steps(context.space, e.id))) for e in held_out]
        scored = validate(known, whole)
        applied = [checked for checked in scored.checked if checked.applied]
        return scored._replace(checked=tuple(applied[:count]))


def compact_pattern(context: Context, pattern: Pattern, score: float = 1.0) -> CompactPattern:
    """Return a pattern in a line, with the confidence it has now."""
    fresh = decayed(pattern, context.now_s)
    return CompactPattern(
        fresh.id,
        fresh.kind,
        as_shown(fresh.situation),
        as_shown(fresh.advice),
        round(fresh.confidence, 3),
        fresh.successes,
        fresh.failures,
        score,
    )


def _fresh(pattern: Pattern, now_s: float) -> Pattern:
    """Return a pattern with the confidence it has now."""
    fresh = decayed(pattern, now_s)
    return fresh._replace(confidence=round(fresh.confidence, 3))


def find_pattern(context: Context, value: object) -> Pattern:
    """Return the pattern of an id that somebody asks for."""
    name = validation.name("pattern", value)
    stored = context.store.patterns.named(context.space, [name])
    if not stored:
        raise NotFound(f"There is no pattern {name}; list_patterns shows those there are.")
    return stored[0].pattern


def _completed(context: Context, name: object) -> str:
    episode = find_episode(context, name)
    if episode.outcome is None:
        raise InvalidInput(f"{episode.id} is still open; complete_episode ends it.")
    return episode.id


def _learned(context: Context) -> list[StoredPattern]:
    """Learn from all that nothing was learned from, and return the patterns that it changed."""
    changed: dict[str, None] = {}
    for name in unlearned(context, _EPISODES_MAX):
        changed |= dict.fromkeys(learn_from(context, name))
    return context.store.patterns.named(context.space, list(changed))


def _kind(value: object) -> str | None:
    if value is None:
        return None
    from milepost.experience.patterns.kinds import KINDS

    if not isinstance(value, str) or value not in KINDS:
        raise InvalidInput(f"kind must be one of {', '.join(KINDS)}, not {value!r}.")
    return value


def _share(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1:
        raise InvalidInput(f"share must be a number between 0 and 1, not {value!r}.")
    return float(value)


def _effect(pattern: Pattern) -> PatternEffect:
    return PatternEffect(
        pattern.id,
        pattern.kind,
        as_shown(pattern.advice),
        pattern.shown,
        pattern.helped,
        pattern.hindered,
        round(effectiveness(pattern), 3),
    )


def _arithmetic(pattern: Pattern, now_s: float) -> tuple[str, ...]:
    """Return in words how the figures of a pattern follow from what was counted."""
    held = pattern.successes + pattern.helped
    asked = held + pattern.failures + pattern.hindered
    shown = pattern.helped + pattern.hindered
    days = max(now_s - pattern.updated, 0.0) / DAY_S
    counted, left = confidence(held, asked - held), decayed(pattern, now_s).confidence
    return (
        f"held in {pattern.successes} of {pattern.successes + pattern.failures} episodes",
        f"shown {pattern.shown} times: helped {pattern.helped}, hindered {pattern.hindered}",
        f"confidence {counted:.3f}: lower bound (Wilson, 90 %) of {held} of {asked}",
        f"now {left:.3f}: halved every {HALF_LIFE_DAYS:.0f} days, {days:.1f} days have passed",
        f"effectiveness {effectiveness(pattern):.3f}: ({pattern.helped} + 1) / ({shown} + 2)",
    )


def _shown(
    rows: Sequence[CompactPattern], total: int, query: str, ceiling: int | None
) -> PatternList:
    return fit_rows(PatternList(tuple(rows), total, query), "patterns", ceiling)
