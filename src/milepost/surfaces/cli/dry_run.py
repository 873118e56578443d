"""Say what an operation would do, without doing it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from milepost.access.audit import AuditLog
from milepost.app import Milepost
from milepost.config import Settings
from milepost.location import is_database, shown
from milepost.memory.context import Context
from milepost.opening import Opening
from milepost.placing import at_its_store
from milepost.storage import maintenance, store_file
from milepost.surfaces.cli.command import Call
from milepost.text.lines import counted
from milepost.upkeep.jobs import Worker
from milepost.upkeep.ledger import Ledger
from milepost.upkeep.recorder import Recorder
from milepost.values import secrets_hidden


class Rehearsed(NamedTuple):
    """What would have been done."""

    would: tuple[str, ...]
    dry_run: bool = True

    def __str__(self) -> str:
        return "\n".join(f"would {deed}" for deed in self.would)


def rehearse(operation: str, arguments: dict[str, Any], call: Call) -> Rehearsed:
    """Run an operation in a transaction that is undone."""
    settings = call.settings
    if call.is_remote:
        return Rehearsed((f"send {operation} to {shown(settings.url)}",))
    without_effect = settings_to_rehearse(settings)
    opening = Opening(lambda: without_effect)
    memory = Milepost(opening)
    call.closing.callback(memory.close)
    context = _kept_still(opening)
    with context.store.rehearsing() as would:
        hidden = secrets_hidden(getattr(memory, operation)(**arguments))
    if hidden:
        would.append(f"hide {counted(hidden, 'secret')}")
    return Rehearsed(tuple(would) or ("change nothing",))


@contextmanager
def rehearsing(settings: Settings) -> Iterator[Opening]:
    """Yield a memory of which everything that is written to it is undone at the end."""
    without_effect = settings_to_rehearse(settings)
    opening = Opening(lambda: without_effect)
    try:
        with _kept_still(opening).store.rehearsing():
            yield opening
    finally:
        opening.close()


def _kept_still(opening: Opening) -> Context:
    """Open a memory that does nothing in the background and hands nothing out."""
    context = opening()
    context.part(Worker).close()
    context.part(Ledger).close()
    context.part(AuditLog).close()
    context.part(Recorder).waits = True
    return context


def settings_to_rehearse(settings: Settings) -> Settings:
    """Return settings that make and upgrade no file, ask no server and work on nothing beside."""
    settings = at_its_store(settings)._replace(embedder="static")
    path = store_file(settings.url)
    if path is not None and not (path.exists() and path.stat().st_size):
        return settings.alone_at("memory://")
    if path is not None or is_database(settings.url):
        maintenance.refuse_older(settings.url)
    return settings
