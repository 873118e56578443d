"""What is put into files of clients: whole documents, and entries among what others wrote."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from milepost.surfaces.install.invocations import server_words, wrote_server
from milepost.surfaces.install.settings_file import Edit, Format, Place, SettingsFile, find, pruned

_TEXT = "Written by `milepost install`; `milepost uninstall` takes it away."
MARKS = {".md": f"<!-- {_TEXT} -->\n", ".js": f"// {_TEXT}\n"}


class Edited(NamedTuple):
    """What a file holds afterwards, None if it is gone, and what a person should know of it."""

    text: str | None
    note: str = ""


class Piece(Protocol):
    """Something that is put into a file of its own or among what others wrote there."""

    @property
    def path(self) -> Path:
        """The file."""

    def put(self, text: str | None, /) -> Edited:
        """Return the file with it."""

    def take(self, text: str, earlier: str | None, /) -> Edited:
        """Return the file without it; earlier is what the file held before it came."""


class Document(NamedTuple):
    """A whole file that a client is given; a mark in it tells that it is ours."""

    path: Path
    content: str

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


class ServerEntry(NamedTuple):
    """Tells a client how to start the MCP server: the entry, its file, its place there."""

    path: Path
    format: Format
    place: Place
    entry: Mapping[str, Any]

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
