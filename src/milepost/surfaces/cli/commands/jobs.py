"""`milepost jobs run`: do the work that was put off."""

from contextlib import closing
from typing import Any

from milepost.app import local_memory
from milepost.config import Settings, inbox_folder
from milepost.errors import ConfigError
from milepost.location import shown
from milepost.memory import validation
from milepost.opening import open_context
from milepost.sessions import inbox
from milepost.surfaces.cli.command import Call, Misuse
from milepost.surfaces.cli.dry_run import Rehearsed
from milepost.surfaces.cli.printer import View
from milepost.text.lines import counted
from milepost.upkeep.values import WAITING


def run(call: Call) -> object:
    """Do the work that is due now."""
    if call.is_remote and not call.dry_run:
        return _pass_on(call)
    limit, settings = call.values["limit"], _local(call)
    if limit is not None and limit < 1:
        raise Misuse("--limit must be 1 or more")
    if call.dry_run:
        with closing(open_context(_as_it_is(call)).store) as store:
            waiting = len(store.jobs.list(settings.space, WAITING, validation.LIMIT_MAX))
        return Rehearsed((f"run what is due of {counted(waiting, 'job')} in {settings.space}",))
    if call.missing_store is not None and not inbox.holds_anything(inbox_folder(settings)):
        return View(0, f"{counted(0, 'job')} run")
    memory = local_memory(settings)
    call.closing.callback(memory.close)
    return View(count := memory.run_jobs(limit), f"{counted(count, 'job')} run")


def _pass_on(call: Call) -> View:
    """Tell a server what sessions on this machine left; all other work it does itself."""
    from milepost.sessions.digest import collect, noticed

    memory = call.memory()

    def tell(_: str, left: dict[str, Any]) -> None:
        memory.notice(**noticed(left))

    count = collect(inbox_folder(call.settings), tell)
    return View(count, f"{counted(count, 'session')} passed on")


def _local(call: Call) -> Settings:
    if call.is_remote:
        raise ConfigError(f"{shown(call.settings.url)} is a server's memory; it does its own work.")
    return call.settings_in_use


def _as_it_is(call: Call) -> Settings:
    """Return settings that make no store where there is none."""
    settings = _local(call)
    return settings if call.missing_store is None else settings.alone_at("memory://")
