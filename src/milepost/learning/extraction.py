"""Find patterns: in one episode as soon as it is completed, and across episodes like it."""

from __future__ import annotations

from collections.abc import Sequence

from milepost.learning.contexts import context_patterns
from milepost.learning.decisions import decisions
from milepost.learning.mining import common_sequences
from milepost.learning.recoveries import recoveries
from milepost.learning.sequences import sequences
from milepost.learning.steps import deeds
from milepost.learning.traps import traps
from milepost.model.experience import Episode, Pattern

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
