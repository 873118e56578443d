"""What was read of a document: the words in which readers and ingestion speak of it."""

from __future__ import annotations

from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Section(NamedTuple):
    """A piece of a document as its own structure gives it, in the order of reading.

    heading: the headings above it, the outermost first.
    page: the page or slide it begins on, counted from one, where the format has such.
    line: the line it begins at, counted from one, where the format has such.
    kind: "text", "code", "table" or "message".
    symbol: the function or class that a piece of code is.
    author: who says it, where it is a message.
    """

    text: str
    heading: tuple[str, ...] = ()
    page: int | None = None
    line: int | None = None
    kind: str = "text"
    symbol: str = ""
    author: str = ""
    created: float | None = None


class Document(NamedTuple):
    """A document that was read.

    media: what it is, such as "pdf", whatever its name says.
    notes: what was left out of it, and why, in words.
    """

    media: str
    title: str
    sections: tuple[Section, ...]
    notes: tuple[str, ...] = ()
    author: str = ""
    created: float | None = None
    metadata: Mapping[str, str] = {}
