"""`milepost backup`: make copies of the store, list them, check them, put one back."""

import time
from pathlib import Path
from typing import NamedTuple

from milepost.model.upkeep import CopyInfo, Restored
from milepost.storage import maintenance
from milepost.surfaces.cli.command import Call
from milepost.surfaces.cli.output import View, counted, moment, size, table
from milepost.surfaces.cli.progress import Progress
from milepost.surfaces.cli.rehearsing import Rehearsed

FOLDER = "backups"


class Listed(NamedTuple):
    """A file that is a copy of the store, as far as its name tells."""

    file: str
    bytes: int
    made: float


def create(call: Call) -> object:
    """Copy the store to a file, while others use it."""
    store = maintenance.file_to_keep(call.settings.url)
    target = _target(store, call.given.get("file"))
    if call.dry_run:
        found = maintenance.info(call.settings.url)
        return Rehearsed(
            (f"copy {counted(found.memories, 'memory')} ({size(found.bytes)}) to {target}",)
        )
    with Progress("backup") as progress:
        made = maintenance.back_up(call.settings.url, target, progress)
    return View(made, f"{made.file}\n{_contents(made)}")


def _contents(found: CopyInfo) -> str:
    return f"{counted(found.memories, 'memory')}, {size(found.bytes)}, schema {found.schema}, whole"


def _target(store: Path, given: str | None) -> Path:
    """Return where a copy goes: the given file, else a name with the time in it."""
    name = f"{store.stem}-{time.strftime('%Y%m%d-%H%M%S')}{store.suffix or '.db'}"
    if given is None:
        return _free(store.parent / FOLDER / name)
    place = Path(given).expanduser().absolute()
    return _free(place / name) if place.is_dir() else place


def _free(place: Path) -> Path:
    number, found = 1, place
    while found.exists():
        number += 1
        found = place.with_stem(f"{place.stem}-{number}")
    return found


def listed(call: Call) -> View:
    """Show the copies in the folder of backups and those that upgrades and restores left."""
    store = maintenance.file_to_keep(call.settings.url)
    patterns = (f"{store.stem}-*{store.suffix or '.db'}",)
    files = [file for pattern in patterns for file in (store.parent / FOLDER).glob(pattern)]
    for pattern in (f"{store.name}.v*.backup", f"{store.name}.before-restore*"):
        files += [file for file in store.parent.glob(pattern) if file.is_file()]
    found = [Listed(str(f), f.stat().st_size, f.stat().st_mtime) for f in files]
    found.sort(key=lambda copy: copy.made, reverse=True)
    rows = [(moment(copy.made), size(copy.bytes), copy.file) for copy in found]
    return View(found, table(rows, ("made", "size", "file")) if rows else "no copies yet")


def verify(call: Call) -> View:
    """Check that a copy is whole."""
    found = maintenance.verify(Path(call.given["file"]).expanduser().absolute())
    return View(found, f"{found.file}\n{_contents(found)}")


def restore(call: Call) -> object:
    """Replace the store by a copy; what it replaces is kept beside it."""
    copy = Path(call.given["file"]).expanduser().absolute()
    with Progress("restore") as progress:
        done = maintenance.restore(call.settings.url, copy, progress, dry_run=call.dry_run)
    return Rehearsed(tuple(_deeds(done))) if call.dry_run else View(done, _told(done))


def _deeds(done: Restored) -> list[str]:
    deeds = [f"put the {counted(done.memories, 'memory')} of {done.source} into {done.file}"]
    return deeds + ([f"keep what is there now as {done.kept}"] if done.kept else [])


def _told(done: Restored) -> str:
    rows = [("restored", done.file), ("memories", f"{done.memories:,}")]
    return table([*rows, ("kept", done.kept)] if done.kept else rows)
