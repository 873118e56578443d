"""Cut what was read of a document into pieces that are remembered: along its own structure.

Sections under one heading are joined while they are small and cut where they are large: between
paragraphs, else between sentences or lines. Where a cut falls depends on what stands around it
alone, so that a change in one place leaves the pieces elsewhere as they are.
"""

from __future__ import annotations

from zlib import crc32

from milepost.text.expressions import lazy
from milepost.text.tokens import estimate
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from milepost.documents.values import Document, Section

# Changes with what the same document is cut into, so that it is cut anew.
CHUNKING = 1
# Tokens of a piece, as measured by bench/documents.py: where it ends if it can, and at the latest.
PROSE, CODE, TABLE, MESSAGE = 160, 320, 200, 200
_BY_KIND = {"text": PROSE, "code": CODE, "table": TABLE, "message": MESSAGE}
_AT_MOST = 1.6
# From this part of its size on a piece may end where the next paragraph happens to allow it.
_ENOUGH, _ONE_IN = 0.7, 3
# A heading is told in so many characters, of all headings above a piece.
_HEADING_CHARS = 160
BETWEEN = " > "

_SENTENCE_END = lazy(r"(?<=[.!?…])[\"'”’)\]]*\s+(?=[^a-z\s])|(?<=[。！？])|\n")
_FENCE = lazy(r"\s{0,3}(```|~~~)")
_BEGINS_AT_MARGIN = lazy(r"\S")


class Chunk(NamedTuple):
    """A piece of a document that is remembered.

    heading: the headings above it, the document's title first.
    text: what it says, below a line of its headings.
    """

    text: str
    heading: tuple[str, ...] = ()
    page: int | None = None
    line: int | None = None
    symbol: str = ""
    author: str = ""
    created: float | None = None


class _Block(NamedTuple):
    """What is not cut but where it is too long: a paragraph, some lines of code, a row."""

    text: str
    tokens: float
    section: Section
    line: int | None
    # What stands between it and the block before.
    gap: str


def chunked(document: Document, size: int | None = None) -> list[Chunk]:
    """Return the pieces of a document, in its order.

    size: tokens of a piece; 0 for whole sections, None for what suits what it holds.
    """
    pieces = (piece for group in _together(document.sections) for piece in _cut(group, size))
    return [_chunk(document, piece) for piece in pieces]


def _together(sections: Iterable[Section]) -> Iterator[list[Section]]:
    """Yield sections that may share a piece: neighbours of one kind below one heading."""
    group: list[Section] = []
    for section in sections:
        if not section.text.strip():
            continue
        if group and not _may_join(group[-1], section):
            yield group
            group = []
        group.append(section)
    if group:
        yield group


def _may_join(before: Section, section: Section) -> bool:
    if section.kind == "message" or before.kind == "message":
        # Who reads an answer wants to know whose it is.
        return before.kind == section.kind and before.author == section.author
    code = (before.kind == "code", section.kind == "code")
    if all(code):
        return before.heading == section.heading and not (before.symbol and section.symbol)
    if any(code) and (before.symbol or section.symbol):
        return False
    near = before.page == section.page or not before.text.rstrip().endswith((".", "!", "?", ":"))
    above = section.heading[:-1] or section.heading
    return near and before.heading[: len(above)] == above


def _cut(sections: Sequence[Section], size: int | None) -> Iterator[list[_Block]]:
    """Yield pieces of sections: so many tokens each, or every section whole."""
    if size == 0:
        yield from (list(_blocks(section)) for section in sections)
        return
    piece: list[_Block] = []
    tokens = 0.0
    for section in sections:
        wanted = float(size or _BY_KIND.get(section.kind, PROSE))
        most = wanted * _AT_MOST
        blocks = [part for block in _blocks(section) for part in _parts(block, wanted, most)]
        whole = sum(block.tokens for block in blocks)
        if piece and tokens + whole > most and section is not sections[0]:
            # A section that does not fit begins a piece of its own.
            yield piece
            piece, tokens = [], 0.0
        for block in blocks:
            if piece and _ends(tokens, block, wanted, most):
                yield piece
                piece, tokens = [], 0.0
            piece.append(block)
            tokens += block.tokens
    if piece:
        yield piece


def _ends(tokens: float, following: _Block, wanted: float, most: float) -> bool:
    """Whether a piece of so many tokens ends before a block."""
    if tokens + following.tokens > most or tokens >= wanted:
        return True
    by_chance = crc32(following.text.encode()) % _ONE_IN == 0
    return tokens >= wanted * _ENOUGH and by_chance


