"""Say what an operation would do, without doing it."""

from typing import Any, NamedTuple, cast

from milepost.app import Milepost
from milepost.config import Settings
from milepost.experience.recording import Recorder
from milepost.opening import Opened, Opening
from milepost.ports import Store
from milepost.registry import Operation
from milepost.storage import store_file
from milepost.storage.rehearsal import Rehearsal
from milepost.surfaces.cli.command import Call
from milepost.surfaces.cli.operations import is_remote
from milepost.surfaces.cli.output import counted
from milepost.upkeep.jobs import Worker
from milepost.values import secrets_hidden


class Rehearsed(NamedTuple):
    """What would have been done."""

    would: tuple[str, ...]
    dry_run: bool = True

    def __str__(self) -> str:
        return "\n".join(f"would {deed}" for deed in self.would)


class Rehearsing(Opening):
    """Opens what the settings name, to be read; what would be written is noted."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(lambda: settings)
        self.would: list[str] = []
        self.recorder: Recorder | None = None

    def open(self) -> Opened:
        """Return the opened store in its rehearsing form."""
        opened = super().open()
        rehearsal = Rehearsal(opened.context.store)
        rehearsal.would = self.would
        idle = Worker(dict, opened.context.store, opened.context.clock)
        idle.stop()
        store = cast("Store", rehearsal)
        self.recorder = Recorder(store, lambda entries: entries)
        context = opened.context._replace(store=store, worker=idle, recorder=self.recorder)
        return opened._replace(context=context)


def rehearse(operation: Operation, arguments: dict[str, Any], call: Call) -> Rehearsed:
    """Run an operation on a store that is only read."""
    settings = call.settings
    if is_remote(settings):
        operation.bind(arguments)
        return Rehearsed((f"send {operation.name} to {settings.url}",))
    opening = Rehearsing(_harmless(settings))
    memory = Milepost(opening)
    call.closing.callback(memory.close)
    hidden = secrets_hidden(operation.call(memory, arguments))
    if opening.recorder is not None:
        opening.recorder.flush()
    if hidden:
        opening.would.append(f"hide {counted(hidden, 'secret')}")
    return Rehearsed(tuple(opening.would) or ("change nothing",))


def _harmless(settings: Settings) -> Settings:
    """Return settings that make no file, ask no server and start no work in the background."""
    path = store_file(settings.url)
    absent = path is not None and not path.exists()
    return settings._replace(url="memory://" if absent else settings.url, embedder="static")
