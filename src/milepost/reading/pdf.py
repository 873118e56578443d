"""PDF: lines of text with their place and size, and the outline, as pdfium tells them."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from math import hypot

import pypdfium2
import pypdfium2.raw as pdfium

from milepost.documents.values import Document
from milepost.reading.moments import moment
from milepost.reading.pdf_layout import Bookmark, Line, sections_of, title_of
from milepost.reading.source import Cannot, Source

PAGES_MAX = 5_000
_ERRORS = {
    pdfium.FPDF_ERR_PASSWORD: "it is encrypted: save it without a password",
    pdfium.FPDF_ERR_SECURITY: "it is encrypted in a way that is not known",
    pdfium.FPDF_ERR_FORMAT: "it is damaged or truncated",
}
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl"}
# Lines, which may end with what pdfium puts where a word is broken.
_PIECES = re.compile("([^\n\x02\ufffe]*)([\n\x02\ufffe]|$)")
_LINE_ENDS = ("\n", "")
_CHARACTERS = str.maketrans({0xAD: None, 0xFFFF: None, **_LIGATURES})
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_BOLD = re.compile(rb"bold|black|heavy|semibold|demi", re.IGNORECASE)
_DATE = re.compile(r"D:(\d{8,14})(Z|[+-]\d{2}'?\d{0,2})?")
_OUTLINE_MAX = 5_000
_UNTOLD_MAX = 0.5
_NAME_BYTES = 128


def read(source: Source) -> Document:
    """Read a PDF."""
    try:
        opened = pypdfium2.PdfDocument(source.data())
    except pypdfium2.PdfiumError as problem:
        told = pdfium.FPDF_GetLastError()
        raise Cannot(_ERRORS.get(told, f"it is damaged ({problem})")) from problem
    pages = list(_pages(source, opened))
    _check_text(source, pages)
    outline = _outline(opened)
    facts = opened.get_metadata_dict(skip_empty=True)
    title = " ".join(facts.get("Title", "").split())
    return Document(
        "pdf",
        title if _is_title(title) else title_of(pages) or source.stem,
        sections_of(pages, outline),
        author=facts.get("Author", ""),
        created=_moment(facts.get("CreationDate", "")),
        metadata={"pages": str(len(opened))},
    )


def _moment(told: str) -> float | None:
    """Return the moment of a date such as "D:20240131120000+01'00'"."""
    found = _DATE.match(told)
    if found is None:
        return None
    date, zone = found[1].ljust(8, "0"), (found[2] or "+00'00").replace("Z", "+00")
    offset = zone.replace("'", "")[:5].ljust(5, "0")
    return moment(f"{date[:8]}T{found[1][8:].ljust(6, '0')[:6]}{offset}")


def _is_title(title: str) -> bool:
    """Whether a title is more than the name of a file that some program left there."""
    return len(title) > 3 and not re.search(
        r"\.(docx?|tex|dvi|indd|qxd|pptx?|html?)$|^untitled", title, re.I
    )


def _pages(source: Source, opened: pypdfium2.PdfDocument) -> Iterator[list[Line]]:
    count = len(opened)
    for number in range(count):
        if number == PAGES_MAX or source.is_time_up():
            why = "" if number == PAGES_MAX else ": its time was up"
            source.note(f"read up to page {number:,} of {count:,}{why}")
            return
        try:
            page = opened[number]
        except pypdfium2.PdfiumError:
            source.note(f"page {number + 1:,} is damaged")
            yield []
            continue
        try:
            yield _lines(page, number + 1)
        finally:
            page.close()


def _check_text(source: Source, pages: list[list[Line]]) -> None:
    """Refuse what has no text, or none that can be told; say which pages have none."""
    lines = [line for page in pages for line in page]
    if not lines:
        raise Cannot("it holds no text but images: it was scanned, and wants text recognition")
    untold = sum(line.is_untold for line in lines) / len(lines)
    if untold > _UNTOLD_MAX:
        raise Cannot("its fonts do not tell which letters they show: it wants text recognition")
    if untold:
        source.note(f"{untold:.0%} of the lines are in fonts that do not tell their letters")
    if empty := sum(not page for page in pages):
        source.note(f"{empty:,} of {len(pages):,} pages hold no text")


def _lines(page: pypdfium2.PdfPage, number: int) -> list[Line]:
    """Return the lines of a page in the order of its content."""
    try:
        text_page = page.get_textpage()
    except pypdfium2.PdfiumError:
        return []
    _width, height = page.get_size()
    lines, begin = [], 0
    for piece, end in _PIECES.findall(_text(text_page)):
        hyphen = "" if end in _LINE_ENDS else "-"
        text = _CONTROLS.sub("", piece.translate(_CHARACTERS)).rstrip() + hyphen
        if piece.strip():
            first = begin + len(piece) - len(piece.lstrip())
            last = begin + len(piece.rstrip()) - 1
            place = _place(text_page, first, last)
            lines.append(_line(text_page, text.strip(), number, (first, last), place, height))
        begin += len(piece) + 1
    text_page.close()
    return lines


def _text(text_page: pypdfium2.PdfTextPage) -> str:
    """Return the text of a page, one character for each of pdfium's."""
    count = pdfium.FPDFText_CountChars(text_page)
    if count <= 0:
        return ""
    buffer = (ctypes.c_ushort * (count + 1))()
    written = pdfium.FPDFText_GetText(text_page, 0, count, buffer)
    units = bytes(buffer)[: 2 * (written - 1)].decode("utf-16-le", "surrogatepass")
    if len(units) != count:
        units = "".join(map(chr, (pdfium.FPDFText_GetUnicode(text_page, i) for i in range(count))))
    return units.replace("\r\n", " \n").replace("\r", "\n")


