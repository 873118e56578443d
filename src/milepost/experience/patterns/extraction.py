"""Find patterns: in one episode as soon as it is completed, and across episodes like it."""

from __future__ import annotations

from collections.abc import Sequence

from milepost.experience.patterns.contexts import context_patterns
from milepost.experience.patterns.decisions import decisions
from milepost.experience.patterns.mining import common_sequences
from milepost.experience.patterns.recoveries import recoveries
from milepost.experience.patterns.sequences import sequences
from milepost.experience.patterns.traps import traps
from milepost.experience.steps import deeds
from milepost.experience.values import Episode, Pattern

# More episodes than this say nothing new about what they have in common.
COMPARED_MAX = 60


def extract(episode: Episode) -> list[Pattern]:
    """Return the patterns of one completed episode."""
    if episode.outcome is None:
        return []
    done = deeds(episode)
    found = [
        *sequences(episode, done),
        *recoveries(episode, done),
        *traps(episode, done),
        *context_patterns(episode, done),
    ]
    return list({pattern.id: pattern for pattern in found}.values())


def compare(episodes: Sequence[Episode]) -> list[Pattern]:
    """Return what similar episodes have in common, and where they parted with different ends."""
    ended = [e for e in episodes if e.outcome is not None and e.steps][-COMPARED_MAX:]
    if len(ended) < 2:
        return []
    runs = [(episode, deeds(episode)) for episode in ended]
    return [*common_sequences(runs), *decisions(runs)]
