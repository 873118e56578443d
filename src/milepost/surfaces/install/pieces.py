"""What is put into files of clients: whole documents, and entries among what others wrote."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from milepost.surfaces.install.invocations import server_words, wrote_server
from milepost.surfaces.install.settings_file import Edit, Format, Place, SettingsFile, find, pruned

_TEXT = "Written by `milepost install`; `milepost uninstall` takes it away."
_COMMENT = f"<!-- {_TEXT} -->\n"
MARKS = {".md": _COMMENT, ".mdc": _COMMENT, ".js": f"// {_TEXT}\n"}
_BEGINS, _ENDS = _COMMENT.rstrip(), "<!-- milepost ends -->"


class Edited(NamedTuple):
    """What a file holds afterwards, None if it is gone, and what a person should know of it."""

    text: str | None
    note: str = ""


class Piece(Protocol):
    """Something that is put into a file of its own or among what others wrote there."""

    @property
    def path(self) -> Path:
        """The file."""

    @property
    def what(self) -> str:
        """What it is, in a few words."""

    def put(self, text: str | None, /) -> Edited:
        """Return the file with it."""

    def take(self, text: str, earlier: str | None, /) -> Edited:
        """Return the file without it; earlier is what the file held before it came."""


class Document(NamedTuple):
    """A whole file that a client is given; a mark in it tells that it is ours."""

    path: Path
    content: str
    what: str = "a file of its own"

    def put(self, text: str | None) -> Edited:
        """Return the content; a file of that name without the mark is left alone."""
        if text is not None and self._mark not in text:
            return Edited(text, f"{self.path} was not written by install and is left alone")
        return Edited(self.content.rstrip("\n") + "\n\n" + self._mark)

    def take(self, text: str, _earlier: str | None) -> Edited:
        """Return nothing, for the whole file is ours."""
        return Edited(None if self._mark in text else text)

    @property
    def _mark(self) -> str:
        return MARKS[self.path.suffix]


class Section(NamedTuple):
    """A part of a text that others write, between two marks."""

    path: Path
    content: str
    what: str = "a note that there is a memory"

    def put(self, text: str | None) -> Edited:
        """Return the text with the section: where it stands, else at the end."""
        text = text or ""
        end = _line_end(text)
        section = end.join([_BEGINS, *self.content.strip().splitlines(), _ENDS])
        around = _around(text)
        if around is not None:
            return Edited(section.join(around))
        apart = text.rstrip("\r\n") + 2 * end if text.strip() else ""
        return Edited(apart + section + end)

    def take(self, text: str, _earlier: str | None) -> Edited:
        """Return the text without the section; nothing if there is nothing else."""
        around = _around(text)
        if around is None:
            return Edited(text)
        before, after = (part.strip("\r\n") for part in around)
        end = _line_end(text)
        rest = (2 * end).join(filter(None, (before, after)))
        return Edited(rest + end if rest.strip() else None)


def _around(text: str) -> tuple[str, str] | None:
    """Return what stands before and after our section."""
    begin, end = text.find(_BEGINS), text.find(_ENDS)
    return None if begin < 0 or end < begin else (text[:begin], text[end + len(_ENDS) :])


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


class Several(NamedTuple):
    """Pieces of one file, put into it one after the other."""

    path: Path
    pieces: tuple[Piece, ...]

    @property
    def what(self) -> str:
        """What all of them are."""
        return ", ".join(piece.what for piece in self.pieces)

    def put(self, text: str | None) -> Edited:
        """Return the file with all of them."""
        notes = []
        for piece in self.pieces:
            text, note = piece.put(text)
            notes.append(note)
        return Edited(text, "; ".join(filter(None, notes)))

    def take(self, text: str, earlier: str | None) -> Edited:
        """Return the file without any of them."""
        notes = []
        left: str | None = text
        for piece in reversed(self.pieces):
            if left is not None:
                left, note = piece.take(left, earlier)
                notes.append(note)
        return Edited(left, "; ".join(filter(None, notes)))


class Unless(NamedTuple):
    """A piece that is not put where something else does the same."""

    piece: Piece
    is_there: Callable[[], bool]
    note: str

    @property
    def path(self) -> Path:
        """The file."""
        return self.piece.path

    @property
    def what(self) -> str:
        """What it is."""
        return self.piece.what

    def put(self, text: str | None) -> Edited:
        """Return the file with the piece, or as it is."""
        return Edited(text, self.note) if self.is_there() else self.piece.put(text)

    def take(self, text: str, earlier: str | None) -> Edited:
        """Return the file without the piece."""
        return self.piece.take(text, earlier)


class ServerEntry(NamedTuple):
    """Tells a client how to start the MCP server: the entry, its file, its place there."""

    path: Path
    format: Format
    place: Place
    entry: Mapping[str, Any]
    what: str = "the MCP server"

    def put(self, text: str | None) -> Edited:
        """Return the file with the entry; one that somebody else wrote is left alone."""
        known = find(self._settings.read(text), self.place)
        if known is None:
            return Edited(self._settings.edited(text, [Edit(self.place, dict(self.entry))]))
        if not wrote_server(server_words(known)):
            return Edited(text, self._note)
        # The interpreter may be another one by now; what was added to the entry stays.
        wanted = {name: self.entry[name] for name in ("command", "args") if name in self.entry}
        edits = [Edit((*self.place, n), v) for n, v in wanted.items() if known.get(n) != v]
        return Edited(self._settings.edited(text, edits))

    def take(self, text: str, earlier: str | None) -> Edited:
        """Return the file without the entry, and without what was made to hold it."""
        data = self._settings.read(text)
        known = find(data, self.place)
        if known is None:
            return Edited(text)
        if not wrote_server(server_words(known)):
            return Edited(text, self._note)
        edits = pruned(data, [self.place], self._settings.read(earlier))
        return Edited(self._settings.edited(text, edits))

    @property
    def _settings(self) -> SettingsFile:
        return SettingsFile(self.path, self.format)

    @property
    def _note(self) -> str:
        place = ".".join(map(str, self.place))
        return f"{place} in {self.path} was not written by install and is left alone"
