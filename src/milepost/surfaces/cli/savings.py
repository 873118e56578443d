"""`milepost savings`: what models were given and what that saved, and what it saves a team."""

import shutil
import sys
import textwrap
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from milepost.errors import ConfigError, NotFound
from milepost.surfaces.cli.command import Asked, Call, Misuse
from milepost.surfaces.cli.operations import open_memory
from milepost.surfaces.cli.output import View, paint, table
from milepost.text.fence import as_data
from milepost.upkeep.calculator import Calculation, Row, Team, calculate, team_of
from milepost.upkeep.values import Savings, Spending

# Sessions that are shown, and characters of their names: enough to name one with --session.
SESSIONS_SHOWN = 10
NAME_CHARS = 25
BAR_CHARS_MIN = 10
TEXT_CHARS = 79
# Days that have their names below a plot.
DAYS_NAMED = 20
GIVEN, SAVED = "#", "."
_EMPTY = "nothing was handed to a model yet"
_TEAM = Team._fields


def savings(call: Call) -> View:
    """Show what models were given, or calculate from that what a team saves."""
    given = call.given
    if given["calculate"]:
        return _calculated(call)
    if told := next((name for name in _TEAM if given[name] is not None), None):
        raise Misuse(f"--{told} is for the calculator; add --calculate")
    found = _read(call)
    if given["plot"] is not None:
        return View(found, _plotted(found, Path(given["plot"])))
    return View(found, _saved(found))


def _read(call: Call) -> Savings:
    memory = open_memory(call)
    call.asked = Asked(memory, "savings", time.perf_counter())
    return memory.savings(call.given["days"], call.given["session"])


def _saved(found: Savings) -> str:
    total = found.total
    if not total.texts:
        return f"{total.name}: {_EMPTY}"
    sessions = found.sessions[-SESSIONS_SHOWN:]
    left = len(found.sessions) - len(sessions)
    saved = paint(f"{total.saved:.0%} saved", "green")
    parts = [
        f"{total.name}: {total.tokens:,} tokens in place of {total.instead_of:,}, {saved}",
        "",
        _table("day", found.days),
        "",
        _table("session", sessions),
        *([f"({left:,} earlier sessions not shown)"] if left else []),
        *(["", f"{GIVEN} given   {SAVED} saved"] if sys.stdout.isatty() else []),
    ]
    return "\n".join(parts)


def _table(title: str, rows: Sequence[Spending]) -> str:
    head = (title, "texts", "tokens", "in full", "saved")
    cells = _aligned([head, *map(_cells, rows)])
    used = max(len(row[0]) for row in cells) + sum(map(len, cells[0][1:])) + 2 * len(head)
    bars = _bars(rows, shutil.get_terminal_size().columns - used)
    return table([[*row, bar] for row, bar in zip(cells[1:], bars, strict=True)], [*cells[0], ""])


def _aligned(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return rows with all cells but the first as wide as the widest below them, to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [[row[0], *map(str.rjust, row[1:], widths[1:])] for row in rows]


def _cells(row: Spending) -> tuple[str, ...]:
    name = as_data(row.name)[:NAME_CHARS]
    return name, f"{row.texts:,}", f"{row.tokens:,}", f"{row.instead_of:,}", f"{row.saved:.0%}"


def _bars(rows: Sequence[Spending], width: int) -> list[str]:
    """Return a bar for each row; none in a pipe, where they would only be in the way."""
    if not sys.stdout.isatty() or width < BAR_CHARS_MIN:
        return [""] * len(rows)
    longest = max(max(row.tokens, row.instead_of) for row in rows) or 1
    return [_bar(row, width / longest) for row in rows]


def _bar(row: Spending, scale: float) -> str:
    given, whole = round(row.tokens * scale), round(row.instead_of * scale)
    return GIVEN * given + paint(SAVED * max(whole - given, 0), "green")


def _plotted(found: Savings, file: Path) -> str:
    if file.suffix != ".png":
        raise Misuse(f"--plot writes a .png file, not {file.name}")
    if not found.days:
        raise NotFound(f"There is nothing to plot: {_EMPTY}.")
    try:
        from matplotlib.figure import Figure
    except ImportError as problem:
        raise ConfigError(
            'A plot needs matplotlib; pip install "milepost[plots]" brings it.'
        ) from problem
    figure: Any = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    names = [row.name for row in found.days]
    axes.bar(names, [row.instead_of for row in found.days], color="#d0d0d0", label="whole objects")
    axes.bar(names, [row.tokens for row in found.days], color="#3b6fb6", label="given")
    axes.set_ylabel("tokens")
    axes.set_title(f"{found.total.name}: {found.total.saved:.0%} of the tokens saved")
    axes.set_xticks(range(0, len(names), 1 + len(names) // DAYS_NAMED))
    axes.tick_params(axis="x", rotation=45)
    axes.legend()
    figure.savefig(file, dpi=150)
    return f"the plot is in {file}"


def _calculated(call: Call) -> View:
    given, usual = call.given, Team()
    if given["plot"] is not None:
        raise Misuse("--plot shows the ledger; leave out --calculate")
    told = (getattr(usual, name) if given[name] is None else given[name] for name in _TEAM)
    team = team_of(*told)
    found = calculate(_read(call), team)
    return View(found, _calculation(found))


def _calculation(found: Calculation) -> str:
    sign = as_data(found.team.currency).replace("{", "{{").replace("}", "}}")
    rows = [("", "with Milepost", "with whole objects", "saved")]
    rows += [_amounts(row, "{:,.0f}") for row in found.tokens]
    rows += [_amounts(row, sign + "{:,.2f}") for row in found.costs]
    cells = _aligned(rows)
    assumed = [
        textwrap.fill(as_data(line), TEXT_CHARS, initial_indent="- ", subsequent_indent="  ")
        for line in found.assumptions
    ]
    return "\n".join([table(cells[1:], cells[0]), "", "assumed:", *assumed])


def _amounts(row: Row, form: str) -> tuple[str, str, str, str]:
    given, whole = form.format(row.with_milepost), form.format(row.with_whole_objects)
    return row.name, given, whole, f"{row.saved:.0%}"
