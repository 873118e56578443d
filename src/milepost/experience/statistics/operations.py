"""Ask how episodes end, and whether a pattern holds at a place."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from milepost.experience.learning import ALL
from milepost.experience.patterns.operations import find_pattern
from milepost.experience.patterns.pattern import CONTEXT_KEYS, DAY_S, EpisodeRun
from milepost.experience.recording import with_steps
from milepost.experience.redaction import as_shown
from milepost.experience.statistics import rates
from milepost.experience.statistics.intervals import Belief, credible, mean
from milepost.experience.statistics.places import Part, Sight, beliefs, parts
from milepost.experience.steps import acts_in
from milepost.experience.values import (
    Ended,
    EpisodeFilter,
    Pattern,
    PatternAnalysis,
    PatternFit,
    PatternRisk,
)
from milepost.memory import validation
from milepost.memory.context import Context, Service
from milepost.operation import operation
from milepost.shares import wilson
from milepost.text.lines import counted
from milepost.upkeep.recorder import Recorder

_DAYS_MAX = 36_500
# The newest of the time that is asked about; more would say the same, only later.
_EPISODES_MAX = 10_000
# How often it goes wrong at a place is read off so many of it, among so many that ended last.
_USUAL_MAX, _ENDED_MAX = 100, 1_000
_KEYS = (*CONTEXT_KEYS, "task_type")
# From here on it is said of a part of the context, which was not given, that it matters.
_MATTERS = 0.5
_VALUES_SHOWN = 4
# The kind that is not followed.
_WARNING = "trap"

# A share that is expected, and its interval.
Figures = tuple[float, float, float]


class PatternStatistics(Service):
    """The operations that count what happened in episodes."""

    @operation("pattern", example='analyze_patterns(days=30, domain="auth")', read_only=True)
    def analyze_patterns(
        self, days: int = 30, domain: str | None = None, limit: int = 10
    ) -> PatternAnalysis:
        """Count how episodes ended lately: in all, over time, by tool and by domain.

        Shares are of those that ended well, at least in part; what was abandoned tells nothing.
        Intervals are Wilson's (95 %); a change is named where there is none in one of twenty
        analyses at most.

        days: how many days back episodes may have begun.
        domain: only this domain.
        limit: how many tools and domains to show at most.
        """
        context = self._context
        count, shown = validation.whole("days", days, 1, _DAYS_MAX), validation.limit(limit)
        place = validation.optional_name("domain", domain)
        after_us = max(context.clock() - round(count * DAY_S * 1e6), 0)
        where = EpisodeFilter(context.space, domain=place, after_us=after_us)
        context.part(Recorder).flush()
        newest = context.store.episodes.ended(where, _EPISODES_MAX)
        total = len(newest)
        if total == _EPISODES_MAX:
            begun = context.store.episodes.count(where)
            total = begun - context.store.episodes.count(where._replace(outcome="open"))
        told = rates.judged(newest)
        groups = rates.by_domain(told) if place is None else {}
        tools = context.store.episodes.tools(where, _EPISODES_MAX)
        return PatternAnalysis(
            count,
            place,
            rates.outcome_counts(newest),
            _seen(context, place, after_us / 1e6),
            rates.rate(rates.ALL, rates.went_well(told)),
            rates.trend(told),
            tuple(rates.changes({rates.ALL: told, **groups})),
            tuple(rates.tool_rates(tools[:shown])),
            tuple(rates.rate(n, rates.went_well(g)) for n, g in list(groups.items())[:shown]),
            total - len(newest),
        )

    @operation(
        "pattern",
        example='pattern_fit("pt_0f1e2d3c4b5a6978", {"language": "python"})',
        read_only=True,
    )
    def pattern_fit(self, pattern: str, context: Mapping[str, Any] | None = None) -> PatternFit:
        """Tell how likely a pattern holds at a place, how sure that is, and why.

        It may hold everywhere alike, or one part of the context may matter: both are weighed by
        how well they explain where it held and where it did not.

        pattern: the id of the pattern.
        context: where: language, framework, repository, project, domain, task_type.
        """
        here = self._context
        place, known = _place(context), find_pattern(here, pattern)
        held, why = _held(here, known, place)
        figures = _, low, high = _figures(held)
        verdict = "yes" if low > 0.5 else "no" if high < 0.5 else "unsure"
        return PatternFit(known.id, known.kind, as_shown(known.advice), *figures, verdict, why)

    @operation(
        "pattern",
        example='pattern_risk("pt_0f1e2d3c4b5a6978", {"language": "python"})',
        read_only=True,
    )
    def pattern_risk(self, pattern: str, context: Mapping[str, Any] | None = None) -> PatternRisk:
        """Tell how likely it goes wrong at a place to do what a pattern says, or what it warns of.

        Beside it stands how often it goes wrong at this place anyway.

        pattern: the id of the pattern.
        context: where: language, framework, repository, project, domain, task_type.
        """
        here = self._context
        place, known = _place(context), find_pattern(here, pattern)
        held, why = _held(here, known, place)
        warns = known.kind == _WARNING
        risk = _figures(held if warns else [Belief(each.weight, each.b, each.a) for each in held])
        chance, count = _chance(here, known.kind, place)
        low, high = wilson(chance * count, count)
        usual = _rounded(chance, low, high) if warns else _rounded(1 - chance, 1 - high, 1 - low)
        verdict = _beside(risk, usual) if count else "unsure"
        about = (known.id, known.kind, as_shown(known.advice))
        return PatternRisk(*about, *risk, *usual, count, verdict, (*why, *_shown(known)))


def _seen(context: Context, domain: str | None, after_s: float) -> dict[str, int]:
    """Return how many patterns of which kind were seen since a time, by falling number."""
    stored = context.store.patterns.find(context.space, None, None, ALL)
    kinds = Counter(
        pattern.kind
        for pattern, _ in stored
        if pattern.updated >= after_s and domain in (None, pattern.context.get("domain"))
    )
    return dict(kinds.most_common())


def _place(context: object) -> dict[str, str]:
    """Return what of a context says where something holds, as it is compared."""
    about = validation.metadata(context, "context")
    return _compared(about)


def _compared(context: Mapping[str, Any]) -> dict[str, str]:
    values = {key: context.get(key) for key in _KEYS}
    return {key: value.casefold() for key, value in values.items() if isinstance(value, str)}


def _held(
    context: Context, pattern: Pattern, here: Mapping[str, str]
) -> tuple[list[Belief], tuple[str, ...]]:
    """Return what is believed of the share of episodes here in which a pattern holds, and why."""
    from milepost.experience.patterns.kinds import KINDS

    sights = _sights(context, pattern)
    seen = [key for key in _KEYS if any(sight.place.get(key) for sight in sights)]
    given = [key for key in seen if here.get(key)]
    found = parts(sights, given, local=KINDS[pattern.kind].is_local and bool(given))
    others = parts(sights, [key for key in seen if key not in given])
    held = beliefs(found, here, (pattern.successes, pattern.failures))
    days = max(context.now_s - pattern.updated, 0.0) / DAY_S
    seen_in = f"{pattern.successes} of {pattern.successes + pattern.failures} episodes"
    return held, (
        f"held in {seen_in}, last seen {counted(int(days), 'day')} ago",
        *(_given(part, here) for part in found),
        *(_not_given(part) for part in others if part.matters >= _MATTERS),
    )


def _sights(context: Context, pattern: Pattern) -> list[Sight]:
    """Return the episodes that speak for and against a pattern, as far as they are known.

    Of each the latest are kept, so that the rarer ones may be known better: they count less.
    """
    sides = ((pattern.evidence, pattern.successes), (pattern.against, pattern.failures))
    found = [context.store.episodes.named(context.space, names) for names, _ in sides]
    stand_for = [
        n / len(known) if known else 0.0 for known, (_, n) in zip(found, sides, strict=True)
    ]
    most = max(*stand_for, 1e-9)
    return [
        Sight(_compared({**episode.context, "task_type": episode.task_type}), held, weight / most)
        for held, known, weight in zip((True, False), found, stand_for, strict=True)
        for episode in known
    ]


def _given(part: Part, here: Mapping[str, str]) -> str:
    value = here[part.key]
    matters = f"that it matters is {part.matters:.0%} likely"
    if value not in part.counts:
        return as_shown(f"{part.key} {value}: never seen; {matters}")
    others = [counts for name, counts in part.counts.items() if name != value]
    elsewhere = f"{_of(others)} elsewhere" if others else "not seen elsewhere"
    return as_shown(f"{part.key} {value}: {_of([part.counts[value]])} here, {elsewhere}; {matters}")


def _not_given(part: Part) -> str:
    most = sorted(part.counts.items(), key=lambda each: -sum(each[1]))[:_VALUES_SHOWN]
    told = ", ".join(f"{name or 'without'} {_of([counts])}" for name, counts in most)
    return as_shown(f"{part.key} matters ({part.matters:.0%} likely) and is not given: {told}")


def _of(counts: Sequence[tuple[float, float]]) -> str:
    held, missed = sum(h for h, _ in counts), sum(m for _, m in counts)
    return f"{held:.0f} of {held + missed:.0f}"


def _shown(pattern: Pattern) -> tuple[str, ...]:
    told = pattern.helped + pattern.hindered
    said = f"shown before {counted(told, 'episode')} that ended: {pattern.hindered} failed"
    return (said,) if told else ()


def _figures(held: Sequence[Belief]) -> Figures:
    return _rounded(mean(held), *credible(held))


def _rounded(share: float, low: float, high: float) -> Figures:
    return round(share, 3), round(low, 3), round(high, 3)


def _beside(risk: Figures, usual: Figures) -> str:
    if risk[1] > usual[2]:
        return "higher"
    return "lower" if risk[2] < usual[1] else "unsure"


def _chance(context: Context, kind: str, here: Mapping[str, str]) -> tuple[float, int]:
    """Return how often a pattern that says nothing would hold here, and in how many episodes.

    Where nothing was tried here it is read off the latest wherever.
    """
    from milepost.experience.patterns.kinds import KINDS

    context.part(Recorder).flush()
    newest = context.store.episodes.ended(EpisodeFilter(context.space), _ENDED_MAX)
    told = rates.judged(newest)
    near = [episode.id for episode in told if _is_at(episode, here)]
    names = (near or [episode.id for episode in told])[-_USUAL_MAX:]
    episodes = [with_steps(context, e) for e in context.store.episodes.named(context.space, names)]
    runs = [EpisodeRun(episode, acts_in(episode)) for episode in episodes]
    telling = [run for run in runs if KINDS[kind].tells(run)]
    return KINDS[kind].chance(telling), len(telling)


def _is_at(episode: Ended, here: Mapping[str, str]) -> bool:
    place = _compared({**episode.context, "task_type": episode.task_type})
    return all(place.get(key) == value for key, value in here.items())
