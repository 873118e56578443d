"""Whose a space is: bins and what finds episodes belong to the space that people named."""

from collections.abc import Callable

from milepost.memory.values import BIN

# A space that begins so holds what finds the episodes or patterns of the space named after it.
BESIDE = "\x1f"


def home_of(space: str, home_of_deed: Callable[[int], str | None]) -> str | None:
    """Return the home of a space; that of a bin is told by its deed."""
    if space.startswith(BIN):
        return home_of_deed(int(space.removeprefix(BIN)))
    return space.partition(" ")[2] if space.startswith(BESIDE) else space
