"""DOCX: headings by style, paragraphs, lists, tables, footnotes; what was deleted stays so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from milepost.documents.values import Document
from milepost.reading.moments import moment
from milepost.reading.outline import Outline
from milepost.reading.packed import Package
from milepost.reading.source import Source

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_HEADING = re.compile(r"heading (\d)$", re.IGNORECASE)
_LEVELS = 9
# Of what stands twice, once for programs that know less, the second is left out.
_SKIPPED = frozenset({f"{_W}del", f"{_W}moveFrom", f"{_W}instrText", f"{_MC}Fallback", f"{_W}pPr"})
_WHITE = {f"{_W}tab": "\t", f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-"}
_AROUND = frozenset(
    f"{_W}{name}" for name in ("sdt", "sdtContent", "customXml", "smartTag", "ins", "moveTo")
)


def read(source: Source) -> Document:
    """Read DOCX."""
    package = Package(source)
    main = next(
        (name for name in package.names if re.fullmatch(r"word/document\d*\.xml", name)), ""
    )
    tree = package.xml(main)
    facts = package.facts()
    reading = _Reading(_levels(package.xml("word/styles.xml")))
    if tree is not None:
        reading.has_pages = tree.find(f".//{_W}lastRenderedPageBreak") is not None
        for block in _blocks(tree):
            if source.is_time_up():
                source.note("read in part: its time was up")
                break
            reading.add(block)
    for part in ("footnotes", "endnotes"):
        reading.add_notes(package.xml(f"word/{part}.xml"), part)
    comments = package.xml("word/comments.xml")
    if comments is not None and len(comments):
        source.note("comments are left out")
    return Document(
        "docx",
        facts.get("title") or reading.title or source.stem,
        tuple(reading.outline.sections),
        author=facts.get("creator", ""),
        created=moment(facts.get("created")),
    )


def _blocks(tree: Any) -> Iterator[Any]:
    """Return the paragraphs and tables of a document in order, however they are wrapped."""
    waiting = [tree.find(f"{_W}body")]
    while waiting:
        element = waiting.pop()
        if element is None:
            continue
        if element.tag in {f"{_W}p", f"{_W}tbl"}:
            yield element
        elif element.tag == f"{_W}body" or element.tag in _AROUND:
            waiting.extend(reversed(element))


def _levels(styles: Any) -> dict[str, int]:
    """Return the level of heading that a style makes, 0 for the title of the document."""
    own: dict[str, int] = {}
    based: dict[str, str] = {}
    for style in styles.iter(f"{_W}style") if styles is not None else ():
        name, key = _value(style, "name").lower(), style.get(f"{_W}styleId", "")
        based[key] = _value(style, "basedOn")
        outline = _value(style, f"pPr/{_W}outlineLvl")
        if heading := _HEADING.match(name):
            own[key] = int(heading[1])
        elif name == "title":
            own[key] = 0
        elif outline.isdigit() and int(outline) < _LEVELS:
            own[key] = int(outline) + 1
    levels = {}
    for key in based:
        above, steps = key, 0
        while above not in own and above in based and steps < _LEVELS:
            above, steps = based[above], steps + 1
        if above in own:
            levels[key] = own[above]
    return levels


def _value(element: Any, path: str) -> str:
    found = element.find(f"{_W}{path}")
    return "" if found is None else str(found.get(f"{_W}val", ""))


class _Reading:
    """What is read so far."""

    def __init__(self, levels: dict[str, int]) -> None:
        self._levels = levels
        self.outline = Outline()
        self.title = ""
        self.has_pages = False
        self._page = 1

    def add(self, block: Any) -> None:
        """Add a paragraph or a table."""
        if self.has_pages:
            self.outline.page = self.outline.page or 1
        if block.tag == f"{_W}tbl":
            rows = (_row(row) for row in block.iterchildren(f"{_W}tr"))
            self.outline.block("\n".join(filter(None, rows)), kind="table")
        else:
            self._add_paragraph(block)
        if self.has_pages and (breaks := sum(1 for _ in block.iter(f"{_W}lastRenderedPageBreak"))):
            self.outline.end()
            self._page += breaks
            self.outline.page = self._page

    def _add_paragraph(self, block: Any) -> None:
        text = _text(block).strip()
        level = self._level(block)
        if level is not None and text and len(text) < 300:
            if level == 0:
                self.title = self.title or " ".join(text.split())
            else:
                self.outline.heading(level, " ".join(text.split()))
        elif text:
            style = _value(block, f"pPr/{_W}pStyle")
            is_listed = block.find(f"{_W}pPr/{_W}numPr") is not None or style.startswith("List")
            self.outline.add(f"- {text}" if is_listed else text)
            if not is_listed:
                self.outline.add("")

    def _level(self, block: Any) -> int | None:
        own = _value(block, f"pPr/{_W}outlineLvl")
        if own.isdigit() and int(own) < _LEVELS:
            return int(own) + 1
        return self._levels.get(_value(block, f"pPr/{_W}pStyle"))

    def add_notes(self, tree: Any, name: str) -> None:
        """Add what stands below pages or at the end."""
        self.outline.heading(1, name.capitalize())
        self.outline.page = None
        for note in tree if tree is not None else ():
            if not note.get(f"{_W}type"):
                self.outline.add(" ".join(_text(one).strip() for one in note.iter(f"{_W}p")))
        self.outline.end()


def _row(row: Any) -> str:
    cells = [
        " ".join(" ".join(_text(one) for one in cell.iter(f"{_W}p")).split())
        for cell in row.iter(f"{_W}tc")
    ]
    return " | ".join(cells) if any(cells) else ""


def _text(paragraph: Any) -> str:
    """Return the text of a paragraph, what stands in boxes within it on lines of their own."""
    pieces: list[str] = []
    waiting = list(reversed(paragraph))
    while waiting:
        element = waiting.pop()
        tag = element.tag
        if tag == f"{_W}t":
            pieces.append(element.text or "")
        elif tag in _WHITE:
            pieces.append(_WHITE[tag])
        elif tag not in _SKIPPED:
            if tag == f"{_W}p":
                pieces.append("\n")
            waiting.extend(reversed(element))
    return "".join(pieces)
