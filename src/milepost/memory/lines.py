"""The lines of an answer: what says the same stands once, and what has a newer rival says so."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from milepost.memory.context import Context
from milepost.memory.previews import mark
from milepost.memory.suggestions import replacements
from milepost.memory.values import Filter, Record
from milepost.text.sameness import is_the_same, said

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from milepost.ranking.candidates import CandidateSet, Probe
    from milepost.ranking.score import Verdict


# How many more memories than are shown are looked at for what says the same.
_BEYOND = 15
# The first lines are what the question is about; only they replace each other.
_MARKED_AMONG = 3


class Twins(NamedTuple):
    """Memories that say the same, newest first; the newest stands for all."""

    places: tuple[int, ...]
    ids: tuple[int, ...]
    first_us: int
    last_us: int


class Lines(NamedTuple):
    """What stands for what: memories by their ids, and what the text of a line says beside it."""

    ids: list[int]
    scores: list[float]
    # By a memory that is not shown the one that says the same; by an older one shown the newer.
    said_by: dict[int, int]
    replaced_by: dict[int, int]
    marks: dict[int, str]


def lines_of(
    context: Context,
    probe: "Probe",
    where: Filter,
    pool: "CandidateSet",
    verdict: "Verdict",
    count: int,
) -> Lines:
    """Return the lines of an answer, of which so many are shown.

    A line of several memories stands where the best of them does, with its score, and shows the
    newest: it says when this was last said.
    """
    groups = _groups(context, probe, pool, verdict.rows, count)
    # By the place of the best of those that say the same, the place of the newest.
    newest = {min(group.places): group.places[0] for group in groups}
    gone = {place for group in groups for place in group.places} - set(newest)
    places = [place for place in range(len(verdict.rows)) if place not in gone]
    rows = verdict.rows[[newest.get(place, place) for place in places]]
    shown = set(rows[: min(count, _MARKED_AMONG)].tolist())
    replaced_by = {
        int(pool.ids[older]): int(pool.ids[newer])
        for older, newer in verdict.replaced_by.items()
        if older in shown and newer in shown
    }
    ids: list[int] = pool.ids[rows].tolist()
    scores: list[float] = verdict.chances[places].tolist()
    said_by = {memory: group.ids[0] for group in groups for memory in group.ids[1:]}
    if not probe.past:
        found = set(pool.ids.tolist())
        noticed = replacements(context, ids[: count + _BEYOND], found, where)
        noticed = {old: said_by.get(new, new) for old, new in noticed.items()}
        ids, scores = _in_order(ids, scores, noticed, count)
        on_show = set(ids[:count])
        replaced_by |= {old: new for old, new in noticed.items() if {old, new} <= on_show}
    return Lines(ids, scores, said_by, replaced_by, _marks(groups, replaced_by))


def _in_order(
    ids: Sequence[int], scores: Sequence[float], newer: Mapping[int, int], count: int
) -> tuple[list[int], list[float]]:
    """Put memories before those they may replace, even those that answer too little themselves."""
    ordered, chances = list(ids), list(scores)
    for place, old in enumerate(ids):
        new = newer.get(old)
        if new is None or (new not in ordered and place >= count):
            continue
        at = ordered.index(old)
        if new not in ordered:
            chances.insert(at, chances[at])
        elif ordered.index(new) > at:
            ordered.remove(new)
        else:
            continue
        ordered.insert(at, new)
    return ordered, chances


def _groups(
    context: Context, probe: "Probe", pool: "CandidateSet", rows: "NDArray[np.int64]", count: int
) -> list[Twins]:
    """Join among the best, and among more of them while too few lines are left."""
    among = count + _BEYOND
    while True:
        groups = list(_twins(context, probe, pool, rows[:among]))
        joined = sum(len(group.ids) - 1 for group in groups)
        if among - joined >= count or among >= len(rows):
            return groups
        among *= 4


def _twins(
    context: Context, probe: "Probe", pool: "CandidateSet", rows: "NDArray[np.int64]"
) -> Iterator[Twins]:
    """Join the memories that say the same; few are near enough for their texts to be read."""
    from milepost.ranking.likeness import with_twins

    place_of = {int(pool.ids[rows[place]]): place for place in with_twins(pool, probe, rows)}
    if not place_of:
        return
    alike = defaultdict(list)
    for record in context.store.memories.records(list(place_of)):
        words = said(record.content)
        # What two people say, or what holds in two projects, is not one thing.
        whose = (record.author, record.projects, record.kind)
        alike[whose, tuple(sorted(words))].append((words, record))
    for members in alike.values():
        for same in _parted(members):
            yield _newest_first([(place_of[record.id], record) for record in same])


def _parted(members: list[tuple[tuple[str, ...], Record]]) -> Iterator[list[Record]]:
    """Part memories of the same words into those that say the same by them."""
    while len(members) > 1:
        first = members[0][0]
        same = [record for words, record in members if is_the_same(first, words)]
        if len(same) > 1:
            yield same
        members = [member for member in members[1:] if not is_the_same(first, member[0])]


def _newest_first(members: Sequence[tuple[int, Record]]) -> Twins:
    ordered = sorted(members, key=lambda member: -member[1].created_us)
    return Twins(
        tuple(place for place, _ in ordered),
        tuple(record.id for _, record in ordered),
        ordered[-1][1].created_us,
        ordered[0][1].created_us,
    )


def _marks(groups: Sequence[Twins], replaced_by: Mapping[int, int]) -> dict[int, str]:
    alone = {memory: mark(older=True, count=1) for memory in replaced_by}
    return alone | {
        group.ids[0]: mark(
            older=group.ids[0] in replaced_by,
            count=len(group.ids),
            first_us=group.first_us,
            last_us=group.last_us,
        )
        for group in groups
    }
