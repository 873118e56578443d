"""Hold a file against other processes; the system lets go when the holder dies."""

import os
import sys
import time
from pathlib import Path

_LOOK_S = 0.005

# Where it is locked on Windows, which lets nobody read what is locked.
_FAR = 1 << 30

if sys.platform == "win32":
    import msvcrt

    def _take(fd: int, shared: bool) -> bool:
        if shared:
            return True  # there are no shared locks; whoever wants it alone asks SQLite too
        os.lseek(fd, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(fd, 0, os.SEEK_SET)
        return True
else:

    def _take(fd: int, shared: bool) -> bool:
        try:
            import fcntl
        except ImportError:
            return True  # a system without processes has nobody to lock out
        try:
            fcntl.flock(fd, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def take(path: Path, *, wait_s: float = 0.0, shared: bool = False) -> int | None:
    """Hold a lock file until the returned descriptor is closed; None when another has it so long.

    Nobody waits in the system for it: whoever holds it may have been stopped for good.
    """
    fd = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
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
