"""What searches and lists choose from, by the database itself."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from milepost.memory.values import Analysis, Filter, Indexed, Record
from milepost.ports import Page
from milepost.ranking.candidates import CandidateSet, Probe, RareWords
from milepost.ranking.matching import IMAGINED, language_share
from milepost.storage.pooling import OVERLAP_SHARE, chosen_by_words
from milepost.storage.postgres.database import PostgresDatabase
from milepost.storage.postgres.pools import Packed, pool_of
from milepost.storage.postgres.vectors import (
    HalfVectors,
    as_half_vector,
    from_half,
    half_vectors,
)
from milepost.storage.postgres.where import as_values, labels
from milepost.storage.postgres.words import mix_of
from milepost.storage.tables.database import page_by_author, passing
from milepost.storage.tables.memories import record_of
from milepost.text.lines import counted


class PostgresCandidates:
    """Answers from the tables."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._db = database

    def find(self, probe: Probe, where: Filter, limit: int, offset: int = 0) -> CandidateSet:
        words, models = probe.words, probe.vectors
        asked = self._asked(where) | {
            "terms": self._kept([word.term for word in words]),
            "imagined": [IMAGINED * language_share(word.rank) for word in words],
            "word_tags": labels("tag", [word.text for word in words]) or None,
            "models": list(models),
            "questions": HalfVectors([as_half_vector(vector) for vector in models.values()]),
            "limit": limit,
            "offset": offset,
            "lexical": chosen_by_words(probe, limit),
            "extra": int(limit * OVERLAP_SHARE),
            "project": where.home,
        }
        packed = Packed(*self._db.committed("candidates", asked, binary=True)[0])
        if self._db.seals is not None and packed.ids is not None:
            terms = self._db.seals.clear_words(np.frombuffer(packed.terms, np.uint32))
            packed = packed._replace(terms=terms.tobytes())
        return pool_of(packed, probe, where)

    def sharing(
        self, text: Analysis, model: str, where: Filter, limit: int
    ) -> list[tuple[Record, float]]:
        once = self._kept(np.unique(np.frombuffer(text.terms, np.uint32)))
        vector = text.vectors[model]
        near = as_half_vector(vector / (float(np.linalg.norm(vector)) or 1.0))
        asked = self._asked(where) | {"terms": once, "limit": limit, "model": model, "near": near}
        rows = self._db.committed("sharing", asked)
        return [(record_of(row), likeness) for likeness, *row in rows]

    def rare_words(self, memory_id: int, without: Sequence[int], most: int) -> RareWords:
        asked = {
            "home": self._db.home,
            "id": memory_id,
            "most": most,
            "without": self._kept(without),
        }
        rows = np.array(self._db.committed("rare_words", asked), np.int64).reshape(-1, 2)
        return RareWords(rows[:, 0], rows[:, 1])

    def page(self, where: Filter, limit: int, offset: int = 0) -> Page:
        if where.author is not None:
            return page_by_author(self._db, where, limit, offset)
        return Page(*self._newest(where, limit, offset, counted=True))

    def newest(self, where: Filter, limit: int, offset: int = 0) -> list[int]:
        ids: list[int] = self._newest(where, limit, offset, counted=False)[0]
        return ids

    def _newest(self, where: Filter, limit: int, offset: int, *, counted: bool) -> Any:
        asked = self._asked(where) | {"limit": limit, "offset": offset, "counted": counted}
        return self._db.committed("newest", asked)[0]

    def unreviewed(self, where: Filter, by: str | None, limit: int) -> Page:
        fresh, named = " AND m.metadata::jsonb ->> 'reviewed' IS NULL", {}
        if by is not None:
            fresh, named = f"{fresh} AND m.metadata::jsonb ->> 'by' = :by", {"by": by}
        ids = passing(self._db, where, fresh, named)
        return Page(ids[:limit], len(ids))

    def newest_of(self, where: Filter, kinds: Sequence[str], limit: int) -> dict[str, list[int]]:
        asked = self._asked(where._replace(kind=None)) | {"kinds": list(kinds), "limit": limit}
        by_kind = dict(self._db.committed("newest_of", asked))
        return {kind: by_kind[kind] for kind in kinds}

    def around(self, record: Record, where: Filter, before: int, after: int) -> list[int]:
        past = self._beside(record, where, "<", "DESC", before)[::-1]
        return [*past, record.id, *self._beside(record, where, ">", "ASC", after)]

    def _beside(
        self, record: Record, where: Filter, side: str, order: str, count: int
    ) -> list[int]:
        clause, values = self._db.condition(where)
        statement = (
            f"SELECT m.id FROM memories AS m WHERE {clause} "  # noqa: S608 -- no input
            f"AND (m.created, m.id) {side} (:created, :id) "
            f"ORDER BY m.created {order}, m.id {order} LIMIT :count"
        )
        values |= {"created": record.created_us, "id": record.id, "count": count}
        return [row[0] for row in self._db.select_rows(statement, values)]

    def vectors(self, memory_id: int) -> Mapping[str, NDArray[np.float32]]:
        return {model: from_half(data) for model, data in self._db.rows("vectors_of", memory_id)}

    def lacking(self, model: str, after_id: int, limit: int) -> list[Indexed]:
        asked = {"model": model, "after": after_id, "limit": limit}
        return [Indexed(*row) for row in self._db.rows("lacking_model", asked)]

    def put_vectors(self, model: str, vectors: Mapping[int, NDArray[np.float32]]) -> None:
        kept = half_vectors(list(vectors.values()))
        with self._db.writing():
            for memory_id, vector in zip(vectors, kept, strict=True):
                self._db.run("touch", self._db.next_change(), memory_id)
                if self._db.changed():
                    self._db.run("insert_vector", memory_id, model, vector)
            self._db.note(f"give vectors of {model} to {counted(len(kept), 'memory')}")

    def _kept(self, terms: Sequence[int] | NDArray[np.uint32]) -> list[int]:
        """Return terms as the database keeps them."""
        numbers = np.array(terms, np.uint32)
        if self._db.seals is not None:
            numbers = self._db.seals.words(numbers)
        signed: list[int] = numbers.view(np.int32).tolist()
        return signed

    def _asked(self, where: Filter) -> dict[str, Any]:
        named = {"home": self._db.home, "space": where.space, "mix": mix_of(where.space)}
        return as_values(where) | named
