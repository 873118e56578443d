"""What searches and lists choose from: the search index beside a database, and its vectors."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from milepost.memory.values import Filter, Indexed, Record
from milepost.ports import Page
from milepost.ranking.candidates import CandidateSet, Probe
from milepost.storage.filtering import allowed
from milepost.storage.index.candidates import find_candidates
from milepost.storage.index.index import SearchIndex
from milepost.storage.index.segment import Segment
from milepost.storage.index.vectors import pack_vectors, unpack_vectors
from milepost.storage.sqlite.file import SqliteFile

Times = NDArray[np.int64]
Ids = NDArray[np.int64]


class SqliteCandidates:
    """Answers from the index; the vectors it was made from lie in a table."""

    def __init__(self, file: SqliteFile, index: SearchIndex) -> None:
        self._file = file
        self._index = index

    def find(self, probe: Probe, where: Filter, limit: int, offset: int = 0) -> CandidateSet:
        return self._index.ask(lambda parts: find_candidates(parts, probe, where, limit, offset))

    def page(self, where: Filter, limit: int, offset: int = 0) -> Page:
        created, ids = self._index.ask(lambda parts: _passing(parts, where))
        newest = _latest(created, ids, offset + limit)[::-1]
        return Page(newest[offset:].tolist(), len(ids))

    def newest_of(self, where: Filter, kinds: Sequence[str], limit: int) -> dict[str, list[int]]:
        wheres = {kind: where._replace(kind=kind) for kind in kinds}
        found = self._index.ask(lambda parts: {k: _passing(parts, w) for k, w in wheres.items()})
        return {kind: _latest(*rows, limit)[::-1].tolist() for kind, rows in found.items()}

    def around(self, record: Record, where: Filter, before: int, after: int) -> list[int]:
        created, ids = self._index.ask(lambda parts: _passing(parts, where))
        earlier = (created < record.created) | ((created == record.created) & (ids < record.id))
        later = ~earlier & (ids != record.id)
        past = _latest(created[earlier], ids[earlier], before)
        future = _latest(-created[later], -ids[later], after)[::-1]
        return [*past.tolist(), record.id, *(-future).tolist()]

    def vectors(self, memory_id: int) -> Mapping[str, NDArray[np.float32]]:
        rows = self._file.rows("vectors_of", memory_id)
        return {model: _unpacked(blob) for model, blob in rows}

    def lacking(self, model: str, after_id: int, limit: int) -> list[Indexed]:
        return [Indexed(*row) for row in self._file.rows("lacking_model", after_id, model, limit)]

    def put_vectors(self, model: str, vectors: Mapping[int, NDArray[np.float32]]) -> None:
        blobs = pack_vectors(list(vectors.values())) if vectors else []
        with self._file.writing():
            for memory_id, blob in zip(vectors, blobs, strict=True):
                self._file.run("touch", self._file.next_change(), memory_id)
                if self._file.changed():
                    self._file.run("insert_vector", memory_id, model, blob)
            self._file.note(f"give vectors of {model} to {len(blobs):,} memories")


def _passing(segments: Sequence[Segment], where: Filter) -> tuple[Times, Ids]:
    created, ids = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for segment in segments:
        mask: Any = allowed(segment, where)
        chosen = slice(None) if mask is None else mask
        created.append(segment.created[chosen])
        ids.append(segment.ids[chosen])
    return np.concatenate(created), np.concatenate(ids)


def _latest(created: Times, ids: Ids, count: int) -> Ids:
    """Return the ids of the latest few, oldest first."""
    if count <= 0:
        return ids[:0]
    if count < len(created):
        # All that are as late as the last one wanted, so that ties fall the same way each time.
        cut = np.partition(created, len(created) - count)[len(created) - count]
        near = np.flatnonzero(created >= cut)
        created, ids = created[near], ids[near]
    return ids[np.lexsort((ids, created))][-count:]


def _unpacked(blob: bytes) -> NDArray[np.float32]:
    values, scale = unpack_vectors([blob])
    vector: NDArray[np.float32] = values[0] * scale[0]
    return vector
