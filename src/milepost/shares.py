"""What is known of a share by counting: how often something held, and how often it did not."""

from math import sqrt

# Of the true shares 90 % lie above the lower bound.
_Z = 1.2816


def lower_bound(held: float, not_held: float) -> float:
    """Return a lower bound of the share in which something holds (Wilson)."""
    n = held + not_held
    if held <= 0:
        return 0.0
    share, z2 = held / n, _Z * _Z
    spread = _Z * sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    return max((share + z2 / (2 * n) - spread) / (1 + z2 / n), 0.0)
