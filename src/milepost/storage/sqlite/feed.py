"""What changed in a database, in order, for the search index beside it."""

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np

from milepost.memory.values import Indexed
from milepost.ports import Analyser
from milepost.storage.index.segment import IndexRow, index_row
from milepost.storage.sqlite.file import SqliteFile
from milepost.text.words import ANALYSIS_VERSION

_PAGE_ROWS = 2_000

# The columns of the statement changed_after, before the vectors.
_COLUMNS = (
    "memory_id", "change", "space", "session", "position", "author", "created", "valid_from",
    "valid_to", "traits", "terms", "kind", "tags", "projects",
)  # fmt: skip


class SqliteFeed:
    """Tells of committed changes, in the order of their numbers."""

    def __init__(self, file: SqliteFile) -> None:
        self._file = file

    def latest_change(self) -> int:
        return int(self._file.committed("latest_change")[0][0])

    def rows_after(self, change: int) -> Iterator[IndexRow]:
        while rows := self._file.committed("changed_after", change, _PAGE_ROWS):
            for _, group in groupby(rows, itemgetter(0)):
                row = _index_row(list(group))
                yield row
            change = row.change

    def removed_after(self, change: int) -> Sequence[int]:
        removed = [row[0] for row in self._file.committed("removed_after", change)]
        forgotten = self._file.committed("forgotten")
        # Whoever has not asked for so long learns of all that is not there.
        return self._missing() if forgotten and change < forgotten[0][0] else removed

    def index_stamp(self) -> int:
        return int(self._file.committed("index_stamp")[0][0])

    def set_index_stamp(self, stamp: int, wait_s: float) -> None:
        # Lost in a power cut, it only makes the index be built again.
        with self._file.writing(durable=False, wait_s=wait_s):
            self._file.run("set_index_stamp", stamp)

    def known_ids(self, change: int) -> list[int]:
        """Return the ids of all memories, and of those that were deleted since a change."""
        return [row[0] for row in self._file.committed("known_ids", change)]

    def count(self) -> int:
        """Count all memories."""
        return int(self._file.committed("count_all")[0][0])

    def forget_removals(self, change: int) -> None:
        """Forget the deletions up to a change, which no index needs to know of any more."""
        with self._file.writing():
            self._file.run("forget_removals", change)
            self._file.run("set_forgotten", change)

    def analyse_anew(self, analyse: Analyser) -> None:
        """Make all terms again when the stored ones were made by older rules."""
        if self._file.rows("analysis_version")[0][0] == ANALYSIS_VERSION:
            return
        last = 0
        while rows := self._file.rows("contents", last, _PAGE_ROWS):
            memories = [Indexed(*row) for row in rows]
            with self._file.writing():
                for memory in memories:
                    terms, traits, _ = analyse(memory)
                    change = self._file.next_change()
                    self._file.run("set_terms", terms, traits, change, memory.id)
            last = memories[-1].id
        with self._file.writing():
            self._file.run("set_analysis_version", ANALYSIS_VERSION)

    def _missing(self) -> list[int]:
        """Return the ids of all memories that were ever deleted."""
        last = self._file.committed("last_id")
        known = np.array([row[0] for row in self._file.committed("ids")], np.int64)
        ever = np.arange(1, last[0][0] + 1 if last else 1)
        missing: list[int] = np.setdiff1d(ever, known, assume_unique=True).tolist()
        return missing


def _index_row(group: list[Any]) -> IndexRow:
    values = dict(zip(_COLUMNS, group[0], strict=False))
    values["tags"] = json.loads(values["tags"])
    values["projects"] = json.loads(values["projects"])
    vectors = [(model, vector) for *_, model, vector in group if model is not None]
    return index_row(**values, vectors=vectors)
