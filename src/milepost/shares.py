"""What is known of a share by counting: how often something held, and how often it did not."""

from math import sqrt

# How far bounds lie from the middle of an interval, in standard errors: 95 of 100 intervals hold
# the true share, and of the true shares 90 of 100 lie above the lower bound.
_BOTH_SIDES, _BELOW = 1.959964, 1.2816


def wilson(held: float, count: float, reach: float = _BOTH_SIDES) -> tuple[float, float]:
    """Return the interval of a share of which so many were seen (Wilson's score, 95 %).

    >>> wilson(8, 10)
    (0.490..., 0.943...)
    """
    if count <= 0:
        return 0.0, 1.0
    share, z2 = held / count, reach * reach
    middle = (share + z2 / (2 * count)) / (1 + z2 / count)
    spread = reach * sqrt(share * (1 - share) / count + z2 / (4 * count * count)) / (1 + z2 / count)
    return max(middle - spread, 0.0), min(middle + spread, 1.0)


def lower_bound(held: float, not_held: float) -> float:
    """Return a lower bound of the share in which something holds."""
    return wilson(held, held + not_held, _BELOW)[0] if held > 0 else 0.0
