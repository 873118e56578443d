"""The answers to calls that go by a key, in a table that forgets them by and by."""

from milepost.ports import ANSWERS_KEPT_US, KeptAnswer
from milepost.storage.tables.database import Database
from milepost.text.erasing import Erasure

# More than come in at a time: what is old grows less with every answer.
_FORGOTTEN_AT_ONCE = 4


class AnswerTable:
    """Keeps each answer under its key, in the transaction under way."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def find(self, space: str, key: str) -> KeptAnswer | None:
        rows = self._db.rows("answer_to", space, key)
        return KeptAnswer(*rows[0]) if rows else None

    def keep(self, space: str, key: str, call: str, answer: str | None, at_us: int) -> bool:
        with self._db.writing(durable=False):
            self._db.run("insert_answer", space, key, call, answer, at_us)
            if not self._db.changed():
                return False
            self._db.run("forget_old_answers", at_us - ANSWERS_KEPT_US, _FORGOTTEN_AT_ONCE)
            return True

    def complete(self, space: str, key: str, answer: str) -> None:
        with self._db.writing(durable=False):
            self._db.run("set_answer", answer, space, key)

    def forget(self, space: str, key: str) -> None:
        with self._db.writing(durable=False):
            self._db.run("forget_answer", space, key)

    def erase(self, space: str, erasure: Erasure) -> None:
        """Forget the answers that quote deleted texts; that there was one is known all the same."""
        for key, answer in self._db.rows("answers_that_tell", space):
            if erasure.without(answer) != answer:
                self._db.run("set_answer", None, space, key)
