"""What hooks leave for later: a file a session, appended to in a moment and read in the background.

A hook must not wait for the store, so it writes a line beside it. Whoever has the memory open next
turns the files into jobs; a line that was written is not lost when anything is killed.
"""

from __future__ import annotations

import os
import stat
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

SUFFIX = ".inbox"
# A session that nobody reads must not fill the disk.
FILE_BYTES_MAX = 8 << 20
TEXT_CHARS_MAX = 4_000
# Enough of the end of a transcript for what a compaction or a turn is about.
TAIL_BYTES = 4 << 20
# Whoever took a file and did not finish within this is gone, whatever process has its number now.
_TAKEN_S = 600
# A session that left something and then nothing for so long ended without saying so.
_SILENT_S = 86_400
# Neither follow a link out of the folder nor wait for whoever holds the other end of a pipe.
_CAREFUL = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def folder_of(url: str, elsewhere: str) -> str:
    """Return where the sessions of a store leave what they have to tell: beside its file."""
    from milepost.location import file_of, is_database, number_of, shown

    path = file_of(url)
    name = f"database-{number_of(shown(url)):016x}" if is_database(url) else "memory"
    base = os.path.expanduser(path) if path else os.path.join(elsewhere, name)
    return os.path.abspath(base) + SUFFIX


def append(folder: str, session: str, entry: dict[str, Any]) -> None:
    """Add an entry to a session's file, in one write."""
    import json

    path = os.path.join(folder, f"{_file_name(session)}.jsonl")
    # The line before may have been cut off by a full disk: each begins on a line of its own.
    line = b"\n" + json.dumps(entry).encode() + b"\n"
    os.makedirs(folder, mode=0o700, exist_ok=True)
    _check_ours(folder)
    fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _CAREFUL, 0o600)
    try:
        # The marks are small and must not be lost; of what was said enough is there by then.
        if "turn" not in entry or os.fstat(fd).st_size < FILE_BYTES_MAX:
            os.write(fd, line)
    finally:
        os.close(fd)


def _check_ours(folder: str) -> None:
    """Raise if somebody else put a folder, or a way to another one, where ours should be."""
    about = os.lstat(folder)
    if not stat.S_ISDIR(about.st_mode) or about.st_uid != getattr(os, "geteuid", lambda: 0)():
        raise PermissionError(f"{folder} is not a folder of this user's own")


def shortened(text: str) -> str:
    """Return the head and the tail of a long text."""
    half = TEXT_CHARS_MAX // 2
    return text if len(text) <= TEXT_CHARS_MAX else f"{text[:half]}\n…\n{text[-half:]}"


def take(folder: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield the files with the entries of sessions that a stage has ended for, or that fell silent.

    A file is renamed first, so that a session that goes on begins another; the caller removes it.
    """
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        path = os.path.join(folder, name)
        if name.endswith(".jsonl"):
            if not _has_mark(path) and _age_s(path, "st_mtime") < _SILENT_S:
                continue
            path = _taken(path)
        elif not name.endswith(".taken") or not _is_forsaken(path):
            continue
        try:
            with open(path, "rb", opener=open_plain) as file:
                lines = file.readlines()
        except OSError:
            continue  # nothing that a hook wrote, or another process was faster
        yield path, list(_entries(lines))


def holds_anything(folder: str) -> bool:
    """Whether any session left something."""
    return os.path.isdir(folder) and any(os.scandir(folder))


def _taken(path: str) -> str:
    """Give a file a name that keeps others off, and return that; another may have been faster."""
    from contextlib import suppress

    taken = f"{path}.{os.getpid()}-{time.time_ns()}.taken"
    with suppress(FileNotFoundError):  # then nothing goes by the new name either
        os.rename(path, taken)
    return taken


def erase(folder: str, without: Callable[[str], str | None]) -> None:
    """Take a text out of what waits; `without` returns an entry's line as it shall be.

    As for reading, a file is renamed first: what a session adds meanwhile is in another.
    """
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        path = os.path.join(folder, name)
        waits = name.endswith(".jsonl") or (name.endswith(".taken") and _is_forsaken(path))
        if not waits or _cleaned(path, without) is None:
            continue
        taken = _taken(path) if name.endswith(".jsonl") else path
        path = os.path.join(folder, name.partition(".jsonl")[0] + ".jsonl")
        left = _cleaned(taken, without)
        if left is not None:
            fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _CAREFUL, 0o600)
            try:
                os.write(fd, left)
            finally:
                os.close(fd)
            os.unlink(taken)


def _cleaned(path: str, without: Callable[[str], str | None]) -> bytes | None:
    """Return a file's lines as they shall be; None if they are so, or cannot be read."""
    try:
        with open(path, "rb", opener=open_plain) as file:
            lines = file.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return None
    cleaned = [without(line) or "" for line in lines]
    return None if cleaned == lines else ("\n".join(cleaned) + "\n").encode()


def _entries(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """Yield what the lines of a file say; one that was cut off by a full disk says nothing."""
    import json

    for line in lines:
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(entry, dict):
            yield entry


def tail(path: str, most: int) -> list[str]:
    """Return the last lines of a file; none when it cannot be read."""
    try:
        with open(path, "rb", opener=open_plain) as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - most))
            lines = (file.read(most) or b"").decode("utf-8", "replace").split("\n")
    except (OSError, ValueError):
        return []
    return lines[1:] if size > most else lines


def open_plain(path: str, flags: int) -> int:
    """Open a file that can be read to its end; a pipe or a device would keep us waiting."""
    fd = os.open(path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0))
    if stat.S_ISREG(os.fstat(fd).st_mode):
        return fd
    os.close(fd)
    raise OSError(f"{path} is no plain file")


def _has_mark(path: str) -> bool:
    try:
        with open(path, "rb", opener=open_plain) as file:
            return any(line.startswith(b'{"mark"') for line in file)
    except OSError:
        return False


def _is_forsaken(path: str) -> bool:
    """Whether whoever took a file is gone."""
    process = path.rpartition(".jsonl.")[2].partition("-")[0]
    if _age_s(path, "st_ctime") > _TAKEN_S:
        return True
    if os.name != "posix":
        return False  # there to ask after a process is to interrupt it
    try:
        os.kill(int(process), 0)
    except (ValueError, ProcessLookupError):
        return True
    except OSError:
        return False
    return int(process) == os.getpid()


def _age_s(path: str, moment: str) -> float:
    """Return how long ago a file was written to (st_mtime) or given its name (st_ctime)."""
    try:
        return time.time() - float(getattr(os.lstat(path), moment))
    except OSError:
        return 0.0


def _file_name(session: str) -> str:
    """Return a session's name as that of a file; strange ones are told apart by their bytes."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "_" for c in session)
    if plain == session and len(plain) <= 100:
        return plain
    from hashlib import sha256

    return f"{plain[:60]}-{sha256(session.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"
