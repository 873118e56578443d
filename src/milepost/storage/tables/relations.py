"""Relations between entities in a table, and walks along them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from milepost.knowledge.values import Clash, Learned, Relation, Span, Walk, When
from milepost.memory.values import FOREVER
from milepost.storage.tables.database import Database
from milepost.text.erasing import Erasure
from milepost.text.naming import name_key, word_key

RESOLVE = "resolve"
# Entities that a walk reaches at most.
_REACHED = 5_000
# Of an entity so many assertions are looked at for each relation that is followed.
_SAME = 4


class RelationTable:
    """Keeps assertions; what several say of the same two entities is read as one."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def put(
        self,
        space: str,
        ends: tuple[int, int],
        relation: str,
        weight: float,
        span: Span,
        now_us: int,
    ) -> bool:
        source, target = ends
        fields: dict[str, Any] = {
            "space": space,
            "source": source,
            "target": target,
            "relation": relation,
            "word": word_key(relation),
            "weight": weight,
            "from": span.from_us,
            "to": span.to_us,
            "now": now_us,
        }
        with self._db.writing():
            row = self._db.row("stated_relation", _only(fields, _KEY))
            if row is not None:
                if row[1:] == (weight, span.from_us, span.to_us):
                    return False
                # What was said before is known to have been said.
                self._db.run("retire_relation", now_us, row[0])
            self._db.rows("insert_relation", fields)
            self._db.note(f"write down 1 relation: {relation}")
            return row is None

    def span(self, space: str, ends: tuple[int, int], relation: str, within: Span) -> Span | None:
        fields = {"space": space, "source": ends[0], "target": ends[1], "word": word_key(relation)}
        times = {"from": within.from_us, "to": within.to_us}
        rows = self._db.rows("stated_relation", fields | times)
        return Span(*rows[0][2:]) if rows else None

    def reach(self, space: str, starts: Sequence[int], walk: Walk, when: When) -> dict[int, int]:
        wanted = _walking(space, walk, when)
        wanted |= {"starts": json.dumps(list(starts)), "depth": walk.depth, "most": _REACHED}
        return dict(self._db.rows("reach", wanted))

    def around(
        self, space: str, reached: Mapping[int, int], walk: Walk, when: When, limit: int
    ) -> tuple[list[Relation], int]:
        wanted = _walking(space, walk, when) | {"reached": json.dumps(dict(reached))}
        relations, total = self._first(self._db.rows("around", wanted), limit)
        # What very many say may come once from each end, by another of those who say it.
        once = {(*each[:2], word_key(each.relation), *each[3:5]): each for each in relations[::-1]}
        return list(once.values())[::-1], total - (len(relations) - len(once))

    def holding(self, space: str, when: When, limit: int) -> tuple[list[Relation], int]:
        wanted = {"space": space, "at": when.at_us, "known": when.known_us}
        return self._first(self._db.rows("holding", wanted), limit)

    def step(
        self, space: str, entity: int, others: Sequence[int], at_us: int
    ) -> tuple[Relation, int] | None:
        wanted = {"space": space, "entity": entity, "others": json.dumps(list(others))}
        rows = self._db.rows("step_between", wanted | {"at": at_us})
        return (self._read([(rows[0][0], 1)])[0], rows[0][1]) if rows else None

    def changed(
        self, space: str, entity: int | None, after_us: int, until_us: int, limit: int
    ) -> tuple[list[Relation], list[Relation]]:
        wanted = {"space": space, "entity": entity, "after": after_us, "until": until_us}
        wanted["limit"] = limit
        statements = ("relations_begun", "relations_ended")
        began, ended = (self._read(self._db.rows(name, wanted)) for name in statements)
        return began, ended

    def clashing(self, space: str, words: Sequence[str], source: int | None = None) -> list[Clash]:
        wanted = {"space": space, "words": json.dumps(list(words)), "source": source}
        rows = self._db.rows("clashing", wanted)
        told = self._read([(row[3], 1) for row in rows])
        return [Clash._make((*row, said)) for row, said in zip(rows, told, strict=True)]

    def end(self, space: str, ends: Mapping[int, int | None], now_us: int) -> int:
        with self._db.writing():
            before = []
            for relation, until in ends.items():
                row = self._db.row("relation_span", relation)
                valid_to, retired = row
                before.append((relation, valid_to, retired))
                span = (valid_to, now_us) if until is None else (until, retired)
                self._db.run("set_relation_span", *span, relation)
            return keep_deed(self._db, space, RESOLVE, now_us, {"spans": before})

    def put_back(self, undo: Mapping[str, Any]) -> None:
        with self._db.writing():
            spans = {relation: span for relation, *span in undo["spans"]}
            for later, theirs in later_deeds(self._db, undo[ROW]):
                # What was settled again since is taken back to how it was before both.
                both = [span for span in theirs["spans"] if span[0] in spans]
                for span in both:
                    span[1:] = spans.pop(span[0])
                if both:
                    self._db.run("set_graph_undo", json.dumps(theirs), later)
            for relation, (valid_to, retired) in spans.items():
                self._db.run("set_relation_span", valid_to, retired, relation)

    def remove(self, space: str, ends: tuple[int, int], relation: str) -> int:
        fields = {"space": space, "source": ends[0], "target": ends[1], "word": word_key(relation)}
        with self._db.writing():
            self._db.run("delete_relation", fields)
            return self._db.changed()

    def lines(
        self, space: str, at_us: int, entities: Sequence[int] | None
    ) -> list[tuple[str, str, str]]:
        wanted: dict[str, Any] = {"space": space, "at": at_us}
        if entities is None:
            return self._db.rows("lines_of_graph", wanted)
        return self._db.rows("lines_around", wanted | {"ids": json.dumps(list(entities))})

    def erase(self, space: str, erasure: Erasure) -> None:
        """Forget what callers said in words that quote deleted texts."""
        rows = self._db.rows("relation_words", space)
        for word in {word for word, relation in rows if erasure.quoted_in(relation)}:
            self._db.run("delete_word", space, word)

    def _first(self, rows: Sequence[Any], limit: int) -> tuple[list[Relation], int]:
        return self._read([row[:2] for row in rows[:limit]]), len(rows)

    def _read(self, rows: Sequence[tuple[int, int]]) -> list[Relation]:
        """Return relations by number, with how far away they are."""
        told = self._db.rows("relations_by_id", json.dumps([row[0] for row in rows]))
        return [_relation(row, depth) for row, (_, depth) in zip(told, rows, strict=True)]


