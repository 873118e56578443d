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

    from milepost.workspace.mentions import Mentions
    from milepost.workspace.values import Anchor, Branch, Project

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
        from milepost.workspace.mentions import mentions

        return self.named([mentions(text) for text in texts])

    def named(self, named: Sequence[Mentions]) -> list[tuple[Anchor, ...]]:
        """Return the files and symbols of the project that are named, as they are now."""
        if not self.project.git:
            return [() for _ in named]
        from milepost.workspace.anchors import anchors_named

        return anchors_named(named, self.project.root)

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

    def merged(self, branches: Sequence[Branch]) -> list[bool | None]:
        """Return of each branch whether what is checked out holds it, None if it took too long."""
        if not self.project.git:
            return [False] * len(branches)
        answers: list[bool | None] = []
        for branch in branches:
            # After one that took too long the others would, too.
            late = bool(answers) and answers[-1] is None
            answers.append(None if late else git.is_merged(self.project.root, *branch))
        return answers


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
