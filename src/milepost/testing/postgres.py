"""A real PostgreSQL with pgvector: private, quick to start, and gone when whoever started it is."""

import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from ctypes import CDLL
from pathlib import Path
from random import SystemRandom
from secrets import token_hex

import psutil
from psycopg.sql import SQL, Literal

from milepost.testing.postgres_databases import Databases, connected, given_server
from milepost.testing.postgres_programs import PATIENCE_S, Programs, wait_until

__all__ = ["Databases", "PostgresServer", "given_server", "postgres_server"]

_SETTINGS = {
    "fsync": "off",  # what a test writes need not outlive the machine, only the server
    "max_connections": "200",
    "checkpoint_timeout": "30min",
    "max_wal_size": "256MB",  # of memory, mostly
    "dynamic_shared_memory_type": "mmap",  # in the server's folder, and removed with it
    "scram_iterations": "1",  # the password is random, and no guesses are to be made dear
}
# Below those that whoever connects is given, so that a stopped server finds its own free.
_PORTS = range(20_000, 32_000)
_IPC_RMID = 0


class PostgresServer(Databases):
    """A server of our own, which may be stopped, killed, copied and promoted."""

    _strategy = "file_copy"  # takes half the time of the other where nothing waits for a disk

    def __init__(self, programs: Programs, password: str) -> None:
        self.port = _free_port()
        admin_url = f"postgresql://postgres:{password}@127.0.0.1:{self.port}/postgres"
        super().__init__(admin_url, "milepost", password)
        self._programs = programs
        self._process: subprocess.Popen[bytes] | None = None
        self._waited_for: list[str] = []
        self.data = programs.folder / f"{self.port}"
        self.log = programs.folder / f"{self.port}.log"

    @property
    def socket_folder(self) -> Path:
        """Where its Unix socket lies: `?host=` in a URL."""
        return self._programs.folder

    @property
    def pid(self) -> int:
        """The first of its processes."""
        return self._running.pid

    def make(self, settings: dict[str, str]) -> None:
        """Make its files, start it and make the role that databases belong to."""
        secret = self._programs.folder / "password"
        secret.write_text(self._password)
        self._programs.give(secret)
        self._programs.run(
            *("initdb", "-D", self.data, "-U", "postgres", "--no-sync", "--no-instructions"),
            *("-E", "UTF8", "--locale=C.UTF-8", "-A", "scram-sha-256", f"--pwfile={secret}"),
            *(f"--set={name}={value}" for name, value in (_SETTINGS | settings).items()),
        )
        self.start()
        self.make_role()

    def start(self) -> None:
        """Start what was stopped or killed, at the same port; returns when it answers."""
        self._process = self._programs.start(
            *("postgres", "-D", self.data, "-p", self.port, "-k", self.socket_folder),
            *("-c", "listen_addresses=127.0.0.1"),
            log=self.log,
        )
        self._wait_until(self._is_ready)

    def stop(self) -> None:
        """Stop it in good order; whoever is connected is sent away."""
        self._running.send_signal(signal.SIGINT)
        self._running.wait(PATIENCE_S)

    def restart(self) -> None:
        """Start it anew, whether it was stopped, killed or runs."""
        if self._running.poll() is None:
            self.stop()
        self.start()

    def kill(self) -> None:
        """End all its processes at once, as a crash does."""
        first = psutil.Process(self.pid)
        first.suspend()  # so that it starts no others meanwhile
        processes = [first, *first.children()]
        lock = self.data / "postmaster.pid"
        shared_memory = int(lock.read_text().splitlines()[6].split()[1])
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        self._running.wait(PATIENCE_S)
        wait_until(lambda: not any(map(_lives, processes)), "a killed server lives on")
        # A next start would remove both; there may be none.
        lock.unlink()
        CDLL(None).shmctl(shared_memory, _IPC_RMID, None)

    def standby(self, *, synchronous: bool = True) -> "PostgresServer":
        """Start a replica; a synchronous one has what is committed before the commit returns."""
        copy = PostgresServer(self._programs, self._password)
        name = f"standby_{copy.port}"
        primary = f"{self.admin_url}?application_name={name}"
        self._programs.run(
            *("pg_basebackup", "-D", copy.data, "-d", primary),
            *("--write-recovery-conf", "--checkpoint=fast", "--no-sync"),
        )
        with (copy.data / "postgresql.auto.conf").open("a") as settings:
            settings.write("synchronous_standby_names = ''\n")  # promoted, it waits for nobody
        copy.start()
        if synchronous:
            self._wait_for(name)
        state = "sync" if synchronous else "async"
        copy._wait_until(lambda: self._sends_to(name, state))
        return copy

    def promote(self) -> None:
        """Make a primary of a standby; returns when it takes writes."""
        self.command(SQL("SELECT pg_promote(true, {})").format(PATIENCE_S))

    def _wait_for(self, standby: str) -> None:
        """Let commits wait for one more standby."""
        self._waited_for.append(standby)
        names = f"FIRST {len(self._waited_for)} ({', '.join(self._waited_for)})"
        setting = SQL("ALTER SYSTEM SET synchronous_standby_names = {}")
        self.command(setting.format(Literal(names)))
        self.command(SQL("SELECT pg_reload_conf()"))

    def _sends_to(self, standby: str, state: str) -> bool:
        asking = (
            "SELECT 1 FROM pg_stat_replication"
            " WHERE application_name = %s AND state = 'streaming' AND sync_state = %s"
        )
        with connected(self.admin_url) as connection:
            return connection.execute(asking, [standby, state]).fetchone() is not None

    @property
    def _running(self) -> "subprocess.Popen[bytes]":
        assert self._process is not None, "the server was never started"
        return self._process

    def _is_ready(self) -> bool:
        try:
            lines = (self.data / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return False
        return lines[:1] == [str(self.pid)] and lines[-1].strip() == "ready"

    def _wait_until(self, happened: Callable[[], bool]) -> None:
        def looked() -> bool:
            if self._running.poll() is not None:
                raise RuntimeError(f"PostgreSQL ended:\n{self.log.read_text()[-4000:]}")
            return happened()

        wait_until(looked, f"PostgreSQL is not ready, see {self.log}")


@contextmanager
def postgres_server(*, below: str | None = None, **settings: str) -> Iterator[PostgresServer]:
    """Start a server with the given settings of PostgreSQL, such as `fsync="on"`.

    below: where its folder is made; by default in memory, where there is room
    """
    with Programs(below) as programs:
        server = PostgresServer(programs, token_hex(16))
        server.make(settings)
        yield server


def _free_port() -> int:
    while True:
        port = SystemRandom().choice(_PORTS)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def _lives(process: psutil.Process) -> bool:
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
