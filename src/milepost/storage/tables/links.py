"""Links between memories, in a table."""

import json
from collections.abc import Sequence

from milepost.knowledge.values import MemoryLink
from milepost.storage.tables.database import Database
from milepost.stored_time import to_us
from milepost.text.lines import counted


class LinkTable:
    """Keeps what memories have to do with each other; a link goes with either of its ends."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def add(self, space: str, links: Sequence[MemoryLink]) -> int:
        with self._db.writing():
            fresh = 0
            for link in links:
                self._db.run("insert_link", _row(space, link))
                fresh += self._db.changed()
            if fresh:
                self._db.next_change()
                self._db.note(f"link memories {counted(fresh, 'time')}")
            return fresh

    def of(self, space: str, ids: Sequence[int]) -> list[MemoryLink]:
        wanted = {"space": space, "ids": json.dumps(list(ids))}
        return [_link(*row) for row in self._db.rows("links_of", wanted)]

    def towards(self, kind: str, ids: Sequence[int]) -> list[tuple[int, int]]:
        wanted = {"kind": kind, "ids": json.dumps(list(ids))}
        return [(memory, other) for memory, other in self._db.rows("links_towards", wanted)]

    def between(self, space: str, kind: str, now_us: int, limit: int) -> list[MemoryLink]:
        wanted = {"space": space, "kind": kind, "now": now_us, "limit": limit}
        return [_link(*row) for row in self._db.rows("links_between", wanted)]

    def remove(self, space: str, link: MemoryLink) -> bool:
        with self._db.writing():
            self._db.run("delete_link", _row(space, link))
            gone = bool(self._db.changed())
            self._db.next_change()
            return gone

    def remove_run(self, run: str) -> int:
        with self._db.writing():
            self._db.run("delete_links_of_run", run)
            count = self._db.changed()
            self._db.next_change()
            return count


def _row(space: str, link: MemoryLink) -> dict[str, object]:
    return link._asdict() | {"space": space, "at": to_us(link.at)}


def _link(memory: str, other: str, kind: str, weight: float, at_us: int, run: str) -> MemoryLink:
    return MemoryLink(memory, other, kind, weight, at_us / 1e6, run)
