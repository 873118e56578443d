"""The part of a store that answers from the search index, the same for every embedded backend."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from milepost.memory.values import Filter, Record
from milepost.ports import Page
from milepost.ranking.candidates import Pool, Probe
from milepost.ranking.keys import label_key
from milepost.storage.index.candidates import find_pool
from milepost.storage.index.filtering import NO_PROJECT, allowed
from milepost.storage.index.index import SearchIndex
from milepost.storage.index.segment import IndexRow, Segment
from milepost.text.erasing import Erasure

# Writes this many memories ahead of the index before it is brought up to date, so that the
# first search after a bulk load does not wait for all of it.
INDEX_LAG = 5_000
# What is kept under these topics has a memory of its own, and goes with that alone.
OWNED = frozenset({"skills"})


class IndexedStore:
    """Searches and lists through its index."""

    index: SearchIndex
    _unindexed = 0

    def _wrote(self, count: int) -> None:
        self._unindexed += count
        if self._unindexed >= INDEX_LAG:
            self._unindexed = 0
            self.index.segments()

    def pool(self, probe: Probe, where: Filter, limit: int, offset: int = 0) -> Pool:
        return self.index.ask(lambda parts: find_pool(parts, probe, where, limit, offset))

    def page(self, where: Filter, limit: int, offset: int = 0) -> Page:
        created, ids = self._visible(where)
        newest = _latest(created, ids, offset + limit)[::-1]
        return Page(newest[offset:].tolist(), len(ids))

    def around(self, record: Record, where: Filter, before: int, after: int) -> list[int]:
        created, ids = self._visible(where)
        earlier = (created < record.created) | ((created == record.created) & (ids < record.id))
        later = ~earlier & (ids != record.id)
        past = _latest(created[earlier], ids[earlier], before)
        future = _latest(-created[later], -ids[later], after)[::-1]
        return [*past.tolist(), record.id, *(-future).tolist()]

    def _visible(self, where: Filter) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return self.index.ask(lambda parts: _created_and_ids(parts, where))


def _created_and_ids(
    segments: Sequence[Segment], where: Filter
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    created, ids = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for segment in segments:
        mask: Any = allowed(segment, where)
        chosen = slice(None) if mask is None else mask
        created.append(segment.created[chosen])
        ids.append(segment.ids[chosen])
    return np.concatenate(created), np.concatenate(ids)


def _latest(created: NDArray[np.int64], ids: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Return the ids of the latest few, oldest first."""
    if count <= 0:
        return ids[:0]
    if count < len(created):
        # All that are as late as the last one wanted, so that ties fall the same way each time.
        cut = np.partition(created, len(created) - count)[len(created) - count]
        near = np.flatnonzero(created >= cut)
        created, ids = created[near], ids[near]
    return ids[np.lexsort((ids, created))][-count:]


def telling_prefix(text: str, others: Sequence[str | None], at_least: int) -> str:
    """Return the beginning of a text that no other text shares."""
    longest = at_least
    for other in others:
        while other is not None and longest < len(text) and other.startswith(text[:longest]):
            longest += 1
    return text[:longest]


def erasures_of(gone: Iterable[tuple[str, str, str]]) -> Iterator[tuple[str, Erasure]]:
    """Yield by space how deleted memories (space, hash, content) are taken out of other texts."""
    for space, group in groupby(sorted(gone), itemgetter(0)):
        memories = list(group)
        yield space, Erasure([text for *_, text in memories], [name for _, name, _ in memories])


def index_row(
    *,
    memory_id: int,
    change: int,
    space: str,
    session: str | None,
    position: int,
    author: str | None,
    created: int,
    valid_from: int,
    valid_to: int,
    traits: int,
    terms: bytes,
    kind: str,
    tags: Sequence[str],
    projects: Sequence[str],
    vectors: Sequence[tuple[str, bytes]],
) -> IndexRow:
    """Return what the index keeps of a memory: numbers in place of every name."""
    labels = [label_key("kind", kind)]
    labels += [label_key("tag", tag) for tag in tags]
    labels += [label_key("project", project) for project in projects or (NO_PROJECT,)]
    return IndexRow(
        memory_id,
        change,
        label_key("space", space),
        0 if session is None else label_key(f"session {space}", session),
        position,
        0 if author is None else label_key("author", author.casefold()),
        created,
        valid_from,
        valid_to,
        traits,
        terms,
        labels,
        vectors,
    )
