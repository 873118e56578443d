"""What the lines of pages say: headings, paragraphs, and what runs along on every page."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Sequence

from milepost.documents.values import Section
from milepost.reading.outline import Outline
from milepost.values import NamedTuple

Pages = Sequence[Sequence["Line"]]
_Running = tuple[str, int]

# What runs along stands in this part of a page, above and below, on so many of the pages.
_MARGIN = 0.12
_RUNNING_PAGES_MIN, _RUNNING_SHARE_MIN = 3, 0.25
_PAGE_NUMBER = re.compile(
    r"[-–—\s]*(?:page|seite|p\.)?\s*(?:\d{1,5}|[ivxlc]{1,7})(?:\s*(?:of|von|/)\s*\d+)?[-–—\s]*$",
    re.IGNORECASE,
)
_NUMBER_AT_END = re.compile(r"(?<!\S)\d{1,5}$|^\d{1,5}(?!\S)")
_LETTER = re.compile(r"[^\W\d_]{2}")
_WORDS = re.compile(r"\w+")
_LEADERS = re.compile(r"(?:\. ?){4,}|…{2,}")
# Larger than the text by so much, a short line is a heading.
_LARGER = 1.12
_HEADING_MAX, _BOLD_HEADING_MAX = 150, 90
_OUTLINE_MIN, _HEADING_LINES_MAX = 2, 3
# A gap of so many line heights ends a paragraph; a line that ends so far to the left a line.
_GAP, _SHORT, _COLUMN_PT = 0.55, 0.86, 60
_ITEM = re.compile(r"(?:[•▪◦‣*–-]|\(?\d{1,2}[.)])\s")
_HYPHEN = re.compile(r"[^\W\d_]{2,}[-‐]$")


class Line(NamedTuple):
    """A line of text; top, bottom and height are shares of the page's height, from below."""

    text: str
    page: int
    left: float
    bottom: float
    right: float
    top: float
    height: float
    size: float
    is_bold: bool
    is_untold: bool


class Bookmark(NamedTuple):
    """An entry of the outline."""

    title: str
    level: int
    page: int


def sections_of(pages: Pages, outline: Sequence[Bookmark]) -> tuple[Section, ...]:
    """Return what the pages say, under their headings, without what runs along."""
    clean = _without_running(pages, {_said(entry.title) for entry in outline})
    headings = _Marked(outline) if len(outline) >= _OUTLINE_MIN else _Sized(clean)
    known = Counter(word.lower() for page in clean for line in page for word in _words(line))
    result = Outline()
    for lines in clean:
        result.end()
        if lines:
            result.page = lines[0].page
            _add_page(result, lines, headings, known)
    result.end()
    return tuple(result.sections)


def title_of(pages: Pages) -> str:
    """Return the title that stands largest on the first page; nothing where none does."""
    clean = _without_running(pages, set())
    sizes = _Sized(clean)
    return sizes.title if clean else ""


def _words(line: Line) -> list[str]:
    return re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", line.text)


def _without_running(pages: Pages, headings: Container[str]) -> list[list[Line]]:
    """Leave out headers, footers and page numbers, which are neither headings nor large."""
    least = max(_RUNNING_PAGES_MIN, len(pages) * _RUNNING_SHARE_MIN)
    large = _body_size(pages) * _LARGER
    often: Counter[_Running] = Counter()
    for page in pages:
        often.update({key for line in page for key in _running(line)})

    def runs(line: Line) -> bool:
        keys = _running(line)
        if not keys or line.size > large or _said(line.text) in headings:
            return False
        return _PAGE_NUMBER.match(line.text) is not None or any(often[key] >= least for key in keys)

    return [[line for line in page if not runs(line)] for page in pages]


def _body_size(pages: Pages) -> float:
    """Return how large most of the text is."""
    amount: Counter[float] = Counter()
    for page in pages:
        for line in page:
            amount[line.size] += len(line.text)
    return amount.most_common(1)[0][0] if amount else 0.0


def _running(line: Line) -> list[_Running]:
    """Return what a line may have in common with those of other pages in its place.

    That is what it says, or how far the number at an end of it is from that of the page.
    """
    middle = (line.bottom + line.top) / 2
    if _MARGIN < middle < 1 - _MARGIN:
        return []
    keys: list[_Running] = [(line.text.lower(), round(middle * 50))]
    if number := _NUMBER_AT_END.search(line.text):
        keys.append(("", int(number[0]) - line.page))
    return keys


