"""Reads documents, each in a process that can do nothing else."""

from __future__ import annotations

import os
import stat
import time

import msgspec

from milepost.documents.values import Document
from milepost.errors import Unreadable
from milepost.reading.wire import ANSWER, ANSWER_BYTES_MAX, READ, Answer, Request
from milepost.reading.workers import WorkerDied, Workers
from milepost.sandbox import protocol
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path


class Limits(NamedTuple):
    """What a document may be and take.

    cpu_s: the processor time after which a reader ends with what it has; half as much again, and
        it is stopped.
    """

    file_mb: int = 256
    memory_mb: int = 1_024
    cpu_s: float = 40.0
    wall_s: float = 600.0


class Reader:
    """Lends each document to a worker, and believes nothing of what comes back."""

    def __init__(self, limits: Limits | None = None, workers: int | None = None) -> None:
        self._limits = limits or Limits()
        self._workers = Workers(workers or os.cpu_count() or 1, self._limits.memory_mb)

    def read(self, path: Path, media: str | None = None, *, file: int | None = None) -> Document:
        """Return what a document says."""
        try:
            if file is not None:
                return self._read(path.name, media or "", file)
            # A pipe or a device would be waited for.
            opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            try:
                return self._read(path.name, media or "", opened)
            finally:
                os.close(opened)
        except OSError as problem:
            raise Unreadable(f"{path.name} cannot be read: {problem.strerror}.") from problem

    def check(self, name: str, about: os.stat_result) -> None:
        """Raise Unreadable for what is no file, empty, or too large to be read."""
        if not stat.S_ISREG(about.st_mode):
            raise Unreadable(f"{name} is not a file.")
        if about.st_size > self._limits.file_mb << 20:
            size = f"{about.st_size / (1 << 20):,.0f} MB"
            raise Unreadable(
                f"{name} holds {size}, more than the {self._limits.file_mb} MB that are read: "
                "split it."
            )
        if not about.st_size:
            raise Unreadable(f"{name} is empty.")

    def _read(self, name: str, media: str, file: int) -> Document:
        self.check(name, os.fstat(file))
        try:
            answer = self._asked(Request(name, media, self._limits.cpu_s), file)
        except WorkerDied as problem:
            raise Unreadable(f"{name} cannot be read: {problem}.") from problem
        except protocol.TimedOut as problem:
            limit = f"it takes longer than {self._limits.wall_s:g} s"
            raise Unreadable(f"{name} cannot be read: {limit}.") from problem
        except msgspec.MsgspecError as problem:
            raise Unreadable(f"{name} cannot be read: its worker answered nonsense.") from problem
        if answer.problem:
            raise Unreadable(f"{name} cannot be read: {answer.problem}.")
        return answer.document()

    def _asked(self, request: Request, file: int) -> Answer:
        until = time.monotonic() + self._limits.wall_s
        with self._workers.lent() as worker:
            worker.hand(file, self._limits.cpu_s * 1.5)
            worker.channel.send(READ, msgspec.msgpack.encode(request), until)
            _, payload = worker.channel.receive({ANSWER: ANSWER_BYTES_MAX}, until)
            return msgspec.msgpack.decode(payload, type=Answer)

    def missing(self) -> dict[str, str]:
        """Return of the formats that cannot be read here which package they lack."""
        return self._workers.missing()

    def close(self) -> None:
        """End the processes that read."""
        self._workers.close()
