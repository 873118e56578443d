"""A whole file that a client is given; a mark in it tells that it is ours."""

from pathlib import Path
from typing import NamedTuple

from milepost.surfaces.install.pieces import Edited

_TEXT = "Written by `milepost install`; `milepost uninstall` takes it away."
MARKS = {".md": f"<!-- {_TEXT} -->\n", ".js": f"// {_TEXT}\n"}


class Document(NamedTuple):
    """The file and what it shall hold."""

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
