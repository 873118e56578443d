"""Who did what, in a table that only grows."""

from milepost.ports import AuditRow
from milepost.storage.tables.database import Database


class AuditTable:
    """Binds each entry to the one before it, in the transaction under way."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def append(self, space: str, at_us: int, operation: str, entry: str) -> None:
        values = {"space": space, "at": at_us, "operation": operation, "entry": entry}
        with self._db.writing(durable=False):
            self._db.run("append_audit", values)

    def rows(self, space: str, after: int, limit: int) -> list[AuditRow]:
        wanted = {"space": space, "after": after, "limit": limit}
        return [AuditRow(*row) for row in self._db.rows("audit_from", wanted)]

    def latest(
        self, space: str, since_us: int, operation: str | None, limit: int
    ) -> list[AuditRow]:
        wanted = {"space": space, "since": since_us, "operation": operation or "", "limit": limit}
        return [AuditRow(*row) for row in reversed(self._db.rows("latest_audit", wanted))]

    def head(self, space: str) -> tuple[int, str]:
        row = self._db.row("audit_head", space)
        return (0, "") if row is None else (int(row[0]), str(row[1]))
