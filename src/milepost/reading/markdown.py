"""Markdown: headings, fenced code and tables as they are, what stands in front as metadata."""

from __future__ import annotations

import re
from collections.abc import Sequence

from milepost.documents.values import Document
from milepost.reading.front_matter import split_front_matter
from milepost.reading.outline import Outline
from milepost.reading.source import Source

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_RULE_OF_TABLE = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_NO_TITLE = re.compile(r" {0,3}(?:[-*+>|]|\d+[.)]|$)")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*(?:\s\"[^\"]*\")?\)")


def read(source: Source) -> Document:
    """Read Markdown."""
    front, lines, first = split_front_matter(source.text().split("\n"))
    outline = Outline()
    add_markdown(outline, lines, first)
    title = front.get("title") or first_heading(outline) or source.stem
    return Document(
        "markdown",
        title,
        tuple(outline.sections),
        author=front.get("author", ""),
        metadata={name: value for name, value in front.items() if name != "title"},
    )


def first_heading(outline: Outline) -> str:
    """Return the highest heading of a document that has but one so high."""
    tops = {section.heading[0] for section in outline.sections if section.heading}
    return tops.pop() if len(tops) == 1 else ""


def add_markdown(outline: Outline, lines: Sequence[str], first: int = 1) -> None:
    """Add lines of Markdown to an outline, the first of which has a number."""
    number, end = 0, len(lines)
    while number < end:
        line, following = lines[number], lines[number + 1] if number + 1 < end else ""
        if fence := _FENCE.match(line):
            after = _after_fence(lines, number, fence)
            outline.block("\n".join(lines[number:after]), first + number, "code")
            number = after
        elif heading := _HEADING.match(line):
            outline.heading(len(heading[1]), _plain(heading[2] or ""))
            number += 1
        elif (under := _UNDERLINE.match(following)) and not _NO_TITLE.match(line):
            outline.heading(1 if under[1][0] == "=" else 2, _plain(line.strip()))
            number += 2
        elif "|" in line and "|" in following and _RULE_OF_TABLE.match(following):
            after = next(
                (at for at in range(number + 2, end) if "|" not in lines[at]),
                end,
            )
            outline.block("\n".join(lines[number:after]), first + number, "table")
            number = after
        else:
            outline.add(line, first + number)
            number += 1
    outline.end()


def _after_fence(lines: Sequence[str], begin: int, fence: re.Match[str]) -> int:
    """Return where what follows a fenced block begins; one that is not closed goes to the end."""
    mark, told = fence[1], fence[2]
    if mark[0] == "`" and "`" in told:
        return begin + 1
    for number in range(begin + 1, len(lines)):
        text = lines[number].strip()
        if len(text) >= len(mark) and text == mark[0] * len(text):
            return number + 1
    return len(lines)


def _plain(title: str) -> str:
    """Return a heading without the marks of links, code and emphasis."""
    return _LINK.sub(r"\1", title).replace("`", "").replace("**", "").strip(" *_")
