"""The embedded store: one SQLite file that many threads and processes share."""

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from random import random
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from milepost.deadline import check_time
from milepost.errors import NotFound
from milepost.memory.values import FOREVER, Analysis, Changes, Draft, Indexed, Record
from milepost.ports import Analyser
from milepost.sessions.inbox import SUFFIX as INBOX
from milepost.sessions.inbox import erase
from milepost.storage.index.index import SearchIndex
from milepost.storage.index.segment import IndexRow
from milepost.storage.index.vectors import pack_vectors, unpack_vectors
from milepost.storage.indexed import OWNED, IndexedStore, erasures_of, index_row, telling_prefix
from milepost.storage.sqlite.connection import BUSY_TIMEOUT_S
from milepost.storage.sqlite.copies import remove_leftovers
from milepost.storage.sqlite.experience import SqliteExperience
from milepost.storage.sqlite.file import index_of
from milepost.text.erasing import Erasure
from milepost.text.words import ANALYSIS_VERSION

log = logging.getLogger(__name__)

_PAGE_ROWS = 2_000
# So long a deletion waits for readers of the log.
_LOG_WAIT_MS = 100

# The columns of the statement changed_after, before the vectors.
_INDEXED = (
    "memory_id", "change", "space", "session", "position", "author", "created", "valid_from",
    "valid_to", "traits", "terms", "kind", "tags", "projects",
)  # fmt: skip


