"""The branches of memories, in a column of theirs."""

from milepost.storage.tables.database import Database


class BranchTable:
    """Tells the branches that memories belong to, and takes memories off them."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def of(self, space: str, project: str) -> list[str]:
        rows = self._db.rows("branches", {"space": space, "project": project})
        return [row[0] for row in rows]

    def release(self, space: str, project: str, branch: str) -> int:
        named = {"space": space, "project": project, "branch": branch}
        with self._db.writing():
            ids = [row[0] for row in self._db.rows("of_branch", named)]
            for memory_id in ids:
                self._db.run("touch", self._db.next_change(), memory_id)
                self._db.run("leave_branch", memory_id, None)
        return len(ids)
