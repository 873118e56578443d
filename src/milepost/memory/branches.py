"""Branches that are not merged: what was said on one is told there, and elsewhere once it is.

Git tells whether it is. What a branch looked like when it was first and last seen is
kept, for a branch is often deleted when it is merged.
"""

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from milepost.deadline import beside_the_answer
from milepost.memory.context import Context
from milepost.memory.home import Home, tree_of
from milepost.memory.hot_reads import rests_on
from milepost.workspace.values import Branch

_BRANCH = "branch"
# Git takes some ten milliseconds for each: the others are asked about the next time.
_ASKED_MAX = 3


class SeenBranch(NamedTuple):
    """A branch as it was seen: the main one's commit if it began there, its last one, and where
    the working tree stood when it was last found not to be merged.
    """

    base: str = ""
    tip: str = ""
    unmerged_in: str = ""


def note_branch(context: Context, home: Home) -> None:
    """Note where the branch that is worked on stands."""
    if home.branch is None or home.project is None or not home.place.head:
        return
    known, head = _seen(context, home.project, home.branch), home.place.head
    if known is None:
        known = SeenBranch(base=head if head == home.place.main_head else "")
    if known.tip != head:
        _keep(context, home.project, home.branch, known._replace(tip=head))


class BranchesTold(NamedTuple):
    """The branches whose memories may be told where somebody works.

    merged: those of them that are in the main branch by now.
    """

    names: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()


def branches_told(context: Context, home: Home) -> BranchesTold:
    """Return the branches whose memories may be told: the one at hand, and those it holds."""
    if home.project is None:
        return BranchesTold()
    here = () if home.branch is None else (home.branch,)
    others = [b for b in context.store.branches.of(context.space, home.project) if b not in here]
    answers = _asked(context, home, others)
    held = tuple(branch for branch, (_, is_merged) in answers.items() if is_merged)
    for branch, (seen, is_merged) in answers.items():
        if is_merged is False:
            _keep(context, home.project, branch, seen._replace(unmerged_in=home.place.head))
    return BranchesTold((*here, *held), held if home.branch is None else ())


def held_here(context: Context, home: Home, branches: Iterable[str]) -> frozenset[str]:
    """Return those of some branches that what is checked out holds; nothing is noted down."""
    others = [branch for branch in dict.fromkeys(branches) if branch != home.branch]
    if others:
        rests_on("the branches of the working tree")
    return frozenset(b for b, (_, is_merged) in _asked(context, home, others).items() if is_merged)


def _asked(
    context: Context, home: Home, branches: Sequence[str]
) -> dict[str, tuple[SeenBranch, bool | None]]:
    """Return what git says of branches that may have been merged since it was last asked."""
    tree = tree_of(context)
    # Git tells of what is checked out, which may be another commit by now.
    if tree is None or home.project is None or tree.project.head != home.place.head:
        return {}
    known = {b: _seen(context, home.project, b) or SeenBranch() for b in branches}
    asked = [b for b, seen in known.items() if seen.unmerged_in != home.place.head][:_ASKED_MAX]
    answers = tree.merged([Branch(b, known[b].base, known[b].tip) for b in asked]) if asked else []
    return {b: (known[b], answer) for b, answer in zip(asked, answers, strict=True)}


def release_merged(context: Context, home: Home, branches: BranchesTold) -> None:
    """Let what was said on branches that are in the main one by now belong to no branch."""
    for branch in branches.merged:
        with beside_the_answer():
            context.store.branches.release(context.space, str(home.project), branch)


def _seen(context: Context, project: str, branch: str) -> SeenBranch | None:
    text = context.store.values.get(context.space, _BRANCH, _key(project, branch))
    try:
        return SeenBranch(*json.loads(text or ""))
    except (ValueError, TypeError):
        return None


def _keep(context: Context, project: str, branch: str, seen: SeenBranch) -> None:
    with beside_the_answer():
        context.store.values.put(context.space, _BRANCH, _key(project, branch), json.dumps(seen))


def _key(project: str, branch: str) -> str:
    return f"{project}\n{branch}"
