"""The branches of memories, in a column of theirs."""

from milepost.storage.sqlite.file import SqliteFile


class SqliteBranches:
    """Tells the branches that memories belong to, and takes memories off them."""

    def __init__(self, file: SqliteFile) -> None:
        self._file = file

    def of(self, space: str, project: str) -> list[str]:
        rows = self._file.rows("branches", {"space": space, "project": project})
        return [row[0] for row in rows]

    def release(self, space: str, project: str, branch: str) -> int:
        named = {"space": space, "project": project, "branch": branch}
        with self._file.writing():
            ids = [row[0] for row in self._file.run("of_branch", named).fetchall()]
            for memory_id in ids:
                self._file.run("touch", self._file.next_change(), memory_id)
                self._file.run("leave_branch", memory_id, None)
        return len(ids)
