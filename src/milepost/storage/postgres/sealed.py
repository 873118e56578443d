"""What a database keeps sealed on request: texts that it only hands back, and words by which it
searches, under numbers that only who has the key knows.

A text is bound to the home that it is of: in the rows of another one it is not opened.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from hashlib import shake_256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from milepost.errors import StoreCorrupt
from milepost.sealing import HEADER_BYTES, Key, SealBroken

# By table, the columns that are sealed.
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "memories": ("content", "metadata"),
    "former": ("state",),
    "observations": ("text",),
    "documents": ("title",),
    "pieces": ("place",),
    "kept": ("value",),
    "answers": ("answer",),
    "journal": ("entry",),
    "episodes": ("task", "verdict", "artifacts", "insights", "checkpoints"),
    "steps": ("action", "parameters", "observation"),
    "patterns": ("body",),
    "events": ("content",),
    "jobs": ("payload", "problem"),
}
# By statement, which of its values come to such a column: by name, or by place.
WRITES: Mapping[str, tuple[str | int, ...]] = {
    "add_memory": ("content", "metadata"),
    "insert_memory": ("content", "metadata"),
    "replace_memory": ("content", "metadata"),
    "set_metadata": (0,),
    "insert_former": (0,),
    "set_former": (0,),
    "insert_observation": ("text",),
    "insert_document": ("title",),
    "set_document": ("title",),
    "set_piece": (2,),
    "place_piece": (1,),
    "keep": (3,),
    "insert_answer": (3,),
    "set_answer": (0,),
    "insert_entry": (3,),
    "insert_episode": (2,),
    "change_episode": ("task", "verdict", "artifacts", "insights"),
    "set_checkpoints": (0,),
    "insert_step": (3, 4, 5),
    "insert_pattern": ("body",),
    "update_pattern": ("body",),
    "insert_event": (4,),
    "enqueue": ("payload",),
    "set_work": (0, 1),
    "fail_job": ("problem",),
}
METADATA, TERMS = ("memories", "metadata"), ("memories", "terms")
_METADATA_OF = {"add_memory", "insert_memory", "replace_memory", "set_metadata"}
# What says nothing is left as it is.
EMPTY = ("", "{}", "[]")
# What the database itself asks of metadata stays beside the rest, which has no name.
_ASKED, _REST = ("id", "by", "reviewed"), ""
# Base64 of so many bytes of a header ends with a whole sign.
_WHOLE_BYTES = HEADER_BYTES // 3 * 3
_ROUNDS = 6


class Seals:
    """Seals and opens what is kept under one key."""

    def __init__(self, key: Key) -> None:
        self.key = key
        # How every sealed text begins, and every sealed mapping.
        self.beginning = b64encode(key.header[:_WHOLE_BYTES]).decode()
        self.mapping = f'{{"{_REST}": "{self.beginning}'
        secret = key.made_for("words")
        self._tables = [
            np.frombuffer(shake_256(secret + bytes([number])).digest(1 << 17), np.uint16)
            for number in range(_ROUNDS)
        ]

    def text(self, said: str | None, home: str) -> str | None:
        """Return a text as it is kept."""
        if said is None or said in EMPTY:
            return said
        return self.key.sealed_line(said.encode(), home.encode()).decode()

    def metadata(self, said: str | None, home: str) -> str | None:
        """Return a mapping as it is kept, of which the database still finds some names."""
        if said is None or said in EMPTY:
            return said
        given = json.loads(said)
        return json.dumps(
            {_REST: self.text(said, home)} | {n: given[n] for n in _ASKED if n in given}
        )

    def sealed(self, column: tuple[str, str], said: str | None, home: str) -> str | None:
        """Return what is kept in a column of a table."""
        if column == METADATA:
            return self.metadata(said, home)
        return self.text(said, home) if column[1] in COLUMNS.get(column[0], ()) else said

    def given(self, statement: str, values: Any, home: str) -> Any:
        """Return the values of a statement as they are written."""
        places = WRITES.get(statement)
        if places is None:
            return values
        seal = self.metadata if statement == "set_metadata" else self.text
        if isinstance(values, dict):
            own = {name: self.text(values[name], home) for name in places if name != "metadata"}
            if statement in _METADATA_OF:
                own["metadata"] = self.metadata(values["metadata"], home)
            return values | own
        written = list(values)
        for place in places:
            written[int(place)] = seal(written[int(place)], home)
        return written

    def opened(self, value: Any, home: str) -> Any:
        """Return a value as it was before it was sealed, if it was."""
        if not self._is_sealed(value):
            return value
        if value.startswith("["):  # some that the database put together
            return json.dumps([self.opened(each, home) for each in json.loads(value)])
        return self._open(json.loads(value)[_REST] if value.startswith("{") else value, home)

    def row(self, row: Sequence[Any], home: Callable[[], str | None]) -> Sequence[Any]:
        """Return a row of which some values may be sealed; the home is asked for when one is."""
        if not any(map(self._is_sealed, row)):
            return row
        whose = home() or ""
        return tuple(self.opened(value, whose) for value in row)

    def _is_sealed(self, value: Any) -> bool:
        if not isinstance(value, str):
            return False
        begins = value.startswith((self.beginning, self.mapping))
        return begins or (value.startswith("[") and f'"{self.beginning}' in value)

    def _open(self, value: str, home: str) -> str:
        try:
            return self.key.opened_line(b64decode(value)[HEADER_BYTES:], home.encode()).decode()
        except (SealBroken, ValueError) as problem:
            raise StoreCorrupt(
                f"A text of the space {home!r} cannot be opened: it was changed, or is another's."
            ) from problem

    def words(self, terms: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Return the numbers that words go by in the database: each another, by the key."""
        left, right = terms >> np.uint32(16), terms & np.uint32(0xFFFF)
        for table in self._tables:
            left, right = right, left ^ table[right]
        return _joined(left, right)

    def clear_words(self, numbers: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Return the words that go by some numbers."""
        left, right = numbers >> np.uint32(16), numbers & np.uint32(0xFFFF)
        for table in reversed(self._tables):
            left, right = right ^ table[left], left
        return _joined(left, right)


def _joined(left: NDArray[np.uint32], right: NDArray[np.uint32]) -> NDArray[np.uint32]:
    numbers: NDArray[np.uint32] = (left << np.uint32(16) | right).astype(np.uint32)
    return numbers
