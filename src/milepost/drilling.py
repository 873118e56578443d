"""Restore a copy into a temporary store for a trial: is it whole, and can it be searched."""

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from milepost.config import Settings
from milepost.copies_elsewhere import CopiesElsewhere, OpenAt, Told
from milepost.errors import MilepostError
from milepost.memory.context import Context
from milepost.memory.search import Search
from milepost.memory.values import Filter, Record
from milepost.storage import maintenance
from milepost.storage.backups.manifest import Tables, tables_of
from milepost.storage.moving.neutral import digest_of
from milepost.storage.moving.parts import PARTS
from milepost.storage.moving.sides import Reader, open_reader
from milepost.upkeep.backups.values import Drill
from milepost.upkeep.values import Copy

# How many memories of a space are asked for, by how much of each, among how many answers.
QUESTIONS, _WORDS = 20, 12
ANSWERS = 5
# So many spaces are asked, those that come first.
_SPACES = 5
# What does not find half of what it holds is no memory.
_FOUND_SHARE = 0.5


class Drilling:
    """Tries copies of the store of some settings."""

    def __init__(self, settings: Settings, copies: CopiesElsewhere, open_at: OpenAt) -> None:
        self._settings, self._copies, self._open_at = settings, copies, open_at

    def drill(self, copy: Copy, told: Told) -> Drill:
        """Restore a copy into a temporary store, compare it and ask it."""
        began = time.time()
        trial = Drill(copy.file, copy.made, began, (), copy.memories or 0)
        try:
            with self._copies.room() as room:
                trial = self._tried(trial, room, told)
        except MilepostError as problem:
            trial = trial._replace(problems=(str(problem),))
        return trial._replace(seconds=round(time.time() - began, 2))

    def _tried(self, trial: Drill, room: Path, told: Told) -> Drill:
        copy, manifest = self._copies.fetch(trial.file, room, told)
        restored = room / "store" / "memory.db"
        maintenance.restore(str(restored), copy, lambda *_: told())
        tables = tables_of(restored, like=copy)
        said = tables_of(copy) if manifest is None else manifest.tables
        problems = tuple(_differing(said, tables))
        rows = sum(count for count, _ in tables.values())
        as_now, changed = self._compared(restored, told)
        fresh = self._settings.alone_at(str(restored))._replace(embedder="static")
        with closing(self._open_at(fresh)) as context:
            asked, found = _asked(context, restored)
        if found < _FOUND_SHARE * asked:
            problems += (f"of {asked} memories that were asked for {found} were found",)
        return trial._replace(
            problems=problems, tables=len(tables), rows=rows, as_now=as_now, changed=changed,
            asked=asked, found=found,
        )  # fmt: skip

    def _compared(self, restored: Path, told: Told) -> tuple[int, int]:
        """Count the parts of spaces that are as in the store now, and those that are not."""
        as_now = changed = 0
        with (
            closing(open_reader(self._settings.url)) as store,
            closing(open_reader(str(restored))) as copy,
        ):
            for same in _alike(store, copy):
                as_now, changed = as_now + same, changed + (not same)
                told()
        return as_now, changed


def _differing(said: Tables, held: Tables) -> Iterator[str]:
    """Yield in words where a copy holds something else than it says."""
    for name in sorted({*said, *held}):
        if said.get(name) != held.get(name):
            rows = [f"{side[name][0] if name in side else 0:,}" for side in (said, held)]
            yield f"the table {name} is not as the copy says ({rows[0]} rows and {rows[1]})"


def _alike(store: Reader, copy: Reader) -> Iterator[bool]:
    """Yield of each part of each space whether it is the same in both."""
    known = set(store.homes())
    for space in copy.homes():
        for side in (store, copy):
            side.enter(space)
            side.count_from(side.firsts())
        for part in PARTS:
            if space not in known or store.count(part) != copy.count(part):
                yield False
            else:
                yield digest_of(part, store.rows(part)) == digest_of(part, copy.rows(part))


def _asked(context: Context, restored: Path) -> tuple[int, int]:
    """Ask a store for memories that it holds; return how many, and how many it found."""
    with closing(open_reader(str(restored))) as side:
        spaces = [space for space in side.homes() if space.isprintable()][:_SPACES]
    asked = found = 0
    for space in spaces:
        within = context.within(space)
        for sample in samples(within):
            asked += 1
            found += any(map(sample.hash.startswith, first_answers(within, sample.question)))
    return asked, found


class Sample(NamedTuple):
    """A question that a memory answers, and the name of that."""

    question: str
    hash: str


def samples(context: Context) -> list[Sample]:
    """Return beginnings of memories as questions, from the newest to the oldest of a space."""
    everything = Filter(context.space, context.clock())
    count = context.store.candidates.page(everything, 1).total
    places = sorted({count * place // QUESTIONS for place in range(QUESTIONS)}) if count else []
    ids = [context.store.candidates.newest(everything, 1, place)[0] for place in places]
    return [_sample(record) for record in context.store.memories.records(ids)]


def _sample(record: Record) -> Sample:
    return Sample(" ".join(record.content.split()[:_WORDS]), record.hash)


def first_answers(context: Context, question: str) -> list[str]:
    """Return the hashes of the first answers to a question."""
    found = Search(lambda: context).search(question, limit=ANSWERS)
    return [memory.hash for memory in found.memories]
