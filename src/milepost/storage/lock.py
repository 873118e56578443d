"""Hold a file against other processes; the system lets go when the holder dies."""

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


def take(path: Path, *, wait: bool = False) -> int | None:
    """Hold a lock file until the returned descriptor is closed; None when another has it."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    if _take(fd, wait):
        return fd
    os.close(fd)
    return None


@contextmanager
def exclusive(folder: Path, *, wait: bool = True) -> Iterator[bool]:
    """Hold the folder's lock; yields whether it was had."""
    fd = take(folder / "lock", wait=wait)
    try:
        yield fd is not None
    finally:
        if fd is not None:
            os.close(fd)
