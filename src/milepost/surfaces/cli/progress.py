"""One line on a terminal that tells how far long work has come."""

import sys
import time

from milepost.config import wants_colour

_WIDTH = 24
_EVERY_S = 0.1
_CLEAR = "\r\x1b[K"


class Progress:
    """Shows a line on standard error while it is a terminal, and takes it away at the end."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._live = sys.stderr.isatty() and wants_colour()
        self._shown_at = 0.0

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: object) -> None:
        if self._live and self._shown_at:
            print(_CLEAR, end="", file=sys.stderr, flush=True)

    def __call__(self, done: int, total: int | None = None) -> None:
        """Show what is done, of how much where that is known."""
        now = time.monotonic()
        if not self._live or now - self._shown_at < _EVERY_S:
            return
        self._shown_at = now
        print(f"{_CLEAR}{self._what} {_bar(done, total)}", end="", file=sys.stderr, flush=True)


def _bar(done: int, total: int | None) -> str:
    if not total:
        return f"{done:,}"
    filled = round(_WIDTH * done / total)
    return f"[{'#' * filled}{'-' * (_WIDTH - filled)}] {100 * done // total}%"
