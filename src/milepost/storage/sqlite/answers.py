"""The answers to calls that go by a key, in a table that forgets them by and by."""

from typing import Any

from milepost.ports import ANSWERS_KEPT_US, KeptAnswer
from milepost.storage.sqlite.file import SqliteFile
from milepost.text.erasing import Erasure

# More than come in at a time: what is old grows less with every answer.
_FORGOTTEN_AT_ONCE = 4


class SqliteAnswers:
    """Keeps each answer under its key, in the transaction under way."""

    def __init__(self, file: SqliteFile) -> None:
        self._file = file

    def find(self, space: str, key: str) -> KeptAnswer | None:
        rows = self._file.rows("answer_to", space, key)
        return KeptAnswer(*rows[0]) if rows else None

    def keep(self, space: str, key: str, call: str, answer: str | None, at_us: int) -> bool:
        with self._file.writing(durable=False):
            self._file.run("insert_answer", space, key, call, answer, at_us)
            if not self._file.changed():
                return False
            self._file.run("forget_old_answers", at_us - ANSWERS_KEPT_US, _FORGOTTEN_AT_ONCE)
            return True

    def complete(self, space: str, key: str, answer: str) -> None:
        with self._file.writing(durable=False):
            self._file.run("set_answer", answer, space, key)

    def forget(self, space: str, key: str) -> None:
        with self._file.writing(durable=False):
            self._file.run("forget_answer", space, key)

    def erase(self, space: str, erasure: Erasure) -> None:
        """Forget the answers that quote deleted texts; that there was one is known all the same."""
        rows: list[Any] = self._file.run("answers_that_tell", space).fetchall()
        for key, answer in rows:
            if erasure.without(answer) != answer:
                self._file.run("set_answer", None, space, key)