_KEY = ("space", "source", "target", "word", "from", "to")


# With what was before a deed is kept the number by which it goes in its space; when it is read, the
# number of its row comes beside that, which counts what all spaces did and is told to nobody.
NUMBER, ROW = "number", "row"
_TOPIC = "graph deeds"


def keep_deed(
    database: Database, space: str, kind: str, now_us: int, undo: Mapping[str, Any]
) -> int:
    """Keep what was before a merge or a settled conflict; return its number, counted by space."""
    held = database.rows("kept", space, _TOPIC, "")
    last = held[0][0] if held else database.value("last_graph_deed", space)
    number = int(last or 0) + 1
    database.run("keep", space, _TOPIC, "", str(number))
    database.run("insert_graph_deed", space, kind, now_us, json.dumps({**undo, NUMBER: number}))
    return number


def deed_of(database: Database, space: str, number: int) -> tuple[str, dict[str, Any]] | None:
    """Return the kind of a deed and what was before it."""
    for row, kind, text in database.rows("graph_deeds", space):
        undo = json.loads(text)
        # Those of before went by the number of their row.
        if undo.get(NUMBER, row) == number:
            return kind, {**undo, ROW: row}
    return None


def later_deeds(database: Database, number: int) -> list[tuple[int, dict[str, Any]]]:
    """Return what was before the merges, or settled conflicts, that came after one."""
    rows = database.rows("later_graph_deeds", number)
    return [(later, json.loads(undo)) for later, undo in rows]


def _only(fields: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: fields[name] for name in names}


def as_rows(told: Sequence[tuple[Learned, Sequence[int]]], ids: Mapping[str, int]) -> list[Any]:
    """Return what memories (their ids and spans) tell as rows of assertions."""
    return [
        (
            memory[0],
            ids[name_key(link.source)],
            link.relation,
            word_key(link.relation),
            ids[name_key(link.target)],
            link.origin,
            link.weight,
            *memory[1:],
        )
        for item, memory in told
        for link in item.extraction.relations
    ]


def _walking(space: str, walk: Walk, when: When) -> dict[str, Any]:
    return {
        "space": space,
        "at": when.at_us,
        "known": when.known_us,
        "fan": walk.fan_out,
        "rows": walk.fan_out * _SAME,
        "forwards": None if walk.forwards is None else json.dumps(walk.forwards),
        "backwards": None if walk.backwards is None else json.dumps(walk.backwards),
    }


def _relation(row: Sequence[Any], depth: int) -> Relation:
    _, *ends, weight, valid_from, valid_to, recorded, origin, memory, support = row
    until = None if valid_to == FOREVER else valid_to / 1e6
    times = valid_from / 1e6, until, recorded / 1e6
    return Relation._make((*ends, weight, *times, origin, memory, support, depth))
