"""`milepost space`: which store each space is on, and to another one while it is used."""

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from milepost.caretaking import spaces_of
from milepost.config import Settings
from milepost.errors import ConfigError
from milepost.location import file_of, is_server, shown
from milepost.memory import validation
from milepost.opening import open_context
from milepost.placing import SpacesFile, address_of
from milepost.secret_sources import is_reference
from milepost.storage import store_file
from milepost.storage.moving.following import READERS_S, Move, Moved
from milepost.storage.moving.parts import MEMORIES, PARTS
from milepost.storage.moving.sides import open_reader, open_target
from milepost.surfaces.cli.command import Call, Misuse
from milepost.surfaces.cli.dry_run import Rehearsed
from milepost.surfaces.cli.printer import View
from milepost.surfaces.cli.terminal import Progress, table
from milepost.text.lines import counted
from milepost.upkeep.alerts.watching import replaced

_MEMORIES = next(part for part in PARTS if part.name == MEMORIES)


def listed(call: Call) -> View:
    """Show all spaces of all stores that the map names."""
    settings = call.settings
    _refuse_remote(settings)
    found = spaces_of(SpacesFile(settings.spaces_file, settings.url).read())
    rows = [(s.space, s.store, f"{s.memories:,}", f"{s.rows:,}", s.note) for s in found]
    head = ("space", "store", "memories", "rows", "")
    return View(found, table(rows, head) if rows else "there is no space yet")


def move(call: Call) -> object:
    """Copy a space to another store, follow what changes, and switch the map."""
    space = validation.name("space", call.values["name"])
    if call.values["keep"] and call.values["remove"]:
        raise Misuse("--keep and --remove exclude each other")
    file, address = _map(call), _absolute(call.values["target"])
    source, target = file.read().url_of(space), address_of(address)
    if shown(source) == shown(target):
        return _finished(space, source, remove=call.values["remove"])
    if call.dry_run:
        return Rehearsed(tuple(_planned(space, source, target, file)))
    if store_file(target) is not None:  # made, or brought up to date
        open_context(call.settings.alone_at(target)._replace(embedder="static")).close()
    with Progress("copy", "{:,.0f}".format) as progress:
        moving = Move(space, source, target, lambda: file.place(space, address), progress)
        moved = moving.run(replace=call.values["replace"])
    if call.values["replace"]:
        there = call.settings.alone_at(target)._replace(embedder="static")
        with closing(open_context(there)) as context:
            replaced(context, [space])
    if call.values["remove"]:
        time.sleep(READERS_S)
        _remove(space, source)
    return View(moved, _told(moved, removed=call.values["remove"]))


def _absolute(address: str) -> str:
    """Return an address that means the same wherever a server runs."""
    path = file_of(address)
    return address if path is None or is_reference(address) else str(Path(path).resolve())


def _map(call: Call) -> SpacesFile:
    settings = call.settings
    _refuse_remote(settings)
    if not settings.spaces_file:
        raise ConfigError("With --url one store is used alone; name it by MILEPOST_URL instead.")
    return SpacesFile(settings.spaces_file, settings.url)


def _refuse_remote(settings: Settings) -> None:
    if is_server(settings.url):
        raise ConfigError(f"{settings.shown_url} is a server's memory; place spaces where it runs.")


def _planned(space: str, source: str, target: str, file: SpacesFile) -> Iterator[str]:
    with closing(open_reader(source)) as side:
        side.enter(space)
        count = counted(side.count(_MEMORIES), "memory")
        rows = sum(map(side.count, PARTS))
    yield f"copy {space} ({count}, {rows:,} rows) to {shown(target)}"
    yield f"refuse writes to {space} in {shown(source)}"
    yield f"place {space} there in {file.path}"


def _finished(space: str, url: str, *, remove: bool) -> str:
    """Finish what was interrupted after the map was switched."""
    place = shown(url)
    if remove:
        raise ConfigError(f"{space} is in {place} already; nothing is removed.")
    with closing(open_target(url)) as side:
        side.enter(space)
        if side.marker() is None:
            return f"{space} is in {place} already"
        side.open()
        side.finish()
    return f"{space} is in {place} now; the move that was interrupted is finished"


def _remove(space: str, url: str) -> None:
    with closing(open_target(url)) as side:
        side.enter(space)
        side.clear()


def _told(moved: Moved, *, removed: bool) -> str:
    left = "nothing of it is left in" if removed else "a copy of it stays in"
    rows = [
        ("space", moved.space),
        ("now in", moved.target),
        ("memories", f"{moved.memories:,}"),
        ("rows", f"{moved.rows:,}"),
        ("changed meanwhile", f"{moved.followed:,}"),
        ("copied in", f"{moved.copied_s:.1f} s" + (", after an interruption" * moved.resumed)),
        ("writers waited", f"{moved.waited_s:.2f} s"),
        (left, moved.source),
    ]
    return table(rows)
