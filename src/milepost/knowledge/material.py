"""What a consolidation looks at: a little of each memory, so that very many can be held."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, overload

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
_HASH_BYTES = 32


class Item(NamedTuple):
    """What is known of one memory."""

    id: int
    hash: str
    created_us: int
    valid_from_us: int
    whose: int
    # What the same words in the same order come to.
    words: int
    standing: int
    trust: int
    kind: str
    tags: tuple[str, ...]
    session: str | None
    projects: tuple[str, ...]
    source: str


# What many memories have alike: kind, tags, session, projects, source.
_Alike = tuple[str, tuple[str, ...], str | None, tuple[str, ...], str]


class Material(Sequence[Item]):
    """What is known of memories, oldest first, in columns: an item is made when it is asked for.

    As objects they would take five times the room.
    """

    def __init__(self) -> None:
        self._numbers = [array("q") for _ in range(5)]  # the first fields of an item but its hash
        self._small = array("b"), array("b")
        self._hashes = bytearray()
        self._alike = array("l")
        self._known: dict[_Alike, int] = {}
        self._kinds: list[_Alike] = []
        self._keys, self._counts = array("I"), array("H")

    def add(self, record: Record) -> None:
        """Take in the next memory."""
        same = hash(said(record.content) or record.content)
        numbers = record.id, record.created_us, record.valid_from_us, hash(whose(record)), same
        for column, number in zip(self._numbers, numbers, strict=True):
            column.append(number)
        self._small[0].append(record.standing)
        self._small[1].append(trust_of(record.source, record.marks))
        self._hashes += bytes.fromhex(record.hash)
        alike = record.kind, record.tags, record.session, record.projects, record.source
        place = self._known.setdefault(alike, len(self._kinds))
        if place == len(self._kinds):
            self._kinds.append(alike)
        self._alike.append(place)
        keys = {term_key(term) for term in terms(record.content)[:_WORDS_MAX]}
        self._keys.extend(sorted(keys))
        self._counts.append(len(keys))

    def __len__(self) -> int:
        return len(self._alike)

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Item]: ...
    def __getitem__(self, place: int | slice) -> Item | Sequence[Item]:
        if isinstance(place, slice):
            return Some(self, range(len(self))[place])
        place = range(len(self))[place]
        number, created, valid_from, whose, words = (column[place] for column in self._numbers)
        standing, trust = (column[place] for column in self._small)
        name = self._hashes[place * _HASH_BYTES : (place + 1) * _HASH_BYTES].hex()
        alike = self._kinds[self._alike[place]]
        return Item(number, name, created, valid_from, whose, words, standing, trust, *alike)

    def items(self, places: Iterable[int]) -> list[Item]:
        """Return some of them."""
        return [self[place] for place in places]

    @property
    def ids(self) -> NDArray[np.int64]:
        """By which number each is read."""
        return np.frombuffer(self._numbers[0], np.int64)

    @property
    def created_us(self) -> NDArray[np.int64]:
        """When each was created."""
        return np.frombuffer(self._numbers[1], np.int64)

    @property
    def said(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Whose each is, and what its words come to."""
        whose, words = (np.frombuffer(column, np.int64) for column in self._numbers[3:])
        return whose, words

    @property
    def telling(self) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """The keys of the words of all, one after the other, and how many each has."""
        counts = np.frombuffer(self._counts, np.uint16).astype(np.int64)
        return np.frombuffer(self._keys, np.uint32), counts

    def projects(self) -> set[str]:
        """Return the projects that they are of."""
        return {project for _, _, _, projects, _ in self._kinds for project in projects}


class Some(Sequence[Item]):
    """Some of many items, of which each is made when it is asked for."""

    def __init__(self, items: Sequence[Item], places: Sequence[int]) -> None:
        self._items, self._places = items, places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Item]: ...
    def __getitem__(self, place: int | slice) -> Item | Sequence[Item]:
        if isinstance(place, slice):
            return Some(self._items, self._places[place])
        return self._items[self._places[place]]


def material(context: Context, where: Filter, progress: Waiting) -> Material:
    """Return what is known of the memories that pass a filter."""
    ids = context.store.candidates.newest(where, limit=1 << 40)[::-1]
    items = Material()
    for record in _read(context, ids):
        # What a document says is as its file is.
        if record.kind not in RESERVED and record.kind != PIECE:
            items.add(record)
        if len(items) % _READ == 0:
            check_time()
            progress(len(items), len(ids))
    return items


def _read(context: Context, ids: Sequence[int]) -> Iterator[Record]:
    for first in range(0, len(ids), _READ):
        yield from context.store.memories.records(ids[first : first + _READ])


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
