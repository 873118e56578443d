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

    from milepost.sealing import Lines

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
# What a file is called while it is written anew.
_NEW = ".new"
# Neither follow a link out of the folder nor wait for whoever holds the other end of a pipe.
_CAREFUL = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def folder_of(url: str, elsewhere: str) -> str:
    """Return where the sessions of a store leave what they have to tell: beside its file."""
    from milepost.location import file_of, is_database, number_of, shown

    path = file_of(url)
    name = f"database-{number_of(shown(url)):016x}" if is_database(url) else "memory"
    base = os.path.expanduser(path) if path else os.path.join(elsewhere, name)
    return os.path.abspath(base) + SUFFIX


def append(folder: str, session: str, entry: dict[str, Any], lines: Lines | None = None) -> None:
    """Add an entry to a session's file, in one write."""
    import json

    path = os.path.join(folder, f"{file_name(session)}.jsonl")
    # The line before may have been cut off by a full disk: each begins on a line of its own.
    text = json.dumps(entry).encode()
    line = b"\n" + (text if lines is None else lines.sealed(text)) + b"\n"
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


def take(folder: str, lines: Lines | None = None) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield the files with the entries of sessions that a stage has ended for, or that fell silent.

    A file is renamed first, so that a session that goes on begins another; the caller removes it.
    One whose key is not here stays.
    """
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        path = os.path.join(folder, name)
        if name.endswith(".jsonl"):
            if not _is_due(path, lines):
                continue
            path = _taken(path)
        elif not name.endswith(".taken") or not _is_forsaken(path):
            continue
        written = _lines_of(path, lines)
        if written is not None:
            yield path, list(_entries(written))


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


def erase(folder: str, without: Callable[[str], str | None], lines: Lines | None = None) -> None:
    """Take a text out of what waits; `without` returns an entry's line as it shall be.

    As for reading, a file is renamed first: what a session adds meanwhile is in another.
    """
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        path = os.path.join(folder, name)
        waits = name.endswith(".jsonl") or (name.endswith(".taken") and _is_forsaken(path))
        if not waits or _cleaned(path, without, lines) is None:
            continue
        taken = _taken(path) if name.endswith(".jsonl") else path
        path = os.path.join(folder, name.partition(".jsonl")[0] + ".jsonl")
        left = _cleaned(taken, without, lines)
        if left is not None:
            fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _CAREFUL, 0o600)
            try:
                os.write(fd, left)
            finally:
                os.close(fd)
            os.unlink(taken)


def forget(folder: str, is_meant: Callable[[str], bool]) -> None:
    """Remove what sessions left whose files are called so; not what somebody is reading now."""
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        path = os.path.join(folder, name)
        own, _, taken = name.partition(".jsonl")
        if is_meant(own) and (not taken or _is_forsaken(path)):
            os.unlink(path)


def _cleaned(path: str, without: Callable[[str], str | None], lines: Lines | None) -> bytes | None:
    """Return a file's lines as they shall be; None if they are so, or cannot be read."""
    written = _lines_of(path, lines)
    if written is None:
        return None
    before = [line.decode("utf-8", "replace").rstrip("\r\n") for line in written]
    cleaned = [without(line) or "" for line in before]
    return None if cleaned == before else _file_of(map(str.encode, cleaned), lines)


def _file_of(texts: Iterable[bytes], lines: Lines | None) -> bytes:
    """Return the bytes of a file with some lines."""
    sealed = [text if lines is None or not text else lines.sealed(text) for text in texts]
    return b"\n".join(sealed) + b"\n"


def seal_anew(folder: str, lines: Lines) -> int:
    """Write all that waits as it is sealed now, be it not at all; return how many files there are.

    Nobody else may use the store meanwhile but hooks, which begin files of their own.
    """
    count = 0
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        path = os.path.join(folder, name)
        if name.endswith(_NEW):
            os.unlink(path)  # of one that was killed
        if not name.endswith((".jsonl", ".taken")):
            continue
        taken = _taken(path) if name.endswith(".jsonl") else path
        written = _lines_of(taken, lines)
        if written is None:
            continue
        partial = f"{taken}{_NEW}"
        fd = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _CAREFUL, 0o600)
        try:
            os.write(fd, _file_of((line.strip() for line in written), lines))
            os.fsync(fd)
        finally:
            os.close(fd)
        os.replace(partial, taken)
        count += 1
    return count


def _lines_of(path: str, lines: Lines | None) -> list[bytes] | None:
    """Return the lines of a file as they were before they were sealed; None if that cannot be."""
    try:
        with open(path, "rb", opener=open_plain) as file:
            written = file.readlines()
    except OSError:
        return None  # nothing that a hook wrote, or another process was faster
    if lines is None:
        return written
    opened = [lines.opened(line) for line in written]
    return None if None in opened else [line or b"" for line in opened]


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


def _is_due(path: str, lines: Lines | None) -> bool:
    """Whether a session said that a stage ended, or has said nothing for long; and can be read."""
    written = _lines_of(path, lines)
    if written is None:
        return False
    has_mark = any(line.startswith(b'{"mark"') for line in written)
    return has_mark or _age_s(path, "st_mtime") >= _SILENT_S


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


def file_name(session: str) -> str:
    """Return a session's name as that of a file; strange ones are told apart by their bytes."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "_" for c in session)
    if plain == session and len(plain) <= 100:
        return plain
    from hashlib import sha256

    return f"{plain[:60]}-{sha256(session.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"
