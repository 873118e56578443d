"""The files of a folder of notes: none outside of it is read or written, by whatever link."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from milepost.documents.markdown.names import SUFFIX
from milepost.errors import InvalidInput

FOLDER = ".milepost"
_BYTES_MAX = 4 << 20


class File(NamedTuple):
    """A file of the folder as it was read: by its path from there, with slashes."""

    path: str
    data: bytes
    problem: str = ""

    @property
    def digest(self) -> str:
        """What tells it from any other."""
        return digest_of(self.data)


def digest_of(data: bytes) -> str:
    """Return what tells a file's content from any other."""
    return sha256(data).hexdigest()


def files_in(folder: Path) -> Iterator[File]:
    """Yield the notes of a folder in the order of their paths; what is hidden is none of them."""
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if name.startswith(".") or not name.lower().endswith(SUFFIX):
                continue
            path = Path(root, name).relative_to(folder).as_posix()
            yield _read(folder, path)


def _read(folder: Path, path: str) -> File:
    try:
        path.encode()
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        if (folder / path).is_symlink():
            return File(path, b"", "it is a link; put the file itself here")
        if not (folder / path).is_file():
            return File(path, b"", "it is no file")
        with os.fdopen(os.open(folder / path, flags), "rb") as file:
            data = file.read(_BYTES_MAX + 1)
    except UnicodeEncodeError:
        named = path.encode(errors="replace").decode()
        return File(named, b"", "its name is not UTF-8")
    except OSError as problem:
        return File(path, b"", f"it cannot be read ({problem.strerror})")
    if len(data) > _BYTES_MAX:
        return File(path, b"", f"it is larger than {_BYTES_MAX:,} bytes")
    return File(path, data)


def write_whole(folder: Path, path: str, data: bytes, before: str | None = None) -> bool:
    """Write a file, there when all of it is on disk; False if it is not any more what it was.

    before: the digest of what it takes the place of; "" for a file that must not be there yet.
    """
    target = folder / _inside(folder, path)
    part = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=".note-", dir=target.parent)
        part = Path(name)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if before is not None and _now(target) != before:
            return False
        if target.exists():
            part.chmod(target.stat().st_mode & 0o777)
        part.replace(target)
    except OSError as problem:
        raise InvalidInput(f"Cannot write {target} ({problem.strerror}).") from problem
    finally:
        if part is not None:
            with suppress(OSError):
                part.unlink(missing_ok=True)
    return True


def remove(folder: Path, path: str, before: str) -> bool:
    """Remove a file; False if it is not any more what it was."""
    target = folder / _inside(folder, path)
    if _now(target) != before:
        return False
    target.unlink()
    with suppress(OSError):
        if target.parent != folder:
            target.parent.rmdir()  # which fails while anything is in it
    return True


def _now(target: Path) -> str:
    try:
        return digest_of(target.read_bytes())
    except FileNotFoundError:
        return ""


def _inside(folder: Path, path: str) -> PurePosixPath:
    """Return a path that leads nowhere out of the folder."""
    relative = PurePosixPath(path)
    if relative.is_absolute() or ".." in relative.parts:
        raise InvalidInput(f"{path} is not within {folder}.")
    for parent in [*relative.parents, relative]:
        if (folder / parent).is_symlink() and str(parent) != ".":
            raise InvalidInput(f"{folder / parent} is a link; nothing is written through it.")
    return relative
