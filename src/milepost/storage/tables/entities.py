"""Entities, their names and what mentions them, in tables."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from milepost.knowledge.values import TERM, Entity, Learned, Match, Merged, When
from milepost.memory.values import FOREVER
from milepost.storage.tables.database import Database
from milepost.storage.tables.relations import ROW, as_rows, deed_of, keep_deed, later_deeds
from milepost.text.erasing import Erasure
from milepost.text.naming import name_key

MERGE = "merge"
# Names, and texts, that have most of the words of a search.
_MATCHES = 300
_HINTS, _START = 2_000, 3


class EntityTable:
    """Keeps entities; each name is there once in a space."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def put(
        self, space: str, name: str, kind: str, metadata: Mapping[str, Any], now_us: int
    ) -> tuple[int, bool]:
        with self._db.writing():
            known = self._known(space, [name])
            if known:
                ((entity, _),) = known.values()
                fields = {"id": entity, "type": kind, "metadata": json.dumps(dict(metadata))}
                self._db.run("restate_entity", fields)
                return entity, False
            self._db.note(f"write down {name}")
            return self._insert(space, name, kind, metadata, now_us, stated=True), True

    def ensure(self, space: str, names: Sequence[str], now_us: int) -> list[int]:
        with self._db.writing():
            ids = {key: entity for key, (entity, _) in self._known(space, names).items()}
            for name in names:
                if name_key(name) not in ids:
                    made = self._insert(space, name, TERM, {}, now_us, stated=False)
                    ids[name_key(name)] = made
            return [ids[name_key(name)] for name in names]

    def learn(self, space: str, learned: Sequence[Learned], now_us: int) -> None:
        found = {name_key(m.name): m for item in learned for m in item.extraction.entities}
        ends = {
            name_key(name): name
            for item in learned
            for link in item.extraction.relations
            for name in (link.source, link.target)
        }
        names = ends | {key: mention.name for key, mention in found.items()}
        if not names:
            return
        with self._db.writing():
            known = self._known(space, list(names.values()))
            ids = {key: entity for key, (entity, _) in known.items()}
            for key, (entity, kind) in known.items():
                if kind == TERM and key in found and found[key].type != TERM:
                    self._db.run("refine_type", found[key].type, entity)
            fresh = {key: name for key, name in names.items() if key not in ids}
            kinds = [found[key].type if key in found else TERM for key in fresh]
            ids |= self._insert_many(space, fresh, kinds, now_us)
            self._link(space, learned, ids, now_us)

    def _link(
        self, space: str, learned: Sequence[Learned], ids: Mapping[str, int], now_us: int
    ) -> None:
        """Write down which memory mentions which entities, and tells which relations."""
        hashes = {"space": space, "hashes": json.dumps([item.hash for item in learned])}
        rows = self._db.rows("memories_by_hash", hashes)
        memories = {full_hash: rest for full_hash, *rest in rows}
        told = [(item, memories[item.hash]) for item in learned if item.hash in memories]
        mentions = [
            (memory[0], ids[name_key(mention.name)])
            for item, memory in told
            for mention in item.extraction.entities
        ]
        if mentions:
            self._db.run("insert_mentions", {"space": space, "rows": json.dumps(mentions)})
        relations = as_rows(told, ids)
        if relations:
            fields = {"space": space, "rows": json.dumps(relations), "now": now_us}
            self._db.run("insert_relations", fields)

    def ids(self, space: str, names: Sequence[str]) -> list[int | None]:
        keys = [name_key(name) for name in names]
        rows = self._db.rows("visible_by_name", {"space": space, "keys": json.dumps(keys)})
        found = dict(rows)
        return [found.get(key) for key in keys]

    def described(
        self, space: str, ids: Sequence[int], when: When, observations: int = 20
    ) -> list[Entity]:
        wanted = {
            "space": space,
            "ids": json.dumps(list(ids)),
            "at": when.at_us,
            "known": when.known_us,
            "observations": observations,
        }
        return [
            Entity(
                name,
                kind,
                tuple(json.loads(aliases)),
                tuple(json.loads(said)),
                relations,
                memories,
                json.loads(metadata),
            )
            for _, name, kind, aliases, said, relations, memories, metadata in self._db.rows(
                "described", wanted
            )
        ]

    def matching(self, space: str, words: Sequence[str]) -> tuple[list[Match], list[Match]]:
        wanted = {"space": space, "words": json.dumps(list(words)), "most": _MATCHES}
        names, said = (
            [
                Match(entity, text, tuple(json.loads(found)))
                for entity, text, found in self._db.rows(statement, wanted)
            ]
            for statement in ("names_with", "observations_with")
        )
        return names, said if self._db.reads_texts else self._said_with(space, words)

    def _said_with(self, space: str, words: Sequence[str]) -> list[Match]:
        """Return what is said with one of some words, where the database cannot read it."""
        matches = [
            Match(entity, text, tuple(word for word in words if word in text.lower()))
            for entity, text in self._db.rows("observations_said", space)
        ]
        found = [match for match in matches if match.words]
        return sorted(found, key=lambda match: -sum(map(len, match.words)))[:_MATCHES]

    def visible(self, ids: Sequence[int]) -> list[int]:
        rows = self._db.rows("still_visible", {"ids": json.dumps(list(ids))})
        return [row[0] for row in rows]

    def mentions(self, space: str, most: int) -> list[tuple[int, int]]:
        rows = self._db.rows("shared_mentions", {"space": space, "most": most})
        return [(entity, memory) for entity, memory in rows]

    def like(self, space: str, name: str) -> list[str]:
        key = name_key(name)
        wanted = {"space": space, "key": key, "start": key[:_START], "most": _HINTS}
        return [row[0] for row in self._db.rows("names_like", wanted)]

    def page(self, space: str, query: str | None, limit: int) -> list[int]:
        text = None if query is None else query.lower()
        said = []
        if text and not self._db.reads_texts:
            rows = self._db.rows("observations_said", space)
            said = sorted({entity for entity, told in rows if text in told.lower()})
        wanted = {"space": space, "query": text, "limit": limit, "said": json.dumps(said)}
        return [row[0] for row in self._db.rows("visible_page", wanted)]

    def since(self, space: str, after_us: int, until_us: int, limit: int) -> list[tuple[int, str]]:
        wanted = {"space": space, "after": after_us, "until": until_us, "limit": limit}
        return [(entity, name) for entity, name in self._db.rows("entities_since", wanted)]

    def remove(self, entity: int) -> bool:
        with self._db.writing():
            self._db.run("delete_entity", entity)
            gone = self._db.changed() > 0
            if gone:
                self._db.note("delete 1 entity")
                self._db.then(self._db.empty_log)
            return gone

    def merge(self, space: str, keep: int, other: int, now_us: int) -> Merged:
        with self._db.writing():
            pair = {"keep": keep, "other": other}
            name, kind, stated = self._entity(keep)
            merged, other_kind, other_stated = self._entity(other)
            undo: dict[str, Any] = {**pair, "type": kind, "stated": stated}
            undo |= {part: self._moved(f"merge_{part}", pair) for part in _PARTS}
            moved = {*undo["sources"], *undo["targets"]}
            loops = {"keep": keep, "now": now_us, "moved": json.dumps([*moved])}
            undo["loops"] = self._moved("retire_loops", loops)
            undo["entities"] = self._moved("merge_entity", pair)
            known = other_kind if kind == TERM else kind
            self._db.run("set_entity", known, stated or other_stated, keep)
            deed = keep_deed(self._db, space, MERGE, now_us, undo)
            self._db.note(f"merge {merged} into {name}")
            counts = len(moved), len(undo["observations"]), len(undo["mentions"])
            return Merged(deed, name, merged, *counts)

    def part(self, undo: Mapping[str, Any]) -> bool:
        with self._db.writing():
            keep, other = undo["keep"], undo["other"]
            rows = self._db.rows("entity", other)
            if not rows:
                return False
            # What it was merged into may have been merged into another since.
            now = self._db.row("merged_into", keep)
            for part in ("loops", *_PARTS, "entities"):
                held = now[0] if now else keep
                fields = {"keep": held, "other": other, "rows": json.dumps(undo[part])}
                self._db.run(f"part_{part}", fields)
            self._put_back_type(undo)
            self._db.note(f"part {rows[0][0]} from what it was merged into")
            return True

    def _put_back_type(self, undo: Mapping[str, Any]) -> None:
        """Let an entity be what it was, and what those make of it that it was merged with since."""
        kind, stated = undo["type"] or TERM, undo["stated"]  # a type that was erased is empty
        for later, theirs in later_deeds(self._db, undo[ROW]):
            if theirs["keep"] == undo["keep"]:
                before = theirs | {"type": kind, "stated": stated}
                self._db.run("set_graph_undo", json.dumps(before), later)
                for _, other_kind, other_stated in self._db.rows("entity", theirs["other"]):
                    kind, stated = other_kind if kind == TERM else kind, stated or other_stated
        self._db.run("set_entity", kind, stated, undo["keep"])

    def deed(self, space: str, number: int) -> tuple[str, dict[str, Any]] | None:
        return deed_of(self._db, space, number)

    def forget_deed(self, space: str, number: int) -> None:
        with self._db.writing():
            found = deed_of(self._db, space, number)
            if found is not None:
                self._db.run("forget_graph_deed", found[1][ROW])

    def erase(self, space: str, erasure: Erasure) -> None:
        """Take deleted texts out of what callers said of entities.

        A name goes unless something else speaks of the entity, and so still says it.
        """
        rows = self._db.rows("stated_entities", space)
        for entity, name, kind, metadata in rows:
            if erasure.quoted_in(kind):
                self._db.run("set_entity_type", TERM, entity)
            left = erasure.without(metadata)
            if left != metadata:
                self._db.run("set_entity_metadata", left or "{}", entity)
            if erasure.quoted_in(name):
                self._db.run("unstate_entity", entity)
                self._db.run("delete_unborne", entity)
        self._erase_aliases(space, erasure)

    def _erase_aliases(self, space: str, erasure: Erasure) -> None:
        """Forget other names that quote deleted texts, and that merges gave them."""
        names: list[Any] = self._db.rows("aliases", space)
        for key, name in names:
            if erasure.quoted_in(name):
                self._db.run("delete_alias", space, key)
        deeds: list[Any] = self._db.rows("graph_deeds", space)
        for number, _, undo in deeds:
            left = erasure.without(undo)
            if left is not None and left != undo:
                self._db.run("set_graph_undo", left, number)

    def _entity(self, entity: int) -> tuple[str, str, int]:
        row = self._db.row("entity", entity)
        name, kind, stated = row
        return name, kind, stated

    def _moved(self, statement: str, values: dict[str, Any]) -> list[Any]:
        rows = self._db.rows(statement, values)
        return [row[0] for row in rows]

    def _known(self, space: str, names: Sequence[str]) -> dict[str, tuple[int, str]]:
        """Return by key the entity that goes by it, seen or not, and its type."""
        keys = json.dumps([name_key(name) for name in names])
        rows = self._db.rows("entities_by_name", {"space": space, "keys": keys})
        return {key: (entity, kind) for key, entity, kind in rows}

    def _insert_many(
        self, space: str, names: Mapping[str, str], kinds: Sequence[str], now_us: int
    ) -> dict[str, int]:
        """Write down entities that nobody stated; return their numbers by their names' keys."""
        if not names:
            return {}
        rows = [(key, name, kind) for (key, name), kind in zip(names.items(), kinds, strict=True)]
        fields = {"space": space, "rows": json.dumps(rows), "now": now_us, "forever": FOREVER}
        made: dict[str, int] = dict(self._db.rows("insert_entities", fields))
        called = [(key, made[key], name) for key, name in names.items()]
        self._db.run("insert_names", {"space": space, "rows": json.dumps(called)})
        return made

    def _insert(
        self,
        space: str,
        name: str,
        kind: str,
        metadata: Mapping[str, Any],
        now_us: int,
        *,
        stated: bool,
    ) -> int:
        key, fields = name_key(name), json.dumps(dict(metadata))
        values = space, name, key, kind, fields, stated, now_us, FOREVER, now_us
        entity = int(self._db.value("insert_entity", *values))
        self._db.run("insert_name", space, key, entity, name)
        return entity


# What passes from one entity to another when they are merged.
_PARTS = ("names", "sources", "targets", "observations", "mentions")
