"""What was read of a document: the words in which readers and ingestion speak of it."""

from __future__ import annotations

from milepost.text.fence import for_models
from milepost.text.lines import clip, counted, day, listed
from milepost.values import NamedTuple, by_name

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


class StoredDocument(NamedTuple):
    """A document as it was read last, and how many memories it is.

    name: as it is shown; session: that of its memories.
    digest: of the file, none where it must be read again; signature: of the file, unread.
    cut: how it was cut; ended_us: when its file was seen to be gone, 0 while it is there.
    """

    id: int
    path: str
    name: str
    session: str
    digest: str
    signature: str
    cut: str
    media: str
    title: str
    read_us: int
    ended_us: int = 0
    pieces: int = 0


class Piece(NamedTuple):
    """A memory that is a piece of a document: its place there, -1 for what it no longer says."""

    id: int
    hash: str
    number: int
    place: str


class Place(NamedTuple):
    """Where a memory stands in a document: its name, then page, line, heading."""

    name: str
    where: str

    def __str__(self) -> str:
        return f"{self.name}{self.where}"


@by_name
class Unread(NamedTuple):
    """A file that was not read, and why."""

    path: str
    reason: str

    @for_models
    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


# Files that a summary names, and how much it says of each.
FILES_NAMED, NOTED, _NAME_CHARS, _REASON_CHARS = 6, 3, 60, 90


@by_name
class Ingested(NamedTuple):
    """What became of documents: how many were stored, were known, moved, are gone, failed.

    chunks: how many memories were stored; ended: how many no longer hold.
    failed, skipped: the first of those that were not read, and why; how many there are in all.
    in_part: the first of those that were stored without all of it, and what was left out; parts:
    how many there are.
    untrusted: chunks that instruct, which wait for a person; left: files for another call.
    """

    documents: int
    chunks: int
    changed: int = 0
    unchanged: int = 0
    moved: int = 0
    gone: int = 0
    ended: int = 0
    failed: tuple[Unread, ...] = ()
    failures: int = 0
    skipped: tuple[Unread, ...] = ()
    skips: int = 0
    in_part: tuple[Unread, ...] = ()
    parts: int = 0
    untrusted: int = 0
    left: int = 0
    dry_run: bool = False

    @for_models
    def __str__(self) -> str:
        verb = "would store" if self.dry_run else "stored"
        head = f"{verb} {counted(self.chunks, 'chunk')} of {counted(self.documents, 'document')}"
        others = [
            (self.changed, "of them changed"),
            (self.unchanged, "unchanged"),
            (self.moved, "moved"),
            (self.gone, "gone"),
        ]
        parts = [head, *(f"{count:,} {what}" for count, what in others if count)]
        parts += [f"{counted(self.ended, 'chunk')} no longer held"] if self.ended else []
        waits = f"{counted(self.untrusted, 'chunk')} kept back, for they instruct: milepost review"
        parts += [waits] if self.untrusted else []
        parts += [f"{counted(self.left, 'file')} left: call again"] if self.left else []
        lines = ["; ".join(parts)]
        lines += _listed("failed", self.failed, self.failures)
        lines += _listed("skipped", self.skipped, self.skips)
        lines += _listed("not everything of", self.in_part, self.parts, NOTED)
        return "\n".join(lines)


def _listed(what: str, files: tuple[Unread, ...], total: int, most: int = FILES_NAMED) -> list[str]:
    if not total:
        return []
    shown = [f"  {_end(file.path)}: {clip(file.reason, _REASON_CHARS)}" for file in files[:most]]
    more = total - len(shown)
    return [f"{what} {total:,}:", *shown, *([f"  and {more:,} more"] if more else [])]


def _end(path: str) -> str:
    """Return the end of a path, which tells files apart."""
    return path if len(path) <= _NAME_CHARS else f"…{path[1 - _NAME_CHARS :]}"


@by_name
class DocumentEntry(NamedTuple):
    """A document that is remembered; gone: when its file was seen to be gone, if it is."""

    name: str
    path: str
    media: str
    title: str
    chunks: int
    session: str
    read: float
    gone: float | None = None

    @for_models
    def __str__(self) -> str:
        gone = "" if self.gone is None else f", gone since {day(self.gone)}"
        return f"{self.name} {self.media} {counted(self.chunks, 'chunk')} {day(self.read)}{gone}"


class DocumentList(NamedTuple):
    """Documents that are remembered, by name, and how many there are in all."""

    documents: tuple[DocumentEntry, ...]
    total: int

    @for_models
    def __str__(self) -> str:
        return listed(self.documents, self.total, "no document is remembered")


@by_name
class Exchanged(NamedTuple):
    """What a store says to another: its name, and up to which number it heard the other.

    changed: how many things what it heard changed.
    told: what changed in it, a line of JSON each, up to its number; more: whether that is not all.
    """

    store: str
    heard: int
    changed: int
    told: tuple[str, ...] = ()
    number: int = 0
    more: bool = False

    @for_models
    def __str__(self) -> str:
        return f"{counted(self.changed, 'change')} heard, {len(self.told):,} told"
