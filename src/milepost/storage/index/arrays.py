"""Keep named numpy arrays in one file that opens as a memory map."""

import json
import mmap
import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[np.generic]]

_MAGIC = b"MPIX0001"
_ALIGN = 64


def write_arrays(path: Path, arrays: Arrays, header: dict[str, object]) -> None:
    """Write arrays and a small header, durable before the file takes its name."""
    layout, offset = {}, 0
    for name, array in arrays.items():
        layout[name] = (array.dtype.str, array.shape, offset)
        offset += -(-array.nbytes // _ALIGN) * _ALIGN
    head = json.dumps({"arrays": layout, "header": header}).encode()
    start = -(-(len(_MAGIC) + 8 + len(head)) // _ALIGN) * _ALIGN
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(_MAGIC + len(head).to_bytes(8, "little") + head)
            for name, array in arrays.items():
                file.seek(start + layout[name][2])
                file.write(np.ascontiguousarray(array).data)
            file.truncate(start + offset)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
    temporary.replace(path)


def read_arrays(path: Path, *, writable: bool = False) -> tuple[Arrays, dict[str, object]]:
    """Map a file written by write_arrays; raise ValueError when it is not whole."""
    access = mmap.ACCESS_WRITE if writable else mmap.ACCESS_READ
    with path.open("r+b" if writable else "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size < len(_MAGIC) + 8:
            raise ValueError(f"{path} is cut short")
        view = mmap.mmap(file.fileno(), 0, access=access)
    if view[: len(_MAGIC)] != _MAGIC:
        raise ValueError(f"{path} is not a search index")
    length = int.from_bytes(view[len(_MAGIC) : len(_MAGIC) + 8], "little")
    head = json.loads(view[len(_MAGIC) + 8 : len(_MAGIC) + 8 + length])
    start = -(-(len(_MAGIC) + 8 + length) // _ALIGN) * _ALIGN
    arrays: Arrays = {}
    for name, (dtype, shape, offset) in head["arrays"].items():
        count = int(np.prod(shape))
        if start + offset + count * np.dtype(dtype).itemsize > size:
            raise ValueError(f"{path} is cut short")
        flat = np.frombuffer(view, dtype, count, start + offset)
        arrays[name] = flat.reshape(shape)
    return arrays, head["header"]
