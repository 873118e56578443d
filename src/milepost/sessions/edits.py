"""What an edit did, in a few words, and the files that edits were made to."""

from __future__ import annotations

import re

from milepost.text.lines import clip
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from milepost.sessions.values import Turn

_EDITING = frozenset(("Edit", "Write", "MultiEdit", "NotebookEdit", "edit", "write", "apply_patch"))
# Where the part of a path begins that means something to everyone who has the project.
_ROOTS = frozenset(
    "src tests test lib app apps docs packages cmd internal pkg bench scripts crates server client "
    "web frontend backend api examples tools config migrations spec .github".split()
)
_WHAT_MAX = 80


class FileEdit(NamedTuple):
    """A file that was changed, and how."""

    path: str
    what: str


def edit_of(turn: Turn) -> FileEdit | None:
    """Return the edit that a tool's turn made, if it made one."""
    if turn.tool not in _EDITING or turn.failed:
        return None
    path, _, changes = turn.input.partition("\n")
    path = path.strip()
    if not path or path.startswith("{"):
        return None
    return FileEdit(short_path(path), _what(turn.tool, changes))


def short_path(path: str) -> str:
    """Return a path from the folder on that belongs to the project, as far as that can be told."""
    parts = [part for part in re.split(r"[/\\]", path) if part not in ("", ".", "~")]
    if not path.startswith(("/", "~")) and ":" not in path[:3]:
        return "/".join(parts)
    root = next((place for place, part in enumerate(parts[:-1]) if part in _ROOTS), None)
    return "/".join(parts[root if root is not None and root > 0 else -2 :])


def stem(path: str) -> str:
    """Return a file's name without its kind, as a tag."""
    name = path.rsplit("/", 1)[-1].lower()
    return name.split(".", 1)[0] if not name.startswith(".") else name[1:]


def listed(paths: Iterable[str], most: int = 6) -> str:
    """Return files as a list that is not too long."""
    unique = list(dict.fromkeys(paths))
    rest = f" and {len(unique) - most} more" if len(unique) > most else ""
    return ", ".join(unique[:most]) + rest


def _what(tool: str, changes: str) -> str:
    """Return which line was added or removed first; nothing for a whole new file."""
    old, new = _sides(changes)
    added = [line for line in new if line not in old]
    removed = [line for line in old if line not in new]
    if tool.lower() == "write":
        return ""
    first = [clip(side[0], _WHAT_MAX) for side in (removed, added) if side]
    if added and removed:
        return " became ".join(first)
    return "".join(f"{'added' if added else 'removed'} {line}" for line in first)


def _sides(changes: str) -> tuple[list[str], list[str]]:
    """Return the lines before and after, as the transcript's reader marked them."""
    sides: dict[str, list[str]] = {"- ": [], "+ ": []}
    side = "+ "
    for marked in changes.splitlines():
        line = marked
        if marked[:2] in sides:
            side, line = marked[:2], marked[2:]
        if line.strip() not in ("", "…"):
            sides[side].append(" ".join(line.split()))
    return sides["- "], sides["+ "]
