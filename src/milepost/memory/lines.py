"""The lines of an answer: what says the same stands once, and what has a newer rival says so."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from milepost.memory.context import Context
from milepost.memory.previews import mark
from milepost.memory.values import Record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from milepost.ranking.candidates import CandidateSet, Probe
    from milepost.ranking.score import Verdict


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
    # By a memory that is not shown the one that says the same; by an older one the newer.
    said_by: dict[int, int]
    replaced_by: dict[int, int]
    marks: dict[int, str]


def lines_of(context: Context, probe: "Probe", pool: "CandidateSet", verdict: "Verdict") -> Lines:
    """Return the lines of an answer.

    A line of several memories stands where the best of them does, with its score, and shows the
    newest: it says when this was last said.
    """
    groups = list(_twins(context, probe, pool, verdict))
    # By the place of the best of those that say the same, the place of the newest.
    newest = {min(group.places): group.places[0] for group in groups}
    gone = {place for group in groups for place in group.places} - set(newest)
    places = [place for place in range(len(verdict.rows)) if place not in gone]
    rows = verdict.rows[[newest.get(place, place) for place in places]]
    replaced_by = _replaced(probe, pool, rows, verdict)
    return Lines(
        pool.ids[rows].tolist(),
        verdict.chances[places].tolist(),
        {memory: group.ids[0] for group in groups for memory in group.ids[1:]},
        replaced_by,
        _marks(groups, replaced_by),
    )


def _replaced(
    probe: "Probe", pool: "CandidateSet", rows: "NDArray[np.int64]", verdict: "Verdict"
) -> dict[int, int]:
    from milepost.ranking.likeness import replaced
    from milepost.text.asking import asks_what_was

    if asks_what_was(probe.text):
        return {}
    pairs = replaced(pool, probe, rows, verdict.order).items()
    return {int(pool.ids[older]): int(pool.ids[newer]) for older, newer in pairs}


def _twins(
    context: Context, probe: "Probe", pool: "CandidateSet", verdict: "Verdict"
) -> Iterator[Twins]:
    """Join the memories that say the same; few are alike enough for their texts to be read."""
    from milepost.ranking.likeness import twins

    pairs = twins(pool, probe, verdict.rows)
    ids = pool.ids[verdict.rows].tolist()
    places = sorted({place for pair in pairs for place in pair})
    records = {r.id: r for r in context.store.memories.records([ids[place] for place in places])}
    joined: set[int] = set()
    for place in places:
        if place in joined or ids[place] not in records:
            continue
        others = [other for first, other in pairs if first == place and other not in joined]
        same = [
            other
            for other in others
            if ids[other] in records and _same(records[ids[place]], records[ids[other]])
        ]
        joined.update(same)
        if same:
            yield _newest_first([(p, records[ids[p]]) for p in (place, *same)])


def _same(one: Record, other: Record) -> bool:
    """Whether two memories say the same; two people, or projects, are two memories."""
    from milepost.text.sameness import say_the_same

    about = (one.author, one.projects, one.kind)
    return about == (other.author, other.projects, other.kind) and say_the_same(
        one.content, other.content
    )


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
