"""Bring a store and all that lies beside it under a key, under another, or back into clear text.

Each file is written anew beside the old one and takes its name when it is whole, so that whoever is
killed leaves each as it was or as it shall be. Running it again goes on with what is left.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from shutil import copystat, disk_usage
from typing import NamedTuple

import apsw

from milepost.errors import MilepostError, StoreCorrupt, StoreUnavailable
from milepost.sealing import Key, SealBroken, beginning_of, is_header
from milepost.storage.backups.manifest import renew
from milepost.storage.index.arrays import write_whole
from milepost.storage.index.folder import IndexFolder
from milepost.storage.sqlite.backup import alone, held_alone, settle
from milepost.storage.sqlite.connection import DISK_BYTES_MIN, our_errors, size_of
from milepost.storage.sqlite.copies import copies_of, remove_leftovers, unfinished
from milepost.storage.sqlite.copying import Progress, open_to_look, quiet, write_under
from milepost.storage.sqlite.file import index_of
from milepost.storage.sqlite.keys import give, key_of
from milepost.storage.sqlite.migrate import schema_version
from milepost.storage.sqlite.upkeep import open_known
from milepost.upkeep.values import LEFTOVER, Reencrypted


class _Part(NamedTuple):
    """A database that is to be written anew, and the key that it has."""

    file: Path
    key: Key | None


def recode(
    path: Path,
    chosen: Callable[[Key | None], Key | None],
    beside: Callable[[Key | None], int],
    progress: Progress = quiet,
) -> Reencrypted:
    """Write a store, its copies and its index under the key that is chosen for it, and say what.

    chosen: returns the key that shall be, given the one that is; the same if nothing is to be done.
    beside: does the same for what sessions left, and returns how many files it wrote.
    """
    open_known(path).close()
    with alone(path), our_errors(path):
        remove_leftovers(path)
        parts, left = _parts(path)
        key = chosen(parts[0].key)
        due = [part for part in parts if part.key != key]
        _refuse_without_room(path, due)
        pace = _Pace(progress, [size_of(part.file) for part in due])
        for part in due:
            _write_anew(part, key, pace, is_store=part.file == path)
            renew(part.file)
        indexed = _recode_index(path, parts[0].key, key)
    return Reencrypted(
        str(path), key is not None, tuple(str(part.file) for part in due), indexed, beside(key),
        tuple(left),
    )  # fmt: skip


def planned(path: Path, chosen: Callable[[Key | None], Key | None]) -> list[str]:
    """Return the files that would be written anew, without changing any."""
    open_known(path).close()
    parts, _ = _parts(path)
    key = chosen(parts[0].key)
    return [str(part.file) for part in parts if part.key != key]


def state(path: Path) -> tuple[bool, list[str]]:
    """Return whether a store is encrypted, and its copies that are in clear text all the same."""
    if not is_header(beginning_of(path)):
        return False, []
    copies = [file for _, file in copies_of(path)]
    return True, [str(file) for file in copies if not is_header(beginning_of(file))]


def _parts(path: Path) -> tuple[list[_Part], list[str]]:
    """Return the store first, then its copies; and in words those that cannot be read."""
    parts, left = [_Part(path, key_of(path))], []
    for kind, file in copies_of(path):
        if kind == LEFTOVER:
            left.append(f"{file}: another process makes it, or did")
            continue
        try:
            key = key_of(file)
            with our_errors(file), closing(open_to_look(file)) as connection:
                schema_version(connection)
        except MilepostError as problem:
            left.append(f"{file}: {problem}")
        else:
            parts.append(_Part(file, key))
    return parts, left


def _refuse_without_room(path: Path, due: list[_Part]) -> None:
    """Raise when the largest file does not fit beside itself; each replaces the one before it."""
    needed = max((size_of(part.file) for part in due), default=0) + DISK_BYTES_MIN
    free = disk_usage(path.parent).free
    if due and free < needed:
        raise StoreUnavailable(
            f"Writing {path} anew needs {needed / 1e6:,.1f} MB beside it, and {free / 1e6:,.1f} MB "
            "are free; nothing was changed."
        )


class _Pace:
    """Tells how far all files together are."""

    def __init__(self, progress: Progress, sizes: list[int]) -> None:
        self._progress, self._total, self._done = progress, sum(sizes), 0

    def of(self, file: Path) -> Progress:
        """Return what tells of one file."""
        size, before = size_of(file), self._done
        self._done += size

        def tell(done: int, total: int) -> None:
            self._progress(before + size * done // max(total, 1), self._total)

        return tell


def _write_anew(part: _Part, key: Key | None, pace: _Pace, *, is_store: bool) -> None:
    fresh = unfinished(part.file)
    tell = pace.of(part.file)
    try:
        opened = held_alone(part.file) if is_store else open_to_look(part.file)
        with closing(opened) as reader:
            write_under(reader, fresh, key, tell)
            _compare(reader, fresh, key)
        copystat(part.file, fresh)  # a copy stays as old as it is
        settle(fresh, part.file)
    finally:
        fresh.unlink(missing_ok=True)
    tell(1, 1)


def _compare(reader: apsw.Connection, fresh: Path, key: Key | None) -> None:
    """Raise unless a new file is whole and holds as many rows of each table."""
    with closing(apsw.Connection(str(fresh), flags=apsw.SQLITE_OPEN_READWRITE)) as written:
        give(written, key)
        whole = written.execute("PRAGMA quick_check(1)").get == "ok"
        if not whole or list(_rows(written)) != list(_rows(reader)):
            raise StoreCorrupt(f"{fresh} is not what was written; nothing was changed.")


def _rows(connection: apsw.Connection) -> Iterator[tuple[str, int]]:
    tables = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
    for (name,) in connection.execute(tables).fetchall():
        yield str(name), int(connection.execute(f'SELECT count(*) FROM "{name}"').get)  # noqa: S608


def _recode_index(path: Path, before: Key | None, after: Key | None) -> int:
    """Write the index under another key; what cannot be is removed, and made again by whoever asks.

    Files that no longer count are removed: after a kill they may be in clear text.
    """
    folder = index_of(path)
    counting, done = IndexFolder(folder).manifest().files, 0
    for file in sorted(folder.iterdir()):
        if file.suffix == ".tmp" or (file.suffix == ".segment" and file.name not in counting):
            file.unlink(missing_ok=True)
        elif file.suffix == ".segment" and not _is_under(file, after):
            try:
                if before == after:
                    raise SealBroken("the store was written anew before, and its key is gone")
                content = file.read_bytes() if before is None else before.opened_file(file)
                write_whole(file, [content] if after is None else after.sealed_file([content]))
                done += 1
            except (SealBroken, OSError):
                # Without a manifest there is no index, and a segment alone is none.
                (folder / "manifest.json").unlink(missing_ok=True)
                file.unlink(missing_ok=True)
    return done


def _is_under(file: Path, key: Key | None) -> bool:
    if key is None:
        return not file.read_bytes()[:8].startswith(b"MPSF")
    try:
        key.opened_file(file)
    except SealBroken:
        return False
    return True
