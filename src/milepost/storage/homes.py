"""Whose a space is: bins and what finds episodes belong to the space that people named."""

from collections.abc import Callable

from milepost.memory.values import BIN, ENTRIES


def home_of(space: str, home_of_deed: Callable[[int], str | None]) -> str | None:
    """Return the home of a space; that of a bin is told by its deed."""
    if space.startswith(BIN):
        return home_of_deed(int(space.removeprefix(BIN)))
    return space.partition(" ")[2] if space.startswith(ENTRIES) else space
