"""At which times something comes back: days of the week, hours of the day.

What is told often within an hour is one occasion of its day. A time stands out when most occasions
fall on it, and when that is no chance: beside the days and hours at which anything was remembered,
and for all the times and subjects that were looked at.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, time
from math import exp, lgamma, log
from typing import NamedTuple

from milepost.knowledge.material import Item
from milepost.knowledge.values import Recurring
from milepost.shares import lower_bound

TIME = "time"
_DAYS = ("Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays")
_HOURS, _WINDOW = 24, 2
_DAY_US = 86_400_000_000
# Occasions at a time at least, and weeks on whose days they fall.
_OCCASIONS_MIN, _WEEKS_MIN = 4, 3
# A time stands out when it is sure that it has most occasions.
_MOST = 0.5
# Of a hundred stores without any such time one tells of one.
_CHANCE = 0.01
# What is of nearly all days is compared with the calendar, for there is nothing else beside it.
_NEARLY_ALL = 0.9
# Two subjects of which one has so many of the memories of the other are one.
_SAME = 0.8


class Subject(NamedTuple):
    """What is looked at: how it is told, and its memories."""

    about: str
    items: Sequence[Item]


class _Time(NamedTuple):
    """A time of the day or the week: how it is told, what falls on it, how much of a calendar."""

    told: str
    holds: Callable[[datetime], bool]
    share: float


def times(subjects: Sequence[Subject], items: Sequence[Item]) -> Iterator[Recurring]:
    """Yield at which times subjects come back: of each the day and the hours that have most.

    items: all memories, by which it is told what falls on a time by chance.
    """
    asked = len(subjects) * sum(map(len, _TIMES))
    told: dict[str, list[set[str]]] = {}
    for known_of, looked_at in zip((_is_anytime, _has_hour), _TIMES, strict=True):
        every = _occasions(filter(known_of, items))
        for about, members in subjects:
            mine = _occasions(filter(known_of, members))
            found = [each for at in looked_at if (each := _standing_out(at, mine, every, asked))]
            # Of hours that hold as many the latest: those before add an empty one.
            for at, count in sorted(found, key=lambda each: each[1])[-1:]:
                names = [m.hash for m in members if known_of(m) and at.holds(_when(m))]
                same = told.setdefault(at.told, [])
                if all(len(other & set(names)) < _SAME * len(names) for other in same):
                    same.append(set(names))
                    sure = lower_bound(count, len(mine) - count)
                    text = f"{about} {at.told}: {count} of {len(mine)} days"
                    yield Recurring(TIME, text, sure, count, tuple(names))


def _standing_out(
    at: _Time, mine: Sequence[datetime], every: Sequence[datetime], asked: int
) -> tuple[_Time, int] | None:
    """Return a time with how many occasions fall on it, if these are most and by no chance."""
    held = [moment for moment in mine if at.holds(moment)]
    weeks = {moment.isocalendar()[:2] for moment in held}
    if len(held) < _OCCASIONS_MIN or len(weeks) < _WEEKS_MIN:
        return None
    usual = sum(map(at.holds, every)) / len(every)
    chance = at.share if len(mine) >= _NEARLY_ALL * len(every) else max(usual, at.share)
    sure = lower_bound(len(held), len(mine) - len(held))
    if sure <= _MOST or chance >= 1 or _at_least(len(held), len(mine), chance) * asked > _CHANCE:
        return None
    return at, len(held)


def _occasions(items: Iterable[Item]) -> list[datetime]:
    """Return one moment of each day, of whichever memory: by its hash, which favours no hour."""
    by_day: dict[int, Item] = {}
    for item in items:
        day = _when(item).toordinal()
        known = by_day.get(day)
        if known is None or item.hash < known.hash:
            by_day[day] = item
    return [_when(item) for item in by_day.values()]


def _at_least(held: int, count: int, chance: float) -> float:
    """Return how likely so many of a count or more are, each of which has a chance."""
    yes, no = log(chance), log(1 - chance)
    ways = (
        lgamma(count + 1) - lgamma(n + 1) - lgamma(count - n + 1) for n in range(held, count + 1)
    )
    return sum(exp(w + n * yes + (count - n) * no) for n, w in enumerate(ways, held))


def _when(item: Item) -> datetime:
    return datetime.fromtimestamp(item.created_us / 1e6)


def _is_anytime(_: Item) -> bool:
    return True


def _has_hour(item: Item) -> bool:
    """Whether more than the day is known: a day alone is kept as its midnight."""
    return item.created_us % _DAY_US != 0 and _when(item).time() != time.min


def _on(day: int) -> _Time:
    return _Time(f"on {_DAYS[day]}", lambda moment: moment.weekday() == day, 1 / len(_DAYS))


def _between(first: int) -> _Time:
    hours = {(first + n) % _HOURS for n in range(_WINDOW)}
    told = f"between {first:02}:00 and {(first + _WINDOW) % _HOURS:02}:00"
    return _Time(told, lambda moment: moment.hour in hours, _WINDOW / _HOURS)


_TIMES = tuple(map(_on, range(len(_DAYS)))), tuple(map(_between, range(_HOURS)))
