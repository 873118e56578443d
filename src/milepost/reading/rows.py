"""Rows of a table as text: each value with the name of its column."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from milepost.reading.outline import Outline
from milepost.reading.source import Source

# Rows are told in sections of about so much, each with its first row's number.
_SECTION_CHARACTERS = 1_000
_CHECK_ROWS = 1_000
_NUMBERLIKE = frozenset("0123456789.,-+%€$ ")


def add_rows(outline: Outline, source: Source, rows: Iterable[tuple[int, Sequence[str]]]) -> None:
    """Add numbered rows, the first of which may name the columns."""
    names: Sequence[str] | None = None
    lines: list[str] = []
    first = size = 0
    for count, (number, row) in enumerate(rows):
        if count % _CHECK_ROWS == 0 and source.is_time_up():
            source.note(f"read up to row {number:,}: its time was up")
            break
        if not any(row):
            continue
        if names is None:
            names = row if _names_columns(row) else ()
            if names:
                continue
        text = _told(names, row)
        if size and size + len(text) > _SECTION_CHARACTERS:
            outline.block("\n".join(lines), first, "table")
            lines, size = [], 0
        first = first if lines else number
        lines.append(text)
        size += len(text)
    if not lines and names and not outline.sections:
        lines, first = [" | ".join(filter(None, names))], 1
    outline.block("\n".join(lines), first, "table")


def _names_columns(row: Sequence[str]) -> bool:
    """Whether a row holds names: some, each another, and no numbers."""
    told = [value for value in row if value]
    if len(told) < 2 or len(set(told)) < len(told):
        return False
    return not any(set(value) <= _NUMBERLIKE or len(value) > 100 for value in told)


def _told(names: Sequence[str], row: Sequence[str]) -> str:
    if not names:
        return " | ".join(row)
    told = []
    for place, value in enumerate(row):
        if value:
            name = names[place] if place < len(names) and names[place] else f"column {place + 1}"
            told.append(f"{name}: {value}")
    return "; ".join(told)
