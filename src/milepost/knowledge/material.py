"""What a consolidation looks at: a little of each memory, so that very many can be held."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from milepost.deadline import check_time
from milepost.memory.context import Context
from milepost.memory.reserved import RESERVED
from milepost.memory.values import PIECE, Filter, Record, trust_of
from milepost.ranking.keys import term_key
from milepost.text.sameness import said
from milepost.text.words import terms
from milepost.waiting import Waiting

# Memories whose texts are read at a time.
_READ = 500
# A long text is about what its beginning says.
_WORDS_MAX = 40


# What many memories have alike.
_FEW = ("kind", "tags", "session", "projects", "source")


class Item(NamedTuple):
    """What is known of one memory."""

    id: int
    hash: str
    created_us: int
    kind: str
    tags: tuple[str, ...]
    session: str | None
    projects: tuple[str, ...]
    whose: int
    # What the same words in the same order come to.
    words: int
    telling: NDArray[np.uint32]
    source: str
    standing: int
    trust: int
    valid_from_us: int


def material(context: Context, where: Filter, progress: Waiting) -> list[Item]:
    """Return what is known of the memories that pass a filter, oldest first."""
    ids = context.store.candidates.newest(where, limit=1 << 40)[::-1]
    items: list[Item] = []
    held: dict[Any, Any] = {}
    for record in _read(context, ids):
        # What a document says is as its file is.
        if record.kind not in RESERVED and record.kind != PIECE:
            items.append(_sharing(_item(record), held))
        if len(items) % _READ == 0:
            check_time()
            progress(len(items), len(ids))
    return items


def _read(context: Context, ids: Sequence[int]) -> Iterator[Record]:
    for first in range(0, len(ids), _READ):
        yield from context.store.memories.records(ids[first : first + _READ])


def _item(record: Record) -> Item:
    keys = {term_key(term) for term in terms(record.content)[:_WORDS_MAX]}
    return Item(
        record.id,
        record.hash,
        record.created_us,
        record.kind,
        record.tags,
        record.session,
        record.projects,
        hash(whose(record)),
        hash(said(record.content) or record.content),
        np.array(sorted(keys), np.uint32),
        record.source,
        record.standing,
        trust_of(record.source, record.marks),
        record.valid_from_us,
    )


def _sharing(item: Item, held: dict[Any, Any]) -> Item:
    """Return the same whose kind, tags and place are those of the items before it, held once."""
    return item._replace(
        **{name: held.setdefault(value, value) for name in _FEW if (value := getattr(item, name))}
    )


def whose(record: Record) -> tuple[object, ...]:
    """Return what memories share of which one can take the place of another: speaker and place."""
    return record.author, record.projects, record.branch, record.kind


class Texts:
    """Reads the texts of memories as they are compared, and holds the latest."""

    def __init__(self, context: Context, most: int = 20_000) -> None:
        self._context = context
        self._most = most
        self._held: dict[int, str] = {}

    def load(self, ids: Sequence[int]) -> None:
        """Read the texts of some memories together."""
        missing = [i for i in dict.fromkeys(ids) if i not in self._held]
        if len(self._held) + len(missing) > self._most:
            self._held.clear()
            missing = list(dict.fromkeys(ids))
        for record in _read(self._context, missing):
            self._held[record.id] = record.content

    def __getitem__(self, memory_id: int) -> str:
        if memory_id not in self._held:
            self.load([memory_id])
        return self._held.get(memory_id, "")


def vectors(context: Context, ids: Sequence[int], model: str) -> NDArray[np.float16]:
    """Return the vectors of memories, one a row, of length one; zeros where there is none.

    Half of the digits are enough to tell how alike two are, and of very many take half the room.
    """
    rows = np.zeros((len(ids), 1), np.float16)
    for place, memory_id in enumerate(ids):
        vector = context.store.candidates.vectors(memory_id).get(model)
        if vector is None:
            continue
        if rows.shape[1] != len(vector):
            rows = np.zeros((len(ids), len(vector)), np.float16)
        rows[place] = vector / max(float(np.linalg.norm(vector)), 1e-9)
    return rows
