"""Deletions and changes in tables, and how they are taken back."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from milepost.memory.values import BIN, FOREVER, Deed, Filter, Record
from milepost.storage.tables.database import Database, passing
from milepost.storage.tables.former import BY, DELETED, LABELS, LINKS, NEW, STATE, Former
from milepost.storage.tables.memories import MemoryTable
from milepost.storage.tables.named_values import ValueTable
from milepost.text.lines import counted

UNDO = "undo"
_SHOWN_CHARS = 300

# By memory, what a deed changed of it as it was before.
States = dict[int, dict[str, Any]]


class DeedTable:
    """Keeps deeds; what they deleted lies among the memories, each deed's in a space of its own."""

    def __init__(self, database: Database, memories: MemoryTable, values: ValueTable) -> None:
        self._db = database
        self._former = Former(database)
        self._memories = memories
        self._values = values

    def begin(self, space: str, kind: str, at_us: int) -> int:
        with self._db.writing():
            return int(self._db.value("begin_deed", space, kind, at_us))

    def find(self, space: str, kinds: Sequence[str], limit: int) -> list[Deed]:
        wanted = {"space": space, "kinds": json.dumps(list(kinds)), "limit": limit}
        return [Deed(*row) for row in self._db.rows("deeds", wanted)]

    def about(self, space: str, prefix: str) -> list[tuple[Deed, int, str]]:
        rows = self._db.rows("deeds_about", _beginning(space, prefix))
        return [(Deed(*row[:-2]), row[-2], row[-1]) for row in rows]

    def some(self, deed: int, limit: int) -> list[tuple[str, str]]:
        rows = self._db.rows("some_of", deed, limit)
        return [(full_hash, text[:_SHOWN_CHARS]) for full_hash, text in rows]

    def binned(self, space: str, prefix: str) -> list[Record]:
        rows = self._db.rows("binned", _beginning(space, prefix))
        return self._memories.records([row[0] for row in rows])

    def held(self, where: Filter) -> list[int]:
        bins = [row[0] for row in self._db.rows("bins", where.space)]
        ids: list[int] = []
        for name in bins:
            ids += passing(self._db, where._replace(space=name))
        return ids

    def take_back(
        self, deed: int, at_us: int, memory_id: int | None = None, kept: Sequence[int] = ()
    ) -> list[int]:
        with self._db.writing():
            space = str(self._db.value("deed_space", deed))
            rows = self._db.rows("entries", deed)
            states: States = {key: json.loads(state) for key, state in rows}
            if memory_id is not None:
                return self._take_back_one(space, deed, memory_id, states)
            places = {i: self._restored(space, i) for i in states if DELETED in states[i]}
            stored = [i for i in states if NEW in states[i]]
            if stored:
                self._memories.discard(stored, self.begin(space, UNDO, at_us))
            since = self._hand_on(deed, states)
            for each, state in states.items():
                if each not in kept:
                    self._put_back(each, _without(state, since[each]))
                if "superseded_by" not in since[each]:
                    self._link(places.get(each, each), state, states, places)
            self._uncross([places.get(each, each) for each in states])
            self._db.run("forget_deed", deed)
            self._db.note(f"take back what was done to {counted(len(states), 'memory')}")
            return list(places.values())

    def due(self, space: str, before_us: int) -> list[int]:
        return [row[0] for row in self._db.rows("in_bins", {"space": space, "before": before_us})]

    def forget(
        self,
        space: str,
        before_us: int,
        spared: Callable[[Sequence[int]], set[int]] = lambda _ids: set(),
    ) -> int:
        with self._db.writing():
            rows = self._db.rows("in_bins", {"space": space, "before": before_us})
            if rows:
                left = spared([row[0] for row in rows])
                rows = [row for row in rows if row[0] not in left]
            self._db.run("forget_changes", space, before_us)
            count = self._memories.remove([row[0] for row in rows])
            for name in {row[1] for row in rows}:
                self._values.forget_if_bare(name)
            return count

    def count(self, space: str) -> int:
        return int(self._db.rows("count_binned", space)[0][0])

    def oldest_us(self, space: str) -> int | None:
        oldest: int | None = self._db.rows("oldest_deed", space)[0][0]
        return oldest

    def _take_back_one(self, space: str, deed: int, memory_id: int, states: States) -> list[int]:
        """Put back one of the memories that a deed deleted, with the links to it and from it."""
        places = {memory_id: self._restored(space, memory_id)}
        linked = {i: s for i, s in states.items() if s.get("superseded_by") == memory_id}
        for each, state in (linked | {memory_id: states[memory_id]}).items():
            self._link(places.get(each, each), state, states, places)
        self._uncross([places.get(each, each) for each in (*linked, memory_id)])
        left = {memory_id: _without(states[memory_id], (DELETED,))}
        left |= {i: _without(state, (*LINKS, BY)) for i, state in linked.items()}
        for each, state in left.items():
            if not state:
                self._db.run("forget_entry", deed, each)
            elif self._db.row("place", each):
                self._former.put(deed, each, state, new=False)
        self._db.run("forget_empty_deeds", space)
        self._db.note("take back the deletion of 1 memory")
        return [*places.values()]

    def _restored(self, space: str, memory_id: int) -> int:
        """Let a memory out of its bin; where its text was stored again, that one gains its tags."""
        place = self._db.row("place", memory_id)
        if not place[0].startswith(BIN):
            return memory_id
        again = self._db.row("known", space, place[1])
        if again is None:
            self._db.run("move", space, self._db.next_change(), memory_id)
            return memory_id
        self._db.run("gain_tags", again[0], memory_id)
        self._db.run("gain_projects", again[0], memory_id)
        self._db.run("touch", self._db.next_change(), again[0])
        self._memories.drop(memory_id)
        return int(again[0])

    def _put_back(self, memory_id: int, state: Mapping[str, Any]) -> None:
        """Put back what a memory said of itself."""
        run = self._db.run
        if "kind" in state:
            run("set_kind", state["kind"], memory_id)
        if "standing" in state:
            run("set_standing", state["standing"], memory_id)
        if "metadata" in state:
            run("set_metadata", json.dumps(state["metadata"]), memory_id)
        for field, clear, insert in LABELS:
            if field in state:
                run(clear, memory_id)
                run(insert, memory_id, json.dumps(state[field]))
        run("touch", self._db.next_change(), memory_id)

    def _link(
        self, memory_id: int, state: Mapping[str, Any], deed: States, places: Mapping[int, int]
    ) -> None:
        """Let a memory be replaced by what had replaced it, unless another has meanwhile."""
        if "superseded_by" not in state:
            return
        before, until = state["superseded_by"], state["valid_to"]
        before = places.get(before, before)
        now = self._db.row("links", memory_id)
        then = self._db.row("links", before)
        if now is None or (then is not None and then[1].startswith(BIN)):
            return  # what is deleted hides nothing
        if now[0] not in (None, then and then[0]) and now[0] not in deed:
            by = self._db.row("place", now[0])
            if by is None or by[1] != state.get(BY):
                return
        gone = before is not None and then is None
        self._db.run(
            "set_valid_to",
            FOREVER if gone else until,
            None if gone else before,
            self._db.next_change(),
            memory_id,
        )

    def _hand_on(self, deed: int, states: States) -> dict[int, list[str]]:
        """Let what was done since be taken back to how it was before this deed, not after it.

        Return by memory what was changed since.
        """
        handed: set[tuple[int, str]] = set()
        changed: dict[int, list[str]] = {memory_id: [] for memory_id in states}
        rows = self._db.rows("later_entries", deed)
        for later, memory_id, text in rows:
            state, mine = json.loads(text), states[memory_id]
            fields = [f for f in STATE if f in state and f in mine and (memory_id, f) not in handed]
            handed |= {(memory_id, field) for field in fields}
            if fields:
                now = self._former.state(memory_id)
                changed[memory_id] += [field for field in fields if now[field] != state[field]]
                left = state | {field: mine[field] for field in fields}
                self._former.put(later, memory_id, left, new=False)
        return changed

    def _uncross(self, ids: Sequence[int]) -> None:
        """Let a memory hold that came to replace itself: of such a circle all would be hidden."""
        for memory_id in ids:
            seen: set[int] = set()
            following = self._successor(memory_id)
            while following not in (None, memory_id) and following not in seen:
                seen.add(following)
                following = self._successor(following)
            if following == memory_id:
                change = self._db.next_change()
                self._db.run("set_valid_to", FOREVER, None, change, memory_id)

    def _successor(self, memory_id: int) -> Any:
        row = self._db.row("links", memory_id)
        return row[0] if row else None


def _beginning(space: str, prefix: str) -> dict[str, str]:
    return {"space": space, "prefix": prefix, "after": f"{prefix}g"}


def _without(state: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: value for name, value in state.items() if name not in names}
