"""What comes back in what was remembered: topics, failures, decisions that were revised, times."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime

from milepost.knowledge.material import Item
from milepost.knowledge.values import Cluster, Recurring, Supersession
from milepost.shares import lower_bound

_DAYS = ("Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays")
TOPIC, FAILURE, REVISED, TIME = "topic", "failure", "revised decision", "time"
# A topic comes back when it was spoken of on so many days.
_DAYS_MIN = 2
_FAILURES_MIN = 2
# What falls on a day by chance is a seventh; a day stands out when this share is sure.
_OUT_OF_SEVEN = 2 / 7
_TIMES_MIN = 8
_DECIDED = frozenset({"decision", "preference", "convention", "rule"})


def topics(
    clusters: Sequence[tuple[Cluster, Sequence[Item], int]],
) -> Iterator[Recurring]:
    """Yield clusters that were spoken of on several days; with each how many speak of its label."""
    for cluster, members, naming in clusters:
        days = {_day(item) for item in members}
        failures = [item for item in members if item.kind == "error"]
        if len(failures) >= _FAILURES_MIN and len({_day(item) for item in failures}) >= _DAYS_MIN:
            sure = lower_bound(len(failures), len(members) - len(failures))
            names = tuple(item.hash for item in failures)
            yield Recurring(FAILURE, cluster.label, sure, len(failures), names)
        elif len(days) >= _DAYS_MIN:
            sure = lower_bound(naming, len(members) - naming)
            yield Recurring(TOPIC, cluster.label, sure, len(members), cluster.members)


def revisions(superseded: Sequence[Supersession], items: Sequence[Item]) -> Iterator[Recurring]:
    """Yield decisions that were revised, with all that took each other's place."""
    by_hash = {item.hash: item for item in items}
    followed = {each.old: each.new for each in superseded}
    for first in followed.keys() - set(followed.values()):
        chain = [first]
        while chain[-1] in followed and followed[chain[-1]] not in chain:
            chain.append(followed[chain[-1]])
        kinds = {name for each in chain if each in by_hash for name in _kinds(by_hash[each])}
        if kinds & _DECIDED:
            why = next(each.why for each in superseded if each.old == first)
            sure = lower_bound(len(chain) - 1, 1)
            yield Recurring(REVISED, why, sure, len(chain) - 1, tuple(chain))


def times(items: Sequence[Item]) -> Iterator[Recurring]:
    """Yield kinds of memories that fall on one day of the week more often than chance has it."""
    by_kind: dict[str, list[Item]] = {}
    for item in items:
        by_kind.setdefault(item.kind, []).append(item)
    for kind, members in sorted(by_kind.items()):
        counts = Counter(_when(item).weekday() for item in members)
        day, count = counts.most_common(1)[0]
        sure = lower_bound(count, len(members) - count)
        weeks = {_when(item).isocalendar()[:2] for item in members if _when(item).weekday() == day}
        if count >= _TIMES_MIN and sure > _OUT_OF_SEVEN and len(weeks) > _DAYS_MIN:
            told = tuple(item.hash for item in members if _when(item).weekday() == day)
            about = f"{kind} on {_DAYS[day]}: {count} of {len(members)}"
            yield Recurring(TIME, about, sure, count, told)


def _kinds(item: Item) -> tuple[str, ...]:
    return (item.kind, *item.tags)


def _when(item: Item) -> datetime:
    return datetime.fromtimestamp(item.created_us / 1e6)


def _day(item: Item) -> str:
    return _when(item).strftime("%Y-%m-%d")
