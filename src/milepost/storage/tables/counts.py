"""Count memories by what they are, in the database itself."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from milepost.memory.values import TagCount, Tally
from milepost.storage.tables.database import Database

SESSIONS_SHOWN = 10


class CountTable:
    """Counts memories."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def tally(self, space: str, now_us: int) -> Tally:
        wanted = {"space": space, "now": now_us}
        kinds, months = Counter[str](), Counter[str]()
        hidden = 0
        rows = self._db.rows("tally", wanted)
        for kind, month, superseded, count, *_ in rows:
            hidden += count if superseded else 0
            if not superseded:
                kinds[kind] += count
                months[month] += count
        sessions = self._db.rows("tally_sessions", {"space": space, "limit": SESSIONS_SHOWN})
        projects = dict(self._db.rows("tally_projects", wanted))
        unowned = projects.pop(None, 0)
        return Tally(
            memories=kinds.total(),
            superseded=hidden,
            kinds=dict(kinds.most_common()),
            projects=projects,
            unowned=unowned,
            months=dict(sorted(months.items())),
            sessions={name: count for name, count, _ in sessions},
            session_count=sessions[0][2] if sessions else 0,
            oldest_us=min((row[4] for row in rows), default=None),
            newest_us=max((row[5] for row in rows), default=None),
        )

    def accounts(self) -> dict[str, tuple[int, int]]:
        return {home: (stored, removed) for home, stored, removed in self._db.rows("accounts")}

    def tags(self, space: str, project: str | None, now_us: int) -> list[TagCount]:
        wanted = {"space": space, "now": now_us, "project": project}
        again: Mapping[str, int] = {}
        if project is None:
            again = dict(self._db.rows("tally_tags_again", {"space": space, "now": now_us}))
        by_tag: dict[str, list[Any]] = {}
        for tag, name, count in self._db.rows("tally_tags", wanted):
            by_tag.setdefault(tag, []).append((name, count))
        counts = [
            TagCount(
                tag,
                sum(count for _, count in parts) - again.get(tag, 0),
                {name: count for name, count in parts if name is not None},
            )
            for tag, parts in by_tag.items()
        ]
        return sorted(counts, key=lambda count: (-count.memories, count.tag))