def _blocks(section: Section) -> Iterator[_Block]:
    """Yield the blocks of a section, each with the line that it begins at."""
    lines = section.text.split("\n")
    in_rows = section.kind == "table"
    begin = 0
    fence = ""
    for at in range(1, len(lines) + 1):
        opened = _FENCE.match(lines[at - 1]) if section.kind != "code" else None
        if opened and (not fence or opened[1] == fence):
            fence = "" if fence else opened[1]
        if at < len(lines) and (fence or not (in_rows or _begins(lines, at, section.kind))):
            continue
        text = "\n".join(lines[begin:at]).strip("\n")
        if text.strip():
            gap = "" if not begin else "\n" if in_rows or lines[begin - 1].strip() else "\n\n"
            first = next(place for place in range(begin, at) if lines[place].strip())
            line = None if section.line is None else section.line + first
            yield _Block(text, estimate(text), section, line, gap)
        begin = at


def _begins(lines: Sequence[str], at: int, kind: str) -> bool:
    """Whether a block begins at a line: a paragraph, or in code what follows an empty line."""
    if lines[at - 1].strip() or not lines[at].strip():
        return False
    return kind != "code" or _BEGINS_AT_MARGIN.match(lines[at]) is not None


def _parts(block: _Block, wanted: float, most: float) -> Iterator[_Block]:
    """Yield a block, in parts where it is too long: between lines or sentences, else words."""
    if block.tokens <= most:
        yield block
        return
    in_lines = block.section.kind in ("code", "table") or _FENCE.match(block.text)
    text, gap, line = block.text, block.gap, block.line
    rate = block.tokens / len(text)
    ends = _line_ends(text) if in_lines else [m.end() for m in _SENTENCE_END.finditer(text)]
    for begin, end in _spans(len(text), ends, int(wanted / rate), int(most / rate), text):
        part = text[begin:end]
        here = None if line is None else line + text.count("\n", 0, begin)
        if part.strip():
            shown = part.rstrip() if in_lines else part.strip()
            yield _Block(shown, len(part) * rate, block.section, here, gap)
            gap = "\n" if part.endswith("\n") else " "


def _line_ends(text: str) -> list[int]:
    return [at + 1 for at, char in enumerate(text) if char == "\n"]


def _spans(
    length: int, ends: Sequence[int], wanted: int, most: int, text: str
) -> Iterator[tuple[int, int]]:
    """Yield where the parts of a text lie that end at one of some places, if one is near enough."""
    begin, place = 0, 0
    while length - begin > most:
        best = 0
        while place < len(ends) and ends[place] - begin <= most:
            best = ends[place]
            place += 1
            if best - begin >= wanted:
                break
        if best <= begin:
            space = text.rfind(" ", begin + wanted // 2, begin + most)
            best = space + 1 if space > 0 else begin + max(most, 1)
        yield begin, best
        begin = best
    yield begin, length


def _chunk(document: Document, blocks: Sequence[_Block]) -> Chunk:
    first = blocks[0].section
    above = _common([block.section.heading for block in blocks])
    title = () if document.title in first.heading else (document.title or document.media,)
    heading = tuple(name for name in (*title, *above) if name.strip())
    body = "".join(_bodies(blocks, above))
    rows = _head_row(blocks[0])
    named = (*heading, first.symbol) if "." in first.symbol else heading
    lead = BETWEEN.join(_said(name) for name in named)[-_HEADING_CHARS:]
    text = "\n".join(part for part in (lead, rows, body) if part)
    return Chunk(
        text,
        heading,
        first.page,
        blocks[0].line,
        first.symbol,
        first.author,
        first.created,
    )


def _bodies(blocks: Sequence[_Block], above: tuple[str, ...]) -> Iterator[str]:
    """Yield blocks with what stands between them: headings that not all of them have, and gaps."""
    before: Section | None = None
    for block in blocks:
        if block.section is not before:
            own = block.section.heading[len(above) :]
            if before is not None:
                yield "\n\n"
            if own and (before is None or before.heading != block.section.heading):
                yield f"{BETWEEN.join(map(_said, own))}\n"
        else:
            yield block.gap
        before = block.section
        yield block.text


def _head_row(first: _Block) -> str:
    """Return the row that names the columns, for a part of a table that begins further down."""
    if first.section.kind != "table" or not first.gap:
        return ""
    row = first.section.text.lstrip("\n").split("\n", 1)[0]
    return row if len(row) <= 2 * _HEADING_CHARS else ""


def _common(headings: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the headings that all of some have, the outermost first."""
    count = 0
    for names in zip(*headings, strict=False):
        if any(name != names[0] for name in names):
            break
        count += 1
    return headings[0][:count]


def _said(heading: str) -> str:
    return " ".join(heading.split())
