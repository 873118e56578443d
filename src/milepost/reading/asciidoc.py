"""AsciiDoc: titles, blocks of code and tables; what stands in front as metadata."""

from __future__ import annotations

import re

from milepost.documents.values import Document
from milepost.reading.markdown import first_heading
from milepost.reading.outline import Outline
from milepost.reading.source import Source

_TITLE = re.compile(r"(={1,6}|#{1,6})\s+(\S.*)$")
_ATTRIBUTE = re.compile(r":(!?[\w-]+!?):\s*(.*)$")
_BLOCKS = {"-": "code", ".": "code", "`": "code", "/": "", "|": "table", "+": ""}
_DELIMITER = re.compile(r"(-{4,}|\.{4,}|`{3,}|/{4,}|\|={3,}|\+{4,})\w*\s*$")
_WRAPPER = re.compile(r"(?:={4,}|\*{4,}|_{4,}|--)\s*$")
_ANNOTATION = re.compile(r"\[[^\]]*\]\s*$")
_MACRO = re.compile(r"(?:image|toc|include)::?[^\[]*\[[^\]]*\]\s*$|'{3,}\s*$|<{3,}\s*$")
_LINK = re.compile(r"(?:link:|xref:|https?://)[^\s\[\]]{1,500}\[([^\[\]\n]{1,300})\]")


def read(source: Source) -> Document:
    """Read AsciiDoc."""
    lines, outline = source.text().split("\n"), Outline()
    facts: dict[str, str] = {}
    number = 0
    while number < len(lines):
        line = lines[number]
        if delimiter := _DELIMITER.match(line):
            number = _add_block(outline, lines, number, delimiter[1])
            continue
        if title := _TITLE.match(line):
            outline.heading(len(title[1]), _plain(title[2]))
        elif attribute := _ATTRIBUTE.match(line):
            facts[attribute[1]] = attribute[2]
        elif not _is_mark(line):
            outline.add(_plain(line.removesuffix(" +")), number + 1)
        number += 1
    outline.end()
    name = first_heading(outline) or source.stem
    return Document(
        "asciidoc", name, tuple(outline.sections), author=facts.get("author", ""), metadata=facts
    )


def _is_mark(line: str) -> bool:
    """Whether a line says how to show others, or nothing to a reader."""
    return bool(
        line.startswith("//")
        or _WRAPPER.match(line)
        or _ANNOTATION.match(line)
        or _MACRO.match(line)
        or line.strip() == "+"
    )


def _add_block(outline: Outline, lines: list[str], begin: int, delimiter: str) -> int:
    """Add what stands between two equal lines; return where to go on."""
    end = begin + 1
    while end < len(lines) and lines[end].rstrip() != delimiter:
        end += 1
    if kind := _BLOCKS[delimiter[0]]:
        outline.block("\n".join(lines[begin + 1 : end]).strip("\n"), begin + 2, kind)
    return end + 1


def _plain(line: str) -> str:
    return _LINK.sub(r"\1", line)
