"""`milepost profile`: where the time of an operation goes, the first time and again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from statistics import median
from typing import NamedTuple

from milepost.errors import ConfigError
from milepost.phases import Phase, phase, watching
from milepost.surfaces.cli.command import SETTING, Call, Misuse, Subcommand
from milepost.surfaces.cli.terminal import table

TIMES_MAX = 1_000


class Timing(NamedTuple):
    """How long a phase, or a statement of SQL within one, took; several of a name are one.

    again_ms: half of the times after the first one took at most so long.
    """

    name: str
    within: tuple[str, ...]
    times: int
    first_ms: float
    again_ms: float
    statement: bool = False


class Profile(NamedTuple):
    """Where the time of a command goes."""

    command: str
    times: int
    timings: tuple[Timing, ...]

    def __str__(self) -> str:
        rows = [
            (
                f"{'  ' * len(t.within)}{'SQL ' if t.statement else ''}{t.name}",
                f"{t.times:,}" if t.times != 1 else "",
                f"{t.first_ms:,.2f}",
                f"{t.again_ms:,.2f}",
            )
            for t in self.timings
        ]
        return table(rows, ("", "times", "first, ms", f"median of {self.times} more, ms"))


def profile(call: Call) -> Profile:
    """Run a command that reads, first on a store that is closed, and then again and again."""
    words, times = call.values["words"], call.values["times"]
    if not 1 <= times <= TIMES_MAX:
        raise Misuse(f"--times must be from 1 to {TIMES_MAX:,}")
    command, values = _asked(words, call)
    # What stands behind the words of the command is among them.
    call.values = {**call.values, "form": values.get("form", call.values.get("form", "human"))}
    # A warm process would do the work, and nothing of it be seen.
    values[f"{SETTING}daemon"] = "off"
    if Call(values, call.closing).is_remote:
        raise ConfigError(
            "profile looks into its own process, and the memory is a server's: run it beside the "
            "store, or set traces on the server."
        )
    with ExitStack() as closing:
        inner = Call(values, closing)
        first = _watched(command, inner)
        again = [_watched(command, inner) for _ in range(times)]
    return Profile(" ".join(words), times, tuple(_timings(first, again, ())))


def _asked(words: Sequence[str], call: Call) -> tuple[Subcommand, dict[str, object]]:
    """Return the command that is typed, and what it was given."""
    from milepost.surfaces.cli.command_line import all_commands, called_by
    from milepost.surfaces.cli.described import described_operations
    from milepost.surfaces.cli.operation_commands import commands_of
    from milepost.surfaces.cli.parser import Parser

    reading = commands_of(o for o in described_operations() if o.read_only)
    called = called_by(all_commands(), words)
    command = next((c for c in reading if called.command and c.path == called.command.path), None)
    if command is None:
        raise Misuse('name an operation that only reads, such as: milepost profile search "auth"')
    settings = {n: v for n, v in call.values.items() if n.startswith(SETTING)}
    return command, settings | Parser(command).parse(called.words)


def _watched(command: Subcommand, call: Call) -> Phase:
    from milepost.surfaces.cli.printer import as_texts

    whole = Phase(command.path[-1])
    with watching(whole):
        result = command.run(call)
        with phase("rendering"):
            for _ in as_texts(result, str(call.values.get("form", "human"))):
                pass
    return whole


def _timings(first: Phase, again: Sequence[Phase], within: tuple[str, ...]) -> Iterator[Timing]:
    """Yield a phase, its statements, and what it did within, in the order in which it did them."""
    yield Timing(first.name, within, 1, first.ns / 1e6, median(p.ns for p in again) / 1e6)
    yield from _within([first], [[p] for p in again], (*within, first.name))


def _within(
    first: Sequence[Phase], again: Sequence[Sequence[Phase]], within: tuple[str, ...]
) -> Iterator[Timing]:
    for name in _names(first, again):
        own = _inner(first, name)
        others = [_inner(phases, name) for phases in again]
        count = max(len(own), *map(len, others))
        half_ns = median(sum(p.ns for p in phases) for phases in others)
        yield Timing(name, within, count, sum(p.ns for p in own) / 1e6, half_ns / 1e6)
        yield from _within(own, others, (*within, name))
    yield from _statements(first, again, within)


def _names(first: Sequence[Phase], again: Sequence[Sequence[Phase]]) -> Iterator[str]:
    every = [*first, *(p for phases in again for p in phases)]
    return iter(dict.fromkeys(inner.name for p in every for inner in p.inner))


def _inner(phases: Sequence[Phase], name: str) -> list[Phase]:
    return [inner for p in phases for inner in p.inner if inner.name == name]


def _statements(
    first: Sequence[Phase], again: Sequence[Sequence[Phase]], within: tuple[str, ...]
) -> Iterator[Timing]:
    every = [*first, *(p for phases in again for p in phases)]
    for name in dict.fromkeys(name for p in every for name in p.statements):
        count, first_ns = _ran(first, name)
        others = [_ran(phases, name) for phases in again]
        half_ns = median(ns for _, ns in others)
        most = max(count, *(number for number, _ in others))
        yield Timing(name, within, most, first_ns / 1e6, half_ns / 1e6, statement=True)


def _ran(phases: Sequence[Phase], name: str) -> tuple[int, int]:
    found = [p.statements.get(name, (0, 0)) for p in phases]
    return sum(count for count, _ in found), sum(ns for _, ns in found)
