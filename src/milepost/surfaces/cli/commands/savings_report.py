"""`milepost savings`: what models were given and what that saved, and what it saves a team."""

import shutil
import sys
import textwrap
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from milepost.errors import ConfigError, NotFound
from milepost.surfaces.cli.command import Call, Inquiry, Misuse
from milepost.surfaces.cli.printer import View
from milepost.surfaces.cli.terminal import paint, table
from milepost.text.fence import as_data
from milepost.upkeep.calculator import calculate, team_of
from milepost.upkeep.values import Calculation, Savings, Spending, Team, TeamRow

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


def report(call: Call) -> View:
    """Show what models were given, or calculate from that what a team saves."""
    values = call.values
    if values["calculate"]:
        return _calculated(call)
    if option := next((name for name in _TEAM if values[name] is not None), None):
        raise Misuse(f"--{option} is for the calculator; add --calculate")
    savings = _read(call)
    if values["plot"] is not None:
        return View(savings, _plotted(savings, Path(values["plot"])))
    return View(savings, _saved(savings))


def _read(call: Call) -> Savings:
    call.inquiry = Inquiry("savings", time.perf_counter())
    asked = {name: call.values[name] for name in ("days", "session")}
    savings: Savings = call.ask("savings", asked, only_reads=True)
    return savings


def _saved(savings: Savings) -> str:
    total = savings.total
    if not total.texts:
        return f"{total.name}: {_EMPTY}"
    sessions = savings.sessions[-SESSIONS_SHOWN:]
    left = len(savings.sessions) - len(sessions)
    saved = paint(f"{total.saved:.0%} saved", "green")
    parts = [
        f"{total.name}: {total.tokens:,} tokens in place of {total.instead_of:,}, {saved}",
        "",
        _table("day", savings.days),
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
    tokens, whole = round(row.tokens * scale), round(row.instead_of * scale)
    return GIVEN * tokens + paint(SAVED * max(whole - tokens, 0), "green")


def _plotted(savings: Savings, file: Path) -> str:
    if file.suffix != ".png":
        raise Misuse(f"--plot writes a .png file, not {file.name}")
    if not savings.days:
        raise NotFound(f"There is nothing to plot: {_EMPTY}.")
    try:
        from matplotlib.figure import Figure
    except ImportError as problem:
        raise ConfigError(
            'A plot needs matplotlib; pip install "milepost[plots]" brings it.'
        ) from problem
    figure: Any = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    names = [row.name for row in savings.days]
    axes.bar(
        names, [row.instead_of for row in savings.days], color="#d0d0d0", label="whole objects"
    )
    axes.bar(names, [row.tokens for row in savings.days], color="#3b6fb6", label="given")
    axes.set_ylabel("tokens")
    axes.set_title(f"{savings.total.name}: {savings.total.saved:.0%} of the tokens saved")
    axes.set_xticks(range(0, len(names), 1 + len(names) // DAYS_NAMED))
    axes.tick_params(axis="x", rotation=45)
    axes.legend()
    figure.savefig(file, dpi=150)
    return f"the plot is in {file}"


def _calculated(call: Call) -> View:
    values, usual = call.values, Team()
    if values["plot"] is not None:
        raise Misuse("--plot shows the ledger; leave out --calculate")
    numbers = (getattr(usual, name) if values[name] is None else values[name] for name in _TEAM)
    team = team_of(*numbers)
    calculation = calculate(_read(call), team)
    return View(calculation, _calculation(calculation))


def _calculation(calculation: Calculation) -> str:
    sign = as_data(calculation.team.currency).replace("{", "{{").replace("}", "}}")
    rows = [("", "with Milepost", "with whole objects", "saved")]
    rows += [_amounts(row, "{:,.0f}") for row in calculation.tokens]
    rows += [_amounts(row, sign + "{:,.2f}") for row in calculation.costs]
    cells = _aligned(rows)
    assumed = [
        textwrap.fill(as_data(line), TEXT_CHARS, initial_indent="- ", subsequent_indent="  ")
        for line in calculation.assumptions
    ]
    return "\n".join([table(cells[1:], cells[0]), "", "assumed:", *assumed])


def _amounts(row: TeamRow, form: str) -> tuple[str, str, str, str]:
    cost, whole = form.format(row.with_milepost), form.format(row.with_whole_objects)
    return row.name, cost, whole, f"{row.saved:.0%}"