class SqliteStore(SqliteExperience, IndexedStore):
    """Keeps memories in a SQLite file, with what is kept beside them."""

    backend = "sqlite"
    # Whether the log still holds what was deleted.
    _log_is_full = False

    def __init__(self, path: Path, analyse: Analyser, scripts: Sequence[str] | None = None) -> None:
        remove_leftovers(path)
        super().__init__(path, scripts)
        self.index = SearchIndex(self, index_of(path))
        if not self.unwritable:
            self._analyse_anew(analyse)

    def _close(self) -> None:
        self.index.close()
        super()._close()

    def begin_anew(self, *, paused: bool) -> None:
        super().begin_anew(paused=paused)
        self.index = SearchIndex(self, index_of(self.path))

    def _reopened(self) -> None:
        self.index.doubt()

    def problems(self) -> tuple[str, ...]:
        found = [self.unwritable] if self.unwritable else []
        if self.index.unwritten:
            found.append(f"the search index is kept in memory: {self.index.unwritten}")
        known = self.latest_change()
        shown, stored = self.index.count(), int(self._rows("count_all")[0][0])
        if shown != stored and self.latest_change() == known:
            self.index.rebuild(f"it showed {shown:,} of {stored:,} memories")
        if self.index.rebuilt:
            found.append(f"the search index was made again: {self.index.rebuilt}")
        return tuple(found)

    def add(self, drafts: Sequence[Draft]) -> None:
        packed = _packed([draft.analysis.vectors for draft in drafts])
        with self._writing():
            for draft, vectors in zip(drafts, packed, strict=True):
                check_time()
                self._add(draft, vectors)
        self._wrote(len(drafts))
        if self._log_is_full:
            self._empty_log(wait_ms=0)

    def change(self, memory_id: int, changes: Changes) -> None:
        with self._writing():
            self._do("touch", self._next_change(), memory_id)
            if self._writer.changes() == 0:
                return
            if changes.kind is not None:
                self._do("set_kind", changes.kind, memory_id)
            if changes.metadata is not None:
                self._do("set_metadata", json.dumps(changes.metadata), memory_id)
            if changes.tags is not None:
                self._do("clear_tags", memory_id)
                self._label("insert_tag", memory_id, changes.tags)

    def remove(self, ids: Sequence[int]) -> int:
        removed = 0
        with self._writing():
            # Their texts are held until they are erased: not those of very many at once.
            for first in range(0, len(ids), _PAGE_ROWS):
                removed += self._remove(ids[first : first + _PAGE_ROWS])
            if removed and self._do("is_empty").get:
                self._forget_removals(self._last_change)
        if removed:
            self.index.forget(ids)
            self._empty_log()
        return removed

    def remove_episode(self, space: str, episode: str) -> bool:
        removed = super().remove_episode(space, episode)
        if removed:
            with self._writing():
                self._forget_if_bare(space)
            self._empty_log()
        return removed

    def forget_removals(self) -> None:
        """Forget the deletions that no segment of the index needs to know of any more."""
        segments = self.index.segments()
        if segments:
            with self._writing():
                self._forget_removals(min(segment.change for segment in segments))

    def hashes(self, space: str, prefix: str, limit: int) -> list[str]:
        return [
            row[0] for row in self._rows("hashes_with_prefix", space, prefix, f"{prefix}g", limit)
        ]

    def shortest(self, space: str, hashes: Sequence[str], at_least: int) -> list[str]:
        wanted = {"space": space, "hashes": json.dumps(list(hashes))}
        beside = self._rows("hashes_beside", wanted)
        return [telling_prefix(full, others, at_least) for full, *others in beside]

    def record(self, space: str, full_hash: str) -> Record | None:
        found = self._rows("record", space, full_hash)
        return _record(found[0]) if found else None

    def records(self, ids: Sequence[int]) -> list[Record]:
        found = {row[0]: _record(row) for row in self._rows("records", json.dumps(list(ids)))}
        return [found[i] for i in ids if i in found]

    def vectors(self, memory_id: int) -> Mapping[str, NDArray[np.float32]]:
        return {model: _unpacked(blob) for model, blob in self._rows("vectors_of", memory_id)}

    def lacking(self, model: str, after_id: int, limit: int) -> list[Indexed]:
        return [Indexed(*row) for row in self._rows("lacking_model", after_id, model, limit)]

    def put_vectors(self, model: str, vectors: Mapping[int, NDArray[np.float32]]) -> None:
        blobs = pack_vectors(list(vectors.values())) if vectors else []
        with self._writing():
            for memory_id, blob in zip(vectors, blobs, strict=True):
                self._do("touch", self._next_change(), memory_id)
                if self._writer.changes():
                    self._do("insert_vector", memory_id, model, blob)

    def count(self, space: str, now: int) -> int:
        return int(self._rows("count", space, now)[0][0])

    def kept(self, space: str, topic: str, key: str) -> str | None:
        found = self._rows("kept", space, topic, key)
        return str(found[0][0]) if found else None

    def keep(self, space: str, topic: str, key: str, value: str | None) -> None:
        with self._writing():
            if value is None:
                self._do("forget_kept", space, topic, key)
            else:
                self._do("keep", space, topic, key, value)

    def note(self, space: str, topic: str, at: int, entries: Sequence[str], most: int) -> None:
        with self._writing():
            for entry in entries:
                self._do("insert_entry", space, topic, at, entry)
            # Whoever looks for the end of many entries walks over all of them: not every time.
            if random() * most < 100 * len(entries):  # noqa: S311 -- no secret
                limits = {"space": space, "topic": topic, "most": most}
                self._do("trim_journal", limits)

    def noted(self, space: str, topic: str, since: int, limit: int) -> list[tuple[int, str]]:
        found = self._rows("journal", space, topic, since, limit)
        return [(at, entry) for at, entry in reversed(found)]

    # The feed of the search index.

    def latest_change(self) -> int:
        return int(self._rows("latest_change")[0][0])

    def rows_after(self, change: int) -> Iterator[IndexRow]:
        while rows := self._rows("changed_after", change, _PAGE_ROWS):
            for _, group in groupby(rows, itemgetter(0)):
                row = _index_row(list(group))
                yield row
            change = row.change

    def removed_after(self, change: int) -> Sequence[int]:
        removed = [row[0] for row in self._rows("removed_after", change)]
        forgotten = self._rows("forgotten")
        # Whoever has not asked for so long learns of all that is not there.
        return self._missing() if forgotten and change < forgotten[0][0] else removed

    def known_ids(self, change: int) -> list[int]:
        """Return the ids of all memories, and of those that were deleted since a change."""
        return [row[0] for row in self._rows("known_ids", change)]

    def index_stamp(self) -> int:
        return int(self._rows("index_stamp")[0][0])

    def set_index_stamp(self, stamp: int, wait_s: float) -> None:
        # Lost in a power cut, it only makes the index be built again.
        with self._writing(durable=False, wait_s=wait_s):
            self._do("set_index_stamp", stamp)

    def _remove(self, ids: Sequence[int]) -> int:
        gone: list[tuple[str, str, str]] = []
        for memory_id in ids:
            check_time()
            self._free_predecessors(memory_id)
            found: Any = self._do("delete_memory", memory_id).fetchall()
            if found:
                gone += found
                self._do("insert_removal", self._next_change(), memory_id)
        for space, erasure in erasures_of(gone):
            self._erase(space, erasure)
            erase(f"{self.path}{INBOX}", erasure.without)
        return len(gone)

    def _missing(self) -> list[int]:
        """Return the ids of all memories that were ever deleted."""
        last = self._rows("last_id")
        known = np.array([row[0] for row in self._rows("ids")], np.int64)
        ever = np.arange(1, last[0][0] + 1 if last else 1)
        missing: list[int] = np.setdiff1d(ever, known, assume_unique=True).tolist()
        return missing

    def _forget_removals(self, change: int) -> None:
        self._do("forget_removals", change)
        self._do("set_forgotten", change)

    def _erase(self, space: str, erasure: Erasure) -> None:
        """Take deleted texts out of what is kept beside the memories of a space."""
        self._forget_if_bare(space)
        found: list[Any] = self._do("kept_of", space).fetchall()
        for topic, key, value in found:
            left = value if topic in OWNED else erasure.without(value)
            if left is None:
                self._do("forget_kept", space, topic, key)
            elif left != value:
                self._do("keep", space, topic, key, left)
        work: list[Any] = self._do("work_of", space).fetchall()
        for job, *texts in work:
            cleaned = [erasure.without(text) or "" for text in texts]
            if cleaned != texts:
                self._do("set_work", *cleaned, job)

    def _forget_if_bare(self, space: str) -> None:
        """Forget what is kept beside memories and episodes when there are none."""
        if self._do("is_bare", {"space": space}).get:
            for statement in ("forget_all_kept", "forget_journals", "forget_dead"):
                self._do(statement, space)

    def _empty_log(self, wait_ms: int = _LOG_WAIT_MS) -> None:
        """Take what was overwritten out of the log; a reader that needs it is not waited for long.

        Then it is done after the next write, or when the last process closes the store.
        """
        self._log_is_full = True
        if self._writes is None or not self._write_lock.acquire(timeout=wait_ms / 1e3):
            return
        try:
            self._checkpoint(wait_ms)
        finally:
            self._write_lock.release()

    def _checkpoint(self, wait_ms: int) -> None:
        self._writer.set_busy_timeout(wait_ms)
        try:
            self._writer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            self._log_is_full = False
        except apsw.Error as problem:  # somebody reads, or the disk is full; it is done later
            log.debug("the log keeps what was deleted for now: %s", problem)
        finally:
            self._writer.set_busy_timeout(int(BUSY_TIMEOUT_S * 1000))

    def _free_predecessors(self, memory_id: int) -> None:
        """Let what a memory had replaced hold again, or pass to what replaced the memory."""
        found = self._do("successor", memory_id).fetchone()
        successor = found[0] if found else None
        for older, valid_to in self._do("superseded_by", memory_id).fetchall():
            until = FOREVER if successor is None else valid_to
            self._do("set_valid_to", until, successor, self._next_change(), older)

    def _add(self, draft: Draft, vectors: Mapping[str, bytes]) -> None:
        known = self._do("known", draft.space, draft.hash).fetchone()
        if known is None:
            memory_id = self._insert(draft, vectors)
        else:
            memory_id, change = known[0], self._next_change()
            if known[1] == FOREVER:
                self._do("touch", change, memory_id)
            else:
                self._do("set_valid_to", FOREVER, None, change, memory_id)
        self._label("insert_tag", memory_id, draft.tags)
        self._label("insert_project", memory_id, draft.projects)
        if draft.supersedes is not None and draft.supersedes != draft.hash:
            self._supersede(draft, memory_id)

    def _put(self, draft: Draft) -> None:
        vectors = _packed([draft.analysis.vectors])[0]
        known = self._do("known", draft.space, draft.hash).fetchone()
        if known is None:
            memory_id = self._insert(draft, vectors)
        else:
            memory_id = int(known[0])
            self._do("replace_memory", self._values(draft) | {"id": memory_id})
            self._do("clear_tags", memory_id)
            self._do("clear_vectors", memory_id)
            self._add_vectors(memory_id, vectors)
        self._label("insert_tag", memory_id, draft.tags)

    def _insert(self, draft: Draft, vectors: Mapping[str, bytes]) -> int:
        memory_id = int(self._do("insert_memory", self._values(draft)).get)
        self._add_vectors(memory_id, vectors)
        return memory_id

    def _values(self, draft: Draft) -> dict[str, Any]:
        return draft._asdict() | {
            "metadata": json.dumps(draft.metadata),
            "valid_to": FOREVER,
            "traits": draft.analysis.traits,
            "terms": draft.analysis.terms,
            "change": self._next_change(),
        }

    def _add_vectors(self, memory_id: int, vectors: Mapping[str, bytes]) -> None:
        for model, blob in vectors.items():
            self._do("insert_vector", memory_id, model, blob)

    def _supersede(self, draft: Draft, successor: int) -> None:
        older = self._do("known", draft.space, draft.supersedes).fetchone()
        if older is None:
            raise NotFound(f"The memory {draft.supersedes} to supersede was deleted meanwhile.")
        self._do("set_valid_to", draft.valid_from, successor, self._next_change(), older[0])

    def _label(self, statement: str, memory_id: int, labels: Sequence[str]) -> None:
        for label in labels:
            self._do(statement, memory_id, label)

    def _analyse_anew(self, analyse: Analyser) -> None:
        """Make all terms again when the stored ones were made by older rules."""
        version = self._rows("analysis_version")[0][0]
        if version == ANALYSIS_VERSION:
            return
        last = 0
        while rows := self._rows("contents", last, _PAGE_ROWS):
            memories = [Indexed(*row) for row in rows]
            with self._writing():
                for memory in memories:
                    made: Analysis = analyse(memory)
                    change = self._next_change()
                    self._do("set_terms", made.terms, made.traits, change, memory.id)
            last = memories[-1].id
        with self._writing():
            self._do("set_analysis_version", ANALYSIS_VERSION)


