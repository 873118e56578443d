"""Of several ways that led to success, the one that is most like the others."""

from __future__ import annotations

from collections.abc import Sequence

from milepost.experience.patterns.pattern import succeeded
from milepost.experience.patterns.sequence import generalised, steps_alike, without_loops
from milepost.experience.steps import deeds, path
from milepost.experience.values import Episode
from milepost.values import NamedTuple

# How much more a nearer episode counts: at the fourth power half the weight is a sixteenth.
_NEARNESS = 4
# A way bears out another when they share this much.
_BORNE_OUT = 0.6
# An object is named when this share of those ways has it: a wrong one misleads.
_AGREED = 0.8
_WAYS_MAX = 20
# A task may well be to do a thing twice; what is done more often is a loop.
_ROUNDS = 2


class Way(NamedTuple):
    """Steps, the successful episodes that went this way, and how many ways there were."""

    steps: tuple[str, ...]
    evidence: tuple[str, ...]
    total: int


def typical_way(episodes: Sequence[tuple[Episode, float]]) -> Way | None:
    """Return the way that the successful episodes agree on most, those that weigh more first.

    What they all have in common would be shorter, but it leaves out what every one of them had to
    do in its own manner.
    """
    good = [(e, weight) for e, weight in episodes if succeeded(e) and e.steps]
    good = sorted(good, key=lambda pair: -pair[1])[:_WAYS_MAX]
    paths = [without_loops(path(deeds(episode)), _ROUNDS) for episode, _ in good]
    kept = [place for place, way in enumerate(paths) if way]
    if not kept:
        return None
    good, own = [good[i] for i in kept], [paths[i] for i in kept]
    ways = generalised(own)
    shares = [weight**_NEARNESS for _, weight in good]
    best = max(range(len(ways)), key=lambda i: (_agreement(i, ways, shares), -i))
    alike = [i for i, way in enumerate(ways) if steps_alike(way, ways[best]) >= _BORNE_OUT]
    named = generalised([own[i] for i in alike], _AGREED)[alike.index(best)]
    return Way(named, tuple(good[i][0].id for i in alike), len(good))


def _agreement(place: int, ways: Sequence[Sequence[str]], shares: Sequence[float]) -> float:
    return sum(
        share * steps_alike(ways[place], way) for way, share in zip(ways, shares, strict=True)
    )
