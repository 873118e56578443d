"""The processes that read: one loads all readers, and forks those that read, which can do no more.

The first never sees a document. What it forks has memory, processor time, one channel, and the
descriptors that come over it: no files, no network, no other processes. A document that brings one
down costs the fork of another.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import signal
import socket
import struct
import time
from contextlib import suppress
from importlib import import_module

import msgspec

from milepost.reading import kinds
from milepost.reading.formats import FORMATS
from milepost.reading.source import Cannot, Source
from milepost.reading.wire import ANSWER, Answer, Request, answer_of
from milepost.sandbox import confinement, protocol

FORK, REAP = b"F", b"R"
NUMBER = struct.Struct("<q")
# Loaded on first use, when there are no files any more.
_ENCODINGS = (
    "utf-7 utf-8-sig utf-16 utf-16-le utf-16-be utf-32 latin-1 iso8859-2 iso8859-3 iso8859-4 "
    "iso8859-5 iso8859-6 iso8859-7 iso8859-8 iso8859-9 iso8859-13 iso8859-15 cp437 cp850 cp866 "
    "cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 koi8-r koi8-u mac-roman "
    "gb2312 gbk gb18030 big5 shift_jis cp932 euc_jp iso2022_jp euc_kr cp949 idna punycode "
    "base64 quopri raw_unicode_escape unicode_escape"
)

# Modules that others load when they first need them.
_LATER = ("heapq", "_strptime", "zlib", "bz2", "lzma", "unicodedata", "stringprep", "html.entities")


def main(control: str, memory_mb_max: str) -> None:
    """Load what reads, then fork whenever the host asks for it."""
    missing = _load()
    confinement.drop_privileges()
    landlock = confinement.restrict_files()
    told = json.dumps({"landlock": landlock, "missing": missing}).encode()
    protocol.write_frame(int(control), protocol.READY, told)
    gc.freeze()
    with suppress(OSError, EOFError):
        _serve_host(socket.socket(fileno=int(control)), int(memory_mb_max))
    os._exit(0)


def _load() -> dict[str, str]:
    """Load the readers; return of those that could not be what they lack."""
    for name in _ENCODINGS.split():
        with suppress(LookupError):
            "".encode(name)
    for name in _LATER:
        import_module(name)
    missing = {}
    for known in FORMATS:
        try:
            import_module(f"milepost.reading.{known.module}")
        except ImportError as problem:
            missing[known.media] = problem.name or str(problem)
    return missing


def _serve_host(control: socket.socket, memory_mb_max: int) -> None:
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, 1 + NUMBER.size, 1)
        if not message:
            return
        if message[:1] == FORK:
            child = os.fork()
            if child == 0:
                control.close()
                _be_worker(descriptors[0], memory_mb_max)
            os.close(descriptors[0])
            control.sendall(NUMBER.pack(child))
        else:
            (child,) = NUMBER.unpack(message[1:])
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
            control.sendall(NUMBER.pack(os.waitpid(child, 0)[1]))


def _be_worker(channel: int, memory_mb_max: int) -> None:
    """Read one document after the other, until the host closes its end."""
    try:
        host = socket.socket(fileno=channel)
        confinement.die_with_parent(os.getppid())
        confinement.restrict_memory(memory_mb_max << 20)
        confinement.restrict_calls(confinement.TAKES_DESCRIPTORS)
        _serve(host)
    finally:
        # Without the clean-up of an interpreter, which would ask for system calls that are gone.
        os._exit(1)


def _serve(host: socket.socket) -> None:
    channel = host.fileno()
    with suppress(EOFError, BrokenPipeError):
        while True:
            sign, descriptors, _, _ = socket.recv_fds(host, 1, 1)
            if not sign:
                return
            _, payload = protocol.read_frame(channel)
            request = msgspec.msgpack.decode(payload, type=Request)
            if not hasattr(resource, "prlimit"):
                _limit_time(request.cpu_s)
            answer = _answer(descriptors[0], request)
            protocol.write_frame(channel, ANSWER, msgspec.msgpack.encode(answer))


def _limit_time(cpu_s: float) -> None:
    """Bound the processor time of a document, where nobody can from outside."""
    spent = time.process_time()
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(spent + cpu_s * 1.5) + 1, hard))


def _answer(descriptor: int, request: Request) -> Answer:
    """Read a document; whatever goes wrong is told, for there is nobody else to see it."""
    try:
        with open(descriptor, "rb") as file:
            source = Source(request.name, file, time.process_time() + request.cpu_s)
            known = kinds.kind_of(source, request.media)
            document = import_module(f"milepost.reading.{known.module}").read(source)
            if not document.sections:
                raise Cannot(_why_nothing(source))
            return answer_of(document._replace(notes=(*source.notes, *document.notes)))
    except Cannot as problem:
        return Answer(problem=str(problem)[:1_000])
    except RecursionError:
        return Answer(problem="it is nested too deep")
    except MemoryError:
        return Answer(problem="it takes more memory than a document may")
    except ImportError as problem:
        return Answer(problem=f"it needs {problem.name}: pip install 'milepost[documents]'")
    except Exception as problem:  # noqa: BLE001 -- readers of others raise what they like
        told = " ".join(str(problem).split())[:200]
        return Answer(problem=f"it is damaged ({type(problem).__name__}: {told})")


def _why_nothing(source: Source) -> str:
    why = f" ({'; '.join(source.notes)})" if source.notes else ""
    return f"it holds no text{why}"
