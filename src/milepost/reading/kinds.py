"""Tells what a document is, by what is in it before what it is called."""

from __future__ import annotations

import os
import re
import zipfile

from milepost.reading.formats import BY_ENDING, BY_MEDIA, Format
from milepost.reading.source import Cannot, Source

# What is not read, by how it begins; what is read has no place here.
_FOREIGN = (
    (b"MZ", "a Windows program"),
    (b"\x7fELF", "a program"),
    (b"\xcf\xfa\xed\xfe", "a program"),
    (b"\xca\xfe\xba\xbe", "a program"),
    (b"\x00asm", "a WebAssembly program"),
    (b"\x89PNG", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"GIF8", "an image"),
    (b"BM", "an image"),
    (b"II*\x00", "an image"),
    (b"MM\x00*", "an image"),
    (b"RIFF", "sound, video or an image"),
    (b"OggS", "sound or video"),
    (b"ID3", "sound"),
    (b"fLaC", "sound"),
    (b"\x1aE\xdf\xa3", "video"),
    (b"\x1f\x8b", "compressed (gzip): unpack it first"),
    (b"BZh", "compressed (bzip2): unpack it first"),
    (b"\xfd7zXZ", "compressed (xz): unpack it first"),
    (b"\x28\xb5\x2f\xfd", "compressed (zstd): unpack it first"),
    (b"7z\xbc\xaf", "an archive: unpack it first"),
    (b"Rar!", "an archive: unpack it first"),
    (b"SQLite format 3", "a database"),
    (b"{\\rtf", "RTF, which is not read: save it as DOCX"),
    (b"%!PS", "PostScript, which is not read: make a PDF of it"),
    (b"\xd0\xcf\x11\xe0", "old"),
)
_OFFICE = (("word/", "docx"), ("ppt/", "pptx"), ("xl/", "xlsx"))
_HTML = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*<(?:!doctype\s+html|html)\b", re.I | re.S
)
_MAIL = re.compile(rb"(?:^[A-Za-z-]+:[^\n]*\n(?:[ \t][^\n]*\n)*){3}", re.M)
_MAIL_NAMES = (b"from:", b"subject:", b"date:", b"message-id:", b"received:", b"to:")


def kind_of(source: Source, media: str) -> Format:
    """Return the format of a document; Cannot says why it is not read."""
    ending = os.path.splitext(source.name)[1].lower()  # noqa: PTH122 -- only a name
    claimed = BY_MEDIA.get(media) or BY_ENDING.get(ending) or BY_ENDING.get(source.name.lower())
    if media and media not in BY_MEDIA:
        raise Cannot(f"the format {media} is not known; known are {', '.join(sorted(BY_MEDIA))}")
    packed = _packed(source)
    if packed is not None:
        return packed
    if claimed is not None and claimed.is_packed:
        claimed = None
        source.note(f"called {ending or media}, which it is not: read as what it is")
    return claimed or _guessed(source)


def _packed(source: Source) -> Format | None:
    """Return the format of what is no text; None for a text."""
    head = source.head
    if b"%PDF-" in head[:1_024]:
        return BY_MEDIA["pdf"]
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _zipped(source)
    for start, what in _FOREIGN:
        if head.startswith(start) and (len(start) > 2 or b"\x00" in head):
            raise Cannot(_old_office(source) if what == "old" else f"it is {what}")
    if b"\x00" in head and not _is_wide_text(head):
        raise Cannot("it is no text, and of no format that is read")
    return None


def _zipped(source: Source) -> Format:
    try:
        with zipfile.ZipFile(source.file) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, ValueError, OverflowError) as problem:
        raise Cannot(f"it is a damaged or truncated archive ({problem})") from problem
    if "[Content_Types].xml" in names:
        for folder, media in _OFFICE:
            if any(name.startswith(folder) for name in names):
                return BY_MEDIA[media]
    raise Cannot("it is an archive, and no DOCX, PPTX or XLSX: unpack it first")


def _old_office(source: Source) -> str:
    if "EncryptedPackage".encode("utf-16-le") in source.data():
        return "it is encrypted: save it without a password"
    return "it is of an old Office format: save it as DOCX, PPTX or XLSX"


def _is_wide_text(head: bytes) -> bool:
    if head[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        return True
    even, odd = head[::2].count(0), head[1::2].count(0)
    return min(even, odd) == 0 and max(even, odd) * 3 > len(head)


def _guessed(source: Source) -> Format:
    """Return the format of a text whose name does not tell it."""
    head = source.head
    if _HTML.match(head):
        return BY_MEDIA["html"]
    if head.startswith(b"From ") and _has_mail_head(head.partition(b"\n")[2]):
        return BY_MEDIA["mbox"]
    if _has_mail_head(head):
        return BY_MEDIA["email"]
    if head.lstrip()[:1] in {b"{", b"["} and source.size == len(head):
        return BY_MEDIA["json"]
    return BY_MEDIA["text"]


def _has_mail_head(head: bytes) -> bool:
    if not _MAIL.match(head):
        return False
    lowered = b"\n" + head.partition(b"\n\n")[0].lower()
    return sum(b"\n" + name in lowered for name in _MAIL_NAMES) >= 3