class _Sized:
    """Tells headings by how large or bold they are beside the text."""

    def __init__(self, pages: Pages) -> None:
        self._body = _body_size(pages)
        used: defaultdict[float, list[Line]] = defaultdict(list)
        for page in pages:
            for line in page:
                if self._is_larger(line):
                    used[line.size].append(line)
        sizes = sorted(used, reverse=True)
        self.title, self._title_size = "", 0.0
        if sizes and pages[0] and all(line.page == pages[0][0].page for line in used[sizes[0]]):
            self._title_size = sizes.pop(0)
            self.title = " ".join(line.text for line in used[self._title_size])
        self._levels = {size: level for level, size in enumerate(sizes, 1)}

    def _is_larger(self, line: Line) -> bool:
        return (
            line.size > self._body * _LARGER
            and len(line.text) <= _HEADING_MAX
            and bool(_LETTER.search(line.text))
            and not _LEADERS.search(line.text)
        )

    def level(self, lines: Sequence[Line], at: int) -> int:
        """Return the level of a heading, 0 for what is none."""
        line = lines[at]
        if self._is_larger(line):
            return self._levels.get(line.size, 0)
        return len(self._levels) + 1 if self._is_bold_heading(lines, at) else 0

    def _is_bold_heading(self, lines: Sequence[Line], at: int) -> bool:
        line = lines[at]
        if not line.is_bold or len(line.text) > _BOLD_HEADING_MAX or line.text[-1] in ".,;":
            return False
        after = lines[at + 1] if at + 1 < len(lines) else None
        if after is None or after.is_bold or not _LETTER.search(line.text):
            return False
        return at == 0 or _gap(lines[at - 1], line) > _GAP

    def begin_page(self, lines: Sequence[Line], outline: Outline) -> None:
        """Nothing is to be done where a page begins."""


class _Marked:
    """Tells headings by the outline, at the lines that say the same."""

    def __init__(self, outline: Sequence[Bookmark]) -> None:
        self._by_page: defaultdict[int, list[Bookmark]] = defaultdict(list)
        for entry in outline:
            self._by_page[entry.page].append(entry)
        self._here: dict[int, int] = {}

    def begin_page(self, lines: Sequence[Line], outline: Outline) -> None:
        """Look for the entries of a page; what is not found there is said at its beginning."""
        self._here = {}
        for entry in self._by_page.get(lines[0].page, ()):
            if place := self._place(lines, _said(entry.title)):
                self._here |= dict.fromkeys(place, entry.level)
            else:
                outline.heading(entry.level, " ".join(entry.title.split()))

    def _place(self, lines: Sequence[Line], key: str) -> range:
        """Return the lines that say an entry, the largest where several do."""
        places = [
            range(at, at + count)
            for count in range(1, _HEADING_LINES_MAX + 1)
            for at in range(len(lines) - count + 1)
            if at not in self._here
            and _says(_said(" ".join(line.text for line in lines[at : at + count])), key)
        ]
        if not key or not places:
            return range(0)
        return max(places, key=lambda place: (lines[place[0]].size, lines[place[0]].is_bold))

    def level(self, lines: Sequence[Line], at: int) -> int:  # noqa: ARG002
        """Return the level of a heading, 0 for what is none."""
        return self._here.get(at, 0)


def _said(text: str) -> str:
    return " ".join(_WORDS.findall(text.lower()))


def _says(text: str, key: str) -> bool:
    """Whether a line says what an entry does, but for its number."""
    if text == key:
        return bool(key)
    return bool(key) and len(text) - len(key) <= 12 and text.endswith(key) and text[0].isdigit()


def _gap(above: Line, below: Line) -> float:
    """Return how far two lines are apart, in line heights; a new column is far."""
    if below.bottom >= above.bottom:
        return 9.0 if below.bottom - above.bottom > above.height else 0.0
    return (above.bottom - below.top) / max(below.height, above.height, 1e-6)


def _add_page(
    outline: Outline, lines: Sequence[Line], headings: _Sized | _Marked, known: Counter[str]
) -> None:
    edges = _edges(lines)
    headings.begin_page(lines, outline)
    paragraph, before, heading = "", None, None
    for at, line in enumerate(lines):
        level = headings.level(lines, at)
        if level:
            outline.add(paragraph)
            paragraph, before = "", None
            if heading is not None and heading[0] == level and _gap(lines[at - 1], line) < _GAP:
                heading = (level, f"{heading[1]} {line.text}")
            else:
                heading = (level, line.text)
            outline.heading(*heading)
            continue
        heading = None
        if before is None:
            paragraph = line.text
        elif _gap(before, line) > _GAP:
            outline.add(paragraph)
            # A column that ends within a sentence goes on in the next.
            if before.text[-1] in ".!?:" or _gap(before, line) < 9.0:
                outline.add("")
            paragraph = line.text
        elif before.right < edges[_column(before)] * _SHORT or _ITEM.match(line.text):
            outline.add(paragraph)
            paragraph = line.text
        else:
            paragraph = _joined(paragraph, line.text, known)
        before = line
    outline.add(paragraph)


def _column(line: Line) -> int:
    return int(line.left // _COLUMN_PT)


def _edges(lines: Iterable[Line]) -> dict[int, float]:
    """Return how far to the right the lines of each column go."""
    edges: dict[int, float] = {}
    for line in lines:
        edges[_column(line)] = max(edges.get(_column(line), 0.0), line.right)
    return edges


def _joined(text: str, following: str, known: Counter[str]) -> str:
    """Join two lines of a paragraph, and the word that was broken between them."""
    if not _HYPHEN.search(text) or not following[0].islower():
        return f"{text} {following}"
    begin = re.findall(r"[^\W\d_]+$", text[:-1])[0].lower()
    end = re.match(r"[^\W\d_]+", following)
    rest = end[0].lower() if end else ""
    if known[f"{begin}-{rest}"] > known[begin + rest]:
        return text + following
    return text[:-1] + following
