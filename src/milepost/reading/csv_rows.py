"""CSV and TSV: rows, whatever their values are separated by."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence

from milepost.documents.values import Document
from milepost.reading.outline import Outline
from milepost.reading.rows import add_rows
from milepost.reading.source import Cannot, Source

_SAMPLE_LINES, _FIELD_MAX = 20, 10_000_000


def read(source: Source) -> Document:
    """Read CSV or TSV."""
    text, outline = source.text(), Outline()
    csv.field_size_limit(_FIELD_MAX)
    try:
        add_rows(outline, source, _rows(text))
    except csv.Error as problem:
        raise Cannot(f"it is no table ({problem})") from problem
    return Document("csv", source.stem, tuple(outline.sections))


def _rows(text: str) -> Iterator[tuple[int, Sequence[str]]]:
    reader = csv.reader(io.StringIO(text), delimiter=_separator(text[:100_000]), strict=False)
    number = 1
    for row in reader:
        yield number, [" ".join(value.split()) for value in row]
        number = reader.line_num + 1


def _separator(text: str) -> str:
    """Return what most of the first lines have equally many of."""
    lines = [line for line in text.split("\n")[:_SAMPLE_LINES] if line.strip()]
    best, most = ",", 0
    for sign in ",\t;|":
        counted = Counter(line.count(sign) for line in lines)
        counted.pop(0, None)
        agreed = max(counted.values(), default=0)
        if agreed > most:
            best, most = sign, agreed
    return best
