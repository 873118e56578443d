"""What tests of several kinds share."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

import milepost
from milepost.app import Operations, open_memory
from milepost.opening import settings_for
from milepost.registry import operations_of
from milepost.surfaces import warm
from milepost.surfaces.http import running
from milepost.surfaces.warm_server import WarmServer

Running = subprocess.Popen[str]
RunPython = Callable[..., subprocess.CompletedProcess[str]]
StartPython = Callable[..., Running]

# How long to wait for what must come before it is said that it did not: enough for any machine.
PATIENCE_S = 120


@contextmanager
def kept_warm(path: Path) -> Iterator[WarmServer]:
    """Keep a store warm in this process, asked through its socket as by any other process."""
    settings = settings_for(path)
    with open_memory(settings) as kept, pytest.MonkeyPatch.context() as patch:
        # On a busy machine the greeting comes late.
        patch.setattr(warm, "GREETING_S", PATIENCE_S)
        server = WarmServer(kept, settings, "test")
        assert server.start()
        forget_functions()
        try:
            yield server
        finally:
            server.stop()
            warm.close_idle()
            forget_functions()


# How a memory is reached that lies elsewhere than where somebody works.
WAYS = ("here", "over HTTP")


@contextmanager
def reached(way: str, path: Path) -> Iterator[Operations]:
    """Open a memory for who works on no named project: here, or at a server."""
    settings = settings_for(path)._replace(project="")
    with open_memory(settings) as memory:
        if way == "here":
            yield memory
            return
        with (
            running(memory, settings._replace(port=0)) as url,
            milepost.MilepostClient(url, timeout=PATIENCE_S) as client,
        ):
            yield client


def fill_disk(ballast: Path) -> None:
    """Leave no room on the disk of a new file, which may be removed to make room again."""
    with ballast.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(4096))


def on_this_machine(seconds: float) -> float:
    """Return a limit of time for a machine as busy as this one is: by how many share a core.

    Now, for work that has just begun elsewhere, and within the last minute, for what has ended.
    """
    began, busy_s = time.perf_counter(), 0.02
    until = time.process_time() + busy_s
    while time.process_time() < until:
        pass
    now = (time.perf_counter() - began) / busy_s
    return seconds * 2 * max(1.0, now, os.getloadavg()[0] / (os.cpu_count() or 1))


def wait_until(happened: Callable[[], object]) -> None:
    """Look again and again whether something happened that another thread or process does."""
    deadline = time.monotonic() + PATIENCE_S
    while not happened():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.005)


@contextmanager
def processor_time_below(seconds: float) -> Iterator[None]:
    """Hold what is done inside to so much time of a processor, whoever else uses the machine."""
    tracer = sys.gettrace()
    sys.settrace(None)  # what measures coverage is not what is measured here
    try:
        began = time.process_time()
        yield
        spent = time.process_time() - began
        assert spent < seconds or spent < seconds * _slowness(), f"it took {spent:.2f} s"
    finally:
        sys.settrace(tracer)


def _slowness() -> float:
    """Return how much slower this processor is now than a quiet one, whose caches are its own."""
    began, quiet_s = time.process_time(), 0.03
    for _ in range(1_000_000):
        pass
    return (time.process_time() - began) / quiet_s


def forget_functions() -> None:
    """Let the package look again for a warm process when a function is used next."""
    for name in [*operations_of(milepost.Milepost), "get_by_hash"]:
        vars(milepost).pop(name, None)


def patched(memory: milepost.Milepost, name: str, answer: Callable[..., object]) -> None:
    """Have a memory answer an operation in another way, also for who works at another place."""
    original = memory.within

    def within(*args: object, **kwargs: object) -> milepost.Milepost:
        other = original(*args, **kwargs)  # type: ignore[arg-type]
        setattr(other, name, answer)
        return other

    memory.within = within  # type: ignore[method-assign]
    setattr(memory, name, answer)
