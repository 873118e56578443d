"""What is put into a file, and the care with which settings that others wrote are changed."""

from pathlib import Path
from typing import Any, NamedTuple, Protocol

from milepost.errors import ConfigError
from milepost.surfaces.install.edits import Edit, Place, Removed, changed, find

_NOTHING = "\ufeff \t\r\n"


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


class Format(Protocol):
    """A kind of text that settings are written in."""

    EMPTY: str

    def read(self, text: str, /) -> Any:
        """Return the data."""

    def apply(self, text: str, edits: list[Edit], /) -> str:
        """Return the text with places changed."""


class Settings(NamedTuple):
    """A file of settings."""

    path: Path
    format: Format

    def read(self, text: str | None) -> dict[str, Any]:
        """Return the settings; a file that is not there or empty has none."""
        if text is None or not text.strip(_NOTHING):
            return {}
        try:
            data = self.format.read(text)
        except ValueError as problem:
            why = f"{self.path} cannot be read ({problem})"
            raise ConfigError(f"{why}; repair it first, nothing was changed.") from problem
        if not isinstance(data, dict):
            raise ConfigError(f"{self.path} holds no settings; repair it, nothing was changed.")
        return data

    def edited(self, text: str | None, edits: list[Edit]) -> str | None:
        """Return the text after edits; refuse if anything else would change with them."""
        if not edits:
            return text
        wanted = changed_settings(self, text, edits)
        try:
            after = self.format.apply(self.format.EMPTY if text is None else text, edits)
            found = self.format.read(after)
        except ValueError as problem:
            raise self._refused(f" ({problem})", edits) from problem
        # Compared as text, which tells the order of keys as well.
        if repr(found) != repr(wanted):
            raise self._refused("", edits)
        return after

    def _refused(self, why: str, edits: list[Edit]) -> ConfigError:
        place = ".".join(map(str, edits[0].path))
        return ConfigError(
            f"{self.path} is written in a way that Milepost cannot change{why}; "
            f"see to {place} by hand, nothing was changed."
        )


def changed_settings(settings: Settings, text: str | None, edits: list[Edit]) -> Any:
    """Return what the settings are after edits."""
    try:
        return changed(settings.read(text), edits)
    except (TypeError, LookupError) as problem:
        place = ".".join(map(str, edits[0].path[:-1]))
        raise ConfigError(
            f"{place} in {settings.path} is not what the client takes; nothing was changed."
        ) from problem


def pruned(data: Any, places: list[Place], earlier: Any) -> list[Edit]:
    """Return the edits that take places away, and the containers that are empty without them.

    A container that was there earlier stays, empty or not.
    """
    edits: list[Edit] = []
    # From the end, so that indexes stay true.
    for last in sorted(places, key=_numbered, reverse=True):
        place, rest = last, changed(data, edits)
        while place[1:] and len(find(rest, place[:-1])) == 1 and not _was(earlier, place[:-1]):
            place = place[:-1]
        edits.append(Edit(place, Removed))
    return edits


def _was(earlier: Any, place: Place) -> bool:
    # A list may have had other items then, so what an index named does not tell.
    return all(isinstance(step, str) for step in place) and find(earlier, place) is not None


def _numbered(place: Place) -> tuple[tuple[int, str], ...]:
    return tuple((step, "") if isinstance(step, int) else (-1, step) for step in place)
