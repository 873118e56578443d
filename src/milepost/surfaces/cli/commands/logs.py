"""`milepost logs`: the last lines of the log, and those that are added."""

import os
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

from milepost.errors import NotFound
from milepost.log_file import LogFiles, log_file
from milepost.opening import now
from milepost.surfaces.cli.command import Call, Misuse
from milepost.upkeep.logs import filtered, parsed
from milepost.upkeep.values import LogLine

_EVERY_S = 0.25


def show_logs(call: Call) -> object:
    """Show the last lines of the log of the daemon, the servers and hooks."""
    values = call.values
    count, follow = values["lines"], values["follow"]
    about = {name: values[name] for name in ("level", "since", "grep", "request")}
    if count < 0:
        raise Misuse("--lines must be 0 or more")
    if call.is_remote:
        if follow:
            raise Misuse("--follow reads the log of this machine, and the memory is a server's")
        return call.memory().read_logs(**about, limit=count) if count else []
    path, is_meant = log_file(call.settings), filtered(**about, now_us=now())
    if follow:
        return _followed(path, is_meant, count)
    if not path.exists():
        raise NotFound(f"Nothing is logged yet: there is no {path}.")
    return list(deque(filter(is_meant, map(parsed, LogFiles(path).lines())), count))


def _followed(path: Path, is_meant: Callable[[LogLine], bool], count: int) -> Iterator[LogLine]:
    """Yield the last lines that are asked for, and those that are logged from now on."""
    file = _opened(path)
    yield from deque(filter(is_meant, map(parsed, file or ())), count)
    yield from filter(is_meant, map(parsed, _added(path, file)))


def _added(path: Path, file: TextIO | None) -> Iterator[str]:
    """Yield the lines that are written from now on, also when a new file takes the name."""
    while True:
        line = file.readline() if file else ""
        if line:
            yield line
        elif file is None or _is_another(path, file):
            file = _opened(path)
            time.sleep(0 if file else _EVERY_S)
        else:
            time.sleep(_EVERY_S)


def _opened(path: Path) -> TextIO | None:
    try:
        return path.open(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return None


def _is_another(path: Path, file: TextIO) -> bool:
    try:
        return path.stat().st_ino != os.fstat(file.fileno()).st_ino
    except FileNotFoundError:
        return False
