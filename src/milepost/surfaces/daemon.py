"""Start, stop and look at the processes that do nothing but keep a memory warm."""

import json
import os
import signal
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from milepost.app import local_memory
from milepost.config import Settings
from milepost.errors import ConfigError, StoreUnavailable
from milepost.location import shown
from milepost.storage.lock import take
from milepost.surfaces import warm
from milepost.surfaces.detached import start_detached
from milepost.surfaces.warm_server import DRAIN_S, STATUS, WarmServer, make_private

UNKNOWN = "?"


class DaemonStatus(NamedTuple):
    """A process that keeps a memory warm."""

    pid: int
    role: str
    url: str
    version: str
    since: float
    calls: int
    resident_mb: float
    idle_s: float

    @property
    def answers(self) -> bool:
        """Whether it tells about itself; one that is stopped, or just starting, does not."""
        return self.version != UNKNOWN


def run(settings: Settings) -> int:
    """Be the warm process until idle for long, told to stop, or replaced by a newer version."""
    memory = local_memory(settings)
    server = WarmServer(memory, settings, "daemon")
    ending = threading.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: ending.set())
    try:
        # Before it takes the role: a process that cannot open the store answers for nobody.
        memory.search("load the model")
        if not server.start():
            raise StoreUnavailable(f"A process keeps {settings.shown_url} warm already.")
        memory.work_for_all()
        while not ending.wait(min(1.0, settings.daemon_idle / 4)):
            if server.idle_s > settings.daemon_idle or server.outdated.is_set():
                break
    finally:
        server.stop()
        memory.close()
    return 0


def _absolute(settings: Settings) -> str:
    path = warm.canonical(settings.url)
    if path is None:
        raise ConfigError(f"Only a store can be kept warm, not {settings.shown_url}.")
    return path


def start(settings: Settings, wait_s: float = 10.0) -> str:
    """Start a daemon unless a process keeps the store warm already; say which it is."""
    running = of_store(settings)
    if running is not None and not running.answers:
        raise StoreUnavailable(
            f"{running.role} {running.pid} has {running.url} but does not answer; "
            "`milepost daemon stop` ends it."
        )
    if running is not None:
        return f"{running.role} {running.pid} keeps {running.url} warm already"
    make_private(Path(settings.runtime_folder))
    process = start_detached("daemon", "run", url=_absolute(settings))
    deadline = time.monotonic() + wait_s
    while time.monotonic() < deadline and process.poll() is None:
        running = of_store(settings)
        if running is not None and running.answers:
            return f"daemon {running.pid} keeps {running.url} warm"
        time.sleep(0.05)
    raise StoreUnavailable(
        "The daemon did not start; `milepost daemon run` or `milepost logs` tells why."
    )


def stop(settings: Settings, wait_s: float = DRAIN_S + 2) -> str:
    """Stop the daemon of a store and wait until it is gone; say what happened."""
    running = of_store(settings)
    if running is None:
        return f"no process keeps {shown(_absolute(settings))} warm"
    if running.role != "daemon":
        return f"{running.role} {running.pid} keeps {running.url} warm; end it where it was started"
    with suppress(ProcessLookupError):
        os.kill(running.pid, signal.SIGTERM)
    lock = _lock_of(settings)
    deadline = time.monotonic() + wait_s
    while time.monotonic() < deadline:
        if _holder(lock) is None:
            return f"stopped daemon {running.pid}"
        time.sleep(0.02)
    with suppress(ProcessLookupError):
        os.kill(running.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
    return f"killed daemon {running.pid}, which did not stop by itself"


def of_store(settings: Settings) -> DaemonStatus | None:
    """Return the process that keeps the settings' store warm."""
    lock = _lock_of(settings)
    about = _holder(lock) if lock.exists() else None
    return None if about is None else _asked(lock, about)


def _lock_of(settings: Settings) -> Path:
    place = warm.endpoint(settings.runtime_folder, _absolute(settings))
    return Path(place).with_suffix(".lock")


def status(settings: Settings) -> list[DaemonStatus]:
    """Return every process that keeps a memory of this user warm; clear up after dead ones."""
    processes = []
    for lock in sorted(Path(settings.runtime_folder).glob("*.lock")):
        about = _holder(lock)
        if about is None:
            continue
        processes.append(_asked(lock, about))
    return processes


def _holder(lock: Path) -> dict[str, Any] | None:
    """Return what the holder of a lock wrote; after one that died its socket is cleared away."""
    fd = take(lock)
    if fd is not None:
        os.ftruncate(fd, 0)
        # The lock's own file stays: another process may be about to lock it.
        for suffix in (".sock", ".port"):
            lock.with_suffix(suffix).unlink(missing_ok=True)
        os.close(fd)
        return None
    try:
        about = json.loads(lock.read_text())
        if os.name == "posix":  # elsewhere to ask after a process is to interrupt it
            os.kill(int(about["pid"]), 0)
    except (OSError, ValueError, KeyError, TypeError):
        return None  # it is just starting, or another looks whether it lives
    return about if isinstance(about, dict) else None


def _asked(lock: Path, about: dict[str, Any]) -> DaemonStatus:
    place = lock.with_suffix(".sock" if warm.HAS_UNIX_SOCKETS else ".port")
    try:
        question: warm.Question = ("", "", (), "", (), ("", ""), STATUS, (), {})
        _, answer = warm.exchange(str(lock.parent), str(place), question)
        return DaemonStatus(*answer)
    except warm.Unanswered:
        # It holds the lock but does not answer: stopped, or just starting or ending.
        return DaemonStatus(about["pid"], about["role"], about["url"], UNKNOWN, 0.0, 0, 0.0, 0.0)
