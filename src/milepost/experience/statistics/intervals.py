"""How sure a share is: intervals of mixtures of beliefs about one."""

from __future__ import annotations

from math import exp, lgamma, log, log1p

from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Of a hundred intervals so many hold the true share.
LEVEL = 0.95
_TINY, _ENOUGH, _TERMS_MAX, _HALVINGS = 1e-300, 1e-12, 500, 40


class Belief(NamedTuple):
    """A Beta distribution of a share, and how likely it is the right one among others."""

    weight: float
    a: float
    b: float


def log_beta(a: float, b: float) -> float:
    """Return the logarithm of the Beta function."""
    return lgamma(a) + lgamma(b) - lgamma(a + b)


def mean(beliefs: Sequence[Belief]) -> float:
    """Return the share that is to be expected."""
    return sum(belief.weight * belief.a / (belief.a + belief.b) for belief in beliefs)


def credible(beliefs: Sequence[Belief], level: float = LEVEL) -> tuple[float, float]:
    """Return the interval that holds the share with a probability, as much left on either side."""
    tail = (1 - level) / 2
    return _quantile(beliefs, tail), _quantile(beliefs, 1 - tail)


def _quantile(beliefs: Sequence[Belief], chance: float) -> float:
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        below = sum(b.weight * below_in_beta(middle, b.a, b.b) for b in beliefs)
        low, high = (middle, high) if below < chance else (low, middle)
    return (low + high) / 2


def below_in_beta(x: float, a: float, b: float) -> float:
    """Return how likely a share under a Beta distribution lies below x."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    front = exp(a * log(x) + b * log1p(-x) - log_beta(a, b))
    # The fraction converges fast on one side of the middle; the other side is its mirror.
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(x, a, b) / a
    return 1 - front * _fraction(1 - x, b, a) / b


def _fraction(x: float, a: float, b: float) -> float:
    """Return the continued fraction of the incomplete Beta function, by Lentz's method."""
    c, d = 1.0, 1 / _away(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _TERMS_MAX):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d, c = 1 / _away(1 + term * d), _away(1 + term / c)
            value *= c * d
        if abs(c * d - 1) < _ENOUGH:
            break
    return value


def _away(value: float) -> float:
    """Return a value that can be divided by."""
    return value if abs(value) > _TINY else _TINY
