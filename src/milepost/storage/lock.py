"""Hold a file against other processes; the system lets go when the holder dies."""

import os
import time
from pathlib import Path

_LOOK_S = 0.005

if os.name == "nt":
    import msvcrt

    def _take(fd: int, shared: bool) -> bool:
        if shared:
            return True  # there are no shared locks; whoever wants it alone asks SQLite too
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        except OSError:
            return False
        return True
else:
    import fcntl

    def _take(fd: int, shared: bool) -> bool:
        try:
            fcntl.flock(fd, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def take(path: Path, *, wait_s: float = 0.0, shared: bool = False) -> int | None:
    """Hold a lock file until the returned descriptor is closed; None when another has it so long.

    Nobody waits in the system for it: whoever holds it may have been stopped for good.
    """
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    deadline = time.monotonic() + wait_s
    try:
        while not _take(fd, shared):
            if time.monotonic() >= deadline:
                os.close(fd)
                return None
            time.sleep(_LOOK_S)
    except BaseException:
        os.close(fd)
        raise
    return fd
