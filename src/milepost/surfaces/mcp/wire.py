"""The standard descriptors as a wire that carries lines of one protocol and nothing else."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import NamedTuple

from milepost.errors import ConfigError

LINE_BYTES_MAX = 32 * 1024 * 1024
CHUNK_BYTES = 1 << 16


class Wire(NamedTuple):
    """The two descriptors that carry the protocol, and who may write."""

    source: int
    sink: int
    writing: Lock


@contextmanager
def claim() -> Iterator[Wire]:
    """Take the standard descriptors for the protocol alone.

    Meanwhile what others print goes to standard error, and what they read is at its end.
    """
    try:
        wire = Wire(os.dup(0), os.dup(1), Lock())
        _carry_bytes(wire)
    except OSError as problem:
        raise ConfigError("MCP needs standard input and output, which are closed.") from problem
    _point(0, os.open(os.devnull, os.O_RDONLY))
    _point(1, _spare_output())
    try:
        yield wire
    finally:
        sys.stdout.flush()
        # Not closed: a thread may still read from the source.
        os.dup2(wire.source, 0)
        os.dup2(wire.sink, 1)


def _carry_bytes(wire: Wire) -> None:
    """Have Windows leave line ends as they are."""
    if sys.platform == "win32":
        import msvcrt

        for descriptor in (wire.source, wire.sink):
            msvcrt.setmode(descriptor, os.O_BINARY)


def _point(descriptor: int, target: int) -> None:
    os.dup2(target, descriptor)
    os.close(target)


def _spare_output() -> int:
    try:
        return os.dup(2)
    except OSError:
        return os.open(os.devnull, os.O_WRONLY)


def read_lines(wire: Wire) -> Iterator[bytes | None]:
    """Yield the lines that come in, and None for one that is too long."""
    held, too_long = bytearray(), False
    while chunk := os.read(wire.source, CHUNK_BYTES):
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            held += end
            yield None if too_long else bytes(held)
            held.clear()
            too_long = False
        held += rest
        if len(held) > LINE_BYTES_MAX:
            held.clear()
            too_long = True
    if held and not too_long:
        yield bytes(held)


def write_line(wire: Wire, data: bytes) -> None:
    """Write a line, all of it."""
    data += b"\n"
    with wire.writing:
        while data:
            data = data[os.write(wire.sink, data) :]
