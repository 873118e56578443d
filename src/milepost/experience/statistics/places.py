"""How likely a pattern holds at a place, given where it held and where it did not.

Either it holds everywhere alike, or one part of the context matters and each value of that part
has a share of its own. How well each of these explains what was seen is its weight (Beta(1, 1) for
every unknown share, one half for "everywhere alike", the rest for the parts in equal shares); what
is believed of here is their mixture. A place that was never seen so gets a wide interval by
itself, and a pattern that held in one language alone is not expected in another.
"""

from __future__ import annotations

from math import exp

from milepost.experience.statistics.intervals import Belief, log_beta
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_EVERYWHERE = 0.5


class Sight(NamedTuple):
    """An episode in which a pattern held or did not; its weight says for how many it stands."""

    place: Mapping[str, str]
    held: bool
    weight: float = 1.0


class Part(NamedTuple):
    """One part of the context: how likely it matters, and what was seen under each value."""

    key: str
    matters: float
    counts: Mapping[str, tuple[float, float]]


def parts(sights: Sequence[Sight], keys: Sequence[str], *, local: bool = False) -> list[Part]:
    """Return for each part of the context how likely it is the one that matters.

    local: whether the pattern says nothing of other places, so that one of them does matter.
    """
    counts = {key: _counts(sights, key) for key in keys}
    alike = _explains(_counts(sights, ""))
    told = {key: _EVERYWHERE / len(keys) * exp(_explains(counts[key]) - alike) for key in keys}
    total = sum(told.values()) + (0.0 if local else _EVERYWHERE)
    return [Part(key, told[key] / total, counts[key]) for key in keys]


def beliefs(
    found: Sequence[Part], here: Mapping[str, str], totals: tuple[float, float]
) -> list[Belief]:
    """Return what is believed of the share at a place.

    totals: in how many episodes the pattern held and did not, wherever.
    """
    mixed = [
        Belief(part.matters, 1 + held, 1 + missed)
        for part in found
        for held, missed in [part.counts.get(here.get(part.key, ""), (0.0, 0.0))]
    ]
    everywhere = max(1 - sum(part.matters for part in found), 0.0)
    return [Belief(everywhere, 1 + totals[0], 1 + totals[1]), *mixed]


def _counts(sights: Sequence[Sight], key: str) -> dict[str, tuple[float, float]]:
    """Return how often the pattern held and did not by a part of the context, "" for all."""
    counts: dict[str, tuple[float, float]] = {}
    for sight in sights:
        value = sight.place.get(key, "")
        held, missed = counts.get(value, (0.0, 0.0))
        more = sight.weight
        counts[value] = (held + more, missed) if sight.held else (held, missed + more)
    return counts


def _explains(counts: Mapping[str, tuple[float, float]]) -> float:
    """Return the logarithm of the likelihood of what was seen, with a share for each value."""
    return sum(log_beta(1 + held, 1 + missed) for held, missed in counts.values())
