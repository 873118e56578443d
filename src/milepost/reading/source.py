"""A document that is being read: what it is called, its bytes, its text, and what is told of it."""

from __future__ import annotations

import codecs
import os
import re
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_HEAD_BYTES = 4_096
# What no text holds, but for tabs and the ends of lines and pages.
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f]")


class Cannot(Exception):
    """A document cannot be read; the message says why, as a sentence without its end."""


class Source:
    """A document as the reader of a format sees it.

    until: the processor time by which to come to an end, with what is read by then.
    """

    def __init__(self, name: str, file: BinaryIO, until: float) -> None:
        self.name, self.file, self._until = name, file, until
        self.notes: list[str] = []
        self.size = file.seek(0, os.SEEK_END)
        file.seek(0)
        self.head = file.read(_HEAD_BYTES)

    @property
    def stem(self) -> str:
        """What it is called, without its ending: the title of what has no other."""
        return os.path.splitext(self.name)[0]  # noqa: PTH122 -- only a name

    def data(self) -> bytes:
        """Return all bytes."""
        self.file.seek(0)
        return self.file.read()

    def text(self) -> str:
        """Return all text, its lines ended by line feeds alone."""
        return self.decoded(self.data())

    def decoded(self, data: bytes, charset: str = "") -> str:
        """Return the text of bytes, in the encoding they name or look like."""
        text = _CONTROLS.sub("", self._decoded(data, charset))
        return text.replace("\r\n", "\n").replace("\r", "\n")

    def _decoded(self, data: bytes, charset: str) -> str:
        for mark, encoding in _MARKS:
            if data.startswith(mark):
                return data.decode(encoding, "replace")
        for encoding in (charset, _wide(data), "utf-8"):
            if encoding:
                try:
                    return data.decode(encoding)
                except (UnicodeDecodeError, LookupError):
                    continue
        self.note("not in UTF-8: read as Windows-1252")
        return data.decode("cp1252", "replace")

    def note(self, text: str) -> None:
        """Tell of something that was left out."""
        if text not in self.notes:
            self.notes.append(text)

    def is_time_up(self) -> bool:
        """Whether to come to an end."""
        return time.process_time() > self._until


def _wide(data: bytes) -> str:
    """Return the encoding of text in two bytes a character that has no mark."""
    head = data[:_HEAD_BYTES]
    if len(head) >= 4 and head.count(0) * 3 > len(head):
        return "utf-16-le" if head[1::2].count(0) > head[::2].count(0) else "utf-16-be"
    return ""
