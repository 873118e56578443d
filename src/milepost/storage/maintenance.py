"""Look after the store that a URL names, whatever keeps it: a SQLite file or a database."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from milepost.errors import ConfigError
from milepost.location import is_database, shown
from milepost.storage import store_file

if TYPE_CHECKING:
    from milepost.ports import Store
    from milepost.sealing import Key
from milepost.upkeep.values import (
    Check,
    Copy,
    CopyInfo,
    Reencrypted,
    Restored,
    SchemaState,
    StoreCheck,
    StoreInfo,
)

# Called with what is done and what there is in all.
Progress = Callable[[int, int], None]


def file_to_keep(url: str) -> Path:
    """Return the file of a store; refuse what has none."""
    path = store_file(url)
    if path is not None:
        return path
    place = shown(url)
    if is_database(url):
        raise ConfigError(
            f"{place} is no file: `milepost backup create FILE` copies its spaces into one and "
            "`milepost backup schedule` does so by itself; "
            "`pg_dump` copies a database whole."
        )
    raise ConfigError(f"{place} is not a file here; look after it where the file is.")


def refuse_older(url: str) -> None:
    """Refuse a store that opening it would bring up to date, for whoever must leave it as it is."""
    if is_database(url):
        from milepost.storage.postgres import maintenance as database

        database.refuse_older(url)
    else:
        from milepost.storage.sqlite import upkeep

        upkeep.refuse_older(file_to_keep(url))


def info(url: str) -> StoreInfo:
    """Return what a store holds and how large it is."""
    if is_database(url):
        from milepost.storage.postgres import maintenance as database

        return database.info(url)
    from milepost.storage.sqlite import upkeep

    return upkeep.info(file_to_keep(url))


def sizes(url: str) -> tuple[int, int]:
    """Return how large a store and its index are, in bytes, without opening them."""
    if is_database(url):
        from milepost.storage.postgres import maintenance as database

        return database.sizes(url)
    from milepost.storage.sqlite import upkeep

    return upkeep.sizes(file_to_keep(url))


def check(url: str, opened: "Callable[[], Store]", *, quick: bool = False) -> StoreCheck:
    """Return what is wrong with a store, and with what finds its memories, in words.

    opened: opens the store, whose index is compared when the store itself is whole.
    """
    if is_database(url):
        from milepost.storage.postgres import maintenance as database

        return StoreCheck(shown(url), *database.check(url, quick=quick))
    from milepost.storage.sqlite import upkeep

    path = file_to_keep(url)
    problems = upkeep.check(path, quick=quick)
    if problems:
        return StoreCheck(str(path), problems, ())
    with upkeep.to_look_after(opened) as store:
        return StoreCheck(str(path), (), upkeep.check_index(store))


def vacuum(url: str, opened: "Callable[[], Store]", progress: Progress) -> None:
    """Free the space that deletions left; the index of a file becomes one segment."""
    if is_database(url):
        from milepost.storage.postgres import maintenance as database

        database.vacuum(url, progress)
    else:
        from milepost.storage.sqlite import upkeep

        upkeep.compact(file_to_keep(url), opened, progress)


def reindex(url: str, opened: "Callable[[], Store]", progress: Progress) -> str:
    """Make anew what finds memories; say what was made."""
    if is_database(url):
        from milepost.storage.postgres import maintenance as database

        return database.reindex(url, progress)
    from milepost.storage.sqlite import upkeep

    return upkeep.reindex(opened)


def sync(url: str, opened: "Callable[[], Store]", progress: Progress) -> str:
    """Let what finds memories catch up with them; say how far it is."""
    if is_database(url):
        from milepost.storage.postgres import maintenance as database

        return database.sync(url, progress)
    from milepost.storage.sqlite import upkeep

    return upkeep.sync(opened)


def health(url: str) -> Iterable[Check]:
    """Return what was looked at of a store without changing it, and what would repair it."""
    if is_database(url):
        from milepost.storage.postgres import maintenance as database

        return database.health(url)
    from milepost.storage.sqlite import upkeep

    return upkeep.health(file_to_keep(url))


def schema_state(url: str) -> SchemaState:
    """Return how far the schema of a store is, and what would bring it up to date."""
    if is_database(url):
        from milepost.storage.postgres import maintenance as database

        return database.schema_state(url)
    from milepost.storage.sqlite import upkeep

    return upkeep.schema_state(file_to_keep(url))


def vectors_of(url: str, model: str) -> int:
    """Count the memories that have a vector of a model."""
    if is_database(url):
        from milepost.storage.postgres import maintenance as database

        return database.vectors_of(url, model)
    from milepost.storage.sqlite import upkeep

    return upkeep.vectors_of(file_to_keep(url), model)


def back_up(url: str, target: Path, progress: Progress) -> CopyInfo:
    """Copy a store to a file while others write; the copy is whole or not there."""
    from milepost.storage.sqlite import backup

    return backup.back_up(file_to_keep(url), target, progress)


def recode(
    url: str,
    chosen: "Callable[[Key | None], Key | None]",
    beside: "Callable[[Key | None], int]",
    progress: Progress,
) -> Reencrypted:
    """Write a store and what lies beside it under the key that is chosen for it, or under none."""
    if is_database(url):
        from milepost.storage.postgres import encryption as database

        return database.recode(url, chosen, beside, progress)
    from milepost.storage.sqlite import encryption

    return encryption.recode(file_to_keep(url), chosen, beside, progress)


def encryption_state(url: str) -> tuple[bool, list[str]]:
    """Return whether a store is encrypted, and its copies that are in clear text all the same.

    Of a database whether its texts are.
    """
    if is_database(url):
        from milepost.storage.postgres import encryption as database

        return database.is_sealed(url), []
    from milepost.storage.sqlite import encryption

    return encryption.state(file_to_keep(url))


def key_of_store(url: str) -> "Key | None":
    """Return the key by which a store is encrypted; None for one in clear text."""
    if is_database(url):
        from milepost.storage.postgres import encryption as database

        return database.key_of(url)
    path = store_file(url)
    if path is None:
        return None
    from milepost.storage.sqlite.keys import key_of

    return key_of(path)


def to_recode(url: str, chosen: "Callable[[Key | None], Key | None]") -> list[str]:
    """Return the files, or the tables, that `recode` would write anew."""
    if is_database(url):
        from milepost.storage.postgres import encryption as database

        return database.planned(url, chosen)
    from milepost.storage.sqlite import encryption

    return encryption.planned(file_to_keep(url), chosen)


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
