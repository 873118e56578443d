"""The folders that people work in, as they are asked about: again and again, and many at once."""

from __future__ import annotations

import os
import time

from milepost.workspace import git
from milepost.workspace.project import detect
from milepost.workspace.values import NOWHERE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from milepost.workspace.values import Anchor, Project

# What was seen of a folder is taken for true so long.
_FRESH_S = 1.0
_FOLDERS_MAX = 64
# Git takes some ten milliseconds to look for what is no longer where it was.
_MOVED_MAX = 2


class Folder:
    """A folder that somebody works in."""

    def __init__(self, project: Project) -> None:
        self.project = project

    def anchors(self, texts: Sequence[str]) -> list[tuple[Anchor, ...]]:
        """Return the files and symbols of the project that texts name, as they are now."""
        if not self.project.git:
            return [() for _ in texts]
        from milepost.workspace.anchors import anchors_in

        return anchors_in(texts, self.project.root)

    def states(self, anchors: Sequence[Anchor]) -> list[str]:
        """Return of each whether it is the same, "changed" or "gone" by now."""
        from milepost.workspace.anchors import GONE, moved, states

        found = states(anchors, self.project.root)
        missing = [place for place, state in enumerate(found) if state == GONE]
        for place in missing[:_MOVED_MAX]:
            # What was only moved to another file is the same.
            if anchors[place].symbol and moved(anchors[place], self.project.root):
                found[place] = ""
        return found

    def is_merged(self, branch: str, base: str, tip: str) -> bool | None:
        """Whether what is checked out holds a branch that began and was last seen at commits."""
        if not self.project.git:
            return False
        return git.is_merged(self.project.root, branch, base, tip)


class Folders:
    """Folders by their paths; what was seen a moment ago is not looked at again."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[float, Folder]] = {}

    def at(self, folder: str) -> Folder:
        """Return a folder; without a name the one that this process works in."""
        try:
            path = folder or os.getcwd()
        except OSError:
            return Folder(NOWHERE)  # it was removed
        now = time.monotonic()
        since, seen = self._seen.get(path, (0.0, None))
        if seen is None or now - since > _FRESH_S:
            seen = Folder(detect(path))
            if len(self._seen) >= _FOLDERS_MAX:
                self._seen.clear()
            self._seen[path] = now, seen
        return seen
