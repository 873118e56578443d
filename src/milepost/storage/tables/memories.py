"""Memories in tables."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from milepost.deadline import check_time
from milepost.errors import NotFound
from milepost.knowledge.values import MAY_REPLACE
from milepost.memory.values import (
    ACTIVE,
    BIN,
    FOREVER,
    Changes,
    Draft,
    Filter,
    Record,
    bin_of,
    trust_of,
)
from milepost.ports import AuditNote, Stored
from milepost.storage.homes import home_of
from milepost.storage.index.vectors import pack_vectors
from milepost.storage.tables.anchors import AnchorTable
from milepost.storage.tables.database import Database
from milepost.storage.tables.former import LABELS, LINKS, STATE, Former
from milepost.storage.tables.named_values import REMOVED, ValueTable
from milepost.text.erasing import Erasure
from milepost.text.lines import counted

# Writes this many memories ahead of the index before it is brought up to date, so that the
# first search after a bulk load does not wait for all of it.
INDEX_LAG = 5_000
# Memories whose texts are held at once while they are erased.
_ERASED_ROWS = 2_000
_NAMED, _HASH_DIGITS = 10, 8


class Quoting(Protocol):
    """A noun that may quote memories."""

    def erase(self, space: str, erasure: Erasure) -> None:
        """Take deleted texts out of what it keeps."""


class Index(Protocol):
    """Finds memories beside the database, and learns of changes when it is asked."""

    def segments(self) -> object:
        """Bring it up to date."""

    def forget(self, ids: Sequence[int]) -> None:
        """Find some memories no more."""


# Makes vectors of one model what the database keeps of them.
Pack = Callable[[Sequence[NDArray[np.float32]]], Sequence[Any]]
# By space and hash, the id of a memory and until when it holds.
Known = dict[tuple[str, str], tuple[int, int]]
# Takes a deleted text out of what lies beside the store.
Erase = Callable[[Erasure], None]


class MemoryTable:
    """Keeps memories, and lets the search index know."""

    def __init__(
        self,
        database: Database,
        index: "Index | None",
        anchors: AnchorTable,
        values: ValueTable,
        quoting: Sequence["Quoting"],
        erase_beside: Erase,
        pack: "Pack" = pack_vectors,
        search_columns: Callable[[Draft], Mapping[str, Any]] | None = None,
    ) -> None:
        self._db = database
        self._pack = pack
        self._search_columns = search_columns
        self._former = Former(database)
        self._index = index
        self._anchors = anchors
        self._values = values
        self._quoting = quoting
        self._erase_beside = erase_beside
        self._unindexed = 0

    def add(self, drafts: Sequence[Draft], deed: int | None = None) -> None:
        packed = self._packed([draft.analysis.vectors for draft in drafts])
        with self._db.writing():
            there = self._known(drafts)
            fresh = {(d.space, d.hash) for d in drafts} - there.keys()
            self._db.reserve("memories", len(fresh))
            known = [
                self._add(draft, vectors, deed, there)
                for draft, vectors in zip(drafts, packed, strict=True)
            ]
            if self._db.would is not None:
                self._note_added(drafts, known)
            self._db.then(lambda: self._added(len(drafts)))

    def store(
        self, drafts: Sequence[Draft], digits: int, since_us: int, deed: int | None = None
    ) -> Stored:
        self.add(drafts, deed)
        names: list[str] = []
        again: list[Record] = []
        for space, group in groupby(drafts, lambda draft: draft.space):
            here = list(group)
            names += self.shortest(space, [draft.hash for draft in here], digits)
            keys = [draft.said for draft in here if draft.said is not None]
            again += self.said_twice(space, keys, since_us) if keys else []
        return Stored(names, again)

    def store_alone(
        self, draft: Draft, digits: int, since_us: int, noted: AuditNote | None
    ) -> str | None:
        """Return None: a transaction costs nothing but its statements."""

    def put(self, draft: Draft) -> None:
        vectors = self._packed([draft.analysis.vectors])[0]
        with self._db.writing():
            known = self._db.row("known", draft.space, draft.hash)
            if known is None:
                self._insert(draft, vectors)
                return
            memory_id = int(known[0])
            self._db.run("replace_memory", self._columns(draft) | {"id": memory_id})
            self._db.run("clear_tags", memory_id)
            self._db.run("clear_projects", memory_id)
            self._db.run("clear_vectors", memory_id)
            self._add_vectors(memory_id, vectors)
            self._label("insert_tags", memory_id, draft.tags)
            self._label("insert_projects", memory_id, draft.projects)

    def settle(self, draft: Draft, valid_to_us: int, superseded_by: str | None) -> None:
        with self._db.writing():
            successor = None
            if superseded_by is not None:
                row = self._db.row("known", draft.space, superseded_by)
                successor = row[0] if row else None
            said = {"valid_to_us": valid_to_us, "superseded_by": successor}
            self._db.run("settle_memory", self._columns(draft) | said)

    def change(self, memory_id: int, changes: Changes, deed: int | None = None) -> None:
        with self._db.writing():
            changed = [name for name, value in changes._asdict().items() if value is not None]
            self._former.hold(deed, memory_id, changed)
            self._db.run("touch", self._db.next_change(), memory_id)
            if self._db.changed() == 0:
                return
            if changes.kind is not None:
                self._db.run("set_kind", changes.kind, memory_id)
            if changes.metadata is not None:
                self._db.run("set_metadata", json.dumps(changes.metadata), memory_id)
            if changes.standing is not None:
                self._db.run("set_standing", changes.standing, memory_id)
            for name, clear, insert in LABELS:
                labels = getattr(changes, name)
                if labels is not None:
                    self._db.run(clear, memory_id)
                    self._label(insert, memory_id, labels)
            if self._db.would is not None:
                hashes = [record.hash for record in self.records([memory_id])]
                self._db.note(f"change {' and '.join(changed)} of {_counted(hashes)}")

    def mark(self, record: Record, marks: tuple[str, ...]) -> None:
        with self._db.writing():
            self._db.run("touch", self._db.next_change(), record.id)
            trust = trust_of(record.source, marks)
            named = {"marks": " ".join(marks), "trust": trust, "id": record.id}
            self._db.run("set_marks", named)

    def supersede(self, memory_id: int, by: int, at_us: int, deed: int | None = None) -> None:
        with self._db.writing():
            self._former.hold_link(deed, memory_id, by)
            self._db.run("set_valid_to", at_us, by, self._db.next_change(), memory_id)
            if self._db.would is not None:
                hashes = [record.hash for record in self.records([memory_id])]
                self._db.note(f"hide {_counted(hashes)} as replaced")

    def end(self, ids: Sequence[int], at_us: int, deed: int | None = None) -> None:
        with self._db.writing():
            for memory_id in ids:
                self._former.hold(deed, memory_id, LINKS)
                self._db.run("set_valid_to", at_us, None, self._db.next_change(), memory_id)

    def discard(self, ids: Sequence[int], deed: int) -> int:
        discarded: list[str] = []
        with self._db.writing():
            for first in range(0, len(ids), _ERASED_ROWS):
                discarded += self._discard(ids[first : first + _ERASED_ROWS], deed)
            if discarded:
                self._db.note(f"delete {_counted(discarded)}")
        return len(discarded)

    def remove(self, ids: Sequence[int]) -> int:
        removed: list[str] = []
        with self._db.writing():
            # Their texts are held until they are erased: not those of very many at once.
            for first in range(0, len(ids), _ERASED_ROWS):
                removed += self._remove(ids[first : first + _ERASED_ROWS])
            if removed:
                if self._db.value("is_empty"):
                    self._db.run("forget_removals", self._db.last_change)
                    self._db.run("set_forgotten", self._db.last_change)
                self._db.note(f"erase {_counted(removed)}")
                self._db.then(lambda: self._forget(ids))
                self._db.then(self._db.empty_log)
        return len(removed)

    def drop(self, memory_id: int) -> None:
        """Delete a memory whose text another has, in the transaction under way."""
        rows = self._db.rows("delete_memories", json.dumps([memory_id]))
        self._count_removed([self._former.owner(space) for _, space, *_ in rows])
        self._db.run("insert_removal", self._db.next_change(), memory_id)
        self._db.then(lambda: self._forget([memory_id]))

    def hashes(self, space: str, prefix: str, limit: int) -> list[str]:
        rows = self._db.rows("hashes_with_prefix", space, prefix, f"{prefix}g", limit)
        return [row[0] for row in rows]

    def shortest(self, space: str, hashes: Sequence[str], at_least: int) -> list[str]:
        wanted = {"space": space, "hashes": json.dumps(list(hashes))}
        beside = self._db.rows("hashes_beside", wanted)
        return [telling_prefix(full, others, at_least) for full, *others in beside]

    def record(self, space: str, full_hash: str) -> Record | None:
        rows = self._db.rows("record", space, full_hash)
        return record_of(rows[0]) if rows else None

    def records(self, ids: Sequence[int]) -> list[Record]:
        return records_of(self._db, ids)

    def owners(self, ids: Sequence[int]) -> dict[int, str]:
        return dict(self._db.rows("owners", json.dumps(list(ids))))

    def said_twice(self, space: str, keys: Sequence[int], since_us: int) -> list[Record]:
        wanted = {"space": space, "keys": json.dumps(list(set(keys))), "since": since_us}
        return self.records([row[0] for row in self._db.rows("said_twice", wanted)])

    def count(self, where: Filter) -> int:
        clause, values = self._db.condition(where)
        counting = f"SELECT count(*) FROM memories AS m WHERE {clause}"  # noqa: S608 -- no input
        return int(self._db.select_rows(counting, values)[0][0])

    def _packed(self, vectors: Sequence[Mapping[str, NDArray[np.float32]]]) -> list[dict[str, Any]]:
        packed: list[dict[str, Any]] = [{} for _ in vectors]
        for model in {model for by_model in vectors for model in by_model}:
            having = [i for i, by_model in enumerate(vectors) if model in by_model]
            kept = self._pack([vectors[i][model] for i in having])
            for i, vector in zip(having, kept, strict=True):
                packed[i][model] = vector
        return packed

    def _added(self, count: int) -> None:
        self._unindexed += count
        if self._index is not None and self._unindexed >= INDEX_LAG:
            self._unindexed = 0
            self._index.segments()
        self._db.empty_log_later()

    def _forget(self, ids: Sequence[int]) -> None:
        if self._index is not None:
            self._index.forget(ids)

    def _known(self, drafts: Sequence[Draft]) -> "Known":
        """Return of those that are stored already the id, and until when they hold."""
        found: Known = {}
        for space in {draft.space for draft in drafts}:
            hashes = [draft.hash for draft in drafts if draft.space == space]
            wanted = {"space": space, "hashes": json.dumps(hashes)}
            for full_hash, *known in self._db.rows("known_among", wanted):
                found[space, full_hash] = (known[0], known[1])
        return found

    def _add(
        self, draft: Draft, vectors: Mapping[str, Any], deed: int | None, there: "Known"
    ) -> bool:
        """Store a memory; return whether its text was known."""
        check_time()
        known = there.get((draft.space, draft.hash))
        replaces = draft.supersedes is not None and draft.supersedes != draft.hash
        held = deed if replaces else None
        if known is None:
            memory_id = self._insert(draft, vectors)
            self._former.hold_new(held, memory_id)
        else:
            memory_id, change = known[0], self._db.next_change()
            self._former.hold(held, memory_id, STATE)
            if held is None:
                self._hold_anew(memory_id, draft)
            if known[1] == FOREVER:
                self._db.run("touch", change, memory_id)
            else:
                self._db.run("set_valid_to", FOREVER, None, change, memory_id)
            # What waits for a person is not let out by saying it again, but by the user.
            again = "stand_again" if draft.standing else "set_standing"
            self._db.run(again, ACTIVE, memory_id)
            trust = trust_of(draft.source, draft.marks)
            self._db.run("vouch", {"source": draft.source, "trust": trust, "id": memory_id})
            if draft.marks and not draft.standing:
                marks = {"marks": " ".join(draft.marks), "trust": trust, "id": memory_id}
                self._db.run("mark", marks)
            # What is said on two branches, or on the main one, belongs to no branch.
            self._db.run("leave_branch", memory_id, draft.branch)
            self._label("insert_tags", memory_id, draft.tags)
            self._label("insert_projects", memory_id, draft.projects)
        self._anchors.add(memory_id, draft.anchors)
        there[draft.space, draft.hash] = (memory_id, FOREVER)
        if replaces:
            there[draft.space, str(draft.supersedes)] = self._supersede(draft, memory_id, deed)
        return known is not None

    def _hold_anew(self, memory_id: int, draft: Draft) -> None:
        """Let what was replaced, or may be, hold since it was said again: the last word counts."""
        dates = {"created": draft.created_us, "valid_from": draft.valid_from_us, "id": memory_id}
        rivals = {"forever": FOREVER, "may_replace": MAY_REPLACE}
        self._db.run("hold_anew", dates | rivals)
        if self._db.changed():
            # What it says of days is meant from then on.
            self._db.run("read_anew", self._columns(draft) | {"id": memory_id})
            self._db.run("unlink_from", memory_id, MAY_REPLACE)

    def _note_added(self, drafts: Sequence[Draft], known: Sequence[bool]) -> None:
        fresh = [d.hash for d, is_known in zip(drafts, known, strict=True) if not is_known]
        before = [d.hash for d, is_known in zip(drafts, known, strict=True) if is_known]
        replaced = [d.supersedes for d in drafts if d.supersedes and d.supersedes != d.hash]
        if fresh:
            self._db.note(f"store {_counted(fresh)}")
        if before:
            self._db.note(f"add tags and projects to {_counted(before)} known already")
        if replaced:
            self._db.note(f"hide {_counted(replaced)} as replaced")

    def _insert(self, draft: Draft, vectors: Mapping[str, Any]) -> int:
        memory_id = self._db.insert("memories", "insert_memory", self._columns(draft))
        self._add_vectors(memory_id, vectors)
        if draft.standing:
            self._db.run("set_standing", draft.standing, memory_id)
        if not self._search_columns:  # which are the labels too
            self._label("insert_tags", memory_id, draft.tags)
            self._label("insert_projects", memory_id, draft.projects)
        return memory_id

    def _columns(self, draft: Draft) -> dict[str, Any]:
        return self._unnumbered(draft) | {"change": self._db.next_change()}

    def _unnumbered(self, draft: Draft) -> dict[str, Any]:
        """Return the columns of a memory but for the number of the change that brings it."""
        return draft._asdict() | {
            "metadata": json.dumps(draft.metadata),
            "valid_to_us": FOREVER,
            "traits": draft.analysis.traits,
            "terms": draft.analysis.terms,
            "trust": trust_of(draft.source, draft.marks),
            "marks": " ".join(draft.marks),
            **(self._search_columns(draft) if self._search_columns else {}),
        }

    def _add_vectors(self, memory_id: int, vectors: Mapping[str, Any]) -> None:
        for model, blob in vectors.items():
            self._db.run("insert_vector", memory_id, model, blob)

    def _supersede(self, draft: Draft, successor: int, deed: int | None) -> tuple[int, int]:
        older = self._db.row("known", draft.space, draft.supersedes)
        if older is None:
            raise NotFound(f"The memory {draft.supersedes} to supersede was deleted meanwhile.")
        self.supersede(older[0], successor, draft.valid_from_us, deed)
        return older[0], draft.valid_from_us

    def _label(self, statement: str, memory_id: int, labels: Sequence[str]) -> None:
        if labels:
            self._db.run(statement, memory_id, json.dumps(list(labels)))

    def _discard(self, ids: Sequence[int], deed: int) -> list[str]:
        """Move memories into the bin of a deed; return their hashes."""
        gone: list[tuple[str, str, str]] = []
        for memory_id in ids:
            check_time()
            rows = self._db.rows("place", memory_id)
            # Somebody else may have deleted it meanwhile.
            if rows and not rows[0][0].startswith(BIN):
                gone += rows
                self._former.hold_deleted(deed, memory_id)
                self._free_predecessors(memory_id, deed)
                self._db.run("move", bin_of(deed), self._db.next_change(), memory_id)
        self._blank(gone)
        return [full_hash for _, full_hash, _ in gone]

    def _remove(self, ids: Sequence[int]) -> list[str]:
        """Delete memories and what is kept of their texts; return their hashes."""
        for memory_id in ids:
            check_time()
            self._free_predecessors(memory_id)
        # In one statement: each has a journal of its own, and that takes long in a savepoint.
        rows = self._db.rows("delete_memories", json.dumps(list(ids)))
        gone = [(self._former.owner(space), *rest) for _, space, *rest in rows]
        for memory_id, *_ in rows:
            self._db.run("insert_removal", self._db.next_change(), memory_id)
        for space, erasure in _erasures(gone):
            self._former.erase(space, erasure)
            self._values.forget_if_bare(space)
        self._count_removed([space for space, *_ in gone])
        self._blank(gone)
        return [full_hash for _, full_hash, _ in gone]

    def _count_removed(self, spaces: Sequence[str]) -> None:
        """Keep account of what goes, so that what goes behind the back of all this is noticed."""
        homes = Counter(home_of(space, lambda _: None) or space for space in spaces)
        for home, number in homes.items():
            self._values.count(home, REMOVED, number)

    def _blank(self, gone: Sequence[tuple[str, str, str]]) -> None:
        """Take texts out of what is kept of them beside the memories."""
        for space, erasure in _erasures(gone):
            for noun in self._quoting:
                noun.erase(space, erasure)
            if self._db.would is None:
                self._erase_beside(erasure)

    def replaced_by(self, memory_id: int) -> list[int]:
        return [older for older, _ in self._db.rows("superseded_by", memory_id)]

    def _free_predecessors(self, memory_id: int, deed: int | None = None) -> None:
        """Let what a memory had replaced hold again, or pass to what replaced the memory."""
        row = self._db.row("successor", memory_id)
        successor = row[0] if row else None
        rows = self._db.rows("superseded_by", memory_id)
        for older, valid_to in rows:
            self._former.hold(deed, older, LINKS)
            until = FOREVER if successor is None else valid_to
            self._db.run("set_valid_to", until, successor, self._db.next_change(), older)


def _counted(hashes: Sequence[str]) -> str:
    shown = " ".join(text[:_HASH_DIGITS] for text in hashes[:_NAMED])
    return f"{counted(len(hashes), 'memory')} ({shown}{' …' if len(hashes) > _NAMED else ''})"


def telling_prefix(text: str, others: Sequence[str | None], at_least: int) -> str:
    """Return the beginning of a text that no other text shares."""
    longest = at_least
    for other in others:
        while other is not None and longest < len(text) and other.startswith(text[:longest]):
            longest += 1
    return text[:longest]


def _erasures(gone: Iterable[tuple[str, str, str]]) -> Iterator[tuple[str, Erasure]]:
    """Yield by space how deleted memories (space, hash, content) are taken out of other texts."""
    for space, group in groupby(sorted(gone), itemgetter(0)):
        memories = list(group)
        yield space, Erasure([text for *_, text in memories], [name for _, name, _ in memories])


def records_of(database: Database, ids: Sequence[int]) -> list[Record]:
    """Return memories in the order of the ids; deleted ones are left out."""
    if not ids:
        return []
    by_id = {row[0]: record_of(row) for row in database.rows("records", json.dumps(list(ids)))}
    return [by_id[i] for i in ids if i in by_id]


def record_of(row: Sequence[Any]) -> Record:
    """Return a memory as its columns tell of it, in the order of the statement `records`."""
    tags, metadata, projects = (json.loads(row[column]) for column in (5, 6, 10))
    labels = tuple(sorted(tags))
    *rest, marks, standing = row[11:]
    known = (*row[:5], labels, metadata, *row[7:10], tuple(projects), *rest)
    return Record._make((*known, tuple(marks.split()), standing))
