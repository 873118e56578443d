"""Write documents in several formats with the libraries that people write them with."""

from collections.abc import Callable, Sequence
from pathlib import Path
from xml.sax.saxutils import escape


def markdown(path: Path, title: str, paragraphs: Sequence[str]) -> None:
    """Write Markdown, or what a project wrote as such."""
    del title
    path.write_text("\n\n".join(paragraphs) + "\n", "utf-8")


def html(path: Path, title: str, paragraphs: Sequence[str]) -> None:
    """Write a page as static sites have them: with a menu and a foot that say nothing."""
    from lxml.builder import E
    from lxml.html import tostring

    body = [E.p(text) for text in map(printable, paragraphs)]
    page = E.html(
        E.head(E.title(title)),
        E.body(
            E.nav(E.ul(E.li("Home"), E.li("Docs"))),
            E.main(E.h1(title), *body),
            E.footer(E.p("Edit this page")),
        ),
    )
    path.write_bytes(tostring(page, doctype="<!DOCTYPE html>", encoding="utf-8"))


def docx(path: Path, title: str, paragraphs: Sequence[str]) -> None:
    """Write a document of Word."""
    from docx import Document

    document = Document()
    document.add_heading(title, 1)
    for text in paragraphs:
        document.add_paragraph(printable(text))
    document.save(str(path))


def pdf(path: Path, title: str, paragraphs: Sequence[str]) -> None:
    """Write pages with a title and a number each."""
    from reportlab.lib.pagesizes import A4
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import Paragraph, SimpleDocTemplate

    styles = getSampleStyleSheet()
    lines = [Paragraph(escape(title), styles["Heading1"])]
    lines += [Paragraph(escape(printable(text)), styles["BodyText"]) for text in paragraphs]
    SimpleDocTemplate(str(path), pagesize=A4, title=title).build(lines)


def printable(text: str) -> str:
    """Return a text without the controls that no format takes."""
    return "".join(char for char in text if char.isprintable() or char in "\n\t")


WRITERS: dict[str, Callable[[Path, str, Sequence[str]], None]] = {
    "md": markdown,
    "html": html,
    "docx": docx,
    "pdf": pdf,
}


def text_pages(path: Path, title: str, pages: Sequence[str]) -> None:
    """Write plain text with a form feed between pages."""
    del title
    path.write_text("\f".join(pages), "utf-8")


def pdf_pages(path: Path, title: str, pages: Sequence[str]) -> None:
    """Write a PDF of which each text is a page."""
    from reportlab.lib.pagesizes import A4
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate

    style = getSampleStyleSheet()["BodyText"]
    parts = [[Paragraph(escape(printable(text)), style), PageBreak()] for text in pages]
    lines = [one for part in parts for one in part]
    SimpleDocTemplate(str(path), pagesize=A4, title=title).build(lines)


PAGED: dict[str, Callable[[Path, str, Sequence[str]], None]] = {
    "txt": text_pages,
    "pdf": pdf_pages,
}
