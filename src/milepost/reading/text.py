"""Plain text: paragraphs, in the order they stand."""

from __future__ import annotations

from milepost.documents.values import Document, Section
from milepost.reading.source import Source


def read(source: Source) -> Document:
    """Read plain text; a form feed begins a page."""
    sections, line = [], 1
    pages = source.text().split("\f")
    for number, page in enumerate(pages, 1):
        text = page.strip("\n")
        if text.strip():
            begins = line + len(page) - len(page.lstrip("\n"))
            sections.append(Section(text, page=number if len(pages) > 1 else None, line=begins))
        line += page.count("\n")
    return Document("text", source.stem, tuple(sections))
