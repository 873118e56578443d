"""The copies of a store that lie beside it, and what is left of those whose making was killed."""

import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from milepost.upkeep.values import BACKUP, LEFTOVER, MIGRATION, REPLACED

FOLDER = "backups"
# A number of a process means nothing after so long: another may have it.
_LEFT_S = 86_400
_BEGAN = time.time()
_MIGRATION, _REPLACED = r"\.v[0-9]+\.backup", r"\.before-restore(-[0-9]+)?"
# Those of migrations did not always tell who makes them.
_MAKING = r"(\.(?P<process>[0-9]{1,9})|(?<=[0-9]\.backup))\.tmp(-journal|-wal|-shm)?"


def named(store: Path) -> str:
    """Return the name of a copy that is made now, for the folder of backups."""
    return f"{store.stem}-{time.strftime('%Y%m%d-%H%M%S')}{store.suffix or '.db'}"


def before_migration(store: Path, version: int) -> Path:
    """Return where a store is kept as it was before an upgrade."""
    return store.with_name(f"{store.name}.v{version}.backup")


def before_restore(store: Path) -> Path:
    """Return where the store that is replaced next will be kept."""
    place, number = store.with_name(f"{store.name}.before-restore"), 1
    while place.exists():
        number += 1
        place = store.with_name(f"{store.name}.before-restore-{number}")
    return place


def unfinished(copy: Path) -> Path:
    """Return the name that a copy has until it is whole; it tells who makes it."""
    return copy.with_name(f"{copy.name}.{os.getpid()}.tmp")


def copies_of(store: Path) -> Iterator[tuple[str, Path]]:
    """Yield the copies beside a store, and what is left of some, with what each is."""
    name = re.escape(store.name)
    kinds = (
        (BACKUP, store.parent / FOLDER, _backup(store)),
        (MIGRATION, store.parent, name + _MIGRATION),
        (REPLACED, store.parent, name + _REPLACED),
    )
    for kind, folder, pattern in kinds:
        for match in _matches(folder, pattern):
            yield kind, folder / match[0]
    for file in leftovers(store):
        yield LEFTOVER, file


def leftovers(store: Path, target: Path | None = None) -> Iterator[Path]:
    """Yield what is left of copies whose making was killed; none that is still being made.

    target: a copy that is made elsewhere, whose own leftovers are meant too.
    """
    beside = re.escape(store.name) + f"({_MIGRATION}|{_REPLACED})?"
    places = [(store.parent, beside), (store.parent / FOLDER, _backup(store))]
    if target is not None:
        places += [(target.parent, f"{_backup(store)}|{re.escape(target.name)}")]
    for folder, pattern in places:
        for match in _matches(folder, f"({pattern}){_MAKING}"):
            if _is_forsaken(folder / match[0], match["process"]):
                yield folder / match[0]


def remove_leftovers(store: Path, target: Path | None = None) -> None:
    """Remove what is left of copies whose making was killed."""
    for file in leftovers(store, target):
        remove(file)


def remove(copy: Path) -> None:
    """Remove a copy, with what it says of itself and what SQLite may have left beside it."""
    for suffix in ("", ".json", "-journal", "-wal", "-shm"):
        with suppress(OSError):
            Path(f"{copy}{suffix}").unlink()


def _is_forsaken(file: Path, process: str | None) -> bool:
    """Whether nobody makes a copy any more."""
    try:
        written = file.stat().st_mtime
        if process is not None and int(process) == os.getpid():
            # In a container each process may have the number of the one before it.
            return written < _BEGAN - 1
        is_old = time.time() - written > _LEFT_S
        return (is_old or _is_gone(process)) and not _is_locked(file)
    except OSError:
        return False


def _is_gone(process: str | None) -> bool:
    if process is None or os.name != "posix":
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    return False


def _is_locked(file: Path) -> bool:
    """Whether a process uses a database, be it one that cannot be seen from here."""
    try:
        import fcntl
    except ImportError:
        return False  # on Windows a file in use cannot be removed

    with file.open("r+b") as opened:
        try:
            # The bytes that SQLite locks; by closing the file only our own locks would be lost.
            fcntl.lockf(opened, fcntl.LOCK_EX | fcntl.LOCK_NB, 512, 0x4000_0000)
        except OSError:
            return True
    return False


def _backup(store: Path) -> str:
    # A schedule names the store, too: many may keep their copies in one place.
    when = r"(-[0-9a-f]{8})?-[0-9]{8}-[0-9]{6}(-[0-9]+)?"
    return re.escape(store.stem) + when + re.escape(store.suffix or ".db")


def _matches(folder: Path, pattern: str) -> list[re.Match[str]]:
    """Return the files of a folder whose names are of a pattern."""
    try:
        names = os.listdir(folder)  # noqa: PTH208 -- a path for each costs more than the list
    except OSError:
        return []
    matches = filter(None, map(re.compile(pattern).fullmatch, sorted(names)))
    return [match for match in matches if (folder / match[0]).is_file()]
