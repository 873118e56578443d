"""Which files are meant: one, those below a folder, or those that a pattern names.

Below a folder no link is followed: those that lead out of it are told of. What is named itself may
be a link, for whoever names it means where it leads.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from milepost.documents.ignored import is_ignored, path_pattern, rules_in
from milepost.documents.values import Unread
from milepost.errors import InvalidInput
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from milepost.documents.ignored import Rule

_MAGIC = frozenset("*?[")
_PATH_CHARS_MAX = 4_096
_IGNORE_BYTES_MAX = 1 << 20
# Folders of what programs made or fetched; hidden ones are passed by as well.
_MADE = frozenset(
    "node_modules bower_components __pycache__ site-packages venv Pods target dist build".split()
)
# Documents by their names, that it is told of when they are not read: no text, and text.
_PACKED = frozenset(
    ".pdf .docx .docm .doc .pptx .pptm .ppt .xlsx .xlsm .xls .odt .ods .odp .epub .eml .msg "
    ".rtf".split()
)
_TEXTS = frozenset(".md .txt .rst .adoc .html .htm .csv .tsv .json .jsonl .ipynb .mbox".split())
_LOOKED_AT = 4_096
_TOLD_BY = (b"%PDF-", b"\xff\xfe", b"\xfe\xff")


class Meant(NamedTuple):
    """What a path or a pattern means, by real paths.

    root: the folder, or the one file; pattern: what files below the folder must match, if any.
    """

    root: str
    is_folder: bool
    pattern: re.Pattern[str] | None = None

    def means(self, path: str) -> bool:
        """Whether a file that is gone would have been meant."""
        if not self.is_folder:
            return path == self.root
        below = path[len(self.root.rstrip("/")) + 1 :]
        return self.pattern is None or self.pattern.fullmatch(below) is not None


class Files(NamedTuple):
    """The files that are meant, in order, and what was passed by, with the reason."""

    paths: list[str]
    skipped: list[Unread]
    failed: list[Unread]


def meant_by(given: object, folder: str, *, is_near: bool = True) -> Meant:
    """Return what a path or pattern means that was written in a folder.

    is_near: whether ~ is the home of whoever asks.
    """
    given = os.fspath(given) if isinstance(given, os.PathLike) else given
    if not isinstance(given, str) or not given.strip():
        raise InvalidInput(
            "path_or_glob must name a file, a folder or a pattern such as docs/*.md."
        )
    if "\0" in given or len(given) > _PATH_CHARS_MAX or not _is_text(given):
        raise InvalidInput(f"{given[:60]!r} is no path.")
    whole = os.path.normpath(os.path.join(folder, os.path.expanduser(given) if is_near else given))
    if os.path.lexists(whole) or _MAGIC.isdisjoint(given):
        root = os.path.realpath(whole)
        return Meant(root, os.path.isdir(root))
    parts = whole.split(os.sep)
    first = next(place for place, part in enumerate(parts) if not _MAGIC.isdisjoint(part))
    root = os.path.realpath(os.sep.join(parts[:first]) or os.sep)
    return Meant(root, True, path_pattern("/".join(parts[first:])))


def files_of(meant: Meant) -> Files:
    """Return the files that are there of what is meant."""
    files = Files([], [], [])
    if not meant.is_folder:
        if os.path.lexists(meant.root):
            files.paths.append(meant.root)
        return files
    for path in _below(meant.root, files):
        if meant.means(path) and (meant.pattern is not None or _may_be_read(path)):
            files.paths.append(path)
    return files


def seen(meant: Meant) -> dict[str, str]:
    """Return the files that are meant with what is another when one was written."""
    found = {}
    for path in _below(meant.root, Files([], [], [])) if meant.is_folder else (meant.root,):
        with suppress(OSError):
            found[path] = signature_of(os.lstat(path))
    return found


def _below(root: str, files: Files) -> Iterator[str]:
    """Yield the plain files below a folder that nobody ignores, by path."""
    waiting: list[tuple[str, tuple[tuple[str, tuple[Rule, ...]], ...]]] = [(root, _above(root))]
    while waiting:
        folder, above = waiting.pop()
        here = _entries(folder, files)
        above = (*above, *_rules_at(folder, here))
        folders = []
        for entry in here:
            if entry.is_symlink():
                files.skipped.extend(_leading_out(entry, root))
            elif entry.name.startswith("."):
                continue
            elif entry.is_dir(follow_symlinks=False):
                if entry.name not in _MADE and not is_ignored(above, entry.path, is_folder=True):
                    folders.append((entry.path, above))
            elif entry.is_file(follow_symlinks=False) and not is_ignored(
                above, entry.path, is_folder=False
            ):
                yield entry.path
        waiting += folders[::-1]


def _entries(folder: str, files: Files) -> list[os.DirEntry[str]]:
    """Return what lies in a folder, by name; what cannot be told of is noted as failed."""
    try:
        with os.scandir(folder) as entries:
            here = sorted(entries, key=lambda entry: entry.name)
    except OSError as problem:
        files.failed.append(Unread(folder, problem.strerror or str(problem)))
        return []
    for entry in here:
        if not _is_text(entry.name):
            shown = os.fsencode(entry.path).decode("utf-8", "replace")
            files.failed.append(Unread(shown, "its name is not UTF-8: rename it"))
    return [entry for entry in here if _is_text(entry.name)]


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _leading_out(entry: os.DirEntry[str], root: str) -> list[Unread]:
    """Tell of a link that leads out of the folder; what it leads to within is there anyway."""
    real = os.path.realpath(entry.path)
    if real == root or real.startswith(os.path.join(root, "")):
        return []
    return [Unread(entry.path, "a link that leads out of the folder")]


def _above(root: str) -> tuple[tuple[str, tuple[Rule, ...]], ...]:
    """Return the rules of the folders above one, within its working tree."""
    found: list[tuple[str, tuple[Rule, ...]]] = []
    folder = root
    while not os.path.lexists(os.path.join(folder, ".git")):
        folder, before = os.path.dirname(folder), folder
        if folder == before:
            return ()
        if rules := _read_rules(folder):
            found.append((folder, rules))
    return tuple(found[::-1])


def _rules_at(folder: str, entries: list[os.DirEntry[str]]) -> list[tuple[str, tuple[Rule, ...]]]:
    if not any(entry.name == ".gitignore" for entry in entries):
        return []
    return [(folder, _read_rules(folder))]


def _read_rules(folder: str) -> tuple[Rule, ...]:
    try:
        fd = opened(os.path.join(folder, ".gitignore"))
    except OSError:
        return ()
    with open(fd, "rb") as file:
        return rules_in(file.read(_IGNORE_BYTES_MAX).decode("utf-8", "replace"))


def _may_be_read(path: str) -> bool:
    """Whether a file below a folder may be a document: it looks like text, or is called one."""
    ending = os.path.splitext(path)[1].lower()
    if ending in _PACKED:
        return True
    try:
        with open(opened(path), "rb", buffering=0) as file:
            head = file.read(_LOOKED_AT)
    except OSError:
        return True  # it is told of where it is read
    is_text = b"\0" not in head or head.startswith(_TOLD_BY)
    return bool(head) and (is_text or ending in _TEXTS)


def opened(path: str) -> int:
    """Return a descriptor of a plain file, which is no link, whatever stands there by now.

    Neither a pipe nor a device is waited for.
    """
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    fd = os.open(path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(f"{path} is no plain file")
        # A folder on the way may have become a link since it was looked at.
        if os.path.isdir("/proc/self/fd") and os.readlink(f"/proc/self/fd/{fd}") != path:
            raise OSError(f"{path} was moved while it was read")
    except OSError:
        os.close(fd)
        raise
    return fd


def is_gone(path: str) -> bool:
    """Whether there is surely no file of that path any more, or nothing in it."""
    try:
        about = os.lstat(path)
        return not stat.S_ISREG(about.st_mode) or not about.st_size
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False


def signature_of(about: os.stat_result) -> str:
    """Return what is another when a file was written, as far as the disk tells."""
    return f"{about.st_size} {about.st_mtime_ns} {about.st_ctime_ns} {about.st_ino}"
