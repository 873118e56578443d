"""The files of a working tree: which there are, and what they hold now."""

from __future__ import annotations

import os

from milepost.workspace.definitions import definition, kind_of
from milepost.workspace.git import ask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

FILE_BYTES_MAX = 1 << 20
LIST_BYTES_MAX = 32 << 20
PATIENCE_S = 0.3
# What stands there was written elsewhere.
_FOREIGN = frozenset(
    ".git node_modules vendor third_party site-packages bower_components Pods".split()
)
# The files of the repositories that were asked about lately, and when their index was written.
_LISTED: dict[str, tuple[tuple[int, int], str]] = {}
_LISTED_MAX = 4


class Tree:
    """A working tree that is read once: for the length of one call."""

    def __init__(self, root: str) -> None:
        self.root = os.path.realpath(root)
        self._given = os.path.abspath(root)
        self._read: dict[str, list[str] | None] = {}

    def has(self, path: str) -> bool:
        """Whether there is a file that people write and read."""
        return not _is_foreign(path) and self._lines(path) is not None

    def definition(self, path: str, symbol: str) -> list[str]:
        """Return the lines of a symbol, or of the whole file without one; none if it is gone."""
        lines = self._lines(path)
        return definition(lines, symbol, kind_of(path)) if lines and symbol else lines or []

    def is_unread(self, path: str) -> bool:
        """Whether there is a file that is not read: too large, or no text."""
        here = any(os.path.isfile(_within(self.root, form)) for form in _forms(path))
        return here and self._lines(path) is None

    def _lines(self, path: str) -> list[str] | None:
        if path not in self._read:
            texts = (_read(self.root, form) for form in _forms(path))
            text = next((text for text in texts if text is not None), None)
            self._read[path] = None if text is None else text.split("\n")
        return self._read[path]

    def paths(self, written: Iterable[str]) -> dict[str, str]:
        """Return the files that are meant by paths as they were written."""
        there = {name: self._inside(name) for name in written}
        listed = listing(self.root) if any(there.values()) else ""
        met = {name: _any_meant(path, listed) for name, path in there.items() if path}
        # A file that was just written is there, and nobody has told git.
        new = {name: path for name, path in there.items() if path and not met.get(name)}
        new = {name: path for name, path in new.items() if "/" in path or not listed}
        met.update(self._untracked(new, bool(listed)))
        return {name: path for name, path in met.items() if path and not _is_foreign(path)}

    def _inside(self, written: str) -> str:
        """Return a path from the root on, or nothing if it leads out of it."""
        if os.path.isabs(written):
            roots = [root.replace("\\", "/") + "/" for root in (self.root, self._given)]
            above = next((root for root in roots if written.startswith(root)), "")
            if not above:
                return ""
            written = written[len(above) :]
        parts = [part for part in written.split("/") if part not in ("", ".")]
        bad = ".." in parts or "\0" in written or written[:1] == "~" or "://" in written
        return "" if bad else "/".join(parts)

    def _untracked(self, new: dict[str, str], has_git: bool) -> dict[str, str]:
        there = {name: path for name, path in new.items() if self.has(path)}
        if not there or not has_git:
            return there
        asked = [form for path in there.values() for form in _forms(path)]
        listed = ask(
            self.root, "--literal-pathspecs", "ls-files", "--others", "--exclude-standard", "-z",
            "--", *asked, patience_s=PATIENCE_S, bytes_max=1 << 16,
        )  # fmt: skip
        known = (listed or b"").decode("utf-8", "surrogateescape").split("\0")
        met = {name: [f for f in _forms(path) if f in known] for name, path in there.items()}
        return {name: forms[0] for name, forms in met.items() if forms}


def listing(root: str) -> str:
    """Return the files that git knows, each between \\0/ and \\0; nothing without git."""
    written = _index_written(root)
    kept = _LISTED.get(root)
    if kept and kept[0] == written:
        return kept[1]
    said = ask(root, "ls-files", "-z", patience_s=PATIENCE_S, bytes_max=LIST_BYTES_MAX)
    paths = (said or b"").decode("utf-8", "surrogateescape").split("\0")
    files = "\0/" + "\0/".join(paths) if said else ""
    if len(_LISTED) >= _LISTED_MAX:
        _LISTED.clear()
    if written and files:
        _LISTED[root] = (written, files)
    return files


def _index_written(root: str) -> tuple[int, int] | None:
    """Return when git's index of a working tree was written, and its size."""
    folder = os.path.join(root, ".git")
    try:
        if os.path.isfile(folder):
            with open(folder, encoding="utf-8") as file:
                folder = os.path.join(root, file.readline(4096).partition(":")[2].strip())
        about = os.stat(os.path.join(folder, "index"))
    except (OSError, ValueError):
        return None
    return about.st_mtime_ns, about.st_size


def _forms(path: str) -> tuple[str, ...]:
    """Return a path as it may be written: letters with marks are one character, or two."""
    if path.isascii():
        return (path,)
    from unicodedata import normalize

    return tuple(dict.fromkeys((path, normalize("NFC", path), normalize("NFD", path))))


def _any_meant(path: str, listed: str) -> str:
    return next(filter(None, (_meant(form, listed) for form in _forms(path))), "")


def _meant(path: str, listed: str) -> str:
    """Return the one file of a list that a path, or the end of one, can mean."""
    if "/" in path and f"\0/{path}\0" in listed:
        return path
    end = f"/{path}\0"
    at = listed.find(end)
    if at < 0 or listed.find(end, at + 1) >= 0:
        return ""
    return listed[listed.rfind("\0", 0, at + 1) + 2 : at + len(end) - 1]


def _is_foreign(path: str) -> bool:
    return not _FOREIGN.isdisjoint(path.split("/")) or ".min." in path


def _within(root: str, path: str) -> str:
    """Return where a file of a working tree really is, or nothing if that is outside."""
    try:
        real = os.path.realpath(os.path.join(root, path))
    except ValueError:  # no name of a file
        return ""
    return real if real.startswith(os.path.join(root, "")) else ""


def _read(root: str, path: str) -> str | None:
    from milepost.sessions.inbox import open_plain

    try:
        real = _within(root, path)
        if not real:
            return None
        with open(real, "rb", buffering=0, opener=open_plain) as file:
            data = file.read(FILE_BYTES_MAX + 1)
    except (OSError, ValueError):
        return None
    if len(data) > FILE_BYTES_MAX or b"\0" in data[:8192]:
        return None
    return data.decode("utf-8", "replace").removeprefix("\ufeff")  # which editors come and go with
