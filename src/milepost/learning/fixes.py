"""Find what mended a failure: the steps between something that went wrong and it going well."""

from __future__ import annotations

from collections.abc import Sequence

from milepost.learning.steps import Deed
from milepost.values import NamedTuple

# A fix further away than this is rather another thing that was done.
_REACH = 12
_CHANGE_MAX = 3
_WATCHING = (
    *("read", "view", "open *", "list", "look", "show", "print", "examine", "inventory", "think"),
    *("grep", "search", "glob", "run ls", "run cat", "run grep", "run rg", "run find"),
    *("run head", "run tail", "run git status", "run git diff", "run git log", "run pytest"),
    *("run ruff", "run mypy", "run eslint", "run tsc", "run cargo test", "run cargo check"),
    *("run npm test", "run go test", "run go vet", "run make test", "run make lint", "run tox"),
)


class Fix(NamedTuple):
    """A failure, what was changed then, and the step that shows that it helped."""

    failure: Deed
    change: tuple[Deed, ...]
    success: Deed


def fixes(done: Sequence[Deed]) -> list[Fix]:
    """Return the fixes of an episode, one for each failing action and error."""
    found: dict[tuple[str, str], Fix] = {}
    for place, deed in enumerate(done):
        if deed.ok:
            continue
        fix = _fix_of(done, place)
        if fix is not None:
            # A later failure with the same error stands nearer to what mended it.
            found[deed.action, deed.error] = fix
    return list(found.values())


def _fix_of(done: Sequence[Deed], place: int) -> Fix | None:
    failure = done[place]
    rest = done[place + 1 : place + 1 + _REACH]
    for distance, deed in enumerate(rest):
        if deed.action == failure.action:
            if not deed.ok:
                return None  # the failure after this one is the one that was mended
            return Fix(failure, _change(rest[:distance]), deed)
    return _other_way(failure, rest)


def _other_way(failure: Deed, rest: Sequence[Deed]) -> Fix | None:
    """Take the next step with the same tool for the other way that was found."""
    for distance, deed in enumerate(rest[:3]):
        if deed.step.tool != failure.step.tool or _watches(deed):
            continue
        return Fix(failure, _change(rest[:distance]), deed) if deed.ok else None
    return None


def _change(between: Sequence[Deed]) -> tuple[Deed, ...]:
    """Return the steps that changed something; looking and checking mend nothing."""
    changed = [deed for deed in between if deed.ok and not _watches(deed)]
    return tuple(changed[-_CHANGE_MAX:])


def _watches(deed: Deed) -> bool:
    return deed.action.startswith(_WATCHING)
