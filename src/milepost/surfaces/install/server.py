"""An entry that tells a client how to start the MCP server."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from milepost.surfaces.install.commands import server_words, wrote_server
from milepost.surfaces.install.edits import Edit, Place, find
from milepost.surfaces.install.pieces import Edited, Format, Settings, pruned


class Server(NamedTuple):
    """The entry, the file it belongs into, and its place there."""

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
    def _settings(self) -> Settings:
        return Settings(self.path, self.format)

    @property
    def _note(self) -> str:
        place = ".".join(map(str, self.place))
        return f"{place} in {self.path} was not written by install and is left alone"
