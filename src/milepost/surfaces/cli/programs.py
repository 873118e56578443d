"""What somebody at a terminal sees of the sandbox: one line while it is compiled."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from milepost import background
from milepost.config import Settings
from milepost.errors import MilepostError
from milepost.opening import sandbox_folder
from milepost.sandbox import can_compile, compile_ahead
from milepost.surfaces.cli.terminal import WaitingLine, duration
from milepost.waiting import WAITING

COMPILING = "compiling the sandbox for this machine, once"
_LOOK_S = 0.2


@contextmanager
def waiting_shown() -> Iterator[None]:
    """Show on a terminal why a program does not begin yet; elsewhere the log tells."""
    with WaitingLine() as line:
        token = WAITING.set(line if line.is_live else None)
        try:
            yield
        finally:
            WAITING.reset(token)


def compile_shown(settings: Settings) -> str:
    """Compile the sandbox if that is still to be done; return what came of it, if anything."""
    folder = sandbox_folder(settings)
    if settings.sandbox == "off" or not can_compile(folder):
        return ""
    problems: list[str] = []

    def compile_it() -> None:
        try:
            compile_ahead(folder)
        except MilepostError as problem:
            problems.append(str(problem))

    began = time.monotonic()
    thread = background.start("compiling", compile_it)
    try:
        with WaitingLine() as line:
            while thread is not None and thread.is_alive():
                line(COMPILING, time.monotonic() - began)
                thread.join(_LOOK_S)
    except KeyboardInterrupt:
        return "the sandbox is compiled when the first program runs"
    took = duration(time.monotonic() - began)
    return problems[0] if problems else f"compiled the sandbox for this machine in {took}"
