"""What a command is: where it stands, what it takes, what it runs."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import cached_property
from importlib import import_module
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


class Asked(NamedTuple):
    """An operation that a command asked of a memory, and when."""

    memory: "Operations"
    operation: str
    began: float


class Call:
    """One use of a command."""

    def __init__(self, given: Mapping[str, Any], closing: ExitStack) -> None:
        self.given = given
        self.closing = closing
        self.dry_run = bool(given.get("dry_run"))
        self.asked: Asked | None = None

    @property
    def flags(self) -> dict[str, Any]:
        """The settings that were given as flags."""
        return {n: self.given[SETTING + n] for n in Settings._fields if SETTING + n in self.given}

    @cached_property
    def settings(self) -> Settings:
        """The settings in force, read when a command first needs them; what is logged follows."""
        from milepost.surfaces.logging import configure_logging, release_logging

        settings = load_settings(self.flags)
        configure_logging(settings, to_file=False)
        self.closing.callback(release_logging)
        return settings

    @property
    def is_remote(self) -> bool:
        """Whether the memory of the settings is a server's."""
        from milepost.surfaces.reach import SERVER, way_to

        return way_to(self.settings) == SERVER

    def memory(self, *, warm_too: bool = True) -> "Operations":
        """Return the memory of the settings, to be closed when the command ends."""
        from milepost.surfaces.reach import memory_of

        memory = memory_of(self.settings, warm_too=warm_too)
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
    flag = "--" + name.replace("_", "-")
    given = {"dest": SETTING + name, "metavar": name.upper(), "help": DESCRIPTIONS[name]}
    return argument(flag, **given | options)


class Command(NamedTuple):
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


def lazily(function: str) -> Callable[[Call], object]:
    """Return a function of this package, named `module.name`, which is loaded when it is called."""
    module, _, name = function.partition(".")

    def run(call: Call) -> object:
        found = getattr(import_module(f"milepost.surfaces.cli.{module}"), name)
        return found(call)

    return run
