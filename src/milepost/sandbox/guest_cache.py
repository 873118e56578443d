"""The guest compiled for this machine, once, and kept where only its owner can write."""

from __future__ import annotations

import fcntl
import json
import os
import stat
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import file_digest, sha256
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from milepost.errors import SandboxUnavailable
from milepost.sandbox import process
from milepost.sandbox.confinement import machine

# A distribution of its own: who runs no programs does not carry it.
_GUEST = find_spec("milepost_guest")
COMPONENT = Path((_GUEST and _GUEST.origin) or "milepost_guest/none").with_name("guest.wasm")
RECORD = COMPONENT.with_suffix(".json")
COMPILE_S_MAX = 900
_UNUSED_S_MAX = 30 * 86_400


def why_not() -> str:
    """Return why there is nothing to compile, or with; an empty text when there is."""
    ours = version("milepost")
    install = f"pip install 'milepost[sandbox]=={ours}'"
    if not COMPONENT.exists():
        return f"the guest is not installed: {install}, or ./guest in a checkout"
    if (theirs := version("milepost-guest")) != ours:
        return f"the guest is of version {theirs}, Milepost of {ours}: {install}"
    try:
        version("wasmtime")
    except PackageNotFoundError:
        return "wasmtime is not installed: pip install 'milepost[sandbox]'"
    return ""


class Cache:
    """A private folder with compiled components."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def has_compiled(self) -> bool:
        """Whether a compiled component seems to be there; it is checked when it is opened."""
        return not why_not() and self._record().exists() and self._artifact().exists()

    def is_being_compiled(self) -> bool:
        """Whether another is at it at this moment."""
        try:
            self._make_private()
            with self._locked(fcntl.LOCK_EX | fcntl.LOCK_NB):
                return False
        except BlockingIOError:
            return True
        except OSError:
            return False  # which `open` tells of

    def open(self) -> int:
        """Return a descriptor of the compiled component, whose content has been checked.

        Compiles it when there is none or when it is not what was compiled, which takes some
        seconds; other processes wait meanwhile and then use the same.
        """
        if why := why_not():
            raise SandboxUnavailable(f"Programs cannot be run: {why}.")
        try:
            self._make_private()
            file = self._verified()
            if file is not None:
                return file
            with self._locked():
                file = self._verified()
                return self._compiled() if file is None else file
        except OSError as problem:
            raise SandboxUnavailable(
                f"Programs cannot be run: the folder {self._folder} cannot be used ({problem})."
            ) from problem

    def forget(self) -> None:
        """Remove what is compiled, because it does not load."""
        for path in (self._record(), self._artifact()):
            path.unlink(missing_ok=True)

    def _make_private(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        about = self._folder.lstat()
        if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.geteuid():
            raise PermissionError("it is not a folder of this user")
        if stat.S_IMODE(about.st_mode) & 0o077:
            self._folder.chmod(0o700)

    @contextmanager
    def _locked(self, how: int = fcntl.LOCK_EX) -> Iterator[None]:
        fd = os.open(self._folder / "lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(fd, how)
            yield
        finally:
            os.close(fd)

    def _artifact(self) -> Path:
        return self._folder / f"{_key()}.cwasm"

    def _record(self) -> Path:
        return self._folder / f"{_key()}.json"

    def _verified(self) -> int | None:
        """Open the compiled component if it is ours and unchanged."""
        try:
            record = json.loads(self._record().read_bytes())
            fd = os.open(self._artifact(), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except (OSError, ValueError):
            return None
        if _is_ours(fd) and isinstance(record, dict) and record.get("sha256") == _hash(fd):
            with suppress(OSError):
                os.utime(self._artifact())
            return fd
        os.close(fd)
        return None

    def _compiled(self) -> int:
        self._remove_unused()
        waiting = self._folder / f"{_key()}.{os.getpid()}.new"
        try:
            _compile(waiting)
            fd = os.open(waiting, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
            record = self._folder / f"{_key()}.{os.getpid()}.told"
            record.write_text(json.dumps({"sha256": _hash(fd)}))
            waiting.replace(self._artifact())
            record.replace(self._record())
        finally:
            waiting.unlink(missing_ok=True)
        return fd

    def _remove_unused(self) -> None:
        """Remove what older versions left, and what was interrupted."""
        for path in self._folder.glob("*.*"):
            with suppress(OSError):
                # Whoever holds the lock is the only one who compiles.
                unfinished = path.suffix == ".new"
                if unfinished or time.time() - path.stat().st_mtime > _UNUSED_S_MAX:
                    path.unlink()


def _key() -> str:
    """Return what a compiled component depends on as one name."""
    parts = (_recorded()["sha256"], version("wasmtime"), machine(), _cpu_features())
    return sha256("\0".join(parts).encode()).hexdigest()[:32]


def _recorded() -> dict[str, str]:
    """Return what was written down as the component was built."""
    return dict(json.loads(RECORD.read_bytes()))


def _cpu_features() -> str:
    """Return what the processor can do: a compiled component uses it."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith(("flags", "Features")):
                return line.partition(":")[2].strip()
    return ""


def _is_ours(fd: int) -> bool:
    about = os.fstat(fd)
    private = not stat.S_IMODE(about.st_mode) & 0o022
    return stat.S_ISREG(about.st_mode) and about.st_uid == os.geteuid() and private


def _hash(fd: int) -> str:
    with os.fdopen(fd, "rb", closefd=False) as file:
        digest = file_digest(file, "sha256").hexdigest()
    os.lseek(fd, 0, os.SEEK_SET)
    return digest


def _compile(target: Path) -> None:
    """Compile in a process of its own, which gives the memory back and can be killed."""
    if sha256(COMPONENT.read_bytes()).hexdigest() != _recorded()["sha256"]:
        raise SandboxUnavailable("Programs cannot be run: the guest component is damaged.")
    target.touch(mode=0o600)
    command = process.python("milepost.sandbox.compiling", os.getpid(), COMPONENT, target)
    try:
        done = subprocess.run(  # noqa: S603 -- our own interpreter and code
            command,
            env={},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=COMPILE_S_MAX,
            check=False,
        )
    except subprocess.TimeoutExpired as problem:
        raise SandboxUnavailable("Programs cannot be run: compiling took too long.") from problem
    if done.returncode:
        last = done.stderr.decode(errors="replace").strip().rpartition("\n")[2][:300]
        raise SandboxUnavailable(f"Programs cannot be run: compiling the guest failed ({last}).")
