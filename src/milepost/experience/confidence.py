"""How far a pattern can be relied on, and how that fades when it is not used or not borne out."""

from __future__ import annotations

from math import sqrt

from milepost.experience.values import Pattern

# One-sided 90 %: nine times in ten the true share is above the bound.
_Z = 1.2816
# A pattern that is neither seen nor shown loses half of its confidence in this many days ...
HALF_LIFE_DAYS = 90.0
# ... and is retired below this: one observation after half a year, ten after nine months.
RETIRED_BELOW = 0.1
_DAY_S = 86_400.0

# Both ways of ending teach, but a way that worked can be followed; one given up tells least.
_OUTCOMES = {"success": 1.0, "partial": 0.9, "failure": 0.85, "abandoned": 0.6}
_RECENCY_FLOOR = 0.5
_CONFIDENCE_FLOOR = 0.5


def confidence(successes: float, failures: float) -> float:
    """Return a lower bound of the share of episodes in which a pattern holds (Wilson)."""
    n = successes + failures
    if successes <= 0:
        return 0.0
    share, z2 = successes / n, _Z * _Z
    spread = _Z * sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    return max((share + z2 / (2 * n) - spread) / (1 + z2 / n), 0.0)


def effectiveness(pattern: Pattern) -> float:
    """Return how often episodes went well after the pattern was shown, from one half upwards.

    Showings whose episode has not ended yet count for nothing.
    """
    return (pattern.helped + 1) / (pattern.helped + pattern.hindered + 2)


def decayed(pattern: Pattern, now: float) -> Pattern:
    """Return a pattern with the confidence it has now, retired when little of it is left.

    The confidence is computed from the counts and the time alone: to decay twice is to decay once,
    and new evidence revives.
    """
    counted = confidence(pattern.successes + pattern.helped, pattern.failures + pattern.hindered)
    idle_days = max(now - pattern.updated, 0.0) / _DAY_S
    left: float = counted * 0.5 ** (idle_days / HALF_LIFE_DAYS)
    return pattern._replace(confidence=left, retired=left < RETIRED_BELOW)


def weight(relevance: float, outcome: str | None, age_days: float, confidence: float) -> float:
    """Return what an experience weighs in retrieval: relevance × outcome × recency × confidence.

    Age and doubt halve a weight at most: an old lesson about this task beats a fresh one about
    another.
    """
    # By the hour, so that asking twice in a row gives the same.
    age_days = int(age_days * 24) / 24
    fresh: float = 0.5 ** (max(age_days, 0.0) / HALF_LIFE_DAYS)
    recency = _RECENCY_FLOOR + (1 - _RECENCY_FLOOR) * fresh
    trust = _CONFIDENCE_FLOOR + (1 - _CONFIDENCE_FLOOR) * confidence
    return relevance * _OUTCOMES.get(outcome or "", 0.6) * recency * trust
