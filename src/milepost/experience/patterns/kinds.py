"""The table of the kinds of patterns, and what is done with all of them.

A new kind is one file beside this one and one line here.
"""

from __future__ import annotations

from collections.abc import Sequence

from milepost.experience.patterns.context_kind import CONTEXT
from milepost.experience.patterns.decision import DECISION
from milepost.experience.patterns.pattern import EpisodeRun, share, success_rate
from milepost.experience.patterns.recovery import RECOVERY
from milepost.experience.patterns.sequence import SEQUENCE
from milepost.experience.patterns.trap import TRAP
from milepost.experience.steps import acts_in
from milepost.experience.values import Checked, Episode, Pattern, Validation

KINDS = {kind.name: kind for kind in (SEQUENCE, DECISION, RECOVERY, CONTEXT, TRAP)}
# More episodes than this say nothing new about what they have in common.
COMPARED_MAX = 60


def extract(episode: Episode) -> list[Pattern]:
    """Return the patterns of one completed episode."""
    if episode.outcome is None:
        return []
    run = EpisodeRun(episode, acts_in(episode))
    patterns = [pattern for kind in KINDS.values() for pattern in kind.extract(run)]
    return list({pattern.id: pattern for pattern in patterns}.values())


def compare(episodes: Sequence[Episode]) -> list[Pattern]:
    """Return what similar episodes have in common, and where they parted with different ends."""
    ended = [e for e in episodes if e.outcome is not None and e.steps][-COMPARED_MAX:]
    if len(ended) < 2:
        return []
    runs = [EpisodeRun(episode, acts_in(episode)) for episode in ended]
    return [pattern for kind in KINDS.values() for pattern in kind.compare(runs)]


def same(a: Pattern, b: Pattern, similarity: float) -> bool:
    """Tell whether two patterns say the same; similarity is that of their texts by meaning."""
    return a.kind == b.kind and (a.id == b.id or KINDS[a.kind].same(a, b, similarity))


def validate(patterns: Sequence[Pattern], held_out: Sequence[Episode]) -> Validation:
    """Return for each pattern where it applied, where it held, and its lift over chance.

    What a pattern must do to hold, and how often that would come by chance, its kind says.
    """
    runs = [EpisodeRun(e, acts_in(e)) for e in held_out if e.outcome is not None]
    chances = {name: kind.chance(runs) for name, kind in KINDS.items()}
    checked = [_check(pattern, runs, chances[pattern.kind]) for pattern in patterns]
    checked.sort(key=lambda c: (-c.lift * c.applied, c.pattern))
    return Validation(len(runs), success_rate(runs), tuple(checked))


def _check(pattern: Pattern, runs: Sequence[EpisodeRun], chance: float) -> Checked:
    results = [KINDS[pattern.kind].held(pattern, run) for run in runs]
    held = [result for result in results if result is not None]
    lift = share(held) - chance if held else 0.0
    return Checked(pattern.id, pattern.kind, len(held), sum(held), round(lift, 4))
