"""`milepost storage`: what the store holds, whether it is whole, the space it takes."""

from collections.abc import Callable, Mapping
from contextlib import closing
from threading import Thread
from typing import NamedTuple

from milepost.config import Settings
from milepost.errors import ConfigError
from milepost.location import is_database
from milepost.memory.holding import empty_bin as empty
from milepost.opening import open_chosen, open_context
from milepost.ports import Store
from milepost.storage import maintenance
from milepost.surfaces.cli.command import Call
from milepost.surfaces.cli.dry_run import Rehearsed
from milepost.surfaces.cli.printer import View
from milepost.surfaces.cli.terminal import Progress, agreed, moment, paint, size, table
from milepost.text.lines import counted
from milepost.upkeep.reembedding import Reembedding
from milepost.upkeep.values import BROKEN, NOTE, OK, StoreCheck, StoreHealth, StoreInfo

_EVERY_S = 0.2
_TABLES_SHOWN = 6
COLOURS = {OK: "green", NOTE: "yellow", BROKEN: "red"}


def info(call: Call) -> View:
    """Show what the store holds and how large it is."""
    state = maintenance.info(call.settings.url)
    return View(state, table(_rows(state, is_database(call.settings.url))))


def _rows(state: StoreInfo, in_database: bool) -> list[tuple[str, str]]:
    if in_database:
        place = [("database", state.file), ("size", size(state.bytes))]
        place.append(("indexes", size(state.index_bytes)))
        largest = list(state.tables.items())[:_TABLES_SHOWN]
        place.append(("tables", ", ".join(f"{name} {size(taken)}" for name, taken in largest)))
    else:
        place = [("file", state.file)]
        place.append(("size", f"{size(state.bytes)}, {size(state.free_bytes)} of it free"))
        parts = counted(state.segments, "segment")
        place.append(("index", f"{size(state.index_bytes)} in {parts}"))
    return [
        *place,
        ("schema", str(state.schema)),
        ("memories", f"{state.memories:,}, {state.hidden:,} of them replaced"),
        ("deleted", f"{state.held:,}, which `milepost undo` can take back"),
        ("episodes", f"{state.episodes:,}, with {counted(state.patterns, 'pattern')}"),
        ("oldest", moment(state.oldest)),
        ("newest", moment(state.newest)),
        ("kinds", _counted(state.kinds)),
        ("spaces", _counted(state.spaces)),
        ("top tags", _counted(state.tags)),
        ("vectors", _counted(state.vectors)),
    ]


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items()) or "none"


def check(call: Call) -> View:
    """Check that the store is whole and that its index agrees with it."""
    result = check_store(call.settings)
    problems = (*result.problems, *result.index_problems)
    rows = [
        ("store", _verdict(result.problems)),
        ("index", "not checked" if result.problems else _verdict(result.index_problems)),
    ]
    return View(result, "\n".join([table(rows), *problems, *_cures(result)]), ready=result.ready)


def check_store(settings: Settings, *, quick: bool = False) -> StoreCheck:
    """Return what is wrong with the store; its index is compared only when it is whole."""
    return maintenance.check(settings.url, _opening(settings), quick=quick)


def _opening(settings: Settings) -> Callable[[], Store]:
    """Return what opens the store for upkeep."""
    return lambda: open_context(settings._replace(embedder="static")).store


def _verdict(problems: tuple[str, ...]) -> str:
    return paint("broken", "red") if problems else paint("ok", "green")


def _cures(result: StoreCheck) -> list[str]:
    cures = []
    if result.problems:
        cures.append("`milepost backup restore FILE` puts a copy in its place.")
    if result.index_problems:
        cures.append("The index was made again from the store; nothing is lost.")
    return cures


def compact(call: Call) -> object:
    """Free the space that deletions left, and join the index into one segment."""
    settings = call.settings
    before = maintenance.info(settings.url)
    if call.dry_run:
        return Rehearsed(tuple(_compacting(before, is_database(settings.url))))
    with Progress("compact") as progress:
        maintenance.vacuum(settings.url, _opening(settings), progress)
    return _compacted(before, maintenance.info(settings.url))


def _compacting(before: StoreInfo, in_database: bool) -> list[str]:
    if in_database:
        return [f"free what deletions left in {len(before.tables)} tables of {before.file}"]
    parts = counted(before.segments, "segment")
    return [
        f"rewrite {before.file} ({size(before.bytes)}, {size(before.free_bytes)} free)",
        f"write the index ({size(before.index_bytes)} in {parts}) as one segment",
    ]


