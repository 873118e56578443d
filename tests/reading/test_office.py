"""DOCX, PPTX and XLSX, made here by the libraries that make them."""

import zipfile
from datetime import datetime
from io import BytesIO

import docx
import openpyxl
import pptx
import pytest

from milepost.errors import Unreadable


def _saved(document):
    data = BytesIO()
    document.save(data)
    return data.getvalue()


def _repacked(data, changes):
    """The archive with some of its parts as given, and others added."""
    result = BytesIO()
    with (
        zipfile.ZipFile(BytesIO(data)) as old,
        zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            if name not in changes:
                new.writestr(name, old.read(name))
        for name, content in changes.items():
            new.writestr(name, content)
    return result.getvalue()


def _report():
    document = docx.Document()
    document.core_properties.author = "Ines"
    document.core_properties.title = ""
    document.add_heading("The Harbour", 0)
    document.add_heading("Gates", 1)
    document.add_paragraph("The north gate is locked.")
    document.add_paragraph("key", style="List Bullet")
    document.add_heading("Keys", 2)
    table = document.add_table(2, 2)
    for cell, text in zip(
        (cell for row in table.rows for cell in row.cells),
        ("gate", "key", "north", "7"),
        strict=True,
    ):
        cell.text = text
    return document


def test_a_docx_has_headings_paragraphs_lists_and_tables(read):
    document = read("report.docx", _saved(_report()))
    assert (document.media, document.title, document.author) == ("docx", "The Harbour", "Ines")
    assert [(s.kind, s.heading, s.text) for s in document.sections] == [
        ("text", ("Gates",), "The north gate is locked.\n\n- key"),
        ("table", ("Gates", "Keys"), "gate | key\nnorth | 7"),
    ]


def test_what_was_inserted_is_read_and_what_was_deleted_is_not(read):
    data = _saved(_report())
    with zipfile.ZipFile(BytesIO(data)) as archive:
        body = archive.read("word/document.xml").decode()
    tracked = (
        "<w:p><w:ins><w:r><w:t>added </w:t></w:r></w:ins><w:del><w:r><w:delText>gone</w:delText>"
        "</w:r></w:del><w:r><w:t>words</w:t></w:r></w:p>"
    )
    body = body.replace("<w:body>", f"<w:body>{tracked}")
    document = read("report.docx", _repacked(data, {"word/document.xml": body}))
    assert document.sections[0].text == "added words"


def test_macros_are_left_out_and_named(read):
    data = _repacked(_saved(_report()), {"word/vbaProject.bin": b"Sub AutoOpen()"})
    document = read("report.docm", data)
    assert "macros are left out" in document.notes
    assert "AutoOpen" not in str(document.sections)


def test_a_pptx_is_read_slide_by_slide_with_its_notes(read):
    show = pptx.Presentation()
    for title in ("Gates", "Keys"):
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = f"All about {title.lower()}"
    show.slides[1].notes_slide.notes_text_frame.text = "Say where it hangs"
    document = read("show.pptx", _saved(show))
    assert [(s.heading, s.page, s.text) for s in document.sections] == [
        (("Gates",), 1, "All about gates"),
        (("Keys",), 2, "All about keys"),
        (("Keys", "Notes"), 2, "Say where it hangs"),
    ]


def test_an_xlsx_is_read_row_by_row_with_the_names_of_columns(read):
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Gates"
    sheet.append(["gate", "locked", "since", "keys"])
    sheet.append(["north", True, datetime(2024, 1, 31), 3])
    sheet.append(["south", False, None, 1.5])
    document = read("gates.xlsx", _saved(book))
    rows = (
        "gate: north; locked: true; since: 2024-01-31; keys: 3\n"
        "gate: south; locked: false; keys: 1.5"
    )
    assert [(s.kind, s.heading, s.line, s.text) for s in document.sections] == [
        ("table", ("Gates",), 2, rows)
    ]


def test_formulas_have_the_values_that_were_saved(read):
    book = openpyxl.Workbook()
    book.active.append(["what", "sum"])
    book.active.append(["all", "=1+2"])
    data = _saved(book)
    assert read("sums.xlsx", data).notes == ("formulas whose values were not saved are left out",)
    with zipfile.ZipFile(BytesIO(data)) as archive:
        name = "xl/worksheets/sheet1.xml"
        sheet = (
            archive.read(name).decode().replace("<v></v>", "<v>3</v>").replace("<v />", "<v>3</v>")
        )
    document = read("sums.xlsx", _repacked(data, {name: sheet}))
    assert document.sections[0].text == "what: all; sum: 3"


@pytest.mark.parametrize("name", ["a.docx", "a.txt"])
def test_another_archive_is_refused(read, name):
    data = BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("../../etc/passwd", "root")
    with pytest.raises(Unreadable, match="it is an archive"):
        read(name, data.getvalue())


def test_external_entities_are_not_read(read, tmp_path):
    (tmp_path / "secret.txt").write_text("the secret")
    data = _saved(_report())
    evil = (
        f'<!DOCTYPE x [<!ENTITY e SYSTEM "file://{tmp_path}/secret.txt">]>'
        '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
        "<w:body><w:p><w:r><w:t>before &e; after</w:t></w:r></w:p></w:body></w:document>"
    )
    document = read("evil.docx", _repacked(data, {"word/document.xml": evil}))
    assert "secret" not in document.sections[0].text


def test_entities_that_multiply_are_not_expanded(read):
    data = _saved(_report())
    entities = '<!ENTITY a0 "lol">' + "".join(
        f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12)
    )
    evil = (
        f"<!DOCTYPE x [{entities}]>"
        '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
        "<w:body><w:p><w:r><w:t>text &a11;</w:t></w:r></w:p></w:body></w:document>"
    )
    changed = _repacked(data, {"word/document.xml": evil})
    with pytest.raises(Unreadable, match=r"document.xml in it is damaged \(Maximum entity"):
        read("evil.docx", changed)


@pytest.mark.parametrize("cut", [0.3, 0.9])
def test_a_truncated_archive_is_refused(read, cut):
    data = _saved(_report())
    with pytest.raises(Unreadable, match="damaged or truncated"):
        read("report.docx", data[: int(len(data) * cut)])


@pytest.mark.slow
def test_an_archive_that_unpacks_to_far_more_is_refused(read):
    data = _repacked(_saved(_report()), {"word/document.xml": b" " * (50 << 20)})
    assert len(data) < 1 << 20
    with pytest.raises(Unreadable, match="times its size"):
        read("bomb.docx", data)


def test_an_encrypted_office_file_says_so(read):
    data = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + "EncryptedPackage".encode("utf-16-le")
    with pytest.raises(Unreadable, match="encrypted: save it without a password"):
        read("secret.docx", data)
