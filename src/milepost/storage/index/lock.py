"""Hold a folder against other processes; the system lets go when the holder dies."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if os.name == "nt":
    import msvcrt

    def _take(fd: int, wait: bool) -> bool:
        try:
            msvcrt.locking(fd, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        except OSError:
            return False
        return True
else:
    import fcntl

    def _take(fd: int, wait: bool) -> bool:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            return False
        return True


@contextmanager
def exclusive(folder: Path, *, wait: bool = True) -> Iterator[bool]:
    """Hold the folder's lock; yields whether it was had."""
    fd = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        yield _take(fd, wait)
    finally:
        os.close(fd)
