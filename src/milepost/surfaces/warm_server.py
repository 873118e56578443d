"""Answer for a memory on a socket: what a process does that keeps the memory warm for others.

Any process that has a memory open for long can take the role beside its own work (`milepost mcp`,
`milepost serve`). A lock makes sure that there is one per store.
"""

import hmac
import json
import logging
import marshal
import os
import secrets
import socket
import struct
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from milepost import __version__
from milepost.access.values import CALLER, OWNER
from milepost.app import Milepost, Operations
from milepost.codec import tagged
from milepost.config import Settings
from milepost.errors import ConfigError, MilepostError
from milepost.location import shown
from milepost.registry import operations_of
from milepost.request import begin
from milepost.storage.lock import take
from milepost.surfaces import warm
from milepost.surfaces.resident import resident_bytes
from milepost.upkeep.model_text import ModelText
from milepost.workspace.values import Place

log = logging.getLogger(__name__)

CONNECTIONS_MAX = 64
# How long a stop waits for the calls under way.
DRAIN_S = 5.0
# How long to try for the lock, which whoever asks for the status holds for a moment.
LOCK_S = 0.2
STATUS = "status"
_WARM = OWNER._replace(surface="warm process")


class WarmServer:
    """Answers questions about one store on a socket that only this user can reach."""

    def __init__(self, memory: Milepost, settings: Settings, role: str) -> None:
        path = warm.canonical(settings.url)
        if path is None:
            raise ConfigError(f"Only a store can be kept warm, not {settings.shown_url}.")
        self._memory = memory
        self._settings = settings
        self._role = role
        self._path, self._shown = path, shown(path)
        self._operations = operations_of(Operations)
        self._place = Path(warm.endpoint(settings.runtime_folder, path))
        self._token = b""
        self._lock: int | None = None
        self._listener: socket.socket | None = None
        self._connections: set[socket.socket] = set()
        self._busy = 0
        self._changed = threading.Condition()
        self._since = time.time()
        self._last_call = time.monotonic()
        self._calls = 0
        self.outdated = threading.Event()

    def start(self) -> bool:
        """Take the role and listen; False when another process has it."""
        make_private(Path(self._settings.runtime_folder))
        self._lock = _take_role(self._place.with_suffix(".lock"))
        if self._lock is None:
            return False
        self._listener = self._listen()
        self._memory.share()
        about = {"pid": os.getpid(), "role": self._role, "url": self._shown}
        os.ftruncate(self._lock, 0)
        os.lseek(self._lock, 0, os.SEEK_SET)
        os.write(self._lock, json.dumps(about).encode())
        threading.Thread(target=self._accept, daemon=True, name="milepost-warm").start()
        return True

    def stop(self) -> None:
        """Finish the calls under way and give the role back."""
        if self._lock is None or self._listener is None:
            return
        self._place.unlink(missing_ok=True)
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._changed:
            self._changed.wait_for(lambda: self._busy == 0, DRAIN_S)
            for connection in self._connections:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        os.close(self._lock)
        self._lock = None

    @property
    def idle_s(self) -> float:
        """How long nobody has asked anything."""
        return 0.0 if self._busy else time.monotonic() - self._last_call

    def _listen(self) -> socket.socket:
        self._place.unlink(missing_ok=True)
        try:
            if warm.HAS_UNIX_SOCKETS:
                listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                listener.bind(str(self._place))
                self._place.chmod(0o600)
            else:
                listener = socket.create_server(("127.0.0.1", 0))
                self._token = secrets.token_hex(16).encode()
                port = str(listener.getsockname()[1]).encode()
                with os.fdopen(os.open(self._place, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
                    file.write(port + b" " + self._token)
        except OSError as problem:
            raise ConfigError(
                f"Cannot listen on {self._place} ({problem}); set MILEPOST_RUNTIME_FOLDER to a "
                "short path that you may write to."
            ) from problem
        listener.listen(CONNECTIONS_MAX)
        return listener

    def _accept(self) -> None:
        assert self._listener is not None
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with self._changed:
                welcome = len(self._connections) < CONNECTIONS_MAX and _is_ours(connection)
                if welcome:
                    self._connections.add(connection)
            if welcome:
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()
            else:
                connection.close()

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection:
                if self._token:
                    connection.settimeout(1.0)
                    shown = warm.receive(connection, len(self._token))
                    if not hmac.compare_digest(shown, self._token):
                        return
                    connection.settimeout(None)
                connection.sendall(warm.GREETING)
                while True:
                    self._answer_one(connection)
        except (OSError, EOFError, ValueError):
            pass  # the caller went away, or is none of ours
        finally:
            with self._changed:
                self._connections.discard(connection)

    def _answer_one(self, connection: socket.socket) -> None:
        size = int.from_bytes(warm.receive(connection, 4), "big")
        if size > warm.FRAME_MAX:
            raise ValueError("not a question")
        data = warm.receive(connection, size)
        with self._changed:
            self._busy += 1
        try:
            asked = marshal.loads(data)  # noqa: S302 -- from this user's processes alone
            answer = marshal.dumps(self._answer(asked), 4)
            connection.sendall(warm.frame(answer))
        finally:
            with self._changed:
                self._busy -= 1
                self._changed.notify_all()

    def _answer(self, asked: Any) -> tuple[str, Any]:
        version, path, terms, space, where, request, name, args, kwargs = asked
        if name == STATUS:
            return warm.ANSWERED, self._status()
        if version != __version__:
            self.outdated.set()
            return warm.DECLINED, f"this is {__version__}"
        if path != self._path or terms != warm.terms(self._settings):
            return warm.DECLINED, "another memory"
        self._last_call = time.monotonic()
        begin(*request)  # for this thread, which serves one connection
        return self._run(space, Place(*where), name, args, kwargs)

    def _run(
        self,
        space: str,
        place: Place,
        name: str,
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
    ) -> tuple[str, Any]:
        if name == warm.MODEL_TEXT:
            with suppress(MilepostError):
                self._memory.within(space).note_model_text(ModelText(*args))
            return warm.ANSWERED, None
        operation = self._operations.get(name)
        # Whatever cannot be done twice is left to the caller: if this process died on the way,
        # nobody could tell whether it was done.
        if operation is None or operation.streams or not operation.spec.idempotent:
            return warm.DECLINED, "not here"
        self._calls += 1
        CALLER.set(_WARM)
        try:
            memory = self._memory.within(space, place)
            return warm.ANSWERED, tagged(getattr(memory, name)(*args, **kwargs))
        except MilepostError as problem:
            return warm.FAILED, (problem.code, str(problem))
        except Exception:
            # The caller makes the same mistake itself and sees the same error.
            log.debug("a call failed", exc_info=True)
            return warm.DECLINED, "failed"
        finally:
            self._last_call = time.monotonic()

    def _status(self) -> tuple[Any, ...]:
        return (
            os.getpid(),
            self._role,
            self._shown,
            __version__,
            self._since,
            self._calls,
            round(resident_bytes() / 1e6, 1),
            self.idle_s,
        )


def _take_role(lock: Path) -> int | None:
    deadline = time.monotonic() + LOCK_S
    while (held := take(lock)) is None and time.monotonic() < deadline:
        time.sleep(0.02)
    return held


def _is_ours(connection: socket.socket) -> bool:
    """Whether the other side is a process of this user."""
    unix = getattr(socket, "AF_UNIX", None)
    if not hasattr(socket, "SO_PEERCRED") or connection.family != unix:
        return True
    peer = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return bool(struct.unpack("3i", peer)[1] == os.getuid())


def make_private(folder: Path) -> None:
    """Make the folder of sockets, for this user alone."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not warm.is_private(str(folder)):
            raise ConfigError(
                f"{folder} can be entered by other users; `chmod 700` it if it is yours, or set "
                "MILEPOST_RUNTIME_FOLDER to another folder."
            )
    except OSError as problem:
        raise ConfigError(
            f"Cannot make {folder} ({problem.strerror}); set MILEPOST_RUNTIME_FOLDER."
        ) from problem


def keep_warm(memory: Operations, settings: Settings, role: str) -> WarmServer | None:
    """Let a process that has the memory open take the role beside its own work, if it is free."""
    if settings.daemon == "off" or warm.canonical(settings.url) is None:
        return None
    assert isinstance(memory, Milepost), "a store is opened here"
    try:
        server = WarmServer(memory, settings, role)
        if not server.start():
            return None
    except MilepostError as problem:
        log.warning("no warm process: %s", problem)
        return None
    memory.work_for_all()
    return server
