"""`milepost migrate`: bring a store up to date, or copy memories from one store to another."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import NamedTuple

from milepost.config import Settings
from milepost.drilling import ANSWERS, first_answers, samples
from milepost.location import shown
from milepost.opening import open_context
from milepost.storage import maintenance, store_file
from milepost.storage.moving.copying import CopiedSpace, copy_spaces
from milepost.storage.moving.parts import MEMORIES, PARTS
from milepost.storage.moving.sides import open_reader
from milepost.surfaces.cli.command import Call, Misuse
from milepost.surfaces.cli.dry_run import Rehearsed
from milepost.surfaces.cli.printer import View
from milepost.surfaces.cli.terminal import Progress, table
from milepost.text.lines import counted
from milepost.upkeep.alerts.watching import replaced
from milepost.upkeep.values import PendingMigration, SchemaState

# Of so many the first answer must be the same: two kinds of store round otherwise.
_SAME_SHARE = 0.9


class Answers(NamedTuple):
    """Of how many questions both stores gave the same first answer, and the same first five."""

    asked: int
    same_first: int
    same_five: int

    @property
    def agree(self) -> bool:
        """Whether the stores answer alike."""
        return self.same_first >= _SAME_SHARE * self.asked

    def __str__(self) -> str:
        return (
            f"{self.same_first} of {counted(self.asked, 'question')} have the same first answer, "
            f"{self.same_five} the same first {ANSWERS}"
        )


def migrate(call: Call) -> object:
    """Bring the store up to date, say what that would do, or copy to another one."""
    source, target = call.values.get("source"), call.values.get("target")
    if source or target:
        if not (source and target) or call.values["check"]:
            raise Misuse("--from and --to go together, and without --check")
        return _copy(call, source, target)
    state = maintenance.schema_state(call.settings.url)
    if call.values["check"]:
        return View(state, _told(state), ready=state.safe)
    runs = [script for script in state.pending if script.safe]
    if call.dry_run:
        return Rehearsed(tuple(f"apply {script.name}" for script in runs) or ("change nothing",))
    # Opening a store brings it up to date.
    open_context(call.settings._replace(embedder="static")).close()
    now = maintenance.schema_state(call.settings.url)
    told = f"{_told(now)}\n`milepost measure recall` says what it finds now" if runs else _told(now)
    return View(now, told, ready=now.safe)


def _told(state: SchemaState) -> str:
    rows = [("store", state.file), ("schema", f"{state.schema} of {state.known}")]
    lines = [table(rows), *map(_line, state.pending)]
    if not state.pending:
        lines.append("nothing is to be done")
    elif not state.safe:
        lines.append("not all of it can run now")
    return "\n".join(lines)


def _line(script: PendingMigration) -> str:
    kind = "takes away what older versions need" if script.contracts else "only adds"
    when = "can run now" if script.safe else f"waits: {'; '.join(script.waits_for)}"
    return f"{script.name} {kind}, {when}"


def _copy(call: Call, source: str, target: str) -> object:
    """Copy spaces, and compare what came of it with what was there."""
    spaces = [call.flags["space"]] if "space" in call.flags else None
    _ = call.settings  # which name the key, if one of them is encrypted
    maintenance.key_of_store(source)  # refused before anything is made
    if call.dry_run:
        return Rehearsed(tuple(_planned(source, target, spaces)))
    path = store_file(target)
    if path is not None:  # made, or brought up to date
        open_context(_settings(call, target)).close()
    with Progress("copy", "{:,.0f}".format) as progress:
        copied = copy_spaces(
            source, target, spaces, replace=call.values["replace"], progress=progress
        )
    answers = _compared(_settings(call, source), _settings(call, target), copied)
    return _result(copied, answers)


def _settings(call: Call, url: str) -> Settings:
    return call.settings.alone_at(url)._replace(embedder="static")


def _planned(source: str, target: str, spaces: Sequence[str] | None) -> Iterator[str]:
    memories = next(part for part in PARTS if part.name == MEMORIES)
    with closing(open_reader(source)) as side:
        for space in side.homes() if spaces is None else spaces:
            side.enter(space)
            rows = sum(map(side.count, PARTS))
            count = counted(side.count(memories), "memory")
            yield f"copy {space} ({count}, {rows:,} rows) to {shown(target)}"


def _compared(source: Settings, target: Settings, copied: Sequence[CopiedSpace]) -> Answers:
    """Put the same questions to both stores; the source is only read."""
    answers = Answers(0, 0, 0)
    with (
        closing(open_context(source, read_only=True)) as before,
        closing(open_context(target)) as after,
    ):
        replaced(after, [space.space for space in copied])
        for space in copied:
            asked = before.within(space.space), after.within(space.space)
            for sample in samples(asked[0]):
                first, second = (first_answers(context, sample.question) for context in asked)
                answers = Answers(
                    answers.asked + 1,
                    answers.same_first + (first[:1] == second[:1]),
                    answers.same_five + (first == second),
                )
    return answers


def _result(copied: Sequence[CopiedSpace], answers: Answers) -> View:
    rows = [
        (
            space.space,
            f"{_rows_of(space, MEMORIES):,}",
            f"{sum(part.target.rows for part in space.parts):,}",
            "yes" if space.resumed else "no",
            "the same" if space.agrees else f"differs: {', '.join(_differing(space))}",
        )
        for space in copied
    ]
    head = ("space", "memories", "rows", "went on", "compared")
    lines = [table(rows, head) if rows else "there is nothing to copy", str(answers)]
    whole = all(space.agrees for space in copied)
    if not whole:
        lines.append("The source changed meanwhile; copy again with --replace while nobody writes.")
    data = {"spaces": copied, "answers": answers}
    return View(data, "\n".join(lines), ready=whole and answers.agree)


def _rows_of(space: CopiedSpace, name: str) -> int:
    return next(part.target.rows for part in space.parts if part.name == name)


def _differing(space: CopiedSpace) -> list[str]:
    return [
        f"{part.name} ({part.source.rows:,} and {part.target.rows:,} rows)"
        for part in space.parts
        if not part.agrees
    ]
