"""Look after the store that a URL names, whatever keeps it; today that is a SQLite file."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from milepost.errors import ConfigError
from milepost.storage import store_file

if TYPE_CHECKING:
    from milepost.storage.sqlite.store import SqliteStore
from milepost.upkeep.values import Copy, CopyInfo, Restored, StoreInfo

# Called with what is done and what there is in all.
Progress = Callable[[int, int], None]


def file_to_keep(url: str) -> Path:
    """Return the file of a store; refuse what has none."""
    path = store_file(url)
    if path is None:
        raise ConfigError(f"{url} is not a file here; look after it where the file is.")
    return path


def refuse_older(url: str) -> None:
    """Refuse a store that opening it would bring up to date, for whoever must leave it as it is."""
    from milepost.storage.sqlite import upkeep

    upkeep.refuse_older(file_to_keep(url))


def info(url: str) -> StoreInfo:
    """Return what a store holds and how large it is."""
    from milepost.storage.sqlite import upkeep

    return upkeep.info(file_to_keep(url))


def sizes(url: str) -> tuple[int, int]:
    """Return how large a store and its index are, in bytes, without opening them."""
    from milepost.storage.sqlite import upkeep

    return upkeep.sizes(file_to_keep(url))


def check(url: str, *, quick: bool = False) -> tuple[str, ...]:
    """Return what is wrong with a store's file, in words."""
    from milepost.storage.sqlite import upkeep

    return upkeep.check(file_to_keep(url), quick=quick)


def check_index(store: "SqliteStore") -> tuple[str, ...]:
    """Return how the index of an open store differs from it, in words."""
    from milepost.storage.sqlite import upkeep

    return upkeep.check_index(store)


def compact(url: str, store: "SqliteStore", progress: Progress) -> None:
    """Free the space that deletions left in a file, and join its index into one segment."""
    from milepost.storage.sqlite import upkeep

    progress(0, 2)
    upkeep.vacuum(file_to_keep(url))
    progress(1, 2)
    store.index.join()
    store.forget_removals()
    progress(2, 2)


def vectors_of(url: str, model: str) -> int:
    """Count the memories that have a vector of a model."""
    from milepost.storage.sqlite import upkeep

    return upkeep.vectors_of(file_to_keep(url), model)


def back_up(url: str, target: Path, progress: Progress) -> CopyInfo:
    """Copy a store to a file while others write; the copy is whole or not there."""
    from milepost.storage.sqlite import backup

    return backup.back_up(file_to_keep(url), target, progress)


def new_copy(url: str, folder: Path | None = None) -> Path:
    """Return where a copy goes that is made now: into a folder, else beside the store."""
    from milepost.storage.sqlite.copies import FOLDER, named

    path = file_to_keep(url)
    place = (folder or path.parent / FOLDER) / named(path)
    number, free = 1, place
    while free.exists():
        number += 1
        free = place.with_stem(f"{place.stem}-{number}")
    return free


def copies(url: str) -> list[Copy]:
    """Return all that is copied of a store beside it, newest first."""
    from milepost.storage.sqlite import backup

    return backup.copies(file_to_keep(url))


def remove_copies(chosen: Iterable[Copy]) -> None:
    """Remove copies for good."""
    from milepost.storage.sqlite.copies import remove

    for copy in chosen:
        remove(Path(copy.file))


def verify(copy: Path) -> CopyInfo:
    """Return what a copy holds; raise when it is not whole."""
    from milepost.storage.sqlite import backup

    return backup.verify(copy)


def restore(url: str, copy: Path, progress: Progress, *, dry_run: bool = False) -> Restored:
    """Replace a store by a copy and keep what was there beside it; or only say so."""
    from milepost.storage.sqlite import backup
    from milepost.storage.sqlite.copies import before_restore

    path = file_to_keep(url)
    if not dry_run:
        return backup.restore(path, copy, progress)
    about = backup.restorable(path, copy)
    before = str(before_restore(path)) if path.exists() else None
    return Restored(str(path), str(copy), about.memories, before)
