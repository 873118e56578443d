"""Where copies of a store are kept: a folder, or a bucket that speaks S3's protocol.

A copy is put there whole, and counts once what it says of itself lies beside it.
"""

import os
import re
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from milepost.errors import NotFound, StoreUnavailable
from milepost.storage.backups.manifest import SUFFIX, Manifest, read_manifest, write_whole
from milepost.storage.sqlite.backup import settle
from milepost.storage.sqlite.copies import remove
from milepost.transport.s3 import Bucket

Told = Callable[[int], object]

_S3, _ANY = "s3://", "[0-9a-f]{8}"
_MOMENT = re.compile(r"-([0-9]{8}-[0-9]{6})\.(?!json$|tmp$)[^.]+$")


class Place(Protocol):
    """A place for files that are put there whole."""

    # Where a room is made in which a copy is made before it is put there.
    work: Path

    def at(self, name: str) -> str:
        """Return where a file lies, as people write it."""

    def names(self) -> set[str]:
        """Return the files that are there."""

    def put(self, file: Path, name: str, told: Told) -> None:
        """Put a file there, which leaves where it is."""

    def write(self, name: str, content: bytes) -> None:
        """Put a small file there."""

    def read(self, name: str) -> bytes:
        """Return a small file."""

    def fetch(self, name: str, target: Path, told: Told) -> None:
        """Copy a file from there."""

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""

    def tidy(self) -> None:
        """Remove what is left of files that were never finished."""


class Folder:
    """A folder of this machine, or one that is mounted here."""

    def __init__(self, path: Path) -> None:
        self.work = path
        try:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as problem:
            raise _away(path, problem) from problem

    def at(self, name: str) -> str:
        """Return where a file lies."""
        return str(self.work / name)

    def names(self) -> set[str]:
        """Return the files that are there."""
        try:
            return set(os.listdir(self.work))  # noqa: PTH208 -- names are all that is wanted
        except OSError as problem:
            raise _away(self.work, problem) from problem

    def put(self, file: Path, name: str, told: Told) -> None:
        """Give a file that was made here its name."""
        told(file.stat().st_size)
        settle(file, self.work / name)

    def write(self, name: str, content: bytes) -> None:
        """Put a small file there, whole."""
        write_whole(self.work / name, content)

    def read(self, name: str) -> bytes:
        """Return a small file."""
        try:
            return (self.work / name).read_bytes()
        except FileNotFoundError as problem:
            raise NotFound(f"There is no file {self.at(name)}.") from problem
        except OSError as problem:
            raise _away(self.work, problem) from problem

    def fetch(self, name: str, target: Path, told: Told) -> None:
        """Copy a file from there."""
        try:
            shutil.copyfile(self.work / name, target)
        except FileNotFoundError as problem:
            raise NotFound(f"There is no file {self.at(name)}.") from problem
        except OSError as problem:
            raise _away(self.work, problem) from problem
        told(target.stat().st_size)

    def remove(self, name: str) -> None:
        """Remove a file."""
        remove(self.work / name)

    def tidy(self) -> None:
        """Do nothing: rooms that were left are removed by the next that is made there."""


class S3Place:
    """A bucket, or what is under a prefix of one."""

    def __init__(self, url: str, bucket: Bucket, work: Path) -> None:
        self._url, self._bucket, self.work = url.rstrip("/"), bucket, work
        work.mkdir(mode=0o700, parents=True, exist_ok=True)

    def at(self, name: str) -> str:
        """Return where a file lies."""
        return f"{self._url}/{name}"

    def names(self) -> set[str]:
        """Return the files that are there."""
        return {file.name for file in self._bucket.files()}

    def put(self, file: Path, name: str, told: Told) -> None:
        """Send a file there."""
        with file.open("rb") as opened:
            self._bucket.put_file(name, opened, file.stat().st_size, told)
        file.unlink()

    def write(self, name: str, content: bytes) -> None:
        """Send a small file there."""
        self._bucket.put(name, content)

    def read(self, name: str) -> bytes:
        """Return a small file."""
        return self._bucket.read(name)

    def fetch(self, name: str, target: Path, told: Told) -> None:
        """Copy a file from there."""
        with target.open("wb") as file:
            self._bucket.fetch(name, file, told)

    def remove(self, name: str) -> None:
        """Remove a file."""
        self._bucket.remove(name)

    def tidy(self) -> None:
        """Remove the parts of copies that were killed as they were sent."""
        self._bucket.abandon()


def is_bucket(place: str) -> bool:
    """Whether an address names a bucket, or a file in one."""
    return place.startswith(_S3)


def new_name(stem: str, store: str, ending: str, now_s: float) -> str:
    """Return the name of a copy that is made now, by which it is known whose it is."""
    return f"{stem}-{store}-{time.strftime('%Y%m%d-%H%M%S', time.gmtime(now_s))}{ending}"


def copies_in(place: Place, store: str | None) -> Iterator[Manifest]:
    """Yield the whole copies of a store, or of any, that a place has, the newest first."""
    names = place.names()
    for name in _of_store(names, store):
        if name + SUFFIX in names:
            # One that another process has just removed is none.
            with suppress(NotFound):
                yield read_manifest(place.read(name + SUFFIX))


def rotate(place: Place, store: str, keep: int) -> None:
    """Remove all but the newest copies of a store, and what is left of those that never counted."""
    names = place.names()
    files = {name.removesuffix(SUFFIX) for name in names}
    whole = [name for name in _of_store(files, store) if {name, name + SUFFIX} <= names]
    for name in _of_store(files, store):
        # One that is newer than all is just being made.
        if name not in whole[:keep] and whole and _moment(name) < _moment(whole[0]):
            # First what makes it count.
            place.remove(name + SUFFIX)
            place.remove(name)


def _of_store(names: Iterable[str], store: str | None) -> list[str]:
    """Return the names of the copies of a store, or of any, the newest first."""
    whose = _ANY if store is None else re.escape(store)
    pattern = re.compile(f".+-{whose}{_MOMENT.pattern}")
    return sorted(filter(pattern.fullmatch, names), key=_moment, reverse=True)


def _moment(name: str) -> str:
    """Return the part of a name that says when the copy was made."""
    found = _MOMENT.search(name)
    assert found, "it was chosen by that"
    return found[1]


def _away(path: Path, problem: OSError) -> StoreUnavailable:
    return StoreUnavailable(f"The folder {path} cannot be used ({problem.strerror}).")
