"""PPTX: slide by slide the title, the text of shapes and tables, and the notes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from milepost.documents.values import Document
from milepost.reading.moments import moment
from milepost.reading.outline import Outline
from milepost.reading.packed import Package
from milepost.reading.source import Source

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_TITLES = frozenset({"title", "ctrTitle"})
# Of placeholders: what runs along on every slide.
_RUNNING = frozenset({"dt", "ftr", "sldNum", "hdr", "sldImg"})


def read(source: Source) -> Document:
    """Read PPTX."""
    package = Package(source)
    facts, outline = package.facts(), Outline()
    first = ""
    for number, name in enumerate(_slides(package), 1):
        if source.is_time_up():
            source.note(f"read up to slide {number - 1}: its time was up")
            break
        slide = package.xml(name)
        if slide is None:
            continue
        outline.page = number
        title = _add_slide(outline, slide)
        first = first or title
        notes = [
            target for kind, target in package.relations(name).values() if kind == "notesSlide"
        ]
        for target in notes:
            _add_notes(outline, package.xml(target))
    return Document(
        "pptx",
        facts.get("title") or first or source.stem,
        tuple(outline.sections),
        author=facts.get("creator", ""),
        created=moment(facts.get("created")),
    )


def _slides(package: Package) -> Iterator[str]:
    """Return the parts that are slides, in the order they are shown."""
    relations = package.relations("ppt/presentation.xml")
    tree = package.xml("ppt/presentation.xml")
    for one in tree.iter(f"{_P}sldId") if tree is not None else ():
        kind, target = relations.get(one.get(f"{_R}id", ""), ("", ""))
        if kind == "slide":
            yield target


def _add_slide(outline: Outline, slide: Any) -> str:
    shapes = list(_shapes(slide))
    title = " ".join(
        " ".join(_lines(shape)) for shape in shapes if _placeholder(shape) in _TITLES
    ).strip()
    outline.heading(1, title)
    for shape in shapes:
        if shape.tag == f"{_P}graphicFrame":
            for table in shape.iter(f"{_A}tbl"):
                rows = (_row(row) for row in table.iter(f"{_A}tr"))
                outline.block("\n".join(filter(None, rows)), kind="table")
        elif _placeholder(shape) not in _TITLES | _RUNNING:
            for line in _lines(shape):
                outline.add(line)
            outline.add("")
    outline.end()
    if title and not (outline.sections and outline.sections[-1].page == outline.page):
        outline.block(title)
    return title


def _add_notes(outline: Outline, notes: Any) -> None:
    outline.heading(2, "Notes")
    for shape in _shapes(notes) if notes is not None else ():
        if _placeholder(shape) not in _RUNNING:
            for line in _lines(shape):
                outline.add(line)
    outline.heading(2, "")


def _shapes(slide: Any) -> Iterator[Any]:
    """Return the shapes of a slide, those of groups too."""
    yield from slide.iter(f"{_P}sp", f"{_P}graphicFrame")


def _placeholder(shape: Any) -> str:
    found = shape.find(f"{_P}nvSpPr/{_P}nvPr/{_P}ph")
    return "" if found is None else str(found.get("type", "body"))


def _lines(shape: Any) -> list[str]:
    body = shape.find(f"{_P}txBody")
    texts = (_text(one) for one in body.iter(f"{_A}p")) if body is not None else ()
    return [text for text in texts if text]


def _text(paragraph: Any) -> str:
    pieces = (
        "\n" if one.tag == f"{_A}br" else one.text or ""
        for one in paragraph.iter(f"{_A}t", f"{_A}br")
    )
    return "".join(pieces).strip()


def _row(row: Any) -> str:
    cells = [" ".join(_text(one) for one in cell.iter(f"{_A}p")) for cell in row.iter(f"{_A}tc")]
    return " | ".join(cells) if any(cells) else ""
