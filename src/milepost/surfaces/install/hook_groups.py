"""The commands that clients run when something happens, in their settings.

Some have groups of them for an event, each with a matcher; in others they stand by themselves.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from milepost.errors import ConfigError
from milepost.surfaces.install.invocations import mentions_hook, wrote_hook
from milepost.surfaces.install.pieces import Edited
from milepost.surfaces.install.settings_file import Edit, Format, Place, SettingsFile, find, pruned

# What commands are called; where PowerShell has one of its own, it is all there is.
_COMMANDS = ("command", "powershell")


class HookGroups(NamedTuple):
    """For each event the group, or the hook, that belongs into the file."""

    path: Path
    format: Format
    groups: Mapping[str, Mapping[str, Any]]
    # What else such a file must have.
    beside: Mapping[str, Any] = {}
    # A client that takes plain JSON only, to be named where a file is not.
    plain_for: str = ""

    @property
    def what(self) -> str:
        """How many there are."""
        return f"{len(self.groups)} hooks"

    def put(self, text: str | None) -> Edited:
        """Return the file with a group for each event that runs no hook of Milepost yet."""
        data = self._settings.read(text)
        _refuse_twice(self.path, data)
        edits: list[Edit] = []
        for event, group in self.groups.items():
            edits += _missing(data, event, group)
        if edits:
            edits = [*(Edit((n,), v) for n, v in self.beside.items() if n not in data), *edits]
        note = _not_loaded(self.plain_for, self.path, text) if self.plain_for else ""
        return Edited(self._settings.edited(text, edits), note)

    def take(self, text: str, earlier: str | None) -> Edited:
        """Return the file without our commands, and without what was made to hold them."""
        data = self._settings.read(text)
        commands = [placed for event in self.groups for placed in _commands(data, event)]
        ours = [_hook_or_group(data, place) for place, command in commands if wrote_hook(command)]
        others = [command for _, command in commands if mentions_hook(command)]
        note = f"{self.path} has hooks that run Milepost and were not written by install"
        edits = pruned(data, ours, self._settings.read(earlier))
        is_noted = len(others) > len(ours)
        return Edited(self._settings.edited(text, edits), note if is_noted else "")

    @property
    def _settings(self) -> SettingsFile:
        return SettingsFile(self.path, self.format)


def _not_loaded(client: str, path: Path, text: str | None) -> str:
    """Return a word on a file that the client does not load, because it is not plain JSON."""
    try:
        json.loads(text or "{}")
    except json.JSONDecodeError as problem:
        return (
            f"{client} does not load {path}: line {problem.lineno} is not plain JSON "
            "(a comment or a trailing comma); remove it"
        )
    return ""


def _missing(data: Any, event: str, group: Mapping[str, Any]) -> list[Edit]:
    """Return what lacks at an event: a group, or the right interpreter in its command."""
    (hook,) = group.get("hooks", [group])
    wanted = next(hook[name] for name in _COMMANDS if name in hook)
    known = [(place, c) for place, c in _commands(data, event) if mentions_hook(c)]
    if known:
        return [Edit(place, wanted) for place, c in known if c != wanted and wrote_hook(c)]
    return [Edit(("hooks", event, len(find(data, ("hooks", event)) or [])), dict(group))]


def _commands(data: Any, event: str) -> Iterator[tuple[Place, Any]]:
    """Return every command that runs at an event, and where it stands."""
    groups = find(data, ("hooks", event))
    for i, group in enumerate(groups if isinstance(groups, list) else []):
        if not isinstance(group, dict):
            continue
        place: Place = ("hooks", event, i)
        yield from (((*place, name), group[name]) for name in _COMMANDS if name in group)
        hooks = group.get("hooks")
        for j, hook in enumerate(hooks if isinstance(hooks, list) else []):
            if isinstance(hook, dict):
                yield (*place, "hooks", j, "command"), hook.get("command")


def commands_in(data: Any, event: str) -> list[str]:
    """Return the commands that run at an event."""
    return [command for _, command in _commands(data, event) if isinstance(command, str)]


def _hook_or_group(data: Any, place: Place) -> Place:
    """Return the place of a command's hook, or of its group if there is nothing else in it."""
    alone = len(place) == 4 or len(find(data, place[:4])) == 1
    return place[:3] if alone else place[:5]


def _refuse_twice(path: Path, data: Any) -> None:
    plugins = find(data, ("enabledPlugins",))
    for name, enabled in (plugins if isinstance(plugins, dict) else {}).items():
        if enabled and name.startswith("milepost@"):
            raise ConfigError(
                f"The plugin {name} is enabled in {path} and does the same; "
                f"use it alone, or disable it first (claude plugin disable {name})."
            )
