"""Ask a process that has the memory open already, when there is one.

The answers are those of the operations themselves: whoever gets none opens the store and asks it.
Little is imported here, for whoever asks may be a program that does nothing else.
"""

from __future__ import annotations

import atexit
import marshal
import os
import time

from milepost import __version__
from milepost.config import Settings, agent_session
from milepost.errors import error_named
from milepost.location import file_of, is_database, number_of
from milepost.request import REQUEST, Request, new_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Callable
    from typing import Any

    # Version, path, terms, space and place that the answer must be for; the request, the operation
    # and its arguments.
    Question = tuple[
        str,
        str,
        tuple[str, ...],
        str,
        tuple[Any, ...],
        tuple[Any, ...],
        str,
        tuple[Any, ...],
        dict[str, Any],
    ]

# A warm process greets at once; one that does not is stuck or overloaded.
GREETING = b"milepost 1\n"
GREETING_S = 0.02
# A call that takes longer than this is made again here; sooner, if who was asked for so long
# without an answer does not even greet any more: it was stopped, or hangs.
ANSWER_S = 30.0
SILENCE_S = 0.5
FRAME_MAX = 64 << 20
# Data that any supported Python writes and reads.
_MARSHAL_VERSION = 4

ANSWERED, FAILED, DECLINED = "answered", "failed", "declined"
# What a warm process is told, though it is no operation: that a model was given its answer.
MODEL_TEXT = "hand out"

try:
    from _socket import AF_UNIX  # noqa: F401 -- Windows has none
except ImportError:
    HAS_UNIX_SOCKETS = False
else:
    HAS_UNIX_SOCKETS = True


class Unanswered(Exception):
    """No warm process answered; ask the store."""


def call(
    settings: Settings,
    name: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    folder: str | None = "",
) -> Any:
    """Return what the operation returns in a warm process, or raise what it raises there.

    folder: the one that is worked in, if not that of this process.
    """
    path = canonical(settings.url)
    if settings.daemon == "off" or path is None:
        raise Unanswered
    where = (settings.project, _folder() if folder == "" else folder, "", None, agent_session())
    request = REQUEST.get() or Request(new_id())
    for_whom = (__version__, path, terms(settings), settings.space, where, tuple(request))
    asked = (*for_whom, name, args, kwargs)
    place = endpoint(settings.runtime_folder, path)
    outcome, answer = exchange(settings.runtime_folder, place, asked)
    if outcome == ANSWERED:
        from milepost.codec import untagged

        result = untagged(answer)
        if hasattr(result, "read_by"):
            result.read_by(lambda name: call(settings, "get", (name,), {}, folder))
        return result
    if outcome == FAILED:
        code, message = answer
        problem = error_named(code)(message)
        problem.request = request.id
        raise problem
    raise Unanswered


def _folder() -> str | None:
    """Return the folder that this process works in; None when that was removed."""
    try:
        return os.getcwd()  # noqa: PTH109
    except OSError:
        return None


def terms(settings: Settings) -> tuple[str, ...]:
    """Return the settings that a warm process must share with whoever asks it."""
    map_of_spaces = _map(settings.spaces_file)
    shared = settings.embedder, settings.secrets, settings.audit_reads, settings.encryption_key
    return *shared, map_of_spaces


def _map(spaces_file: str) -> str:
    """Return the one name of a map of spaces; one that is not there places nothing."""
    return os.path.realpath(spaces_file) if os.path.exists(spaces_file) else ""  # noqa: PTH110


def exchange(folder: str, place: str, asked: Question) -> tuple[str, Any]:
    """Send a question to the warm process that listens at a place and return its answer."""
    try:
        request = marshal.dumps(asked, _MARSHAL_VERSION)
    except ValueError:
        raise Unanswered from None  # an argument of a type of its own, such as a date
    while True:
        idle = _kept(place)
        try:
            connection = idle or _connect(folder, place)
        except (OSError, EOFError, ValueError):
            raise Unanswered from None
        try:
            answer = _ask(connection, request, _Patience(folder, place))
        except (OSError, EOFError, ValueError):
            connection.close()
            if idle is None:
                raise Unanswered from None
        else:
            _idle.append((place, os.getpid(), connection))
            return answer


