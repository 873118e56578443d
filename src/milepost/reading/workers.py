"""A few processes that read, lent to whoever asks; one that dies is replaced."""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from milepost.errors import Unreadable
from milepost.reading import worker
from milepost.sandbox import protocol
from milepost.sandbox.process import START_S_MAX, python

# Of a worker: what it leaves behind of one document does not add up over many.
DOCUMENTS_MAX, GROWTH_MB_MAX = 100, 200
_ANSWER_S = 30.0


class WorkerDied(Exception):
    """A worker ended before it answered; the message says why."""


class Lent:
    """A worker as the host sees it."""

    def __init__(self, pid: int, ours: socket.socket) -> None:
        self.pid, self._ours = pid, ours
        self.channel = protocol.WorkerChannel(ours.dup().detach())
        self.documents = 0
        self.memory_mb = self._first_mb = _memory_mb(pid)

    def hand(self, file: int, cpu_s_max: float) -> None:
        """Give it a document, and the processor time that it may take for it."""
        self.documents += 1
        if hasattr(resource, "prlimit"):
            limit = int(_spent_s(self.pid) + cpu_s_max) + 1
            with suppress(ProcessLookupError):
                resource.prlimit(self.pid, resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
        try:
            socket.send_fds(self._ours, [b"D"], [file])
        except OSError as problem:
            raise protocol.ProtocolError(f"the worker is gone ({problem.strerror})") from problem

    def is_used_up(self) -> bool:
        """Whether another should come in its place."""
        grown = _memory_mb(self.pid) - self._first_mb
        return self.documents >= DOCUMENTS_MAX or grown > GROWTH_MB_MAX

    def close(self) -> None:
        """Close the host's end."""
        self.channel.close()
        self._ours.close()


class Workers:
    """Starts workers when they are needed, as many as there are processors at most."""

    def __init__(self, most: int, memory_mb_max: int) -> None:
        self._most, self._memory_mb_max = most, memory_mb_max
        self._changed = threading.Condition()
        self._forget()

    def _forget(self) -> None:
        self._process = os.getpid()
        self._idle: list[Lent] = []
        self._alive = 0
        self._origin: _Origin | None = None

    @contextmanager
    def lent(self) -> Iterator[Lent]:
        """Lend a worker; one that raised is ended, and why it had ended is told."""
        one = self._lease()
        try:
            yield one
        except protocol.ProtocolError as problem:
            raise WorkerDied(_why(self._end(one), str(problem))) from problem
        except BaseException:
            self._end(one)
            raise
        if one.is_used_up():
            self._end(one)
            return
        with self._changed:
            self._idle.append(one)
            self._changed.notify()

    def _lease(self) -> Lent:
        with self._changed:
            if self._process != os.getpid():
                # The processes of whoever forked this one are theirs.
                self._forget()
            self._changed.wait_for(lambda: self._idle or self._alive < self._most)
            if self._idle:
                return self._idle.pop()
            if self._origin is not None and not self._origin.is_alive():
                self._origin.close()
                self._origin = None
            if self._origin is None:
                self._origin = _Origin(self._memory_mb_max)
            one = self._origin.fork()
            self._alive += 1
            return one

    def _end(self, one: Lent) -> int:
        """End a worker; return how it ended."""
        with self._changed:
            self._alive -= 1
            status = self._origin.reap(one.pid) if self._origin is not None else 0
            self._changed.notify()
        one.close()
        return status

    def missing(self) -> dict[str, str]:
        """Return of the formats that cannot be read what they lack."""
        with self.lent(), self._changed:
            assert self._origin is not None
            return self._origin.missing

    def close(self) -> None:
        """End all of them; those that read are killed."""
        with self._changed:
            if self._process != os.getpid() or self._origin is None:
                return
            for one in self._idle:
                one.close()
            self._alive -= len(self._idle)
            self._idle = []
            self._origin.close()
            self._origin = None
            self._changed.notify_all()


class _Origin:
    """The process that loads all readers and forks workers; it ends with its channel."""

    def __init__(self, memory_mb_max: int) -> None:
        self._ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 -- our own interpreter and code
                python("milepost.reading.worker", theirs.fileno(), memory_mb_max),
                env={},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                cwd="/",
                start_new_session=True,
            )
        channel = protocol.WorkerChannel(self._ours.dup().detach())
        try:
            until = time.monotonic() + START_S_MAX
            _, told = channel.receive({protocol.READY: protocol.SMALL_BYTES_MAX}, until)
        except (protocol.ProtocolError, protocol.TimedOut) as problem:
            self.close()
            raise Unreadable(f"The process that reads did not start: {problem}.") from problem
        finally:
            channel.close()
        self._ours.settimeout(_ANSWER_S)
        self.missing: dict[str, str] = json.loads(told)["missing"]

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def fork(self) -> Lent:
        ours, theirs = socket.socketpair()
        with theirs:
            socket.send_fds(self._ours, [worker.FORK], [theirs.fileno()])
        return Lent(self._number(), ours)

    def reap(self, pid: int) -> int:
        """End a worker for good; return how it ended."""
        try:
            self._ours.sendall(worker.REAP + worker.NUMBER.pack(pid))
            return self._number()
        except OSError:
            return 0  # gone, and its workers with it

    def _number(self) -> int:
        data = b""
        while len(data) < worker.NUMBER.size:
            piece = self._ours.recv(worker.NUMBER.size - len(data))
            if not piece:
                raise ConnectionError("the process that reads is gone")
            data += piece
        number: int = worker.NUMBER.unpack(data)[0]
        return number

    def close(self) -> None:
        self._ours.close()
        self._process.kill()
        self._process.wait()


def _why(status: int, otherwise: str) -> str:
    """Return in words how a process ended."""
    if not os.WIFSIGNALED(status):
        return otherwise
    number = os.WTERMSIG(status)
    if number == signal.SIGXCPU:
        return "it takes more processor time than a document may"
    if number == signal.SIGKILL:
        return "what read it was killed, perhaps for want of memory"
    return (
        f"what read it crashed ({signal.Signals(number).name}): it is damaged, made to do harm, "
        "or takes more memory than a document may"
    )


def _spent_s(pid: int) -> float:
    """Return the processor time a process took."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _memory_mb(pid: int) -> float:
    """Return how much memory is its own, 0 where that cannot be told."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:  # noqa: PTH123
            resident, shared = map(int, file.read().split()[1:3])
    except OSError:
        return 0.0
    return (resident - shared) * resource.getpagesize() / (1 << 20)
