"""Read and write the files of others with care: at once, in place, with what was there kept."""

import os
from contextlib import suppress
from pathlib import Path

from milepost.errors import ConfigError

BACKUP = ".before-milepost"
# Folders of this name hold nothing but what install put there.
OWN_FOLDER = "milepost"


def text_of(path: Path) -> str | None:
    """Return what a file holds to the letter, or None if there is none."""
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as problem:
        raise ConfigError(
            f"{path} is not UTF-8 text ({problem.reason}); repair it first, nothing was changed."
        ) from problem
    except OSError as problem:
        raise ConfigError(f"Cannot read {path} ({problem.strerror}).") from problem


def backup_of(path: Path) -> Path:
    """Return where what a file held before Milepost came is kept."""
    return path.with_name(path.name + BACKUP)


def write(path: Path, text: str, *, private: bool, keep_mode: bool = True) -> None:
    """Replace a file at once; a link stays a link, and a file's rights stay unless told otherwise.

    private: what is made anew, the folder as well, is for its owner alone.
    """
    target = path.resolve()
    partial = target.with_name(f"{target.name}.{os.getpid()}.tmp")
    try:
        target.parent.mkdir(0o700 if private else 0o777, parents=True, exist_ok=True)
        mode = target.stat().st_mode & 0o7777 if keep_mode and target.exists() else None
        # Windows would change line ends otherwise.
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        fd = os.open(partial, flags, 0o600 if private else 0o666)
        with os.fdopen(fd, "wb") as file:
            if mode is not None:
                os.chmod(partial, mode)  # noqa: PTH101 -- as short as it gets
            file.write(text.encode())
            file.flush()
            os.fsync(fd)
        partial.replace(target)
    except OSError as problem:
        with suppress(OSError):
            partial.unlink()
        raise ConfigError(f"Cannot write {target} ({problem.strerror}).") from problem


def remove(path: Path) -> None:
    """Remove a file, and the folder of ours that is empty without it."""
    try:
        path.unlink()
    except OSError as problem:
        raise ConfigError(f"Cannot remove {path} ({problem.strerror}).") from problem
    if path.parent.name == OWN_FOLDER:
        with suppress(OSError):
            path.parent.rmdir()