def _record(row: Any) -> Record:
    (memory_id, space, text_hash, content, kind, metadata, session, position, author, recorded,
     created, valid_from, valid_to, superseded_by, tags, projects) = row  # fmt: skip
    return Record(
        memory_id,
        space,
        text_hash,
        content,
        kind,
        tuple(sorted(json.loads(tags))),
        json.loads(metadata),
        session,
        position,
        author,
        tuple(json.loads(projects)),
        recorded,
        created,
        valid_from,
        valid_to,
        superseded_by,
    )


def _index_row(group: list[Any]) -> IndexRow:
    values = dict(zip(_INDEXED, group[0], strict=False))
    values["tags"] = json.loads(values["tags"])
    values["projects"] = json.loads(values["projects"])
    vectors = [(model, vector) for *_, model, vector in group if model is not None]
    return index_row(**values, vectors=vectors)


def _packed(vectors: Sequence[Mapping[str, NDArray[np.float32]]]) -> list[dict[str, bytes]]:
    packed: list[dict[str, bytes]] = [{} for _ in vectors]
    for model in {model for found in vectors for model in found}:
        having = [i for i, found in enumerate(vectors) if model in found]
        for i, blob in zip(having, pack_vectors([vectors[i][model] for i in having]), strict=True):
            packed[i][model] = blob
    return packed


def _unpacked(blob: bytes) -> NDArray[np.float32]:
    values, scale = unpack_vectors([blob])
    vector: NDArray[np.float32] = values[0] * scale[0]
    return vector
