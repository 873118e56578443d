"""What a command is: where it stands, what it takes, what it runs."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cached_property

from milepost.config import DESCRIPTIONS, Settings, load_settings
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import ExitStack
    from typing import Any

    from milepost.app import Operations
    from milepost.upkeep.model_text import ModelText

# Settings arrive under these names, so that no parameter of an operation is taken for one.
SETTING = "setting_"
# What a command returns that has shown everything itself.
SHOWN = object()


class Misuse(Exception):
    """A command was called in a way that its parser cannot refuse by itself."""


class Inquiry(NamedTuple):
    """An operation that a command asked of the memory, and when."""

    operation: str
    began: float


class Call:
    """One use of a command."""

    def __init__(self, values: Mapping[str, Any], closing: ExitStack) -> None:
        self.values = values
        self.closing = closing
        self.dry_run = bool(values.get("dry_run"))
        self.inquiry: Inquiry | None = None
        self._memory: Operations | None = None

    @property
    def flags(self) -> dict[str, Any]:
        """The settings that were given as flags."""
        named = (n for n in Settings._fields if SETTING + n in self.values)
        given = {n: self.values[SETTING + n] for n in named}
        # What a warm process raised has no stack here.
        return given | ({"daemon": "off"} if self.values.get("trace") else {})

    @cached_property
    def settings(self) -> Settings:
        """The settings in force, read when a command first needs them; what is logged follows."""
        from milepost.surfaces.logging import configure_logging, release_logging

        settings = self._settings
        configure_logging(settings, to_file=False)
        self.closing.callback(release_logging)
        if settings.encryption_key or settings.backup_key:
            from milepost.unlocking import unlock

            unlock(settings)
        return settings

    @cached_property
    def _settings(self) -> Settings:
        return load_settings(self.flags)

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

    def memory(self, *, warm_too: bool = True) -> Operations:
        """Return the memory of the settings, to be closed when the command ends."""
        from milepost.surfaces.reach import memory_of

        memory = memory_of(self.settings_in_use, warm_too=warm_too)
        self.closing.callback(memory.close)
        return memory

    def ask(self, operation: str, arguments: dict[str, Any], *, only_reads: bool = False) -> Any:
        """Ask the memory by whichever way is open, and load no more than that needs.

        only_reads: whether no store has to be made for it.
        """
        from milepost.location import is_server
        from milepost.surfaces.reach import ask

        settings = self.settings_in_use if self.dry_run else self._settings
        if is_server(settings.url):
            return getattr(self._opened(settings), operation)(**arguments)
        if only_reads and self.missing_store is not None:
            settings = settings.alone_at("memory://")
        return ask(
            settings, operation, (), arguments, lambda name: getattr(self._opened(settings), name)
        )

    def _opened(self, settings: Settings) -> Operations:
        if self._memory is None:
            from milepost.access.values import CALLER, OWNER
            from milepost.surfaces.reach import memory_of

            CALLER.set(OWNER._replace(surface="command line"))
            assert self.settings  # from now on there may be something to log
            self._memory = memory_of(settings, warm_too=False)
            self.closing.callback(self._memory.close)
        return self._memory

    @cached_property
    def missing_store(self) -> str | None:
        """The file that the memory would lie in, if there is none yet."""
        settings = self._settings
        if settings.spaces_file and os.path.exists(settings.spaces_file):  # noqa: PTH110
            from milepost.placing import at_its_store

            settings = at_its_store(settings)
        return missing_store(settings.url)

    def note_model_text(self, text: ModelText) -> None:
        """Note in the ledger what a model is given: there where the answer came from."""
        from milepost.location import is_server
        from milepost.surfaces import warm

        note = getattr(self._memory, "note_model_text", None)
        if is_server(self._settings.url) or (note is not None and note(text)):
            return  # a server does so by itself
        with suppress(warm.Unanswered):
            warm.call(self._settings, warm.MODEL_TEXT, tuple(text), {})


def missing_store(url: str) -> str | None:
    """Return the file of a store that is not there yet, but could be made."""
    from milepost.location import is_database
    from milepost.surfaces.warm import canonical

    path = None if is_database(url) else canonical(url)
    if path is None or (os.path.exists(path) and os.path.getsize(path)):  # noqa: PTH110, PTH202
        return None
    folder, below = os.path.dirname(path), path  # noqa: PTH120
    while not os.path.exists(folder) and folder != below:  # noqa: PTH110
        folder, below = os.path.dirname(folder), folder  # noqa: PTH120
    return path if os.path.isdir(folder) and os.access(folder, os.W_OK) else None  # noqa: PTH112


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
    # How it is typed, where its name alone does not do, and more to say below its help.
    example: str = ""
    epilog: str = ""
    section: str = ""
    listed: bool = True
