"""Copies of a store in another place: made there, rotated, listed, and fetched back.

A copy is a SQLite file, of whichever store: that of a database holds all its spaces. So a copy of
one can take the place of the other.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from milepost.config import Settings
from milepost.errors import InvalidInput, StoreBusy
from milepost.location import is_database, shown
from milepost.memory.context import Context
from milepost.sealing import new_key
from milepost.secret_sources import revealed
from milepost.storage import maintenance, store_file
from milepost.storage.backups.manifest import (
    SUFFIX,
    Manifest,
    manifest_of,
    read_manifest,
    refuse_other,
)
from milepost.storage.backups.places import Folder, Place, S3Place, copies_in, is_bucket, new_name
from milepost.storage.backups.places import rotate as rotate_in
from milepost.storage.backups.rooms import room_in
from milepost.transport.s3 import Bucket, Credentials
from milepost.transport.tls import Tls
from milepost.unlocking import secrets_of_copies, unlock
from milepost.upkeep.values import BACKUP, Copy, CopyInfo, Restored

# Makes the store of an address, or brings it up to date, and opens it.
OpenAt = Callable[[Settings], Context]
# Called now and then while something takes long.
Told = Callable[[], None]

_COPIES, _DRILLS = "copies", "drills"


class CopiesElsewhere:
    """The copies of a store that lie where a schedule says."""

    def __init__(self, settings: Settings, open_at: OpenAt) -> None:
        self._settings, self._open_at = settings, open_at

    def place(self, to: str) -> Place:
        """Return the place that an address names: a folder, or s3://bucket/prefix."""
        if is_bucket(to):
            return S3Place(to, self._bucket(to), Path(self._settings.cache_folder) / _COPIES)
        path = Path(to).expanduser()
        if not path.is_absolute():
            raise InvalidInput(f"Give the whole path of a folder, or s3://bucket/prefix, not {to}.")
        return Folder(path)

    def _bucket(self, url: str) -> Bucket:
        of = self._settings
        secret = revealed("s3_secret_key", of.s3_secret_key)
        by = Credentials(of.s3_endpoint, of.s3_region, of.s3_key_id, secret)
        return Bucket(url, by, Tls(of.ca))

    def beside(self) -> str:
        """Return the folder in which copies are kept beside the store; none of a database."""
        path = store_file(self._settings.url)
        return "" if path is None else str(maintenance.new_copy(self._settings.url).parent)

    def make(self, to: str, store: str, keep: int, told: Told) -> CopyInfo:
        """Make a copy, put it in its place and remove those that are too many."""
        place = self.place(to)
        place.tidy()
        path = store_file(self._settings.url)
        stem, ending = ("milepost", ".db") if path is None else (path.stem, path.suffix or ".db")
        name = new_name(stem, store, ending, time.time())
        with room_in(place.work) as room:
            made = room / name
            self._copy(made, room, told)
            manifest = manifest_of(made, name)
            place.put(made, name, lambda _: told())
            place.write(name + SUFFIX, manifest.told())
        rotate_in(place, store, keep)
        return manifest.info(place.at(name))

    def copy_to_file(self, target: Path, told: Told) -> CopyInfo:
        """Write the store to a file that is not there yet, with what it says of itself."""
        if target.exists():
            raise InvalidInput(f"{target} exists already; give another name.")
        with room_in(target.parent) as room:
            self._copy(room / target.name, room, told)
            manifest = manifest_of(room / target.name, target.name)
            Folder(target.parent).put(room / target.name, target.name, lambda _: told())
        Folder(target.parent).write(target.name + SUFFIX, manifest.told())
        return manifest.info(str(target))

    def _copy(self, target: Path, room: Path, told: Told) -> None:
        """Write the store to a file, encrypted as copies are."""
        from milepost.storage.sqlite.backup import disk_named
        from milepost.storage.sqlite.connection import our_errors
        from milepost.storage.sqlite.copying import copy_database, rewrite

        url, secrets = self._settings.url, secrets_of_copies(self._settings)
        unlock(self._settings)
        with our_errors(target), disk_named(target):
            if is_database(url):
                self._copy_spaces(url, room / "spaces.db", told)
                copy_database(room / "spaces.db", target)
            elif secrets:
                rewrite(
                    maintenance.file_to_keep(url), target, new_key(secrets[0]), lambda *_: told()
                )
            else:
                copy_database(maintenance.file_to_keep(url), target, lambda *_: told())

    def _copy_spaces(self, url: str, file: Path, told: Told) -> None:
        """Write all spaces of a database to a file, as they are at one moment."""
        from milepost.storage.moving.copying import copy_spaces

        key = self._settings.backup_key or self._settings.encryption_key
        fresh = self._settings.alone_at(str(file))._replace(embedder="static", encryption_key=key)
        self._open_at(fresh).close()
        copied = copy_spaces(url, str(file), None, replace=True, progress=lambda *_: told())
        if not all(space.agrees for space in copied):
            raise StoreBusy("A space was moved while it was copied; the next attempt is due soon.")

    def restore_database(self, copy: Path, before: Path, told: Told) -> Restored:
        """Replace the spaces of a database by those of a copy; what it had goes to a file."""
        from milepost.storage.moving.copying import copy_spaces

        about, url = maintenance.verify(copy), self._settings.url
        self._open_at(self._settings.alone_at(url)._replace(embedder="static")).close()
        self.copy_to_file(before, told)
        copied = copy_spaces(str(copy), url, None, replace=True, progress=lambda *_: told())
        if not all(space.agrees for space in copied):
            raise StoreBusy("The database was written to meanwhile; restore when nobody does.")
        return Restored(shown(url), str(copy), about.memories, str(before))

    def listed(self, to: str, store: str | None = None) -> list[Copy]:
        """Return the copies that a place has of a store, or of any, the newest first."""
        place = self.place(to)
        return [each.copy(place.at(each.name), BACKUP) for each in copies_in(place, store)]

    @contextmanager
    def room(self) -> Iterator[Path]:
        """Make a room for work that leaves nothing, also when it is killed."""
        with room_in(Path(self._settings.cache_folder) / _DRILLS) as room:
            yield room

    def fetch(self, url: str, room: Path, told: Told) -> tuple[Path, Manifest | None]:
        """Bring a copy here by its address; with what it says of itself, if it says so.

        Raise StoreCorrupt when it is another than it was.
        """
        at, _, name = url.rpartition("/")
        place = self.place(at)
        if not name:
            raise InvalidInput(f"Name a copy; `milepost backup list --in {at}` shows them.")
        known = name + SUFFIX in place.names()
        manifest = read_manifest(place.read(name + SUFFIX)) if known else None
        target = room / name
        place.fetch(name, target, lambda _: told())
        target.chmod(0o600)
        if manifest is not None:
            refuse_other(target, manifest, url)
        return target, manifest
