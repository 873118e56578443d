"""reStructuredText: titles by their underlines, code, tables, directives without marks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from milepost.documents.values import Document
from milepost.reading.markdown import first_heading
from milepost.reading.outline import Outline
from milepost.reading.source import Source

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*\s*$")
_DIRECTIVE = re.compile(r"\s*\.\. ([\w:.-]+)::\s*(.*)$")
_CODE = frozenset(
    {"code", "code-block", "sourcecode", "literalinclude", "parsed-literal", "prompt"}
)
_SILENT = frozenset(
    "image figure toctree contents index include raw highlight currentmodule module meta "
    "only tabularcolumns sectnum".split()
)
_COMMENT = re.compile(r"\s*\.\.(?:\s+(?!\w[\w:.-]*::)|$)")
_OPTION = re.compile(r"\s+:[\w-]+:")
_ROLE = re.compile(r":[\w:+.-]+:`~?([^`<]*?)(?:\s*<[^`>]*>)?`")
_LINK = re.compile(r"`([^`<]+?)\s*<[^`>]*>`__?")
_TABLE = re.compile(r"\s*(?:\+[-=+]{3,}\+|={2,}(?:\s+={2,})+)\s*$")


def read(source: Source) -> Document:
    """Read reStructuredText."""
    outline = Outline()
    _Reading(outline, source.text().split("\n")).run()
    outline.end()
    return Document("rst", first_heading(outline) or source.stem, tuple(outline.sections))


class _Reading:
    """Goes through the lines of a document."""

    def __init__(self, outline: Outline, lines: Sequence[str]) -> None:
        self._outline, self._lines = outline, lines
        self._levels: list[str] = []

    def run(self) -> None:
        number = 0
        while number < len(self._lines):
            number = (
                self._title(number)
                or self._table(number)
                or self._directive(number)
                or self._text(number)
            )

    def _line(self, number: int) -> str:
        return self._lines[number] if number < len(self._lines) else ""

    def _title(self, number: int) -> int:
        """Take a title with its lines; return where to go on, 0 if there is none."""
        line, following = self._line(number), self._line(number + 1)
        over = _ADORNMENT.match(line)
        if over and following.strip() and len(line.strip()) >= 3:
            under = self._line(number + 2)
            if under.strip() == line.strip() and len(under.strip()) >= len(following.strip()):
                return self._begin(f"{over[1]}{over[1]}", following, number + 3)
        mark = _ADORNMENT.match(following)
        if not mark or not line.strip() or line[:1].isspace() or over:
            return 0
        if len(following.strip()) < min(len(line.rstrip()), 4):
            return 0
        return self._begin(mark[1], line, number + 2)

    def _begin(self, style: str, title: str, after: int) -> int:
        if style not in self._levels:
            self._levels.append(style)
        self._outline.heading(self._levels.index(style) + 1, _plain(title.strip()))
        return after

    def _table(self, number: int) -> int:
        if not _TABLE.match(self._line(number)):
            return 0
        end = number
        is_grid = self._line(number).lstrip().startswith("+")
        last = number
        while end < len(self._lines) and (self._line(end).strip() or not is_grid):
            if _TABLE.match(self._line(end)):
                last = end
            elif not self._line(end).strip() and last > number + 1 and end > last:
                break
            end += 1
        last = end - 1 if is_grid else last
        self._outline.block("\n".join(self._lines[number : last + 1]), number + 1, "table")
        return last + 1

    def _directive(self, number: int) -> int:
        line = self._line(number)
        if found := _DIRECTIVE.match(line):
            name, told = found[1].lower(), found[2]
            if name in _CODE:
                return self._block(self._after_options(number + 1), line)
            if name in _SILENT:
                return self._past(number + 1, line)
            if told:
                self._outline.add(_plain(told), number + 1)
            return self._after_options(number + 1)
        return self._past(number + 1, line) if _COMMENT.match(line) else 0

    def _after_options(self, number: int) -> int:
        while _OPTION.match(self._line(number)):
            number += 1
        return number

    def _past(self, number: int, above: str) -> int:
        """Return where what stands deeper than a line ends."""
        margin = len(above) - len(above.lstrip())
        end = number
        while end < len(self._lines):
            line = self._line(end)
            if line.strip() and len(line) - len(line.lstrip()) <= margin:
                break
            end += 1
        return end

    def _block(self, number: int, above: str) -> int:
        end = self._past(number, above)
        while number < end and not self._line(number).strip():
            number += 1
        self._outline.block("\n".join(self._lines[number:end]).strip("\n"), number + 1, "code")
        return end

    def _text(self, number: int) -> int:
        line = self._line(number)
        if line.rstrip().endswith("::"):
            told = _plain(line.rstrip()[:-1]).rstrip(": ") + ":"
            if told != ":":
                self._outline.add(told, number + 1)
            return self._block(number + 1, line)
        self._outline.add(_plain(line), number + 1)
        return number + 1


def _plain(line: str) -> str:
    return _LINK.sub(r"\1", _ROLE.sub(r"\1", line)).replace("``", "`")
