"""Find what mended a failure: the steps between something that went wrong and it going well."""

from __future__ import annotations

import re
from collections.abc import Sequence

from milepost.experience.actions import is_shell
from milepost.experience.signatures import tells
from milepost.experience.steps import Deed
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
    *("run kubectl get", "run kubectl logs", "run kubectl describe", "run kubectl rollout status"),
    *("run docker ps", "run docker logs", "run docker compose ps", "run docker compose logs"),
    *("run gh view", "run curl", "run wc", "run tree", "run ps", "run df", "run du", "run which"),
    *(
        "run jest",
        "run vitest",
        "run npm lint",
        "run pylint",
        "run flake8",
        "websearch",
        "webfetch",
    ),
)
# To take back what was tried is to give it up, not to find another way.
_TAKING_BACK = re.compile(
    r"\b(?:undo|rollback|revert|reset|restore|abort|cancel|kill|uninstall|rm|delete|down|stop)\b"
)
_WORD = re.compile(r"[\w./-]{3,}")


class Fix(NamedTuple):
    """A failure, what was changed then, and the step that shows that it helped.

    That step may fail with another error: then this one is out of the way.
    """

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


def attempts(done: Sequence[Deed]) -> list[Fix]:
    """Return what was changed after a failure and did not help: the same came again."""
    found = []
    for place, failure in enumerate(done):
        rest = done[place + 1 : place + 1 + _REACH]
        again = next((i for i, deed in enumerate(rest) if deed.action == failure.action), None)
        if failure.ok or again is None or rest[again].error != failure.error:
            continue
        change = _change(rest[:again])
        found += [Fix(failure, change, rest[again])] if change else []
    return found


def _fix_of(done: Sequence[Deed], place: int) -> Fix | None:
    failure = done[place]
    rest = done[place + 1 : place + 1 + _REACH]
    for distance, deed in enumerate(rest):
        if deed.action == failure.action and _same_target(failure, deed):
            change = _change(rest[:distance])
            if deed.ok and not change and not _same_command(failure, deed):
                return None
            if deed.ok or (change and _got_past(done, place, deed)):
                return Fix(failure, change, deed)
            return None  # the failure after this one is the one that was mended
    return _other_way(failure, rest)


def _same_target(failure: Deed, deed: Deed) -> bool:
    """Tell whether two steps may be about the same: the files they name, if both name some."""
    mine, other = _targets(failure), _targets(deed)
    return not (mine and other) or not mine.isdisjoint(other)


def _targets(deed: Deed) -> set[str]:
    return {word for word in _WORD.findall(deed.step.action) if not {*"/."}.isdisjoint(word)}


def _same_command(failure: Deed, deed: Deed) -> bool:
    """Tell whether a command is another with something added or left out."""
    if not is_shell(deed.step.tool):
        return True
    mine, other = set(failure.step.action.split()), set(deed.step.action.split())
    return mine <= other or other <= mine


def _got_past(done: Sequence[Deed], place: int, deed: Deed) -> bool:
    """Tell whether what fails now is something new, and the failure never came back."""
    failure = done[place]
    if not tells(deed.error) or _kind(failure.error) == _kind(deed.error):
        return False
    before, after = done[:place], done[place + 1 :]
    return not _meets(before, deed) and not _meets(after, failure)


def _meets(done: Sequence[Deed], failure: Deed) -> bool:
    return any((d.action, d.error) == (failure.action, failure.error) for d in done)


def _kind(error: str) -> str:
    return error.partition(":")[0]


def _other_way(failure: Deed, rest: Sequence[Deed]) -> Fix | None:
    """Take the next step with the same tool for the other way that was found."""
    for distance, deed in enumerate(rest[:3]):
        if deed.step.tool != failure.step.tool or watches(deed.action):
            continue
        if _TAKING_BACK.search(deed.action) or not _same_aim(failure, deed):
            return None
        return Fix(failure, _change(rest[:distance]), deed) if deed.ok else None
    return None


def _same_aim(failure: Deed, deed: Deed) -> bool:
    """Tell whether two commands share a word; everything is done with the same shell."""
    if not is_shell(deed.step.tool):
        return True
    wanted = set(_WORD.findall(failure.step.action))
    return not wanted.isdisjoint(_WORD.findall(deed.step.action))


def _change(between: Sequence[Deed]) -> tuple[Deed, ...]:
    """Return the steps that changed something; looking and checking mend nothing."""
    changed = [deed for deed in between if deed.ok and not watches(deed.action)]
    return tuple(changed[-_CHANGE_MAX:])


def watches(action: str) -> bool:
    """Tell whether an action only looks or checks."""
    return action.startswith(_WATCHING)
