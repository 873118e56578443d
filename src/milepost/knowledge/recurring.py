"""What comes back in what was remembered: topics, failures, decisions that were revised, times."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from milepost.knowledge.material import Item, Some
from milepost.knowledge.recurring_times import Subject, times
from milepost.knowledge.values import Cluster, Recurring, Supersession
from milepost.shares import lower_bound
from milepost.text.lines import clip_at_word

TOPIC, FAILURE, REVISED = "topic", "failure", "revised decision"
# A topic comes back when it was spoken of on so many days.
_DAYS_MIN = 2
_FAILURES_MIN = 2
_DECIDED = frozenset({"decision", "preference", "convention", "rule"})
_FAILED = frozenset({"error", "bug", "failure", "incident"})
_SENTENCE_CHARS = 100
# Of 63 updates that were told among facts kept for judging alone 58 were some
# (`bench/merges.py`).
_RIGHTLY = lower_bound(58, 5)


class Spoken(NamedTuple):
    """A cluster, its memories, how many of them name it, and the sentence that says most of it."""

    cluster: Cluster
    items: Sequence[Item]
    naming: int
    sentence: str


def topics(clusters: Sequence[Spoken]) -> Iterator[Recurring]:
    """Yield what was spoken of on several days, as a failure where it failed again and again."""
    for cluster, members, naming, sentence in clusters:
        about = ": ".join(filter(None, (cluster.label, clip_at_word(sentence, _SENTENCE_CHARS))))
        failures = [item for item in members if _FAILED.intersection(_kinds(item))]
        # One failure among much else is no failure that comes back.
        often = len(failures) >= max(_FAILURES_MIN, len(members) / 2)
        if often and len({_day(item) for item in failures}) >= _DAYS_MIN:
            sure = lower_bound(len(failures), len(members) - len(failures))
            names = tuple(item.hash for item in failures)
            yield Recurring(FAILURE, about, sure, len(failures), names)
        elif len({_day(item) for item in members}) >= _DAYS_MIN:
            sure = lower_bound(naming, len(members) - naming)
            yield Recurring(TOPIC, about, sure, len(members), cluster.members)


def revisions(superseded: Sequence[Supersession], items: Sequence[Item]) -> Iterator[Recurring]:
    """Yield decisions that were revised, with all that took each other's place."""
    followed = {each.old: each.new for each in superseded}
    if not followed:
        return
    named = followed.keys() | set(followed.values())
    by_hash = {item.hash: item for item in items if item.hash in named}
    for first in followed.keys() - set(followed.values()):
        chain = [first]
        while chain[-1] in followed and followed[chain[-1]] not in chain:
            chain.append(followed[chain[-1]])
        kinds = {name for each in chain if each in by_hash for name in _kinds(by_hash[each])}
        if kinds & _DECIDED:
            why = next(each.why for each in superseded if each.old == first)
            times = len(chain) - 1
            yield Recurring(REVISED, why, 1 - (1 - _RIGHTLY) ** times, times, tuple(chain))


def timed(clusters: Sequence[Spoken], items: Sequence[Item]) -> Iterator[Recurring]:
    """Yield at which times subjects, failures and kinds of memories come back."""
    asked = [Subject(each.cluster.label, each.items) for each in clusters if each.cluster.label]
    failures: list[int] = []
    by_kind: dict[str, list[int]] = {}
    for place, item in enumerate(items):
        by_kind.setdefault(item.kind, []).append(place)
        if _FAILED.intersection(_kinds(item)):
            failures.append(place)
    asked += [Subject(FAILURE, Some(items, failures))] if failures else []
    asked += [Subject(kind, Some(items, by_kind[kind])) for kind in sorted(by_kind)]
    return times(asked, items)


def best_first(found: Sequence[Recurring]) -> list[Recurring]:
    """Return the surest of each type, then the next of each, so that none hides the others."""
    ordered = sorted(found, key=lambda each: (-each.confidence, -each.support, each.description))
    ranks: Counter[str] = Counter()
    ranked = []
    for each in ordered:
        ranked.append((ranks[each.type], each))
        ranks[each.type] += 1
    return [each for _, each in sorted(ranked, key=lambda pair: pair[0])]


def _kinds(item: Item) -> tuple[str, ...]:
    return (item.kind, *item.tags)


def _when(item: Item) -> datetime:
    return datetime.fromtimestamp(item.created_us / 1e6)


def _day(item: Item) -> str:
    return _when(item).strftime("%Y-%m-%d")