def reindex(call: Call) -> object:
    """Make anew what finds memories."""
    if call.dry_run:
        return Rehearsed(("make anew what finds memories, from the memories",))
    maintenance.info(call.settings.url)  # refuses what is no store
    with Progress("reindex") as progress:
        return maintenance.reindex(call.settings.url, _opening(call.settings), progress)


def sync(call: Call) -> object:
    """Let what finds memories catch up with them."""
    if call.dry_run:
        return Rehearsed(("let what finds memories catch up with them",))
    maintenance.info(call.settings.url)  # refuses what is no store
    with Progress("sync") as progress:
        return maintenance.sync(call.settings.url, _opening(call.settings), progress)


def health(call: Call) -> View:
    """Look at the store without changing it: reachable, whole, up to date."""
    found = StoreHealth(tuple(maintenance.health(call.settings.url)))
    rows = [
        (paint(each.status, COLOURS[each.status]), each.name, each.told) for each in found.checks
    ]
    return View(found, table(rows), ready=found.ready)


def empty_bin(call: Call) -> object:
    """Erase what was deleted and could be taken back, of the space in use."""
    settings = call.settings._replace(embedder="static")
    maintenance.info(settings.url)  # refuses what is no store
    context = open_context(settings)
    with closing(context.store) as store:
        held = store.deeds.count(settings.space)
        if call.dry_run:
            return Rehearsed((f"erase {counted(held, 'deleted memory')}, and how others were",))
        question = f"Erase {counted(held, 'deleted memory')}? Nothing takes it back."
        if held and not call.values["yes"] and not agreed(question):
            return View(0, "nothing was erased")
        erased = empty(context)
    return View(erased, f"erased {counted(erased, 'deleted memory')}")


def _compacted(before: StoreInfo, after: StoreInfo) -> View:
    sizes = {"store": (before.bytes, after.bytes), "index": (before.index_bytes, after.index_bytes)}
    saved = sum(was - now for was, now in sizes.values())
    data = {"file": after.file, "bytes": sizes, "bytes_saved": saved, "segments": after.segments}
    rows = [(name, size(was), size(now)) for name, (was, now) in sizes.items()]
    # Joining adds what was only in memory until now, so a small index may grow a little.
    word = "saved" if saved >= 0 else "added"
    return View(data, f"{table(rows, ('', 'before', 'after'))}\n{word} {size(abs(saved))}")


class Reembedded(NamedTuple):
    """How many memories have a vector of a model, of how many."""

    model: str
    having: int
    memories: int

    @property
    def ready(self) -> bool:
        """Whether all have one."""
        return self.having >= self.memories

    def __str__(self) -> str:
        progress = f"{self.having:,} of {self.memories:,} memories have a vector of {self.model}"
        return (
            progress if self.ready else f"{progress}; it did not answer for the others, try again"
        )


def reembed(call: Call) -> object:
    """Give every memory a vector of the chosen embedder now, not bit by bit in the background."""
    settings = call.settings
    if settings.embedder == "static":
        raise ConfigError("Every memory has a static vector; name another with --embedder.")
    total = maintenance.info(settings.url).memories
    model = open_chosen(settings).model
    if call.dry_run:  # without the store, which would begin with it by itself
        lacking = total - maintenance.vectors_of(settings.url, model)
        return Rehearsed((f"give vectors of {model} to {counted(lacking, 'memory')}",))
    return embed_all(settings)


def embed_all(settings: Settings) -> Reembedded:
    """Give every memory a vector of the settings' embedder; whoever is killed goes on later."""
    context = open_context(settings)
    assert context.texts.chosen is not None
    model, total = context.texts.chosen.model, maintenance.info(settings.url).memories
    with closing(context.store):
        _fill(context.part(Reembedding), settings.url, model, total)
    return Reembedded(model, maintenance.vectors_of(settings.url, model), total)


def _fill(work: Reembedding, url: str, model: str, total: int) -> None:
    """Wait for work in the background, which ends after its batch when this is interrupted."""
    waiting = Thread(target=work.wait, daemon=True)
    waiting.start()
    try:
        with Progress(f"embed with {model}", "{:,.0f}".format) as progress:
            while waiting.is_alive():
                progress(maintenance.vectors_of(url, model), total)
                waiting.join(_EVERY_S)
    finally:
        work.close()
