"""Start Python with nothing of ours but the code, and talk to it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from typing import Any

from milepost.sandbox import protocol

START_S_MAX = 60
_MAIN = (
    "import sys; sys.path[:] = sys.argv[2].split({separator!r}); "
    "from importlib import import_module; import_module(sys.argv[1]).main(*sys.argv[3:])"
)


def python(module: str, *arguments: object) -> list[str]:
    """Return the command that runs a module's `main`, with the path that this process has."""
    # Without the current folder, whose files are not ours.
    path = os.pathsep.join(folder for folder in sys.path if os.path.isabs(folder))  # noqa: PTH117
    code = _MAIN.format(separator=os.pathsep)
    return [sys.executable, "-I", "-S", "-c", code, module, path, *map(str, arguments)]


class WorkerFailed(Exception):
    """A worker did not start."""


class WorkerProcess:
    """A worker as the host sees it."""

    def __init__(self, component: int, memory_mb_max: int) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            arguments = (theirs.fileno(), os.getpid(), component, memory_mb_max)
            self.process = subprocess.Popen(  # noqa: S603 -- our own interpreter and code
                python("milepost.sandbox.worker", *arguments),
                env={},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(), component),
                cwd="/",
                start_new_session=True,
            )
        self.channel = protocol.WorkerChannel(ours.detach())
        self.functions = b""
        self.runs = 0
        self.growth_mb = 0.0
        self._first_memory_mb: float | None = None
        self.layers: dict[str, Any] = {}

    def wait_until_ready(self) -> None:
        """Wait until it has loaded the guest and given up the rest."""
        until = time.monotonic() + START_S_MAX
        try:
            _, payload = self.channel.receive({protocol.READY: protocol.SMALL_BYTES_MAX}, until)
            self.layers = json.loads(payload)
        except (protocol.ProtocolError, protocol.TimedOut, ValueError) as problem:
            self.stop()
            raise WorkerFailed(f"a worker did not start ({problem or 'too slow'})") from problem
        if "error" in self.layers:
            self.stop()
            raise WorkerFailed(f"a worker did not start: {self.layers['error']}")

    def count_run(self, memory_mb: float) -> None:
        """Note that a run ended, before which the worker held so much memory."""
        self.runs += 1
        if self._first_memory_mb is None:
            self._first_memory_mb = memory_mb
        self.growth_mb = memory_mb - self._first_memory_mb

    def stop(self) -> None:
        """Kill it, whatever it does."""
        self.process.kill()
        self.process.wait()
        self.channel.close()
