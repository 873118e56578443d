"""`milepost backup`: make copies of the store, list, check and remove them, put one back."""

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from milepost.config import data_folder
from milepost.copies_elsewhere import CopiesElsewhere
from milepost.errors import MilepostError, StoreError
from milepost.location import is_database, shown
from milepost.opening import open_context
from milepost.storage import maintenance
from milepost.storage.backups.manifest import refuse_changed
from milepost.storage.backups.places import is_bucket
from milepost.surfaces.cli.command import Call, Misuse
from milepost.surfaces.cli.dry_run import Rehearsed
from milepost.surfaces.cli.printer import View
from milepost.surfaces.cli.terminal import Progress, agreed, moment, size, table
from milepost.text.lines import age, counted
from milepost.upkeep.backups.schedules import schedule_of
from milepost.upkeep.values import COPIES, LEFTOVER, Copy, CopyInfo, Restored

_UNITS_S = {"h": 3_600, "d": 86_400, "w": 7 * 86_400}
_FOOTER = (
    "What is deleted from the memory stays in copies: `milepost backup prune` removes them. "
    "Those made elsewhere are not listed."
)


def create(call: Call) -> object:
    """Copy the store to a file, while others use it."""
    target = _target(call.settings.url, call.values.get("file"))
    if call.dry_run:
        store = maintenance.info(call.settings.url)
        return Rehearsed(
            (f"copy {counted(store.memories, 'memory')} ({size(store.bytes)}) to {target}",)
        )
    with Progress("backup") as progress:
        if is_database(call.settings.url):
            copy = _elsewhere(call).copy_to_file(target, lambda: None)
        else:
            copy = maintenance.back_up(call.settings.url, target, progress)
    return View(copy, f"{copy.file}\n{_contents(copy)}")


def _contents(copy: CopyInfo) -> str:
    return f"{counted(copy.memories, 'memory')}, {size(copy.bytes)}, schema {copy.schema}, whole"


def _target(url: str, file: str | None) -> Path:
    """Return where a copy goes: the given file, else a name with the time in it."""
    place = None if file is None else Path(file).expanduser().absolute()
    if is_database(url) and place is not None:
        return place
    return place if place is not None and not place.is_dir() else maintenance.new_copy(url, place)


def listed(call: Call) -> View:
    """Show every copy beside the store: backups, and what upgrades, restores and crashes left."""
    if call.values["place"]:
        copies = _elsewhere(call).listed(call.values["place"])
        return View(copies, _table(copies) if copies else "no copies there")
    copies = list(_known(call))
    return View(copies, f"{_table(copies)}\n{_FOOTER}" if copies else "no copies yet")


def _known(call: Call) -> Sequence[Copy]:
    """Return the copies beside the store, and those that its schedule keeps elsewhere."""
    if is_database(call.settings.url):
        return call.memory().list_backups()
    beside = maintenance.copies(call.settings.url)
    try:
        with closing(open_context(call.settings, read_only=True)) as context:
            schedule = schedule_of(context)
    except StoreError:  # it may be for that that somebody looks for a copy
        return beside
    if schedule is None:
        return beside
    known = {copy.file for copy in beside}
    try:
        there = _elsewhere(call).listed(schedule.to, schedule.name)
    except MilepostError as problem:
        print(f"milepost: {schedule.to} cannot be listed: {problem}", file=sys.stderr)
        there = []
    return [*beside, *(copy for copy in there if copy.file not in known)]


def _elsewhere(call: Call) -> CopiesElsewhere:
    return CopiesElsewhere(call.settings, open_context)


def prune(call: Call) -> object:
    """Remove copies beside the store, the oldest first, after asking."""
    chosen = _superfluous(maintenance.copies(call.settings.url), call.values)
    if call.dry_run:
        return Rehearsed(tuple(f"remove {copy.file}" for copy in chosen) or ("change nothing",))
    if not chosen:
        return View([], "nothing to remove")
    if not call.values.get("yes"):
        print(_table(chosen), file=sys.stderr)
        if not agreed(f"Remove {counted(len(chosen), 'copy')}?"):
            return View([], "nothing was removed")
    maintenance.remove_copies(chosen)
    freed = sum(copy.bytes for copy in chosen)
    return View(chosen, f"removed {counted(len(chosen), 'copy')}, {size(freed)}")


