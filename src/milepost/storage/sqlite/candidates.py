"""What searches and lists choose from: the index beside a database, and what it is made of."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from milepost.errors import StoreBusy
from milepost.memory.values import Analysis, Filter, Indexed, Record
from milepost.ports import Analyser, Page
from milepost.ranking.candidates import CandidateSet, Probe, RareWords
from milepost.storage.index.candidates import find_candidates
from milepost.storage.index.index import SearchIndex
from milepost.storage.index.masks import allowed
from milepost.storage.index.rare_words import rare_words
from milepost.storage.index.segment import IndexRow, Segment, index_row
from milepost.storage.index.sharing import find_sharing
from milepost.storage.index.vectors import pack_vectors, unpack_vectors
from milepost.storage.sqlite.file import SqliteFile
from milepost.storage.tables.database import page_by_author, passing
from milepost.storage.tables.memories import records_of
from milepost.text.lines import counted
from milepost.text.speakers import OPENING
from milepost.text.words import ANALYSIS_VERSION

Times = NDArray[np.int64]
Ids = NDArray[np.int64]


class SqliteCandidates:
    """Answers from the index, or from the table that it was made from."""

    def __init__(self, file: SqliteFile, index: SearchIndex) -> None:
        self._file = file
        self._index = index

    def find(self, probe: Probe, where: Filter, limit: int, offset: int = 0) -> CandidateSet:
        return self._index.ask(lambda parts: find_candidates(parts, probe, where, limit, offset))

    def sharing(
        self, text: Analysis, model: str, where: Filter, limit: int
    ) -> list[tuple[Record, float]]:
        alike = self._index.ask(lambda parts: find_sharing(parts, text, model, where, limit))
        return [(record, alike[record.id]) for record in records_of(self._file, list(alike))]

    def rare_words(self, memory_id: int, without: Sequence[int], most: int) -> RareWords:
        return self._index.ask(lambda parts: rare_words(parts, memory_id, without, most))

    def page(self, where: Filter, limit: int, offset: int = 0) -> Page:
        if where.author is not None:
            return page_by_author(self._file, where, limit, offset)
        created, ids = self._index.ask(lambda parts: _passing(parts, where))
        newest = _latest(created, ids, offset + limit)[::-1]
        return Page(newest[offset:].tolist(), len(ids))

    def newest(self, where: Filter, limit: int, offset: int = 0) -> list[int]:
        return self.page(where, limit, offset).ids

    def unreviewed(self, where: Filter, by: str | None, limit: int) -> Page:
        fresh, named = " AND metadata ->> '$.reviewed' IS NULL", {}
        if by is not None:
            fresh, named = f"{fresh} AND metadata ->> '$.by' = :by", {"by": by}
        ids = passing(self._file, where, fresh, named)
        return Page(ids[:limit], len(ids))

    def newest_of(self, where: Filter, kinds: Sequence[str], limit: int) -> dict[str, list[int]]:
        wheres = {kind: where._replace(kind=kind) for kind in kinds}
        by_kind = self._index.ask(lambda parts: {k: _passing(parts, w) for k, w in wheres.items()})
        return {kind: _latest(*rows, limit)[::-1].tolist() for kind, rows in by_kind.items()}

    def around(self, record: Record, where: Filter, before: int, after: int) -> list[int]:
        created, ids = self._index.ask(lambda parts: _passing(parts, where))
        earlier = (created < record.created_us) | (
            (created == record.created_us) & (ids < record.id)
        )
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
            self._file.note(f"give vectors of {model} to {counted(len(blobs), 'memory')}")


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


_PAGE_ROWS = 2_000

# The columns of the statement changed_after, before the vectors.
_COLUMNS = (
    "memory_id", "change", "space", "session", "position", "author", "created", "valid_from",
    "valid_to", "traits", "trust", "standing", "terms", "kind", "opening", "tags", "projects",
    "branch",
)  # fmt: skip


class SqliteFeed:
    """Tells of committed changes, in the order of their numbers."""

    def __init__(self, file: SqliteFile) -> None:
        self._file = file

    def latest_change(self) -> int:
        return int(self._file.committed("latest_change")[0][0])

    def is_settled(self) -> bool:
        return self._file.is_settled

    def rows_after(self, change: int) -> Iterator[IndexRow]:
        more = True
        while more:
            rows = self._file.committed("changed_after", OPENING, change, _PAGE_ROWS)
            for _, group in groupby(rows, itemgetter(0)):
                row = _index_row(list(group))
                yield row
                change = row.change
            # A memory has a row for each of its vectors, and one at least.
            more = len(rows) >= _PAGE_ROWS

    def removed_after(self, change: int) -> Sequence[int]:
        rows = self._file.committed("removed_after", {"change": change})
        # Whoever has not asked for so long learns of all that is not there.
        return self._missing() if (None,) in rows else [row[0] for row in rows]

    def index_stamp(self) -> int:
        return int(self._file.committed("index_stamp")[0][0])

    def set_index_stamp(self, stamp: int, wait_s: float) -> None:
        if self._file.is_writing:
            raise StoreBusy("The index is not written from within a transaction.")
        # Lost in a power cut, it only makes the index be built again.
        with self._file.writing(durable=False, wait_s=wait_s):
            self._file.run("set_index_stamp", stamp)

    def known_ids(self, change: int) -> list[int]:
        """Return the ids of all memories, and of those that were deleted since a change."""
        return [row[0] for row in self._file.committed("known_ids", change)]

    def count(self) -> int:
        """Count all memories."""
        return int(self._file.committed("count_all")[0][0])

    def forget_removals(self, change: int) -> None:
        """Forget the deletions up to a change, which no index needs to know of any more."""
        with self._file.writing():
            self._file.run("forget_removals", change)
            self._file.run("set_forgotten", change)

    def analyse_anew(self, analyse: Analyser) -> None:
        """Analyse all memories again when the stored analyses were made by older rules."""
        if self._file.rows("analysis_version")[0][0] == ANALYSIS_VERSION:
            return
        last = 0
        while rows := self._file.rows("contents", last, _PAGE_ROWS):
            memories = [Indexed(*row) for row in rows]
            with self._file.writing():
                for memory in memories:
                    terms, traits, vectors = analyse(memory)
                    change = self._file.next_change()
                    self._file.run("set_terms", terms, traits, change, memory.id)
                    blobs = pack_vectors(list(vectors.values()))
                    for model, blob in zip(vectors, blobs, strict=True):
                        self._file.run("insert_vector", memory.id, model, blob)
            last = memories[-1].id
        with self._file.writing():
            self._file.run("set_analysis_version", ANALYSIS_VERSION)

    def _missing(self) -> list[int]:
        """Return the ids of all memories that were ever deleted."""
        last = self._file.committed("last_id")
        known = np.array([row[0] for row in self._file.committed("ids")], np.int64)
        ever = np.arange(1, last[0][0] + 1 if last else 1)
        missing: list[int] = np.setdiff1d(ever, known, assume_unique=True).tolist()
        return missing


def _index_row(group: list[Any]) -> IndexRow:
    values = dict(zip(_COLUMNS, group[0], strict=False))
    values["tags"] = json.loads(values["tags"])
    values["projects"] = json.loads(values["projects"])
    vectors = [(model, vector) for *_, model, vector in group if model is not None]
    return index_row(**values, vectors=vectors)
