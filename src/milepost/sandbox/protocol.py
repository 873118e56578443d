"""Frames between the host and a worker: one byte of kind, four of length, then the payload.

The worker is not trusted: nothing is read beyond what a frame of its kind may hold, and no wait is
without an end.
"""

from __future__ import annotations

import os
import select
import struct
import time

HEADER = struct.Struct("<BI")

# From the host.
FUNCTIONS, LIMITS, PROGRAM, RESULT = 1, 2, 3, 4
# From the worker.
READY, CALL, PRINTED, VALUE, ENDED = 16, 17, 18, 19, 20

SMALL_BYTES_MAX = 64 * 1024
_READ_BYTES = 256 * 1024


class ProtocolError(Exception):
    """The other side does not keep to the protocol, or is gone."""


class TimedOut(Exception):
    """The other side took too long."""


class WorkerChannel:
    """The host's end: never blocks longer than it is told."""

    def __init__(self, fd: int) -> None:
        os.set_blocking(fd, False)
        self._fd = fd
        self._buffer = bytearray()
        self._readable, self._writable = select.poll(), select.poll()
        self._readable.register(fd, select.POLLIN)
        self._writable.register(fd, select.POLLOUT)

    def send(self, kind: int, payload: bytes, until: float) -> None:
        """Send a frame before a moment of time.monotonic()."""
        data = memoryview(HEADER.pack(kind, len(payload)) + payload)
        while data:
            try:
                data = data[os.write(self._fd, data) :]
            except BlockingIOError:
                self._wait(self._writable, until)
            except OSError as problem:
                raise ProtocolError(f"the worker is gone ({problem.strerror})") from problem

    def receive(self, sizes: dict[int, int], until: float) -> tuple[int, bytes]:
        """Return the next frame, of one of the kinds given with their sizes at most."""
        self._fill(HEADER.size, until)
        kind, length = HEADER.unpack_from(self._buffer)
        if length > sizes.get(kind, -1):
            raise ProtocolError(f"a frame of kind {kind} and {length:,} bytes is not expected")
        self._fill(HEADER.size + length, until)
        payload = bytes(self._buffer[HEADER.size : HEADER.size + length])
        del self._buffer[: HEADER.size + length]
        return kind, payload

    def _fill(self, size: int, until: float) -> None:
        while len(self._buffer) < size:
            try:
                data = os.read(self._fd, _READ_BYTES)
            except BlockingIOError:
                self._wait(self._readable, until)
                continue
            except OSError as problem:
                raise ProtocolError(f"the worker is gone ({problem.strerror})") from problem
            if not data:
                raise ProtocolError("the worker is gone")
            self._buffer += data
            if time.monotonic() > until:
                raise TimedOut

    @staticmethod
    def _wait(ready: select.poll, until: float) -> None:
        left = until - time.monotonic()
        if left <= 0 or not ready.poll(left * 1_000):
            raise TimedOut

    def close(self) -> None:
        """Close the host's end, on which the worker ends."""
        # Once: the number may be another's by the second time.
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)


def read_frame(fd: int) -> tuple[int, bytes]:
    """Read a frame in the worker, which trusts the host; EOFError when the host is gone."""
    kind, length = HEADER.unpack(_read_exactly(fd, HEADER.size))
    return kind, _read_exactly(fd, length)


def _read_exactly(fd: int, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        piece = os.read(fd, min(size - len(data), _READ_BYTES))
        if not piece:
            raise EOFError
        data += piece
    return bytes(data)


def write_frame(fd: int, kind: int, payload: bytes) -> None:
    """Write a frame in the worker."""
    data = memoryview(HEADER.pack(kind, len(payload)) + payload)
    while data:
        data = data[os.write(fd, data) :]
