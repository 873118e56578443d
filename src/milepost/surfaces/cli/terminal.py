"""Write for people on a terminal: colours, tables, amounts, progress, questions."""

import re
import sys
import time
from collections.abc import Callable, Sequence
from datetime import datetime

from milepost.config import wants_colour
from milepost.surfaces.cli.command import Misuse

_ESCAPES = re.compile("\x1b\\[[0-9]+m")
_COLOURS = {"red": 31, "green": 32, "yellow": 33, "dim": 2, "bold": 1}
_BAR_CHARS = 24
_EVERY_S = 0.1
_CLEAR_LINE = "\r\x1b[K"


def paint(text: str, colour: str) -> str:
    """Return a text in a colour, where standard output is a terminal that wants colours."""
    if not sys.stdout.isatty() or not wants_colour():
        return text
    return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m"


def table(rows: Sequence[Sequence[object]], head: Sequence[str] = ()) -> str:
    """Return rows as text with aligned columns; the last column may be of any length."""
    cells = [[str(cell) for cell in row] for row in ([head, *rows] if head else rows)]
    if not cells:
        return ""
    widths = [max(_width(row[i]) for row in cells) for i in range(len(cells[0]) - 1)]
    widths.append(0)
    lines = [
        "  ".join(c + " " * (w - _width(c)) for c, w in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]
    return "\n".join([paint(lines[0], "bold"), *lines[1:]] if head else lines)


def _width(cell: str) -> int:
    return len(_ESCAPES.sub("", cell))


def size(count: float) -> str:
    """Return a number of bytes as people read it: 1.2 MB."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1_000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1_000
    return f"{count:.1f} TB"


def moment(seconds: float | None) -> str:
    """Return a moment in local time."""
    if seconds is None:
        return "never"
    return datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M:%S")


def agreed(question: str) -> bool:
    """Ask whether to go on; where nobody can be asked, the call must have said so."""
    if not sys.stdin.isatty():
        raise Misuse("nobody can be asked here: give --yes, or --dry-run to only see the changes")
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def duration(seconds: float) -> str:
    """Return how long something takes as people say it: 40 s, 12 min, 3.5 h."""
    if seconds < 100:
        return f"{max(seconds, 0):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6_000 else f"{seconds / 3_600:.1f} h"


class Progress:
    """Shows a line on standard error while it is a terminal, and takes it away at the end.

    amount: how amounts are written, where they, the rate and the time left are to be told.
    """

    def __init__(self, what: str, amount: Callable[[float], str] | None = None) -> None:
        self._what = what
        self._amount = amount
        self._first: tuple[float, int] | None = None
        self._live = sys.stderr.isatty() and wants_colour()
        self._shown_at = 0.0

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: object) -> None:
        if self._live and self._shown_at:
            print(_CLEAR_LINE, end="", file=sys.stderr, flush=True)

    def __call__(self, done: int, total: int | None = None) -> None:
        """Show what is done, of how much where that is known."""
        now = time.monotonic()
        if not self._live or now - self._shown_at < _EVERY_S:
            return
        self._shown_at = now
        self._first = self._first or (now, done)
        line = f"{self._what} {_bar(done, total)}{self._pace(now, done, total)}"
        print(f"{_CLEAR_LINE}{line}", end="", file=sys.stderr, flush=True)

    def _pace(self, now: float, done: int, total: int | None) -> str:
        if self._amount is None or self._first is None or not total:
            return ""
        began, before = self._first
        counts = f" {self._amount(done)} of {self._amount(total)}"
        if done == before or now == began:
            return counts
        rate = (done - before) / (now - began)
        return f"{counts}, {self._amount(rate)} a second, {duration((total - done) / rate)} left"


class WaitingLine:
    """Says on standard error what is waited for, in one line that is written over on a terminal."""

    def __init__(self) -> None:
        self.is_live = sys.stderr.isatty() and wants_colour()
        self._shown = False

    def __enter__(self) -> "WaitingLine":
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            print(_CLEAR_LINE, end="", file=sys.stderr, flush=True)

    def __call__(self, doing: str, seconds: float) -> None:
        """Show it, and for how long it lasts."""
        if self.is_live:
            self._shown = True
            line = f"{_CLEAR_LINE}{doing}, {seconds:.0f} s"
            print(line, end="", file=sys.stderr, flush=True)


def _bar(done: int, total: int | None) -> str:
    if not total:
        return f"{done:,}"
    filled = round(_BAR_CHARS * done / total)
    return f"[{'#' * filled}{'-' * (_BAR_CHARS - filled)}] {100 * done // total}%"
