"""`milepost logs`: the last lines of the log, and those that are added."""

import os
import time
from collections import deque
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TextIO

from milepost.errors import NotFound
from milepost.surfaces.cli.command import Call, Misuse
from milepost.surfaces.cli.printer import View
from milepost.surfaces.logging import log_file

_EVERY_S = 0.25


def show_logs(call: Call) -> object:
    """Show the last lines of the log of the daemon and the servers."""
    path, count, follow = log_file(call.settings), call.values["lines"], call.values["follow"]
    if count < 0:
        raise Misuse("--lines must be 0 or more")
    file = _opened(path)
    if file is not None:
        call.closing.callback(file.close)
    elif not follow:
        raise NotFound(f"Nothing is logged yet: there is no {path}.")
    lines = [line.removesuffix("\n") for line in deque(file or (), maxlen=count)]
    if follow:
        return chain(lines, _added(path, file))
    return View(lines, "\n".join(lines))


def _added(path: Path, file: TextIO | None) -> Iterator[str]:
    """Yield the lines that are written from now on, also when a new file takes the name."""
    while True:
        line = file.readline() if file else ""
        if line:
            yield line.removesuffix("\n")
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
