"""`milepost model use`: say what a model gains on this store, ask, set it, embed the memories."""

from pathlib import Path
from typing import NamedTuple

from milepost.app import local_memory
from milepost.config import Settings
from milepost.embedding.catalogue import catalogue
from milepost.embedding.models_folder import installed
from milepost.embedding.onnx import check_extra
from milepost.embedding.onnx_folder import OnnxFolder
from milepost.errors import ConfigError
from milepost.measuring.values import RecallReport, Trial
from milepost.surfaces import daemon, warm
from milepost.surfaces.cli.command import Call
from milepost.surfaces.cli.commands.configuration import written
from milepost.surfaces.cli.commands.models import STATIC, is_used, store_info
from milepost.surfaces.cli.commands.recall import compared, shown
from milepost.surfaces.cli.commands.storage import embed_all
from milepost.surfaces.cli.dry_run import Rehearsed
from milepost.surfaces.cli.printer import View
from milepost.surfaces.cli.terminal import agreed, duration, size
from milepost.surfaces.detached import start_detached
from milepost.text.lines import counted


class Choice(NamedTuple):
    """A model to use: what it was worth on the store, what is to do, and what was done or would be.

    resident_bytes: how much of RAM the model takes.
    lacking: how many memories have no vector of it yet.
    """

    model: str
    embedder: str
    trial: Trial | None = None
    resident_bytes: int = 0
    lacking: int = 0
    deeds: tuple[str, ...] = ()
    dry_run: bool = False


def use(call: Call) -> View:
    """Use a model beside the static one, or that one alone."""
    if call.is_remote:
        raise ConfigError(
            f"The memory is at {call.settings.shown_url}; choose its model where it lies."
        )
    choice = _choice(call)
    told = _worth(choice)
    asks = choice.trial is not None and not call.dry_run
    if asks and call.values.get("form", "human") == "human":
        print(*told, sep="\n", flush=True)
        told = []
    if asks and not call.values["yes"] and not agreed(_question(choice)):
        return View(choice, "nothing was changed", ready=False)
    deeds = _rehearsed(choice) if call.dry_run else _done(choice, call)
    return View(choice._replace(deeds=deeds), "\n".join([*told, *deeds]))


def _choice(call: Call) -> Choice:
    name, settings = call.values["model"], call.settings
    if name == STATIC:
        return Choice(STATIC, STATIC, dry_run=call.dry_run)
    model, info = _installed(name, settings), store_info(settings)
    choice = Choice(name, f"onnx:{name}", dry_run=call.dry_run)
    if info is None:
        return choice
    choice = choice._replace(lacking=info.memories - info.vectors.get(model.model, 0))
    # Whoever uses it already only has the rest of the memories embedded.
    return choice if is_used(model, settings) else _tried(choice, call)


def _installed(name: str, settings: Settings) -> OnnxFolder:
    check_extra()
    models = Path(settings.models_folder)
    here = {model.path.name: model for model in installed(models)}
    if name in here:
        return here[name]
    if name in catalogue():
        raise ConfigError(f"Fetch it first: `milepost model add {name}`.")
    raise ConfigError(f"There is no {name} in {models}; there is {', '.join([STATIC, *here])}.")


def _tried(choice: Choice, call: Call) -> Choice:
    """Try a model on a part of the store, in a store of this process alone."""
    found = compared(call.settings_in_use._replace(embedder=STATIC), choice.embedder)
    return choice._replace(trial=found.trial, resident_bytes=found.resident_bytes)


def _worth(choice: Choice) -> list[str]:
    if choice.trial is None:
        return []
    return [str(choice.trial), f"the model takes {size(choice.resident_bytes)} of memory"]


def _question(choice: Choice) -> str:
    return f"Use {choice.model}, and {_embedding(choice)}?"


def _embedding(choice: Choice) -> str:
    deed = f"embed {counted(choice.lacking, 'memory')}"
    if choice.trial is None or not choice.trial.memories or not choice.lacking:
        return deed
    return f"{deed} in about {duration(choice.lacking * choice.trial.ms_a_memory / 1e3)}"


def _rehearsed(choice: Choice) -> tuple[str, ...]:
    outcome = written("embedder", choice.embedder, dry_run=True)
    assert isinstance(outcome, Rehearsed)
    would = [*outcome.would, *([_embedding(choice)] if choice.lacking else [])]
    return tuple(f"would {deed}" for deed in would)


def _done(choice: Choice, call: Call) -> tuple[str, ...]:
    measures = choice.trial is not None and not call.values["background"]
    if measures:
        _measured(call.settings)
    said = str(written("embedder", choice.embedder))
    done = [said, *_warm_processes(call.settings), *_embedded(choice, call)]
    if measures and (change := _measured(call.settings._replace(embedder=choice.embedder)).change):
        return *done, f"recall {change}"
    return *done, "`milepost measure recall` says what it finds now"


def _measured(settings: Settings) -> RecallReport:
    """Measure what is found, so that there is something to compare with."""
    with local_memory(settings) as memory, shown("measure"):
        return memory.measure_recall()


def _embedded(choice: Choice, call: Call) -> list[str]:
    if not choice.lacking:
        return []
    chosen = call.settings._replace(embedder=choice.embedder)
    if not call.values["background"]:
        return [str(embed_all(chosen))]
    place = warm.canonical(chosen.url) or chosen.url
    process = start_detached("storage", "reembed", "--embedder", chosen.embedder, url=place)
    return [f"process {process.pid} embeds the memories; `milepost model list` tells how far it is"]


def _warm_processes(settings: Settings) -> list[str]:
    """End a daemon that has the model before; say which server has it still."""
    if warm.canonical(settings.url) is None or daemon.of_store(settings) is None:
        return []
    return [daemon.stop(settings)]
