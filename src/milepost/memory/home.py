"""Whose a memory is: the project that is worked on, and the branch of it."""

import time
from typing import NamedTuple

from milepost.deadline import beside_the_answer
from milepost.errors import InvalidInput
from milepost.memory import validation
from milepost.memory.context import Context
from milepost.memory.validation import Intake
from milepost.ports import Workspace
from milepost.workspace.values import EVERYWHERE, NOWHERE, Place, Project, is_commit

# As many as git itself can write to a file's name.
BRANCH_CHARS_MAX = 255
# By a project's name, what told it from others of that name when it was first seen.
_PROJECT = "project"
# By an agent's session the project that it was briefed on.
_SESSION = "session project"
_KNOWN_S, _OWNERS_MAX = 5.0, 1_000


class Home(NamedTuple):
    """The project that is worked on, by the name its memories have, and where it lies."""

    project: str | None
    place: Project

    @property
    def branch(self) -> str | None:
        """The branch that is worked on, unless it is the one that others come together in."""
        return None if self.place.is_main else self.place.branch or None


def at_place(
    context: Context,
    folder: str | None,
    project: str | None = None,
    identity: str | None = None,
    branch: str | None = None,
    head: str | None = None,
) -> Context:
    """Return the same for who works in a folder on this machine, on a project if it is named.

    Who asks from elsewhere has no folder here, whatever is said: they tell of their own.
    """
    if folder is not None and not isinstance(folder, str):
        raise InvalidInput(f"folder must be a string, not {type(folder).__name__}.")
    # Who names a project and no folder may be anywhere.
    tree = None if folder is None and project is not None else context.place.tree
    if context.place.folder is None or (folder is None and project is not None):
        folder = None
    elif folder is None:
        folder = context.place.folder
    named = project or context.place.project
    return context.at(
        Place(named, folder, identity or "", branch_named(branch), tree=tree, head=_commit(head))
    )


def _commit(head: object) -> str:
    if head is not None and not isinstance(head, str):
        raise InvalidInput(f"head must be a string, not {type(head).__name__}.")
    return head if head and is_commit(head) else ""


def branch_named(branch: object) -> str | None:
    """Return the name of a branch; empty for the main one, None if none is named."""
    if branch is not None and not isinstance(branch, str):
        raise InvalidInput(f"branch must be a string, not {type(branch).__name__}.")
    return validation.text("branch", branch, BRANCH_CHARS_MAX) if branch else branch


def home_of(context: Context, *, claim: bool = False) -> Home:
    """Return the project that is worked on.

    claim: note down whose name it is, so that another project of that name gets one of its own.
    """
    given = context.place
    there = project_at(context)
    if given.branch is not None and there.git:
        same = there.is_main if not given.branch else there.branch == given.branch
        head = given.head or (there.head if same else "")
        there = there._replace(branch=given.branch, is_main=not given.branch, head=head)
    if given.project == EVERYWHERE:
        return Home(None, there)
    if given.project:
        name = validation.name("project", given.project)
        # Who names the project of a folder along with the folder means that one of its name.
        own = there.identity if (given.folder or given.tree) and there.name == name else ""
        identity = given.identity or own or None
        known = None if identity else context.store.values.get(context.space, _PROJECT, name)
        if known not in (None, there.identity):
            there = NOWHERE  # the folder of another project: its branch and code are not this one's
        return Home(project_name(context, name, identity, claim=claim), there)
    if given.session and not there.git:
        # An agent that works in some folder for a moment still works on its project.
        known = context.store.values.get(context.space, _SESSION, given.session)
        if known:
            return Home(known, there)
    return Home(project_name(context, there.name, there.identity or None, claim=claim), there)


def note_session(context: Context, session: str, project: str | None) -> None:
    """Note on which project a session works, or forget it."""
    context.store.values.put(context.space, _SESSION, session, project)


def tree_of(context: Context) -> Workspace | None:
    """Return the working tree where somebody works: on this machine, or as it is told of."""
    place = context.place
    if place.tree is not None:
        return place.tree
    if place.folder is None or context.workspaces is None:
        return None
    return context.workspaces.at(place.folder)


def project_at(context: Context) -> Project:
    """Return what the working tree tells of the project that it belongs to."""
    tree = tree_of(context)
    return NOWHERE if tree is None else tree.project


def project_name(
    context: Context, name: str | None, identity: str | None, *, claim: bool = True
) -> str | None:
    """Return the name of a project's memories: its own, unless another project has that already."""
    if name is None or identity is None:
        return name
    owner = context.part(ProjectOwners).get(context, name)
    if owner is None and claim:
        with beside_the_answer():
            context.store.values.put(context.space, _PROJECT, name, identity)
    return name if owner in (None, identity) else f"{name} ({identity})"[:200]


class ProjectOwners:
    """Knows for some seconds whose the names of projects are: every call asks for it."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], tuple[str, float]] = {}

    def get(self, context: Context, name: str) -> str | None:
        """Return the identity of the project that has a name."""
        key, now = (context.space, name), time.monotonic()
        owner, until = self._known.get(key, (None, 0.0))
        if owner is None or now > until:
            owner = context.store.values.get(context.space, _PROJECT, name)
            if len(self._known) >= _OWNERS_MAX:
                self._known.clear()
            if owner is not None:
                self._known[key] = owner, now + _KNOWN_S
        return owner

    def close(self) -> None:
        """Forget them."""
        self._known.clear()


class Owner(NamedTuple):
    """Whose a memory is that is stored."""

    project: str | None = None
    branch: str | None = None


def owner_of(context: Context, intake: Intake, given: object) -> Owner:
    """Return whose a memory is: as named, else of the project and the branch worked on."""
    name = intake.optional_name("project", given)
    if name == EVERYWHERE:
        return Owner()
    home = home_of(context, claim=True)
    if name not in (None, home.project):
        return Owner(name)
    # A branch is one of a project: what belongs to none is told on every branch.
    return Owner(home.project, home.branch if home.project else None)
