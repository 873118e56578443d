"""Sequences of actions that many successful runs share, whatever they did in between."""

from __future__ import annotations

from collections.abc import Sequence
from math import log2

from milepost.experience.patterns.frames import generalised
from milepost.experience.patterns.making import in_order, pattern, succeeded
from milepost.experience.patterns.sequences import without_loops
from milepost.experience.steps import Deed, contains, path
from milepost.experience.values import Episode, Pattern
from milepost.experience.verdicts import clip

LENGTH_MAX = 10
KEPT = 3
_SUPPORT_MIN = 2
_SUPPORT_SHARE = 0.4
# Growing stops after this many prefixes: a bound on the time, not on what is worth finding.
_PREFIXES_MAX = 2_000
# Past a path of this length only its end is mined.
_PATH_MAX = 40

# Where in which run a prefix ends: (run, place after its last action).
Ends = list[tuple[int, int]]


def common_sequences(runs: Sequence[tuple[Episode, Sequence[Deed]]]) -> list[Pattern]:
    """Return the sequences that successful runs share, weighted by what these were worth."""
    ways = generalised([without_loops(path(done))[-_PATH_MAX:] for _, done in runs])
    good = [place for place, (episode, _) in enumerate(runs) if succeeded(episode)]
    if len(good) < _SUPPORT_MIN:
        return []
    found = frequent([ways[i] for i in good], [_worth(runs[i][0]) for i in good])
    return [_shared(steps, runs, ways) for steps in found]


def frequent(ways: Sequence[Sequence[str]], worths: Sequence[float]) -> list[tuple[str, ...]]:
    """Return the best closed sequences: those that are long, and in many runs that were worth it.

    Prefixes grow by one action at a time over the runs that still contain them (PrefixSpan).
    """
    least = max(_SUPPORT_MIN, round(_SUPPORT_SHARE * len(ways)))
    supports: dict[tuple[str, ...], frozenset[int]] = {}
    waiting: list[tuple[tuple[str, ...], Ends]] = [((), [(run, 0) for run in range(len(ways))])]
    for _ in range(_PREFIXES_MAX):
        if not waiting:
            break
        prefix, ends = waiting.pop()
        for action, grown in _grown(ways, ends).items():
            if len(grown) >= least:
                longer = (*prefix, action)
                supports[longer] = frozenset(run for run, _ in grown)
                if len(longer) < LENGTH_MAX:
                    waiting.append((longer, grown))
    ranked = sorted(
        (steps for steps in supports if len(steps) > 1),
        key=lambda steps: (-_value(steps, supports[steps], worths), steps),
    )
    return _distinct(ranked)


def _grown(ways: Sequence[Sequence[str]], ends: Ends) -> dict[str, Ends]:
    """Return for each action that follows the prefix where it first does."""
    found: dict[str, Ends] = {}
    for run, end in ends:
        seen: set[str] = set()
        for place in range(end, len(ways[run])):
            action = ways[run][place]
            if action not in seen:
                seen.add(action)
                found.setdefault(action, []).append((run, place + 1))
    return found


def _value(steps: Sequence[str], support: frozenset[int], worths: Sequence[float]) -> float:
    return sum(worths[run] for run in support) * log2(1 + len(steps))


def _distinct(ranked: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Keep the best few that are not part of one another."""
    kept: list[tuple[str, ...]] = []
    for steps in ranked:
        if not any(contains(other, steps) or contains(steps, other) for other in kept):
            kept.append(steps)
        if len(kept) == KEPT:
            break
    return kept


def _shared(
    steps: tuple[str, ...],
    runs: Sequence[tuple[Episode, Sequence[Deed]]],
    ways: Sequence[Sequence[str]],
) -> Pattern:
    having = [episode for (episode, _), way in zip(runs, ways, strict=True) if contains(way, steps)]
    held = [episode for episode in having if succeeded(episode)]
    return pattern(
        "sequence",
        (held[0].task_type, *steps),
        situation=clip(held[-1].task),
        advice=in_order(steps),
        steps=steps,
        held=held,
        against=[episode for episode in having if not succeeded(episode)],
    )


def _worth(episode: Episode) -> float:
    return episode.reward if episode.reward is not None else 1.0
