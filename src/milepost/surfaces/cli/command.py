"""What a command is: where it stands, what it takes, what it runs."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from milepost.config import DESCRIPTIONS, Settings, load_settings

if TYPE_CHECKING:
    from milepost.app import Operations

# Settings arrive under these names, so that no parameter of an operation is taken for one.
SETTING = "setting_"
# What a command returns that has shown everything itself.
SHOWN = object()


class Misuse(Exception):
    """A command was called in a way that its parser cannot refuse by itself."""


class Inquiry(NamedTuple):
    """An operation that a command asked of a memory, and when."""

    memory: "Operations"
    operation: str
    began: float


class Call:
    """One use of a command."""

    def __init__(self, values: Mapping[str, Any], closing: ExitStack) -> None:
        self.values = values
        self.closing = closing
        self.dry_run = bool(values.get("dry_run"))
        self.inquiry: Inquiry | None = None

    @property
    def flags(self) -> dict[str, Any]:
        """The settings that were given as flags."""
        return {n: self.values[SETTING + n] for n in Settings._fields if SETTING + n in self.values}

    @cached_property
    def settings(self) -> Settings:
        """The settings in force, read when a command first needs them; what is logged follows."""
        from milepost.surfaces.logging import configure_logging, release_logging

        settings = load_settings(self.flags)
        configure_logging(settings, to_file=False)
        self.closing.callback(release_logging)
        return settings

    @property
    def settings_in_use(self) -> Settings:
        """The settings to open the memory with, which a dry run leaves as it is."""
        from milepost.surfaces.cli.dry_run import settings_to_rehearse

        return settings_to_rehearse(self.settings) if self.dry_run else self.settings

    @property
    def is_remote(self) -> bool:
        """Whether the memory of the settings is a server's."""
        from milepost.surfaces.reach import SERVER, way_to

        return way_to(self.settings) == SERVER

    def memory(self, *, warm_too: bool = True) -> "Operations":
        """Return the memory of the settings, to be closed when the command ends."""
        from milepost.surfaces.reach import memory_of

        memory = memory_of(self.settings_in_use, warm_too=warm_too)
        self.closing.callback(memory.close)
        return memory


class Argument(NamedTuple):
    """An argument as argparse takes it."""

    names: tuple[str, ...]
    options: Mapping[str, Any]


def argument(*names: str, **options: Any) -> Argument:
    """Return an argument; `%` needs no doubling in its help."""
    if "help" in options:
        options["help"] = options["help"].replace("%", "%%")
    return Argument(names, options)


def setting(name: str, **options: Any) -> Argument:
    """Return the flag of a setting, described as the setting is."""
    usual = {"dest": SETTING + name, "metavar": name.upper(), "help": DESCRIPTIONS[name]}
    return argument("--" + name.replace("_", "-"), **usual | options)


class Subcommand(NamedTuple):
    """One command, such as `milepost storage info`."""

    path: tuple[str, ...]
    summary: str
    run: Callable[[Call], object]
    arguments: tuple[Argument, ...] = ()
    aliases: tuple[str, ...] = ()
    changes: bool = False
    epilog: str = ""
    section: str = ""
    listed: bool = True
