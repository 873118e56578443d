"""A store that lives in the process alone: for tests, and for what need not outlive a program."""

from bisect import bisect_left, insort
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from milepost.errors import NotFound
from milepost.memory.values import FOREVER, Analysis, Changes, Draft, Indexed, Record
from milepost.storage.index.index import SearchIndex
from milepost.storage.index.segment import IndexRow
from milepost.storage.index.vectors import pack_vectors
from milepost.storage.indexed import OWNED, IndexedStore, erasures_of, index_row, telling_prefix
from milepost.storage.memory_experience import MemoryExperience
from milepost.text.erasing import Erasure


class MemoryStore(MemoryExperience, IndexedStore):
    """Keeps memories in dictionaries, with the same behaviour as a store on disk."""

    backend = "memory"

    def __init__(self) -> None:
        super().__init__()
        self._records: dict[int, Record] = {}
        self._analyses: dict[int, Analysis] = {}
        self._ids: dict[tuple[str, str], int] = {}
        self._hashes: dict[str, list[str]] = {}
        self._positions: dict[tuple[str, str], list[int]] = {}
        self._changes: dict[int, int] = {}
        self._removals: list[tuple[int, int]] = []
        self._kept: dict[tuple[str, str, str], str] = {}
        self._journal: dict[tuple[str, str], list[tuple[int, str]]] = {}
        self._change = 0
        self._last_id = 0
        self.index = SearchIndex(self, None)

    def close(self) -> None:
        self.index.close()

    def add(self, drafts: Sequence[Draft]) -> None:
        with self._lock:
            for draft in drafts:
                if draft.supersedes and (draft.space, draft.supersedes) not in self._ids:
                    raise NotFound(f"The memory {draft.supersedes} to supersede was deleted.")
            for draft in drafts:
                self._add(draft)
        self._wrote(len(drafts))

    def change(self, memory_id: int, changes: Changes) -> None:
        given = {k: v for k, v in changes._asdict().items() if v is not None}
        if "tags" in given:
            given["tags"] = tuple(sorted(set(given["tags"])))
        self._set(memory_id, **deepcopy(given))

    def remove(self, ids: Sequence[int]) -> int:
        with self._lock:
            present = [i for i in dict.fromkeys(ids) if i in self._records]
            gone = [self._remove(memory_id) for memory_id in present]
            for space, erasure in erasures_of((r.space, r.hash, r.content) for r in gone):
                self._erase(space, erasure)
            return len(present)

    def remove_episode(self, space: str, episode: str) -> bool:
        removed = super().remove_episode(space, episode)
        self._forget_if_bare(space)
        return removed

    def hashes(self, space: str, prefix: str, limit: int) -> list[str]:
        known = self._hashes.get(space, [])
        first = bisect_left(known, prefix)
        return [h for h in known[first : first + limit] if h.startswith(prefix)]

    def shortest(self, space: str, hashes: Sequence[str], at_least: int) -> list[str]:
        known = self._hashes.get(space, [])
        found = []
        for full in hashes:
            at = bisect_left(known, full)
            beside = [other for other in known[max(at - 1, 0) : at + 2] if other != full]
            found.append(telling_prefix(full, beside, at_least))
        return found

    def record(self, space: str, full_hash: str) -> Record | None:
        memory_id = self._ids.get((space, full_hash))
        return None if memory_id is None else _copied(self._records[memory_id])

    def records(self, ids: Sequence[int]) -> list[Record]:
        return [_copied(self._records[i]) for i in ids if i in self._records]

    def vectors(self, memory_id: int) -> Mapping[str, NDArray[np.float32]]:
        found = self._analyses.get(memory_id)
        return {} if found is None else found.vectors

    def lacking(self, model: str, after_id: int, limit: int) -> list[Indexed]:
        with self._lock:
            ids = [i for i, a in self._analyses.items() if i > after_id and model not in a.vectors]
            found = [self._records[i] for i in sorted(ids)[:limit]]
        return [Indexed(r.id, r.content, r.author, r.created) for r in found]

    def put_vectors(self, model: str, vectors: Mapping[int, NDArray[np.float32]]) -> None:
        with self._lock:
            for memory_id, vector in vectors.items():
                if memory_id in self._records:
                    made = self._analyses[memory_id]
                    joined = {**made.vectors, model: vector}
                    self._analyses[memory_id] = made._replace(vectors=joined)
                    self._set(memory_id)

    def traced(self, ids: Sequence[int]) -> dict[int, str]:
        with self._lock:
            return {i: self._records[i].metadata["id"] for i in ids if i in self._records}

    def problems(self) -> tuple[str, ...]:
        return ()

    def kept(self, space: str, topic: str, key: str) -> str | None:
        return self._kept.get((space, topic, key))

    def keep(self, space: str, topic: str, key: str, value: str | None) -> None:
        with self._lock:
            if value is None:
                self._kept.pop((space, topic, key), None)
            else:
                self._kept[space, topic, key] = value

    def note(self, space: str, topic: str, at: int, entries: Sequence[str], most: int) -> None:
        with self._lock:
            journal = self._journal.setdefault((space, topic), [])
            journal += [(at, entry) for entry in entries]
            del journal[: max(len(journal) - most, 0)]

    def noted(self, space: str, topic: str, since: int, limit: int) -> list[tuple[int, str]]:
        with self._lock:
            journal = [
                entry for entry in self._journal.get((space, topic), []) if entry[0] >= since
            ]
            return journal[-limit:]

    def count(self, space: str, now: int) -> int:
        with self._lock:
            return sum(r.space == space and r.valid_to > now for r in self._records.values())

    # The feed of the search index.

    def latest_change(self) -> int:
        return self._change

    def rows_after(self, change: int) -> Iterator[IndexRow]:
        with self._lock:
            fresh = sorted((c, i) for i, c in self._changes.items() if c > change)
            return iter([self._index_row(memory_id, at) for at, memory_id in fresh])

    def removed_after(self, change: int) -> Sequence[int]:
        return [memory_id for at, memory_id in self._removals if at > change]

    def index_stamp(self) -> int:
        return 0

    def set_index_stamp(self, stamp: int, wait_s: float) -> None:
        """Ignore it: the index lives and dies with the store."""

    def _add(self, draft: Draft) -> None:
        memory_id = self._ids.get((draft.space, draft.hash))
        if memory_id is None:
            memory_id = self._insert(draft)
        known = self._records[memory_id]
        self._set(
            memory_id,
            tags=tuple(sorted({*known.tags, *draft.tags})),
            projects=tuple(sorted({*known.projects, *draft.projects})),
            valid_to=FOREVER,
            superseded_by=None,
        )
        if draft.supersedes is not None and draft.supersedes != draft.hash:
            older = self._ids[draft.space, draft.supersedes]
            self._set(older, valid_to=draft.valid_from, superseded_by=draft.hash)

    def _put(self, draft: Draft) -> None:
        memory_id = self._ids.get((draft.space, draft.hash))
        if memory_id is None:
            memory_id = self._insert(draft)
        self._analyses[memory_id] = draft.analysis
        self._set(
            memory_id,
            content=draft.content,
            kind=draft.kind,
            tags=tuple(sorted(draft.tags)),
            metadata=deepcopy(draft.metadata),
            recorded=draft.recorded,
            created=draft.created,
            valid_from=draft.valid_from,
            valid_to=FOREVER,
            superseded_by=None,
        )

    def _insert(self, draft: Draft) -> int:
        self._last_id += 1
        fields = {name: getattr(draft, name) for name in Record._fields if hasattr(draft, name)}
        fields |= {"tags": (), "projects": (), "metadata": deepcopy(draft.metadata)}
        self._records[self._last_id] = Record(
            **fields,
            id=self._last_id,
            position=self._next_position(draft),
            valid_to=FOREVER,
            superseded_by=None,
        )
        self._analyses[self._last_id] = draft.analysis
        self._ids[draft.space, draft.hash] = self._last_id
        insort(self._hashes.setdefault(draft.space, []), draft.hash)
        return self._last_id

    def _next_position(self, draft: Draft) -> int:
        if draft.session is None:
            return 0
        taken = self._positions.setdefault((draft.space, draft.session), [])
        taken.append(taken[-1] + 1 if taken else 0)
        return taken[-1]

    def _set(self, memory_id: int, **fields: Any) -> None:
        with self._lock:
            if memory_id in self._records:
                self._records[memory_id] = self._records[memory_id]._replace(**fields)
                self._change += 1
                self._changes[memory_id] = self._change

    def _remove(self, memory_id: int) -> Record:
        gone = self._records.pop(memory_id)
        del self._analyses[memory_id], self._ids[gone.space, gone.hash], self._changes[memory_id]
        self._hashes[gone.space].remove(gone.hash)
        if gone.session is not None:
            self._positions[gone.space, gone.session].remove(gone.position)
        for older in [r for r in self._records.values() if r.superseded_by == gone.hash]:
            if older.space == gone.space:
                until = FOREVER if gone.superseded_by is None else older.valid_to
                self._set(older.id, valid_to=until, superseded_by=gone.superseded_by)
        self._change += 1
        self._removals.append((self._change, memory_id))
        return gone

    def _erase(self, space: str, erasure: Erasure) -> None:
        """Take deleted texts out of what is kept beside the memories of a space."""
        self._forget_if_bare(space)
        for key, value in list(self._kept.items()):
            if key[0] == space and key[1] not in OWNED:
                self.keep(*key, erasure.without(value))
        self._erase_work(space, erasure)

    def _forget_if_bare(self, space: str) -> None:
        """Forget what is kept beside memories and episodes when there are none."""
        with self._lock:
            if self._hashes.get(space) or self._has_experience(space):
                return
            self._kept = {key: value for key, value in self._kept.items() if key[0] != space}
            self._journal = {key: held for key, held in self._journal.items() if key[0] != space}
            self._forget_dead(space)

    def _index_row(self, memory_id: int, change: int) -> IndexRow:
        record, made = self._records[memory_id], self._analyses[memory_id]
        return index_row(
            memory_id=memory_id,
            change=change,
            space=record.space,
            session=record.session,
            position=record.position,
            author=record.author,
            created=record.created,
            valid_from=record.valid_from,
            valid_to=record.valid_to,
            traits=made.traits,
            terms=made.terms,
            kind=record.kind,
            tags=record.tags,
            projects=record.projects,
            vectors=[(model, pack_vectors([v])[0]) for model, v in made.vectors.items()],
        )


def _copied(record: Record) -> Record:
    """Return a record whose metadata the caller may change."""
    return record._replace(metadata=deepcopy(record.metadata))