def _superfluous(copies: Sequence[Copy], values: Mapping[str, Any]) -> list[Copy]:
    """Return the copies that are more than shall be kept, or older; leftovers in any case."""
    keep, limit = values.get("keep"), values.get("older_than")
    if keep is None and limit is None:
        raise Misuse("say how many to keep or how old they must be: --keep 3, --older-than 30d")
    if keep is not None and keep < 0:
        raise Misuse("--keep must be 0 or more")
    kinds = values.get("kind") or COPIES
    made_before = time.time() - (0.0 if limit is None else _seconds(limit))
    whole = [copy for copy in copies if copy.kind != LEFTOVER and copy.kind in kinds]
    older = [copy for copy in whole[keep or 0 :] if copy.made <= made_before]
    return older + [copy for copy in copies if copy.kind == LEFTOVER and copy.kind in kinds]


def _seconds(age: str) -> float:
    count, unit = age[:-1], age[-1:]
    if not count.isdigit() or unit not in _UNITS_S:
        raise Misuse(f"--older-than takes a number with h, d or w, such as 30d, not {age!r}")
    return int(count) * _UNITS_S[unit]


def _table(copies: Sequence[Copy]) -> str:
    rows = [
        (
            moment(copy.made),
            age(int((time.time() - copy.made) * 1e6)),
            copy.kind,
            "?" if copy.memories is None else f"{copy.memories:,}",
            size(copy.bytes),
            copy.file,
        )
        for copy in copies
    ]
    return table(rows, ("made", "age", "kind", "memories", "size", "file"))


def verify(call: Call) -> View:
    """Check that a copy is whole."""
    with _brought(call) as (copy, name):
        about = maintenance.verify(copy)._replace(file=name)
    return View(about, f"{about.file}\n{_contents(about)}")


def restore(call: Call) -> object:
    """Replace the store by a copy; what it replaces is kept, beside it or in a file."""
    url = call.settings.url
    with _brought(call) as (copy, name), Progress("restore") as progress:
        if not is_database(url):
            restored = maintenance.restore(url, copy, progress, dry_run=call.dry_run)
        else:
            before = Path(data_folder()) / "backups" / f"before-restore-{int(time.time())}.db"
            about = maintenance.verify(copy)
            restored = Restored(shown(url), name, about.memories, str(before))
            if not call.dry_run:
                _elsewhere(call).restore_database(copy, before, lambda: None)
    restored = restored._replace(source=name)
    return Rehearsed(tuple(_deeds(restored))) if call.dry_run else View(restored, _told(restored))


@contextmanager
def _brought(call: Call) -> Iterator[tuple[Path, str]]:
    """Give a copy as a file that is here, and how it was named; one in a bucket is fetched."""
    _ = call.settings  # which name its key, if it is encrypted
    named = call.values["file"]
    if not is_bucket(named):
        copy = Path(named).expanduser().absolute()
        refuse_changed(copy)
        yield copy, str(copy)
        return
    elsewhere = _elsewhere(call)
    with elsewhere.room() as room:
        copy, _ = elsewhere.fetch(named, room, lambda: None)
        yield copy, named


def _deeds(restored: Restored) -> list[str]:
    deeds = [
        f"put the {counted(restored.memories, 'memory')} of {restored.source} into {restored.file}"
    ]
    return deeds + ([f"keep what is there now as {restored.kept}"] if restored.kept else [])


def _told(restored: Restored) -> str:
    rows = [("restored", restored.file), ("memories", f"{restored.memories:,}")]
    return table([*rows, ("kept", restored.kept)] if restored.kept else rows)
