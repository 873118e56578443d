"""Where somebody works, and what a memory rests on there."""

from __future__ import annotations

from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from milepost.workspace.told import ToldTree

# The project of what belongs to none: said where it is meant, never a project's name.
EVERYWHERE = "everywhere"


class Place(NamedTuple):
    """Where somebody works: the project, if it is named, and the folder that tells it otherwise.

    folder: empty for the folder that this process works in, None where there is no folder.
    identity: what tells a named project from others of its name.
    branch: the branch that was checked out, empty for the main one, if it may be another by now.
    head: the commit that it stood at, if that is known.
    session: the agent's session, whose project it is where the folder is in no repository.
    tree: what is told of the working tree, if that is on another machine.
    """

    project: str = ""
    folder: str | None = ""
    identity: str = ""
    branch: str | None = None
    session: str = ""
    tree: ToldTree | None = None
    head: str = ""


class Project(NamedTuple):
    """A project: the name its memories have, what tells it from others of that name, its place."""

    name: str | None
    identity: str = ""
    root: str = ""
    git: str = ""
    # The branch that is checked out, and whether it is the one that all others come together in.
    branch: str = ""
    is_main: bool = True
    # The commit that the branch stands at, and that of the main one.
    head: str = ""
    main_head: str = ""


NOWHERE = Project(None)


def is_commit(text: str) -> bool:
    """Whether a text is the full name of a commit."""
    return len(text) in (40, 64) and not text.strip("0123456789abcdef")


class Branch(NamedTuple):
    """A branch: its name, the commits that it began at and was last seen at, if they are known."""

    name: str
    base: str
    tip: str


class Anchor(NamedTuple):
    """What a memory says something about: a file, or a symbol in it, as it was then."""

    path: str
    symbol: str
    digest: str
