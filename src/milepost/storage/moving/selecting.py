"""What of a space is written to a file: nothing deleted, and only what is asked for.

Of rows only numbers are held, eight bytes each, so that a space of a million memories fits.
"""

import json
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from milepost.memory.values import BIN
from milepost.storage.moving.lines import BY_NAME, TOPICS_LEFT_OUT, references
from milepost.storage.moving.neutral import shifted
from milepost.storage.moving.parts import ENTITIES, MEMORIES, NUMBERS, VECTORS, Part
from milepost.storage.moving.sides import Reader

# What a row may lose a reference to and still say something.
_MAY_LACK = frozenset({"superseded_by"})
# Of one project only what says which it is of.
_ENTITY = "id stated merged"
_OF_NO_PROJECT = frozenset({"kept", "journal", "patterns", "shown", "graph_deeds"})


class Numbering:
    """Gives the rows of a table numbers from 1 on, in the order they have."""

    def __init__(self, numbers: Iterable[int] = ()) -> None:
        self._numbers = array("q", numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def add(self, number: int) -> None:
        """Give the next number to a row; they come in their order."""
        self._numbers.append(number)

    def take_back(self) -> None:
        """Let the last number be free again."""
        self._numbers.pop()

    def of(self, number: int) -> int:
        """Return the number that a row was given; 0 for one that is not taken along."""
        at = bisect_left(self._numbers, number)
        return at + 1 if at < len(self._numbers) and self._numbers[at] == number else 0


class Selection:
    """The rows of a space that are taken along, with numbers that no store gave them.

    project: only what belongs to it.
    without: no vectors of these models; None for no vectors at all.
    """

    def __init__(
        self, side: Reader, home: str, project: str | None, without: frozenset[str] | None
    ) -> None:
        self._side, self._project, self._without = side, project, without
        side.enter(home)
        side.count_from(side.firsts())
        self._numbers = {table: Numbering() for table in NUMBERS}
        self._numbers[MEMORIES] = Numbering(self._memories())
        self._episodes = set(self._episode_names()) if project is not None else set()
        self._numbers[ENTITIES] = Numbering(sorted(self._entities()))

    def rows(self, part: Part) -> Iterator[list[Any]]:
        """Yield the rows of a part, in the order of their numbers or names."""
        if part.name == VECTORS and self._without is None:
            return
        own = self._numbers.get(part.table)
        if part.table in (MEMORIES, ENTITIES):
            own = None  # they have theirs already
        for row in self._side.rows(part):
            if not self._is_taken(part, row):
                continue
            if own is not None:
                own.add(row[0])
            numbered = self._numbered(part, row)
            if numbered is not None:
                yield numbered
            elif own is not None:
                own.take_back()

    def _numbered(self, part: Part, row: list[Any]) -> list[Any] | None:
        """Return a row with other numbers; None where it speaks of what is not taken along."""
        numbered = shifted(part, row, lambda table, number: self._numbers[table].of(number))
        for at, _ in references(part):
            if numbered[at] == 0:
                if part.columns[at].name not in _MAY_LACK:
                    return None
                numbered[at] = None
        return numbered

    def _is_taken(self, part: Part, row: Sequence[Any]) -> bool:
        named = dict(zip((column.name for column in part.columns), row, strict=True))
        if str(named.get("space", "")).startswith(BIN):
            return False
        if part.name == VECTORS:
            return named["model"] not in (self._without or ())
        if part.name == "kept" and named["topic"] in TOPICS_LEFT_OUT:
            return False
        return self._project is None or self._is_of_project(part, named)

    def _is_of_project(self, part: Part, named: dict[str, Any]) -> bool:
        if part.name in _OF_NO_PROJECT:
            return False
        if part.name == "episodes":
            return named["id"] in self._episodes
        return part.name != "events" or named["project"] == self._project

    def _memories(self) -> Iterator[int]:
        columns = "id space" + (" projects" if self._project is not None else "")
        for number, space, *projects in self._side.rows(_narrow("memories", columns)):
            if not space.startswith(BIN) and (not projects or self._project in projects[0]):
                yield number

    def _episode_names(self) -> Iterator[str]:
        for name, context in self._side.rows(_narrow("episodes", "id context")):
            if json.loads(context).get("project") == self._project:
                yield name

    def _entities(self) -> Iterator[int]:
        """Yield the entities that somebody stated, and those that what is taken along speaks of.

        What was merged into one goes with it.
        """
        borne, merged = self._borne(), dict[int, tuple[int, bool]]()
        for number, stated, into in self._side.rows(_narrow("merged entities", _ENTITY)):
            merged[number] = into, stated
        stated_into = {into for into, stated in merged.values() if stated}
        taken = set[int]()
        for number, stated, _ in self._side.rows(_narrow("entities", _ENTITY)):
            whole = self._project is None and (stated or number in stated_into)
            if whole or borne.of(number):
                taken.add(number)
        yield from taken
        yield from (number for number, (into, _) in merged.items() if into in taken)

    def _borne(self) -> Numbering:
        """Return the entities that mentions, relations and sayings rest on."""
        found = set[int]()
        for name, columns in (
            ("mentions", "memory_id entity"),
            ("relations", "memory_id source target"),
            ("observations", "memory_id entity"),
        ):
            for memory, *entities in self._side.rows(_narrow(name, columns)):
                spoken_of = self._project is None if memory is None else self._memory(memory)
                if spoken_of:
                    found.update(entities)
        return Numbering(sorted(found))

    def _memory(self, number: int) -> int:
        return self._numbers[MEMORIES].of(number)


def _narrow(name: str, columns: str) -> Part:
    """Return a part of which only some columns are read."""
    part = BY_NAME[name]
    known = {column.name: column for column in part.columns}
    return part._replace(columns=tuple(known[column] for column in columns.split()))
