"""The lists that ship with the rules: shapes of tokens, words of recovery phrases."""

from __future__ import annotations

from os.path import dirname, join


def lines(name: str) -> list[str]:
    """Return the lines of a list, without its comments."""
    # Importing pathlib takes longer than what is done here.
    with open(join(dirname(__file__), "data", name), encoding="utf-8") as file:  # noqa: PTH118, PTH120, PTH123
        return [line for line in file.read().splitlines() if not line.startswith("#")]
