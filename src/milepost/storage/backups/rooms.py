"""Rooms for work that leaves nothing: folders that are removed at the end, or by who comes next."""

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp

from milepost.errors import StoreUnavailable
from milepost.storage.lock import take

_PREFIX, _LOCK = ".milepost-room-", "lock"
# Whoever made a room has its lock by then.
_MAKING_S = 60.0


@contextmanager
def room_in(folder: Path) -> Iterator[Path]:
    """Make a room in a folder, and leave nothing of it; first of those whose owners were killed."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _clear(folder)
        room = Path(mkdtemp(prefix=_PREFIX, dir=folder))
    except OSError as problem:
        raise StoreUnavailable(
            f"The folder {folder} cannot be used ({problem.strerror})."
        ) from problem
    held = take(room / _LOCK)
    try:
        yield room
    finally:
        shutil.rmtree(room, ignore_errors=True)
        if held is not None:
            os.close(held)


def _clear(folder: Path) -> None:
    """Remove the rooms of those who were killed."""
    for room in folder.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            lock = room / _LOCK
            if not lock.exists() and time.time() - room.stat().st_mtime < _MAKING_S:
                continue
            held = take(lock)
            if held is not None:
                shutil.rmtree(room, ignore_errors=True)
                os.close(held)
