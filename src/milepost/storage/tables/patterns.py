"""Patterns, and who was told of them, in tables."""

import json
from collections.abc import Sequence
from typing import Any

from milepost.experience.values import Pattern, StoredPattern
from milepost.ports import Conflict
from milepost.storage.tables.database import Database
from milepost.stored_time import to_seconds, to_us
from milepost.text.lines import counted


class PatternTable:
    """Keeps what was learned."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def find(
        self, space: str, kind: str | None, retired: bool | None, limit: int
    ) -> list[StoredPattern]:
        wanted = {"space": space, "kind": kind, "retired": retired, "limit": limit}
        return [_stored(row) for row in self._db.rows("patterns", wanted)]

    def count(self, space: str) -> int:
        return int(self._db.rows("count_patterns", space)[0][0])

    def named(self, space: str, ids: Sequence[str]) -> list[StoredPattern]:
        wanted = {"space": space, "ids": json.dumps(list(ids))}
        stored = [_stored(row) for row in self._db.rows("patterns_named", wanted)]
        by_id = {one.pattern.id: one for one in stored}
        return [by_id[name] for name in ids if name in by_id]

    def of(self, space: str, episode: str) -> list[StoredPattern]:
        wanted = {"space": space, "episode": episode}
        found = [_stored(row) for row in self._db.rows("patterns_of_episode", wanted)]
        if self._db.reads_texts:
            return found
        return [one for one in found if episode in one.pattern.evidence + one.pattern.against]

    def learn(self, space: str, episode: str | None, patterns: Sequence[StoredPattern]) -> bool:
        with self._db.writing():
            if episode is not None:
                row = self._db.row("is_learned", space, episode)
                if row is None or row[0]:
                    return False
                self._db.run("set_learned", space, episode)
            for stored in patterns:
                self._put(space, stored)
            fresh = sum(stored.version == 0 for stored in patterns)
            source = "" if episode is None else f" learned from {episode}"
            changed = len(patterns) - fresh
            if patterns:
                self._db.note(f"add {counted(fresh, 'pattern')} and change {changed:,}{source}")
            return True

    def remove(self, space: str, ids: Sequence[str]) -> None:
        with self._db.writing():
            for name in ids:
                self._db.run("delete_pattern", space, name)
            if ids:
                self._db.note(f"delete {counted(len(ids), 'pattern')} ({' '.join(ids)})")

    def show(self, space: str, episode: str, patterns: Sequence[str]) -> None:
        with self._db.writing():
            for name in patterns:
                self._db.run("show", space, episode, name)
            self._db.note(f"note that {episode} was shown {counted(len(patterns), 'pattern')}")

    def shown(self, space: str, episode: str) -> list[str]:
        return [row[0] for row in self._db.rows("shown_to", space, episode)]

    def _put(self, space: str, stored: StoredPattern) -> None:
        pattern = stored.pattern
        values = {
            "space": space,
            "id": pattern.id,
            "kind": pattern.kind,
            "retired": pattern.retired,
            "confidence": pattern.confidence,
            "version": stored.version,
            "body": _body(pattern),
        }
        self._db.run("update_pattern" if stored.version else "insert_pattern", values)
        if not self._db.changed():
            raise Conflict(f"Another changed the pattern {pattern.id} meanwhile; try again.")


_TUPLES = ("steps", "evidence", "against")
_TIMES = ("created", "updated")


def _body(pattern: Pattern) -> str:
    fields = pattern._asdict()
    return json.dumps(fields | {f"{name}_us": to_us(fields.pop(name)) for name in _TIMES})


def _stored(row: Any) -> StoredPattern:
    fields = json.loads(row[0])
    fields |= {name: tuple(fields[name]) for name in _TUPLES}
    if "created_us" in fields:  # older versions stored seconds
        fields |= {name: to_seconds(fields.pop(f"{name}_us")) for name in _TIMES}
    return StoredPattern(Pattern(**fields), row[1])