# Connections that nobody uses at the moment, with their endpoint and the process they are of.
_idle: list[tuple[str, int, socket]] = []


def _kept(place: str) -> socket | None:
    """Return an open connection; those to other places, or of the parent process, are closed."""
    while _idle:
        other, process, connection = _idle.pop()
        if (other, process) == (place, os.getpid()):
            return connection
        connection.close()
    atexit.register(close_idle)
    return None


def close_idle() -> None:
    """Close the connections that nobody uses."""
    while _idle:
        _idle.pop()[2].close()


class _Patience:
    """Waits for an answer as long as whoever was asked is alive, and not for ever."""

    def __init__(self, folder: str, place: str) -> None:
        self._folder, self._place = folder, place
        self._until = time.monotonic() + ANSWER_S

    def __call__(self) -> None:
        if time.monotonic() > self._until:
            raise TimeoutError
        _connect(self._folder, self._place, SILENCE_S).close()


def _ask(connection: socket, request: bytes, wait: _Patience) -> tuple[str, Any]:
    connection.settimeout(SILENCE_S)
    left = memoryview(frame(request))
    while left:
        try:
            left = left[connection.send(left) :]
        except TimeoutError:
            wait()
    size = int.from_bytes(receive(connection, 4, wait), "big")
    if size > FRAME_MAX:
        raise ValueError("not an answer")
    outcome, answer = marshal.loads(receive(connection, size, wait))  # noqa: S302 -- our own
    return outcome, answer


def _connect(folder: str, place: str, greeting_s: float | None = None) -> socket:
    import _socket

    if not is_private(folder):
        raise OSError("the folder of sockets is not this user's alone")
    if HAS_UNIX_SOCKETS:
        address: Any = place
        token = b""
        connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    else:
        with open(place, "rb") as file:  # noqa: PTH123
            port, token = file.read().split()
        address = ("127.0.0.1", int(port))
        connection = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    try:
        connection.settimeout(greeting_s or GREETING_S)
        connection.connect(address)
        connection.sendall(token)
        if receive(connection, len(GREETING)) != GREETING:
            raise ValueError("not a warm process")
    except BaseException:
        connection.close()
        raise
    return connection


def receive(connection: socket, size: int, wait: Callable[[], None] | None = None) -> bytes:
    """Return so many bytes, or raise EOFError when the other side ends before.

    What is given to wait is called whenever nothing came for a while, and may raise.
    """
    parts = []
    while size > 0:
        try:
            part = connection.recv(min(size, 1 << 20))
        except TimeoutError:
            if wait is None:
                raise
            wait()
            continue
        if not part:
            raise EOFError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def frame(data: bytes) -> bytes:
    """Return data with its size before it."""
    return len(data).to_bytes(4, "big") + data


def canonical(url: str) -> str | None:
    """Return the one name of a store that a process can keep warm; None for what is none."""
    if is_database(url):
        return url
    path = file_of(url)
    try:
        return os.path.realpath(os.path.expanduser(path)) if path else None  # noqa: PTH111
    except ValueError:
        return None  # a name that no file can have


def endpoint(folder: str, path: str) -> str:
    """Return where the warm process of a store listens."""
    # Two stores may share one: a process declines questions about another store than its own.
    suffix = "sock" if HAS_UNIX_SOCKETS else "port"
    return os.path.join(folder, f"{number_of(path):016x}.{suffix}")  # noqa: PTH118


def is_private(folder: str) -> bool:
    """Whether a folder is this user's alone, so that no other user can pose as the memory."""
    if not hasattr(os, "getuid"):
        return True
    about = os.stat(folder)  # noqa: PTH116
    return about.st_uid == os.getuid() and about.st_mode & 0o077 == 0


def is_offered(settings: Settings) -> bool:
    """Whether a warm process may be there."""
    path = canonical(settings.url)
    if settings.daemon == "off" or path is None:
        return False
    return os.path.exists(endpoint(settings.runtime_folder, path))  # noqa: PTH110
