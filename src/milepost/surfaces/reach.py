"""Decide how a memory is reached: at a server, in a process that keeps it warm, or in its store.

This and `warm` are all that `from milepost import search` loads when there is a warm process.
"""

from __future__ import annotations

from milepost.config import Settings, load_settings
from milepost.errors import MilepostError
from milepost.location import is_server
from milepost.surfaces import warm

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike
    from typing import Any

    from milepost.app import Operations
    from milepost.transport.tls import Tls

SERVER, WARM, HERE = "server", "warm", "here"


def way_to(settings: Settings) -> str:
    """Return by which way the memory of the settings is reached."""
    if is_server(settings.url):
        return SERVER
    return WARM if warm.is_offered(settings) else HERE


def memory_of(settings: Settings, *, warm_too: bool = True) -> Operations:
    """Return the operations over the memory of the settings, opened when one needs it.

    warm_too: also through a process that keeps it warm.
    """
    way = way_to(settings)
    if way == SERVER:
        from milepost.secret_sources import revealed
        from milepost.surfaces.client import MilepostClient

        if settings.traces:
            from milepost import telemetry

            telemetry.start(settings.traces)
        key = revealed("key", settings.key)
        space, project = settings.space or None, settings.project or None
        tls = tls_of(settings)
        return MilepostClient(settings.url, key, space, project=project, tls=tls)
    if way == WARM and warm_too:
        from milepost.surfaces.remote_memory import WarmMemory

        return WarmMemory(settings)
    from milepost.app import local_memory

    return local_memory(settings)


def tls_of(settings: Settings) -> Tls:
    """Return by what servers are known, and what they are shown."""
    from milepost.transport.tls import Tls

    return Tls(settings.ca, settings.client_cert, settings.client_key, settings.pin)


def connect(
    path_or_url: str | PathLike[str], space: str | None = None, project: str | None = None
) -> Operations:
    """Return the operations over a memory: a path, sqlite:path, memory:// or a server's http://.

    A file that another process keeps warm is asked through that process. Several servers of one
    store have commas between them: the next one is asked when one does not answer.

    path_or_url: where the memories are; a file is created when there is none.
    space: the tenant whose memories these are.
    project: the project that is worked on; by default that of the working folder, "everywhere"
        for none.
    """
    from milepost.app import open_memory
    from milepost.opening import settings_for

    settings = settings_for(path_or_url, space, project)
    way = way_to(settings)
    if way == SERVER and space is None:
        settings = settings._replace(space="")  # the server's own
    return open_memory(settings) if way == HERE else memory_of(settings)


def ask(
    settings: Settings,
    name: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    in_store: Callable[[str], Callable[..., Any]],
    folder: str | None = "",
) -> Any:
    """Return what an operation returns: at a server, in a warm process, else in the store.

    in_store: gives the operation of the store, which is opened for it.
    folder: the one that is worked in, if not that of this process.
    """
    if is_server(settings.url):
        return getattr(_server(settings), name)(*args, **kwargs)
    try:
        # Whether there is a warm process shows when it is asked; to look before takes longer.
        return warm.call(settings, name, args, kwargs, folder)
    except warm.Unanswered:
        return in_store(name)(*args, **kwargs)


# The services that the operations of hooks are in; loading all of them would take longer.
_SERVICES = {
    "brief": ("milepost.sessions.briefing", "Briefings"),
    "remind": ("milepost.sessions.briefing", "Briefings"),
    "notice": ("milepost.sessions.noticing", "Noticing"),
}


def ask_store(settings: Settings, name: str, arguments: dict[str, Any]) -> Any:
    """Return what an operation of hooks tells in the store itself, which is opened for it."""
    from importlib import import_module

    from milepost.deadline import answering
    from milepost.opening import Opening

    module, service = _SERVICES[name]
    opening = Opening(lambda: settings)
    with answering():
        try:
            return getattr(getattr(import_module(module), service)(opening), name)(**arguments)
        finally:
            opening.close()


def start_warm(settings: Settings) -> None:
    """Have a process keep the memory warm for later calls, if none does yet."""
    path = warm.canonical(settings.url)
    if settings.daemon != "off" and path is not None and way_to(settings) == HERE:
        from milepost.surfaces.detached import start_detached

        start_detached("daemon", "run", url=path)


def operation(name: str) -> Any:
    """Return an operation of the default memory as a function."""
    try:
        settings = load_settings()
        if way_to(settings) != HERE:
            return ModuleFunction(name)
        if settings.daemon == "start":
            start_warm(settings)
    except (MilepostError, OSError):
        pass  # the call itself tells what is wrong
    return _of_default(name)


def _of_default(name: str) -> Any:
    from milepost.app import default

    return getattr(default, name)


class ModuleFunction:
    """An operation of the module that asks a server, or a warm process first."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return ask(load_settings(), self._name, args, kwargs, _of_default)

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return str(_of_default(self._name).__doc__)

    @property
    def __signature__(self) -> Any:
        from inspect import signature

        return signature(_of_default(self._name))

    def __repr__(self) -> str:
        return f"<function milepost.{self._name}>"


# The server that was asked last, with its settings: its connections are used again.
_last: list[tuple[Settings, Operations]] = []


def _server(settings: Settings) -> Operations:
    if not _last or _last[0][0] != settings:
        _last[:] = [(settings, memory_of(settings))]
    return _last[0][1]
