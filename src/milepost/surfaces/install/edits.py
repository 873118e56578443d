"""A change of one place in settings: what it is, and what the settings are after it."""

from collections.abc import Iterable
from typing import Any, NamedTuple

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
        if isinstance(data, dict) or (isinstance(data, list) and step in range(len(data))):
            data = data.get(step) if isinstance(data, dict) else data[step]  # type: ignore[index]
        else:
            return None
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
