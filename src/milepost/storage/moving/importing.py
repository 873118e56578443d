"""Read lines that were written of a store into another one: what is there already stays as it is.

A file is read to its end before anything is written, so that one which was cut off changes nothing.
Then rows come in batches, each a transaction, in the order in which they refer to each other. A row
that is there is not written again; so an import that was interrupted goes on when it is called
again, and one that is done twice adds nothing.
"""

import json
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from hashlib import sha256
from itertools import islice
from typing import Any, NamedTuple

from milepost.errors import ConfigError, InvalidInput, StoreError
from milepost.memory.values import Analysis, Indexed
from milepost.storage.index.vectors import pack_vectors
from milepost.storage.moving.lines import FORMAT, TAKEN, VERSION, row_of
from milepost.storage.moving.neutral import shifted
from milepost.storage.moving.parts import ENTITIES, MEMORIES, NUMBERS, PARTS, VECTORS, Part
from milepost.storage.moving.sides import Target, open_target

# Analyses texts: what memories are found by is not in the file.
Analyse = Callable[[Sequence[Indexed]], Sequence[Analysis]]
# Called with how many lines are read, of how many.
Progress = Callable[[int, int], None]
# Returns the lines of a file, from the first on, as often as it is called.
Lines = Callable[[], Iterable[bytes]]
# By its name where a space goes.
Rename = Callable[[str], str]

_BATCH = 500
# By which columns a row with a number is known; others by all of them.
_KNOWN_BY = {
    MEMORIES: ("space", "hash"),
    ENTITIES: ("space", "key"),
    "episodes": ("space", "id"),
    "events": ("space", "id"),
}
_LEARNED = ("memory_id", "source", "word", "target", "origin")


class Contents(NamedTuple):
    """What a whole file has: rows by part of each space, and how many lines."""

    spaces: Mapping[str, Mapping[str, int]]
    lines: int


class Added(NamedTuple):
    """What came of an import in a space: rows that are new and rows that were known, by part."""

    space: str
    new: Mapping[str, int]
    known: Mapping[str, int]


def contents(lines_of: Lines) -> Contents:
    """Return what a file has; refuse one that is not whole, or of a later version."""
    digest, before, lines = sha256(), b"", 0
    for line in lines_of():
        if lines == 0:
            _refuse_unknown(line)
        digest.update(before)
        before, lines = line, lines + 1
    end = _end(before)
    if end is None or not before.endswith(b"\n"):
        raise InvalidInput(
            f"The file was cut off after line {lines:,}: its last line is not the one that counts "
            "the others. Nothing was imported; export it again, or copy it whole."
        )
    if end.get("sha256") != digest.hexdigest():
        raise InvalidInput(
            "The file was changed after it was written: its digest is another. Nothing was "
            "imported."
        )
    return Contents(end["end"], lines)


def _refuse_unknown(line: bytes) -> None:
    told = _parsed(line, 1)
    if told.get("format") != FORMAT:
        raise InvalidInput("This is no export of Milepost: its first line does not say so.")
    version = told.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise InvalidInput(
            f"This export has version {version!r:.20} of the format, and this Milepost reads "
            f"{VERSION}; import it with a later Milepost."
        )


def _end(line: bytes) -> dict[str, Any] | None:
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        return None
    is_end = isinstance(told, dict) and isinstance(told.get("end"), dict)
    return told if is_end else None


def _parsed(line: bytes, number: int) -> dict[str, Any]:
    try:
        told = json.loads(line)
    except (ValueError, RecursionError) as problem:
        raise InvalidInput(f"Line {number:,} is not JSON ({problem}).") from problem
    if not isinstance(told, dict):
        raise InvalidInput(f"Line {number:,} is no object.")
    return told


def import_into(
    url: str,
    lines_of: Lines,
    known: Contents,
    analyse: Analyse,
    *,
    rename: Rename = lambda space: space,
    progress: Progress = lambda _done, _total: None,
) -> list[Added]:
    """Write what a file has into a store that is there; return what came of it by space."""
    with closing(open_target(url)) as target:
        moved = target.moved_away()
        for space in map(rename, known.spaces):
            if space in moved:
                raise ConfigError(f"{space} was moved to {moved[space]}; import it there.")
        return [
            _Import(target, lines_of, known.lines, analyse, space, rename(space), progress).run()
            for space in known.spaces
        ]


