"""Cut a Markdown text into passages that can be understood one by one."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

# A passage of this size is one thing to a reader; a single block may be longer.
_SIZE = 500
_SIZE_MAX = 2_000
_TAG_CHARS_MAX = 40
_FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*$")
_POINT = re.compile(r"(?:[-*+]|\d{1,3}[.)])\s+")
_FENCE = re.compile(r"\s{0,3}(```|~~~)")
# Titles that say no more than the name of the file.
_NOTHING = ("claude-md", "agents-md", "memory-md", "claude", "agents", "memory", "memories")
# A line that only has another file read in its place.
_INCLUDED = re.compile(r"\s*(?:[-*+]\s+)?@\S+\s*")


class Passage(NamedTuple):
    """A text with the headings above it, and those as tags."""

    text: str
    tags: tuple[str, ...]


def passages(text: str) -> list[Passage]:
    """Return the passages of a text: short sections whole, long ones in groups of points."""
    plain = _COMMENT.sub("", _FRONT.sub("", text.replace("\r\n", "\n")))
    return [
        Passage(_under(headings, body), _tags(headings))
        for headings, lines in _sections(plain.split("\n"))
        for body in _grouped(list(_blocks(lines)))
        if len(re.findall(r"\w+", body)) > 1
    ]


def _sections(lines: Sequence[str]) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """Yield the lines below each heading, with the headings that lead there."""
    above: list[tuple[int, str]] = []
    body: list[str] = []
    fenced = False
    for line in lines:
        fenced ^= bool(_FENCE.match(line))
        heading = None if fenced else _HEADING.match(line)
        if not heading:
            body.append(line)
            continue
        yield tuple(name for _, name in above), body
        above = [(level, name) for level, name in above if level < len(heading[1])]
        above.append((len(heading[1]), heading[2]))
        body = []
    yield tuple(name for _, name in above), body


def _blocks(lines: Sequence[str]) -> Iterator[str]:
    """Yield paragraphs, points of a list with what hangs on them, and code as a whole."""
    block: list[str] = []
    fenced = blank = False
    for line in lines:
        begins = not fenced and (_POINT.match(line) or (blank and not line.startswith((" ", "\t"))))
        if begins and line.strip():
            yield "\n".join(block)
            block = []
        fenced ^= bool(_FENCE.match(line))
        blank = not line.strip()
        if fenced or not _INCLUDED.fullmatch(line):
            block.append(line)
    yield "\n".join(block)


def _grouped(blocks: Sequence[str]) -> Iterator[str]:
    group = ""
    for block in (part for whole in blocks for part in _parts(whole.strip("\n"))):
        if group and len(group) + len(block) > _SIZE:
            yield group
            group = ""
        group = f"{group}\n{block}" if group else block
    if group:
        yield group


def _parts(block: str) -> Iterator[str]:
    """Yield a block, cut between lines where it is very long."""
    while len(block) > _SIZE_MAX:
        at = block.rfind("\n", 1, _SIZE_MAX)
        at = at if at > 0 else _SIZE_MAX
        yield block[:at]
        block = block[at:].lstrip("\n")
    if block.strip():
        yield block.rstrip()


def _under(headings: Sequence[str], body: str) -> str:
    if not headings:
        return body
    between = "\n" if "\n" in body else " "
    return f"{' > '.join(headings)}:{between}{body}"


def _tags(headings: Sequence[str]) -> tuple[str, ...]:
    """Return the lower headings as tags; the first one is the title of the file."""
    slugs = [re.sub(r"\W+", "-", name.lower()).strip("-") for name in headings[1:] or headings]
    said = [slug for slug in slugs if slug and slug not in _NOTHING]
    return tuple(dict.fromkeys(slug[:_TAG_CHARS_MAX].rstrip("-") for slug in said))
