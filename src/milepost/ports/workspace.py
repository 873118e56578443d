"""The folders that people work in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from milepost.workspace.values import Anchor, Branch, Project


class Workspace(Protocol):
    """A working tree: of a folder on this machine, or as it is told of from elsewhere."""

    @property
    def project(self) -> Project: ...
    def anchors(self, texts: Sequence[str]) -> list[tuple[Anchor, ...]]:
        """Return the files and symbols of the project that texts name, as they are now."""

    def states(self, anchors: Sequence[Anchor]) -> list[str]:
        """Return of each whether it is the same, "changed" or "gone" by now."""

    def merged(self, branches: Sequence[Branch]) -> list[bool | None]:
        """Return of each branch whether what is checked out holds it, None if that is not known."""


class Workspaces(Protocol):
    """The folders that people work in."""

    def at(self, folder: str) -> Workspace:
        """Return a folder; without a name the one that this process works in."""
