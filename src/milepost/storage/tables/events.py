"""Events in a table."""

import json
from collections.abc import Sequence
from datetime import datetime, time, timedelta
from itertools import groupby
from operator import itemgetter
from typing import Any

from milepost.knowledge.values import FAILED, Event, EventDay, EventFilter
from milepost.storage.tables.database import Database
from milepost.stored_time import to_us
from milepost.text.erasing import Erasure
from milepost.text.lines import counted

_COLUMNS = "id, at, type, content, outcome, session, duration_ms, project"
# By the field of a filter, what events fulfil that pass it.
_CONDITIONS = {
    "space": "space = :space",
    "session_id": "session = :session_id",
    "event_type": "type = :event_type",
    "project": "project = :project",
    "after_us": "at >= :after_us",
    "before_us": "at < :before_us",
    "words": (
        "NOT EXISTS (SELECT 1 FROM texts(:words) AS w "
        "WHERE instr(lower(content), lower(w.value)) = 0)"
    ),
    "ids": "id IN (SELECT value FROM texts(:ids))",
}


class EventTable:
    """Keeps what happened."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def add(self, space: str, events: Sequence[Event]) -> int:
        with self._db.writing():
            # What is to be known of a text is told when it is read.
            rows = [(space, name, to_us(at), *rest) for name, at, *rest, _ in events]
            fresh = self._db.run_many("insert_event", rows)
            if fresh:
                self._db.note(f"write down {counted(fresh, 'event')}")
            return fresh

    def find(self, where: EventFilter, limit: int) -> list[Event]:
        rows = self._passing(_COLUMNS, where, "ORDER BY at DESC, row DESC", limit)
        return [Event(name, at / 1e6, *rest) for name, at, *rest in rows]

    def days(self, space: str, project: str | None, after_us: int) -> list[EventDay]:
        wanted = {"space": space, "project": project, "after_us": after_us}
        wanted |= _local_days(after_us)
        sessions = dict(self._db.rows("sessions_by_day", wanted))
        counts = self._db.rows("days_of_events", wanted | {"failed": json.dumps([*FAILED])})
        days = []
        for day, group in groupby(counts, itemgetter(0)):
            rows = list(group)
            by_type = {name: count for _, name, count, _ in rows}
            failed = sum(row[3] for row in rows)
            days.append(EventDay(day, sum(by_type.values()), by_type, failed, sessions[day]))
        return days

    def remove(self, where: EventFilter) -> int:
        with self._db.writing():
            rows = self._passing("row, content", where)
            self._delete([row for row, _ in rows])
            if rows:
                self._db.note(f"forget {counted(len(rows), 'event')}")
            return len(rows)

    def count(self, where: EventFilter) -> int:
        if where.words and not self._db.reads_texts:
            return len(self._passing("content", where))
        clause, values = _as_sql(where)
        rows = self._db.select_rows(f"SELECT count(*) FROM events WHERE {clause}", values)  # noqa: S608 -- no input
        return int(rows[0][0])

    def oldest_us(self, space: str) -> int | None:
        oldest: int | None = self._db.rows("oldest_event", space)[0][0]
        return oldest

    def since(self, space: str, number: int, limit: int) -> list[tuple[int, Event]]:
        rows = self._db.rows("events_since", space, number, limit)
        return [(row, Event(name, at / 1e6, *rest)) for row, name, at, *rest in rows]

    def last(self, space: str) -> int:
        rows = self._db.rows("last_event", space)
        return int(rows[0][0]) if rows else 0

    def erase(self, space: str, erasure: Erasure) -> None:
        """Forget the events that quote deleted texts."""
        rows = self._db.rows("texts_of_events", space)
        self._delete(
            [row for row, *said in rows if erasure.quoted_in("\n".join(filter(None, said)))]
        )

    def _passing(
        self, columns: str, where: EventFilter, order: str = "", limit: int | None = None
    ) -> list[Any]:
        """Return columns, the content among them, of the events that pass a filter."""
        unread = where.words if where.words and not self._db.reads_texts else ()
        clause, values = _as_sql(where._replace(words=()) if unread else where)
        within = "" if limit is None or unread else " LIMIT :limit"
        statement = f"SELECT {columns} FROM events WHERE {clause} {order}{within}"  # noqa: S608 -- no input
        rows = self._db.select_rows(statement, values | ({"limit": limit} if within else {}))
        if not unread:
            return rows
        place = [name.strip() for name in columns.split(",")].index("content")
        folded = [word.lower() for word in unread]
        return [r for r in rows if all(word in r[place].lower() for word in folded)][:limit]

    def _delete(self, rows: Sequence[int]) -> None:
        if rows:
            self._db.run("delete_events", json.dumps(list(rows)))
            self._db.then(self._db.empty_log)


def _local_days(after_us: int) -> dict[str, Any]:
    """Return when the days here began since a time, and their names: a server is elsewhere."""
    first = datetime.fromtimestamp(after_us / 1e6).date()
    last = datetime.now().date() + timedelta(days=2)
    days = [first + timedelta(days=n) for n in range(max((last - first).days, 1))]
    starts = [to_us(datetime.combine(day, time()).timestamp()) for day in days]
    return {"starts": starts, "names": [day.isoformat() for day in days]}


def _as_sql(where: EventFilter) -> tuple[str, dict[str, Any]]:
    """Return the condition that events fulfil which pass a filter, and its values."""
    given = {name: value for name, value in where._asdict().items() if value not in (None, ())}
    if where.ids is not None:
        given["ids"] = where.ids
    clause = " AND ".join(_CONDITIONS[name] for name in given)
    return clause, {k: json.dumps(v) if isinstance(v, tuple) else v for k, v in given.items()}
