"""A file of settings that others wrote, and the care with which one place of it is changed."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from milepost.errors import ConfigError

_NOTHING = "\ufeff \t\r\n"
# How a place is found: by the keys of objects and the indexes of lists.
Place = tuple[str | int, ...]


class Removed:
    """Stands for the value of a place that is taken away."""


class Edit(NamedTuple):
    """A value for a place that is named by keys and indexes; the places above it are made."""

    path: Place
    value: Any

    @property
    def removes(self) -> bool:
        """Whether the place is taken away."""
        return self.value is Removed


def find(data: Any, path: Place) -> Any:
    """Return what is at a place, or None."""
    for step in path:
        known = data if isinstance(data, dict) else ()
        if step not in (range(len(data)) if isinstance(data, list) else known):
            return None
        data = data[step]
    return data


def changed(data: Any, edits: Iterable[Edit]) -> Any:
    """Return the data as the edits leave it; what was given stays as it is."""
    for edit in edits:
        data = _changed(data, edit.path, edit)
    return data


def _changed(data: Any, path: Place, edit: Edit) -> Any:
    step, rest = path[0], path[1:]
    if not isinstance(data, list if isinstance(step, int) else dict):
        raise TypeError(f"{data!r:.40} holds no {step!r}")
    copy: Any = data.copy()
    if not rest and edit.removes:
        del copy[step]
        return copy
    known = step in range(len(copy)) if isinstance(copy, list) else step in copy
    inner = copy[step] if known else [] if rest and isinstance(rest[0], int) else {}
    value = _changed(inner, rest, edit) if rest else edit.value
    if isinstance(copy, list) and step == len(copy):
        copy.append(value)
    else:
        copy[step] = value
    return copy


def nested(path: Place, value: Any) -> Any:
    """Return a value with the containers around it that a path names."""
    for step in reversed(path):
        value = [value] if isinstance(step, int) else {step: value}
    return value


class Format(Protocol):
    """A kind of text that settings are written in."""

    EMPTY: str

    def read(self, text: str, /) -> Any:
        """Return the data."""

    def apply(self, text: str, edits: list[Edit], /) -> str:
        """Return the text with places changed."""


class SettingsFile(NamedTuple):
    """The file, and the format that it is written in."""

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
        place = ".".join(map(str, edits[0].path))
        try:
            wanted = changed(self.read(text), edits)
        except (TypeError, LookupError) as problem:
            above = place.rpartition(".")[0]
            raise ConfigError(
                f"{above} in {self.path} is not what the client takes; nothing was changed."
            ) from problem
        try:
            after = self.format.apply(self.format.EMPTY if text is None else text, edits)
            # Compared as text, which tells the order of keys as well.
            if repr(self.format.read(after)) == repr(wanted):
                return after
            why = ""
        except ValueError as problem:
            why = f" ({problem})"
        raise ConfigError(
            f"{self.path} is written in a way that Milepost cannot change{why}; "
            f"see to {place} by hand, nothing was changed."
        )


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