_Place = tuple[float, float, float, float]


def _place(text_page: pypdfium2.PdfTextPage, first: int, last: int) -> _Place:
    """Return left, bottom, right and top of a line."""
    left, right = _box(text_page, first), _box(text_page, last)
    return left[0], min(left[1], right[1]), right[2], max(left[3], right[3])


def _box(text_page: pypdfium2.PdfTextPage, index: int) -> _Place:
    box = pdfium.FS_RECTF()
    pdfium.FPDFText_GetLooseCharBox(text_page, index, box)
    return box.left, box.bottom, box.right, box.top


def _line(
    text_page: pypdfium2.PdfTextPage,
    text: str,
    page: int,
    span: tuple[int, int],
    place: _Place,
    height: float,
) -> Line:
    first, last = span
    middle = (first + last) // 2
    left, bottom, right, top = place
    return Line(
        text,
        page,
        left,
        bottom / height if height else 0.0,
        right,
        top / height if height else 0.0,
        (top - bottom) / height if height else 0.0,
        min(_size(text_page, first), _size(text_page, middle)),
        all(_is_bold(text_page, index) for index in (first, last)),
        pdfium.FPDFText_HasUnicodeMapError(text_page, middle) == 1,
    )


def _size(text_page: pypdfium2.PdfTextPage, index: int) -> float:
    """Return how large the font of a character is on the page."""
    matrix = pdfium.FS_MATRIX()
    scale = 1.0
    if pdfium.FPDFText_GetMatrix(text_page, index, matrix):
        scale = hypot(matrix.c, matrix.d) or 1.0
    size: float = pdfium.FPDFText_GetFontSize(text_page, index)
    return round(size * scale * 2) / 2


def _is_bold(text_page: pypdfium2.PdfTextPage, index: int) -> bool:
    name, flags = ctypes.create_string_buffer(_NAME_BYTES), ctypes.c_int()
    pdfium.FPDFText_GetFontInfo(text_page, index, name, _NAME_BYTES, flags)
    return bool(_BOLD.search(name.value))


def _outline(opened: pypdfium2.PdfDocument) -> list[Bookmark]:
    """Return the outline that stands beside the text."""
    found: list[Bookmark] = []
    for entry in opened.get_toc(max_depth=8):
        if len(found) == _OUTLINE_MAX:
            break
        place = entry.get_dest()
        page = place.get_index() if place is not None else None
        if page is not None:
            found.append(Bookmark(entry.get_title(), entry.level + 1, page + 1))
    return found
