"""XLSX: the rows of each sheet, formulas by the values they had when it was saved."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

from python_calamine import CalamineError, CalamineWorkbook

from milepost.documents.values import Document
from milepost.reading.moments import moment
from milepost.reading.outline import Outline
from milepost.reading.packed import Package
from milepost.reading.rows import add_rows
from milepost.reading.source import Cannot, Source

_UNCOMPUTED = re.compile(rb"</f>(?:<v\s*/>|<v></v>)?</c>|<f>[^<]*</f></c>")


def read(source: Source) -> Document:
    """Read XLSX."""
    package = Package(source)
    facts, outline = package.facts(), Outline()
    sheets = [name for name in package.names if re.fullmatch(r"xl/worksheets/[^/]+\.xml", name)]
    # Measures what it unpacks to, before somebody else unpacks it.
    if any(_UNCOMPUTED.search(package.part(name)) for name in sheets):
        source.note("formulas whose values were not saved are left out")
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(source.data()))
        names = book.sheet_names
        for name in names:
            outline.heading(1, name)
            sheet = book.get_sheet_by_name(name)
            begin = (sheet.start or (0, 0))[0] + 1
            add_rows(outline, source, _rows(sheet.iter_rows(), begin))
    except CalamineError as problem:
        raise Cannot(f"it is damaged ({problem})") from problem
    return Document(
        "xlsx",
        facts.get("title") or source.stem,
        tuple(outline.sections),
        author=facts.get("creator", ""),
        created=moment(facts.get("created")),
        metadata={"sheets": ", ".join(names)},
    )


def _rows(rows: Any, begin: int) -> Iterator[tuple[int, Sequence[str]]]:
    for number, row in enumerate(rows, begin):
        yield number, [_value(value) for value in row]


def _value(value: object) -> str:
    """Return a value as it would be said."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.12g}"
    if isinstance(value, datetime):
        whole = value.time() == time()
        return str(value.date()) if whole else value.isoformat(" ", "seconds")
    if isinstance(value, date | time | timedelta):
        return str(value)
    return " ".join(str(value).split())
