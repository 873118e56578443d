"""What works in a language, a framework or a repository: the commands of runs that ended well."""

from __future__ import annotations

from collections.abc import Sequence

from milepost.experience.patterns.making import CONTEXT_KEYS, pattern, succeeded
from milepost.experience.steps import Deed
from milepost.experience.values import Episode, Pattern

_COMMANDS_MAX = 4
# Commands that every project knows say nothing about this one.
_COMMON = frozenset(
    f"run {name}" for name in "ls cat cp mv rm mkdir touch grep rg find sed awk head tail wc sort "
    "echo chmod which diff less tree ps kill du df python python3 node curl wget".split()
)  # fmt: skip
_EVERYWHERE = ("run git ", "run gh ")
_REPOSITORY = ("repository", "repo", "project")


def context_patterns(episode: Episode, done: Sequence[Deed]) -> list[Pattern]:
    """Return for the narrowest context that is known which commands worked there.

    A command that did as told in a run that failed did not work there.
    """
    where = _where(episode)
    if where is None or episode.outcome == "abandoned":
        return []
    key, value = where
    return [
        _works(episode, key, value, command, worked=worked and succeeded(episode))
        for command, worked in list(_commands(done).items())[:_COMMANDS_MAX]
    ]


def _where(episode: Episode) -> tuple[str, str] | None:
    order = (*_REPOSITORY, "framework", "language", *CONTEXT_KEYS)
    key = next((key for key in order if episode.context.get(key)), None)
    return (key, str(episode.context[key])) if key else None


def _commands(done: Sequence[Deed]) -> dict[str, bool]:
    """Return the telling commands of a run, and whether each worked in the end."""
    found: dict[str, bool] = {}
    for deed in done:
        if _tells(deed.action):
            found[deed.action] = deed.ok
    return found


def _tells(action: str) -> bool:
    known = action in _COMMON or action.startswith(_EVERYWHERE)
    return action.startswith("run ") and not known


def _works(episode: Episode, key: str, value: str, command: str, *, worked: bool) -> Pattern:
    return pattern(
        "context",
        (key, value.lower(), command),
        situation=f"{key} {value}",
        advice=f"{command.removeprefix('run ')} works in {value}",
        steps=(command,),
        held=[episode] if worked else [],
        against=[] if worked else [episode],
    )._replace(context={key: value})
