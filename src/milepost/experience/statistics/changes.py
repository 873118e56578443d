"""Whether a share stayed the same over time: a trend, and the points where it changed.

A change is looked for by the likelihood ratio of two shares against one, at every place that
leaves enough on either side. How likely the best of these places looks so good by chance is what
Miller and Siegmund (1982) give for maximally selected statistics. Where a change is sure, both
sides are looked through in the same way.
"""

from __future__ import annotations

from math import erfc, exp, log, pi, sqrt

from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# So many at least on either side of a change.
SIDE_MIN = 10
# So much worse than the best the likelihood of the true place is in one case of twenty at most.
_PLACE_LOSS = 3.68
_CHANGES_MAX = 5


class Break(NamedTuple):
    """Between which of a series a share changed, within which places, and by what chance."""

    place: int
    earliest: int
    latest: int
    p: float


def breaks(outcomes: Sequence[bool], level: float) -> list[Break]:
    """Return where the share of a series changed, in order.

    level: how likely a series in which nothing changed may have one.
    """
    found: list[Break] = []
    open_parts = [(0, len(outcomes))]
    while open_parts and len(found) < _CHANGES_MAX:
        start, end = open_parts.pop(0)
        best = likeliest_break(outcomes[start:end])
        if best is not None and best.p <= level:
            place = start + best.place
            found.append(Break(place, start + best.earliest, start + best.latest, best.p))
            open_parts += [(start, place), (place, end)]
    return sorted(found)


def likeliest_break(outcomes: Sequence[bool]) -> Break | None:
    """Return where a series parts best, None when it is too short or all alike."""
    n, total = len(outcomes), sum(outcomes)
    if n < 2 * SIDE_MIN or total in (0, n):
        return None
    ratios = _ratios(outcomes, n, total)
    best = max(ratios)
    near = [i for i, ratio in enumerate(ratios) if ratio >= best - _PLACE_LOSS]
    return Break(
        SIDE_MIN + ratios.index(best),
        SIDE_MIN + near[0],
        SIDE_MIN + near[-1],
        chance_of(best, SIDE_MIN / n),
    )


def _ratios(outcomes: Sequence[bool], n: int, total: int) -> list[float]:
    """Return the logarithm of the likelihood ratio at each place."""
    part = [0.0, *(i * log(i) for i in range(1, n + 1))]
    whole = part[total] + part[n - total] - part[n]
    ratios, held = [], sum(outcomes[: SIDE_MIN - 1])
    for k in range(SIDE_MIN, n - SIDE_MIN + 1):
        held += outcomes[k - 1]
        rest = total - held
        before = part[held] + part[k - held] - part[k]
        after = part[rest] + part[n - k - rest] - part[n - k]
        ratios.append(before + after - whole)
    return ratios


def chance_of(ratio: float, edge: float) -> float:
    """Return how likely the best of all places reaches a log likelihood ratio by chance.

    edge: the share of the series that is left at either end.
    """
    x2 = 2 * ratio
    if x2 <= 1:
        return 1.0
    density = exp(-x2 / 2) / sqrt(2 * pi)
    width = 2 * log((1 - edge) / edge) if edge < 0.5 else 0.0
    return min(sqrt(x2) * density * ((1 - 1 / x2) * width + 4 / x2), 1.0)


def slope(times: Sequence[float], outcomes: Sequence[bool]) -> tuple[float, float]:
    """Return how much a share grows in a unit of time, and how likely that is by chance.

    The test is Cochran's and Armitage's; without any spread nothing grows.
    """
    n = len(outcomes)
    if n == 0:
        return 0.0, 1.0
    middle, share = sum(times) / n, sum(outcomes) / n
    spread = sum((time - middle) ** 2 for time in times)
    if spread <= 0 or share in (0, 1):
        return 0.0, 1.0
    together = sum((t - middle) * o for t, o in zip(times, outcomes, strict=True))
    z = together / sqrt(share * (1 - share) * spread)
    return together / spread, erfc(abs(z) / sqrt(2))
