"""What the answers to many questions come to, and how two runs of the same questions differ."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from math import sqrt
from statistics import fmean, stdev
from typing import NamedTuple

from milepost.measuring.values import (
    BETTER,
    NO_DIFFERENCE,
    QUESTIONS_MIN,
    TOO_FEW,
    WORSE,
    RecallFigures,
)
from milepost.shares import wilson

# Among so many first lines it counts as found; further down than the second it counts for nothing.
FOUND, RECIPROCAL = 5, 10
GROUPS_MAX = 8
OTHERS = "others"
# An interval reaches so many standard errors to either side.
_ERRORS = 1.96
# A mean of one over the place that differs by less is the same to whoever asks.
LEAST = 0.02
_WORDS = (BETTER, NO_DIFFERENCE, WORSE)
_DIGITS = 4


class Outcome(NamedTuple):
    """What came of a question: at which place its memory stood, 0 for the first; None for none.

    floor: the same by BM25 alone.
    """

    name: str
    source: str
    kind: str
    created_us: int
    place: int | None
    floor: int | None
    empty: bool
    tokens: int


class Difference(NamedTuple):
    """A mean difference of pairs with its interval, and what it says."""

    mean: float
    low: float
    high: float
    verdict: str


def reciprocal(place: int | None) -> float:
    """Return one over a place, counted from 1; nothing for what stands too far down."""
    return 0.0 if place is None or place >= RECIPROCAL else 1 / (place + 1)


def is_found(place: int | None) -> bool:
    """Whether a place is among those that are shown."""
    return place is not None and place < FOUND


def figures_of(name: str, outcomes: Sequence[Outcome]) -> RecallFigures:
    """Return what some outcomes, of which there is at least one, come to."""
    count = len(outcomes)
    found = sum(is_found(o.place) for o in outcomes)
    low, high = wilson(found, count)
    shares = (
        found / count,
        low,
        high,
        fmean(reciprocal(o.place) for o in outcomes),
        fmean(o.empty for o in outcomes),
        fmean(o.tokens for o in outcomes),
        fmean(is_found(o.floor) for o in outcomes),
        fmean(reciprocal(o.floor) for o in outcomes),
    )
    return RecallFigures(name, count, *(round(share, _DIGITS) for share in shares))


def grouped(
    outcomes: Sequence[Outcome], name: Callable[[Outcome], str]
) -> tuple[RecallFigures, ...]:
    """Return figures of each group, the largest first; of many small ones together."""
    groups = defaultdict(list)
    for outcome in outcomes:
        groups[name(outcome)].append(outcome)
    ordered = sorted(groups, key=lambda key: (-len(groups[key]), key))
    shown, rest = ordered[:GROUPS_MAX], ordered[GROUPS_MAX:]
    rows = [figures_of(key, groups[key]) for key in shown]
    if rest:
        rows.append(figures_of(OTHERS, [o for key in rest for o in groups[key]]))
    return tuple(rows)


_DAY_US = 86_400_000_000
_AGES = ((7, "a week"), (30, "a month"), (365, "a year"))
_OLDEST = "older than a year"


def age_of(outcome: Outcome, newest_us: int) -> str:
    """Return how old a memory is beside the newest, in words."""
    days = (newest_us - outcome.created_us) / _DAY_US
    return next((f"within {name}" for most, name in _AGES if days < most), _OLDEST)


def by_age(outcomes: Sequence[Outcome]) -> tuple[RecallFigures, ...]:
    """Return figures by how old memories are, the youngest first."""
    newest_us = max((o.created_us for o in outcomes), default=0)
    names = [*(f"within {name}" for _, name in _AGES), _OLDEST]
    rows = grouped(outcomes, lambda outcome: age_of(outcome, newest_us))
    return tuple(sorted(rows, key=lambda row: names.index(row.name)))


def difference(
    pairs: Sequence[tuple[float, float]],
    words: tuple[str, str, str] = _WORDS,
    least: float = 0.0,
) -> Difference:
    """Return how much larger the second of each pair is, and whether that is beyond chance.

    least: what is smaller is no difference, however sure it is.
    """
    gains = [after - before for before, after in pairs]
    mean = fmean(gains) if gains else 0.0
    reach = _ERRORS * stdev(gains) / sqrt(len(gains)) if len(gains) > 1 else 0.0
    low, high = mean - reach, mean + reach
    verdict = words[1]
    if len(gains) < QUESTIONS_MIN:
        verdict = TOO_FEW
    elif abs(mean) >= least and (low > 0 or high < 0):
        verdict = words[0] if mean > 0 else words[2]
    return Difference(mean, low, high, verdict)
