"""`milepost flags`: let settings reach some spaces before the others."""

from collections.abc import Mapping
from contextlib import closing
from typing import NamedTuple

from milepost.config import FLAGGED, Settings
from milepost.errors import ConfigError
from milepost.location import shown
from milepost.memory import validation
from milepost.opening import open_context
from milepost.surfaces.cli.command import Call, Misuse
from milepost.surfaces.cli.dry_run import Rehearsed
from milepost.surfaces.cli.printer import View
from milepost.surfaces.cli.terminal import table
from milepost.upkeep.flags import Flag, change, read, share_from

_HEAD = ("setting", "in force", "spaces of their own", "in {}")


class FlagState(NamedTuple):
    """A flag as it is shown: for which share of spaces and which of them, and for the own one."""

    name: str
    share: float | None
    spaces: Mapping[str, bool]
    space: str
    on: bool


def listed(call: Call) -> View:
    """Show the flags, and what they come to in a space."""
    space = call.settings.space
    with closing(open_context(_as_it_is(call)).store) as store:
        known = read(store)
    flags = [known.get(name, Flag(name)) for name in FLAGGED]
    states = [FlagState(*flag, space, flag.is_on(space)) for flag in flags]
    rows = [(s.name, _share(s.share), _named(s.spaces), _word(s.on)) for s in states]
    return View(states, table(rows, (*_HEAD[:3], _HEAD[3].format(space))))


def set_flag(call: Call) -> object:
    """Set or clear a flag for all spaces, or for the one that was given."""
    name, value = call.values["name"], call.values["value"]
    share = None if value == "clear" else share_from(value)
    given = call.flags.get("space")
    space = validation.name("space", given) if given else None
    if space is not None and share not in (None, 0.0, 100.0):
        raise Misuse("in one space a flag is on, off or clear; a share is of all spaces")
    where = "every space" if space is None else space
    if call.dry_run:
        said = "clear" if share is None else f"set to {value}"
        return Rehearsed((f"{said} the flag of {name} in {where}",))
    with closing(open_context(_local(call)).store) as store:
        flag = change(store, name, share, space)
    more = f"; of their own: {_named(flag.spaces)}" if flag.spaces else ""
    return View(flag, f"{name} is in force in {_share(flag.share)}{more}")


def _share(share: float | None) -> str:
    if share in (None, 100.0):
        return "all spaces"
    return f"{share:g} % of spaces" if share else "no space"


def _named(spaces: Mapping[str, bool]) -> str:
    return ", ".join(f"{space} {_word(is_on)}" for space, is_on in sorted(spaces.items()))


def _word(is_on: bool) -> str:
    return "on" if is_on else "off"


def _local(call: Call) -> Settings:
    if call.is_remote:
        raise ConfigError(
            f"{shown(call.settings.url)} is a server's memory; set flags where its store is."
        )
    return call.settings_in_use


def _as_it_is(call: Call) -> Settings:
    """Return settings that make no store where there is none."""
    settings = _local(call)
    return settings if call.missing_store is None else settings.alone_at("memory://")
