"""`milepost logs`: the last lines of the log, and those that are added."""

import os
import sys
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from milepost.errors import NotFound
from milepost.surfaces.cli.command import SHOWN, Call, Misuse
from milepost.surfaces.logging import log_file

_EVERY_S = 0.25


def show_logs(call: Call) -> object:
    """Show the last lines of the log of the daemon and the servers."""
    path, follow = log_file(call.settings), call.given["follow"]
    if call.given["lines"] < 0:
        raise Misuse("--lines must be 0 or more")
    if not path.exists() and not follow:
        raise NotFound(f"Nothing is logged yet: there is no {path}.")
    lines = _last(path, call.given["lines"])
    if call.given.get("form", "human") != "human" and not follow:
        return lines
    for line in lines:
        print(line)
    if follow:
        sys.stdout.flush()
        for text in _added(path):
            print(text, end="", flush=True)
    return SHOWN


def _last(path: Path, count: int) -> list[str]:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return [line.removesuffix("\n") for line in deque(file, maxlen=count)]
    except FileNotFoundError:
        return []


def _added(path: Path) -> Iterator[str]:
    """Yield what is written to a file from now on, also when a new one takes its name."""
    file = _opened(path)
    if file is not None:
        file.seek(0, os.SEEK_END)
    while True:
        if file is not None and (text := file.read()):
            yield text
            continue
        if file is None or _is_another(path, file):
            file = _opened(path)
        if file is None or not (text := file.read()):
            time.sleep(_EVERY_S)
        else:
            yield text


def _opened(path: Path) -> TextIO | None:
    return path.open(encoding="utf-8", errors="replace") if path.exists() else None


def _is_another(path: Path, file: TextIO) -> bool:
    try:
        return path.stat().st_ino != os.fstat(file.fileno()).st_ino
    except FileNotFoundError:
        return False
