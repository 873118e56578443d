"""Files made to do harm, or not what they say: each has an answer, none does any."""

import os
import zlib
from contextlib import closing, suppress
from io import BytesIO

import pytest
from reportlab.pdfgen.canvas import Canvas

from milepost.errors import Unreadable
from milepost.reading.reader import Limits, Reader

_SMALL = Limits(file_mb=16, memory_mb=200, cpu_s=1.0, wall_s=60.0)


@pytest.fixture
def limited(tmp_path):
    """Read with little time and memory, in a process of its own."""
    with closing(Reader(_SMALL, workers=1)) as reader:

        def read(name, content):
            path = tmp_path / name
            path.write_bytes(content)
            return reader.read(path)

        yield read


def _pdf_with(stream, *fonts):
    """A PDF of one page whose content unpacks to what was given."""
    packed = zlib.compress(stream, 1)
    parts = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 600 800]>>",
        b"<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
        b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream" % (len(packed), packed),
        *(fonts or (b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",)),
    ]
    data, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(data))
        data += b"%d 0 obj%s endobj\n" % (number, part)
    start = len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n" % (len(parts) + 1)
    data += b"".join(b"%010d 00000 n \n" % at for at in places)
    return data + b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (
        len(parts) + 1,
        start,
    )


def test_a_font_that_does_not_tell_its_letters_is_not_guessed_at(read):
    outer = b"<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H/DescendantFonts[6 0 R]>>"
    inner = b"<</Type/Font/Subtype/CIDFontType2/BaseFont/X/DW 500>>"
    content = b"BT /F 12 Tf 72 700 Td <00410042004300440045> Tj ET"
    with pytest.raises(Unreadable, match="fonts do not tell which letters they show"):
        read("unmapped.pdf", _pdf_with(content, outer, inner))


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("report.pdf", b"MZ\x90\x00" + bytes(100), "it is a Windows program"),
        ("report.txt", b"\x7fELF" + bytes(100), "it is a program"),
        ("page.html", b"\x89PNG\r\n\x1a\n" + bytes(100), "it is an image"),
        ("a.json", b"\x1f\x8b\x08" + bytes(100), "compressed"),
        ("a.md", bytes(range(256)) * 10, "no text, and of no format that is read"),
        ("old.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "an old Office format"),
        ("empty.pdf", b"", "is empty"),
        ("white.md", b" \n \n", "holds no text"),
    ],
)
def test_what_is_not_read_is_refused_with_the_reason(read, name, content, why):
    with pytest.raises(Unreadable, match=why) as refused:
        read(name, content)
    assert refused.value.code == "unreadable"
    assert name in str(refused.value)


def test_text_that_is_called_a_pdf_is_read_as_what_it_is(read):
    document = read("report.pdf", "Only words")
    assert document.media == "text"
    assert document.notes == ("called .pdf, which it is not: read as what it is",)


@pytest.mark.slow
def test_a_pdf_that_unpacks_to_more_than_there_is_memory_ends_alone(limited):
    bomb = _pdf_with(b"BT /F 12 Tf (x) Tj ET " + b" " * (260 << 20))
    assert len(bomb) < 4 << 20
    with pytest.raises(Unreadable, match=r"bomb.pdf cannot be read: "):
        limited("bomb.pdf", bomb)
    assert limited("next.md", b"The next one").sections[0].text == "The next one"


@pytest.mark.slow
def test_a_pdf_of_more_pages_than_there_is_time_for_is_read_in_part(limited):
    data = BytesIO()
    canvas = Canvas(data)
    for number in range(10_000):
        canvas.drawString(72, 700, f"Page {number} says this")
        canvas.showPage()
    canvas.save()
    document = limited("long.pdf", data.getvalue())
    assert document.sections[0].text == "Page 0 says this"
    assert any("read up to page" in note for note in document.notes)


def test_a_file_that_is_too_large_is_refused_unread(limited, tmp_path):
    path = tmp_path / "large.txt"
    with path.open("wb") as file:
        file.truncate(1 << 30)
    with closing(Reader(_SMALL)) as reader, pytest.raises(Unreadable, match="1,024 MB, more than"):
        reader.read(path)


@pytest.mark.slow
def test_one_line_of_many_megabytes_is_cut_and_said_so(read):
    document = read("line.txt", "word " * 5_000_000)
    assert "cut after" in document.notes[0]
    assert len(document.sections[0].text) <= 20_000_000


_NAMES = ("a.md", "a.rst", "a.adoc", "a.html", "a.kt", "a.csv", "a.eml")
_PIECES = ("[](" * 10, "`" * 7 + "\n", "<a " * 9, "| " * 9 + "\n", "((((", " " * 40, "a: b\n")


@pytest.mark.slow
@pytest.mark.parametrize("name", _NAMES)
def test_no_pattern_takes_long_for_what_repeats(read, name):
    for piece in _PIECES:
        document = read(name, "text\n\n" + piece * 3_000)
        assert not any("time" in note for note in document.notes)


def test_what_is_no_file_is_refused(reader, tmp_path):
    os.mkfifo(tmp_path / "pipe.txt")
    for path in (tmp_path, tmp_path / "pipe.txt"):
        with pytest.raises(Unreadable, match="is not a file"):
            reader.read(path)
    with pytest.raises(Unreadable, match="No such file"):
        reader.read(tmp_path / "gone.txt")


def test_the_very_file_that_was_opened_is_read(reader, tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("The file that was checked")
    opened = os.open(path, os.O_RDONLY)
    try:
        path.unlink()
        path.symlink_to("/etc/passwd")
        document = reader.read(path, file=opened)
    finally:
        os.close(opened)
    assert document.sections[0].text == "The file that was checked"


def test_a_name_with_folders_in_it_leads_nowhere(reader, tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("text")
    opened = os.open(path, os.O_RDONLY)
    try:
        document = reader.read(path.with_name("..") / "etc" / "passwd", file=opened)
    finally:
        os.close(opened)
    assert (document.title, document.sections[0].text) == ("passwd", "text")


@pytest.mark.slow
def test_damage_anywhere_in_a_file_is_answered(read):
    data = BytesIO()
    canvas = Canvas(data)
    canvas.drawString(72, 700, "Some words")
    canvas.save()
    whole = data.getvalue()
    answers = set()
    for place in range(0, len(whole), max(len(whole) // 40, 1)):
        with suppress(Unreadable):
            answers.add(
                read("damaged.pdf", whole[:place] + b"\xff\x00(((" + whole[place + 5 :]).media
            )
    assert answers == {"pdf"}
