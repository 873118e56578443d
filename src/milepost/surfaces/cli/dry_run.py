"""Say what an operation would do, without doing it."""

from typing import Any, NamedTuple

from milepost.app import Milepost
from milepost.config import Settings
from milepost.experience.recording import Recorder
from milepost.opening import Opening
from milepost.registry import Operation
from milepost.storage import store_file
from milepost.surfaces.cli.command import Call
from milepost.surfaces.cli.terminal import counted
from milepost.upkeep.jobs import Worker
from milepost.upkeep.ledger import Ledger
from milepost.values import secrets_hidden


class Rehearsed(NamedTuple):
    """What would have been done."""

    would: tuple[str, ...]
    dry_run: bool = True

    def __str__(self) -> str:
        return "\n".join(f"would {deed}" for deed in self.would)


def rehearse(operation: Operation, arguments: dict[str, Any], call: Call) -> Rehearsed:
    """Run an operation in a transaction that is undone."""
    settings = call.settings
    if call.is_remote:
        operation.bind(arguments)
        return Rehearsed((f"send {operation.name} to {settings.url}",))
    opening = Opening(lambda: _without_effect(settings))
    memory = Milepost(opening)
    call.closing.callback(memory.close)
    context = opening()
    # Nothing is done in the background, and nothing is handed out.
    context.part(Worker).close()
    context.part(Ledger).close()
    context.part(Recorder).waits = True
    with context.store.rehearsing() as would:
        hidden = secrets_hidden(operation.call(memory, arguments))
    if hidden:
        would.append(f"hide {counted(hidden, 'secret')}")
    return Rehearsed(tuple(would) or ("change nothing",))


def _without_effect(settings: Settings) -> Settings:
    """Return settings that make no file, ask no server and start no work in the background."""
    path = store_file(settings.url)
    absent = path is not None and not path.exists()
    return settings._replace(url="memory://" if absent else settings.url, embedder="static")