class _Import:
    """Brings the rows of one space."""

    def __init__(
        self,
        target: Target,
        lines_of: Lines,
        total: int,
        analyse: Analyse,
        space: str,
        home: str,
        progress: Progress,
    ) -> None:
        self._target, self._lines, self._analyse = target, lines_of, analyse
        self._space, self._home = space, home
        self._total, self._progress = total, progress
        # By table the number here of each row of the file, by its number there.
        self._numbers = {table: array("q", [0]) for table in NUMBERS}
        self._new, self._known = Counter[str](), Counter[str]()

    def run(self) -> Added:
        target = self._target
        target.enter(self._home)
        target.welcome()
        target.count_from(dict.fromkeys(NUMBERS, 0))
        self._filled = {part.name for part in PARTS if target.count(part)}
        memories = (row for part, row in self._rows() if part.table == MEMORIES)
        for rows in _batches(memories):
            with target.writing():
                self._number_memories(rows)
        for part, rows in self._by_part():
            with target.writing():
                self._bring(part, rows)
                target.added()
        target.prepare()
        return Added(self._home, dict(self._new), dict(self._known))

    def _rows(self) -> Iterator[tuple[Part, list[Any]]]:
        """Yield the rows of the space, with the numbers that they have in the file."""
        is_here = False
        for number, line in enumerate(self._lines(), 1):
            told = _parsed(line, number)
            if "part" not in told:
                is_here = told.get("space") == self._space
            elif is_here:
                try:
                    yield row_of(told, self._home)
                except (InvalidInput, ValueError) as problem:
                    raise InvalidInput(f"Line {number:,}: {problem}") from problem
            self._progress(number, self._total)

    def _by_part(self) -> Iterator[tuple[Part, list[list[Any]]]]:
        batch, of = list[list[Any]](), TAKEN[0]
        for part, row in self._rows():
            if part is not of or len(batch) >= _BATCH:
                if batch:
                    yield of, batch
                batch, of = [], part
            batch.append(row)
        if batch:
            yield of, batch

    def _number_memories(self, rows: Sequence[list[Any]]) -> None:
        """Find the numbers that memories have here; those that are not there get new ones.

        All are numbered before any is written, for they refer to those that come after them.
        """
        known, numbers = self._numbers[MEMORIES], [0] * len(rows)
        if MEMORIES in self._filled:
            numbers = self._alike(TAKEN[0], rows)
        fresh = iter(self._target.take_numbers(MEMORIES, numbers.count(0)))
        for row, number in zip(rows, numbers, strict=True):
            _refuse_unordered(TAKEN[0], row, known)
            known.append(number or next(fresh))

    def _alike(self, part: Part, rows: Sequence[list[Any]]) -> list[int]:
        if part.table in _KNOWN_BY:
            return self._target.alike(part, _KNOWN_BY[part.table], rows)
        names = [column.name for column in part.columns[1:]]
        if part.table != "relations":
            return self._target.alike(part, names, rows)
        (memory,) = part.places(("memory_id",))
        return [
            self._target.alike(part, names if row[memory] is None else _LEARNED, [row])[0]
            for row in rows
        ]

    def _bring(self, part: Part, rows: list[list[Any]]) -> None:
        if part.table == MEMORIES:
            known = self._bring_memories(part, rows)
        elif part.table in NUMBERS:
            known = self._bring_numbered(part, rows)
        else:
            known = self._bring_named(part, rows)
        self._new[part.name] += len(rows) - known
        self._known[part.name] += known

    def _bring_memories(self, part: Part, rows: list[list[Any]]) -> int:
        """Write memories that are not there, with what they are found by."""
        numbers = self._numbers[MEMORIES]
        there = self._target.alike(part, _KNOWN_BY[MEMORIES], rows)
        fresh = list[list[Any]]()
        for row, number in zip(rows, there, strict=True):
            if number:
                numbers[row[0]] = number  # somebody may have stored it meanwhile
            else:
                fresh.append(self._numbered(part, row))
        vectors = self._analysed(part, fresh)
        self._put(part, fresh)
        self._put(_VECTORS, vectors)
        return len(rows) - len(fresh)

    def _analysed(self, part: Part, rows: list[list[Any]]) -> list[list[Any]]:
        """Fill in what memories are found by; return their vectors as rows."""
        number, content, author, created, terms, traits = part.places(
            ("id", "content", "author", "created", "terms", "traits")
        )
        texts = [Indexed(row[number], row[content], row[author], row[created]) for row in rows]
        vectors = list[list[Any]]()
        for row, analysis in zip(rows, self._analyse(texts), strict=True):
            row[terms], row[traits] = analysis.terms, analysis.traits
            for model, vector in analysis.vectors.items():
                vectors.append([row[number], model, pack_vectors([vector])[0]])
        return vectors

    def _bring_numbered(self, part: Part, rows: list[list[Any]]) -> int:
        numbers = self._numbers[part.table]
        own = [self._numbered(part, [None, *row[1:]]) for row in rows]
        there = self._alike(part, own) if part.name in self._filled else [0] * len(own)
        taken = iter(self._target.take_numbers(part.table, there.count(0)))
        fresh = list[list[Any]]()
        for row, values, number in zip(rows, own, there, strict=True):
            _refuse_unordered(part, row, numbers)
            values[0] = number or next(taken)
            numbers.append(values[0])
            if not number:
                fresh.append(values)
        self._put(part, fresh)
        return len(rows) - len(fresh)

    def _bring_named(self, part: Part, rows: list[list[Any]]) -> int:
        own = [self._numbered(part, row) for row in rows]
        there = set[tuple[Any, ...]]()
        if part.name in self._filled or part.name == VECTORS:
            found = self._target.find(part, [part.key_of(row) for row in own])
            there = {part.key_of(row) for row in found}
        fresh = [row for row in own if part.key_of(row) not in there]
        self._put(part, fresh)
        return len(rows) - len(fresh)

    def _numbered(self, part: Part, row: Sequence[Any]) -> list[Any]:
        return shifted(part, row, self._number)

    def _number(self, table: str, number: int) -> int:
        numbers = self._numbers[table]
        if not 0 <= number < len(numbers):
            raise InvalidInput(f"There is no number {number} of {table}; the file is not whole.")
        return numbers[number]

    def _put(self, part: Part, rows: Sequence[list[Any]]) -> None:
        if rows and not self._target.put(part, rows):
            raise StoreError(
                f"Some of {part.name} came to be at the same moment; import it again to go on."
            )


def _refuse_unordered(part: Part, row: Sequence[Any], numbers: Sequence[int]) -> None:
    if row[0] != len(numbers):
        raise InvalidInput(
            f"{part.name} are not numbered in order: {row[0]!r:.20} comes where {len(numbers):,} "
            "should."
        )


_VECTORS = next(part for part in PARTS if part.name == VECTORS)


def _batches(rows: Iterable[list[Any]]) -> Iterator[list[list[Any]]]:
    rows = iter(rows)
    while batch := list(islice(rows, _BATCH)):
        yield batch
