"""PDFs, made here with a real library."""

from io import BytesIO

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    Frame,
    PageBreak,
    PageTemplate,
    Paragraph,
    SimpleDocTemplate,
)

from milepost.errors import Unreadable

_WORDS = "The harbour master keeps the key of the north gate, and nobody else may have it. "


def _report(pages=4, outline=False):
    """A report with a title, a heading a page, a running header and page numbers."""
    data, styles = BytesIO(), getSampleStyleSheet()
    styles["Title"].fontSize = 24

    def around(canvas, document):
        canvas.setFont("Helvetica", 8)
        canvas.drawString(70, 810, "Harbour report, confidential")
        canvas.drawCentredString(300, 30, f"Page {document.page} of {pages}")
        if outline:
            canvas.bookmarkPage(str(document.page))
            canvas.addOutlineEntry(f"Chapter {document.page}", str(document.page), 0)

    story = [Paragraph("The Harbour", styles["Title"])]
    for number in range(1, pages + 1):
        style = styles["Normal"] if outline else styles["Heading1"]
        story.append(Paragraph(f"Chapter {number}", style))
        story.append(Paragraph(f"Gate {number}. " + _WORDS * 5, styles["Normal"]))
        story.append(Paragraph("Second. " + _WORDS * 5, styles["Normal"]))
        story.append(PageBreak())
    document = SimpleDocTemplate(data, pagesize=A4, author="Ines", title="")
    document.build(story, onFirstPage=around, onLaterPages=around)
    return data.getvalue()


def _drawn(*lines, **options):
    data = BytesIO()
    canvas = Canvas(data, pagesize=A4, **options)
    for height, line in zip(range(750, 0, -14), lines, strict=False):
        canvas.drawString(72, height, line)
    canvas.save()
    return data.getvalue()


def test_headings_are_told_by_their_size_and_pages_by_their_number(read):
    document = read("report.pdf", _report())
    assert (document.media, document.title, document.author) == ("pdf", "The Harbour", "Ines")
    assert document.metadata["pages"] == "4"
    assert [(s.heading, s.page) for s in document.sections] == [
        ((), 1),
        *(((f"Chapter {n}",), n) for n in (1, 2, 3, 4)),
    ]
    assert document.created is not None


def test_what_runs_along_on_every_page_is_left_out_and_paragraphs_are_joined(read):
    document = read("report.pdf", _report())
    for number, section in enumerate(document.sections[1:], 1):
        first, second = section.text.split("\n")
        assert first == f"Gate {number}. " + (_WORDS * 5).strip()
        assert second.startswith("Second. ")
        assert "confidential" not in section.text
        assert "Page" not in section.text


def test_the_outline_tells_headings_that_look_like_text(read):
    document = read("report.pdf", _report(outline=True))
    assert [(s.heading, s.page) for s in document.sections if "Gate" in s.text] == [
        ((f"Chapter {n}",), n) for n in (1, 2, 3, 4)
    ]


def test_two_columns_are_read_one_after_the_other(read):
    data, style = BytesIO(), getSampleStyleSheet()["Normal"]
    frames = [Frame(50, 50, 240, 740), Frame(310, 50, 240, 740)]
    document = BaseDocTemplate(data, pagesize=A4)
    document.addPageTemplates([PageTemplate(frames=frames)])
    document.build([Paragraph(f"Sentence number {n}. {_WORDS}", style) for n in range(1, 40)])
    text = "\n".join(section.text for section in read("columns.pdf", data.getvalue()).sections)
    places = [text.index(f"Sentence number {n}.") for n in range(1, 40)]
    assert places == sorted(places)


def test_a_word_that_is_broken_at_the_end_of_a_line_is_one_word(read):
    document = read(
        "a.pdf",
        _drawn(
            "The committee discussed the state of the adminis-",
            "tration and came to the view that a well-known",
            "fact is a well-",
            "known fact, which the minutes of the meeting say",
        ),
    )
    assert "the administration and came" in document.sections[0].text


def test_an_encrypted_pdf_says_so(read):
    with pytest.raises(Unreadable, match="encrypted: save it without a password"):
        read("secret.pdf", _drawn("Secret", encrypt="password"))


def test_a_pdf_of_images_says_that_it_has_no_text(read):
    data = BytesIO()
    canvas = Canvas(data, pagesize=A4)
    canvas.rect(100, 100, 300, 300, fill=1)
    canvas.save()
    with pytest.raises(Unreadable, match="no text but images"):
        read("scan.pdf", data.getvalue())


def test_a_truncated_pdf_is_read_as_far_as_it_goes_or_refused(read):
    whole = _report()
    with pytest.raises(Unreadable, match="it is damaged"):
        read("report.pdf", whole[: len(whole) // 50])


def test_a_pdf_is_a_pdf_whatever_it_is_called(read):
    assert read("report.txt", _drawn("The text of it")).media == "pdf"
