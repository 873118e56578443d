"""Keep named numpy arrays in one file that opens as a memory map, every byte under a checksum."""

import json
import mmap
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from milepost.sealing import Key, SealBroken

Arrays = dict[str, NDArray[np.generic]]

_MAGIC = b"MPIX0002"
_ALIGN = 64
# Before the head stand the magic, the head's length and its checksum.
_FIXED = len(_MAGIC) + 8 + 4
# So much is read at a time to be compared: reading the map would make all of it resident.
_CHUNK = 1 << 20


class IndexDamaged(Exception):
    """A file is not what was written."""


class ArrayFile:
    """Arrays that are mapped from a file, or read from an encrypted one."""

    def __init__(self, path: Path, *, writable: bool = False, key: Key | None = None) -> None:
        self.path, self._key = path, key
        self._view: mmap.mmap | memoryview
        with path.open("r+b" if writable else "rb") as file:
            self._written = os.fstat(file.fileno()).st_mtime_ns
            if key is None:
                access = mmap.ACCESS_WRITE if writable else mmap.ACCESS_READ
                self._layout, self.header, start = _read_head(file, path)
                self._view = mmap.mmap(file.fileno(), 0, access=access)
            else:
                content = _opened(path, key)
                self._layout, self.header, start = _read_head(BytesIO(content[:_CHUNK]), path)
                self._view = content if writable else content.toreadonly()
        self.arrays: Arrays = {}
        for name, (dtype, shape, offset, size, _) in self._layout.items():
            if start + offset + size > len(self._view):
                raise IndexDamaged(f"{path.name} is cut short")
            flat = np.frombuffer(self._view, dtype, int(np.prod(shape)), start + offset)
            self.arrays[name] = flat.reshape(shape)

    def is_whole(self) -> bool:
        """Whether the file is as long as it was; to read beyond its end would end the process."""
        return isinstance(self._view, memoryview) or self._view.size() >= len(self._view)

    def was_written_to(self) -> bool:
        """Whether the file changed since it was opened or last asked about; a file gone did not."""
        try:
            before, self._written = self._written, self.path.stat().st_mtime_ns
        except OSError:
            return False
        return before != self._written

    def damage(self) -> str:
        """Return in words what differs from what was written, read from the file itself."""
        try:
            with self._reading() as file:
                layout, _, start = _read_head(file, self.path)
                for name, (_, _, offset, size, check) in layout.items():
                    file.seek(start + offset)
                    if _checksum(_chunks(file, size)) != check:
                        return f"{self.path.name} differs from what was written ({name})"
                if file.read(1):
                    return f"{self.path.name} is longer than it was"
        except (OSError, ValueError, IndexDamaged) as problem:
            return str(problem)
        return ""

    def _reading(self) -> BinaryIO:
        if self._key is None:
            return self.path.open("rb")
        return BytesIO(_opened(self.path, self._key))

    def seal(self) -> None:
        """Write the checksums of what was changed in place."""
        if isinstance(self._view, memoryview):
            write_arrays(self.path, self.arrays, self.header, self._key)
            return
        self._view.flush()
        with self.path.open("r+b") as file:
            _, _, start = _read_head(file, self.path)
            for entry in self._layout.values():
                file.seek(start + entry[2])
                entry[4] = _checksum(_chunks(file, entry[3]))
            head = _head(self._layout, self.header)
            file.seek(0)
            file.write(head)
            file.flush()
            os.fsync(file.fileno())


def _opened(path: Path, key: Key) -> memoryview:
    try:
        return key.opened_file(path)
    except SealBroken as problem:
        raise IndexDamaged(str(problem)) from problem


def write_arrays(
    path: Path, arrays: Mapping[str, NDArray[Any]], header: dict[str, Any], key: Key | None = None
) -> None:
    """Write arrays and a small header, durable before the file takes its name."""
    layout: dict[str, list[Any]] = {}
    offset = 0
    for name, array in arrays.items():
        size = -(-array.nbytes // _ALIGN) * _ALIGN
        check = _checksum([np.ascontiguousarray(array).data, bytes(size - array.nbytes)])
        layout[name] = [array.dtype.str, array.shape, offset, size, check]
        offset += size
    parts = _parts(_head(layout, header), arrays.values())
    write_whole(path, parts if key is None else key.sealed_file(parts))


def write_whole(path: Path, parts: Iterable[bytes | memoryview]) -> None:
    """Write a file, durable before it takes its name."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            for part in parts:
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _parts(head: bytes, arrays: Iterable[NDArray[Any]]) -> Iterator[bytes | memoryview]:
    yield head
    for array in arrays:
        data = np.ascontiguousarray(array).data
        yield data.cast("B") if data.nbytes else b""
        yield bytes(-array.nbytes % _ALIGN)


def _head(layout: Mapping[str, list[Any]], header: dict[str, Any]) -> bytes:
    """Return what stands before the arrays, of the same length whatever the checksums are."""
    text = json.dumps({"arrays": layout, "header": header}).encode()
    text += b" " * (-(_FIXED + len(text)) % _ALIGN)
    check = zlib.crc32(text).to_bytes(4, "little")
    return _MAGIC + len(text).to_bytes(8, "little") + check + text


def _read_head(file: BinaryIO, path: Path) -> tuple[dict[str, list[Any]], dict[str, Any], int]:
    """Return the layout, the header and where the arrays begin."""
    fixed = file.read(_FIXED)
    if fixed[: len(_MAGIC)] != _MAGIC or len(fixed) < _FIXED:
        raise IndexDamaged(f"{path.name} is not a search index, or cut short")
    length = int.from_bytes(fixed[len(_MAGIC) : -4], "little")
    end = file.seek(0, os.SEEK_END)
    if _FIXED + length > end:
        raise IndexDamaged(f"{path.name} is cut short")
    file.seek(_FIXED)
    text = file.read(length)
    if zlib.crc32(text).to_bytes(4, "little") != fixed[-4:]:
        raise IndexDamaged(f"{path.name} differs from what was written (its head)")
    head = json.loads(text)
    return head["arrays"], head["header"], _FIXED + length


def _chunks(file: BinaryIO, size: int) -> Iterable[bytes]:
    while size > 0 and (part := file.read(min(size, _CHUNK))):
        size -= len(part)
        yield part


def _checksum(parts: Iterable[Any]) -> str:
    # Written with all its digits, so that a head is of one length whatever the checksums are.
    number = 0
    for part in parts:
        number = zlib.crc32(part, number)
    return f"{number:08x}"
