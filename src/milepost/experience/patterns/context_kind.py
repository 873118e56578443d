"""Context: what works in a language, a framework or a repository."""

from __future__ import annotations

from milepost.experience.patterns.pattern import (
    CONTEXT_KEYS,
    EpisodeRun,
    Kind,
    pattern,
    playbook_line,
    succeeded,
)
from milepost.experience.values import Episode, Pattern

_COMMANDS_MAX = 4
# What worked once may have been chance.
_TOLD_FROM = 2
# Commands that every project knows say nothing about this one.
_COMMON = frozenset(
    f"run {name}" for name in "ls cat cp mv rm mkdir touch grep rg find sed awk head tail wc sort "
    "echo chmod which diff less tree ps kill du df python python3 node curl wget".split()
)  # fmt: skip
_EVERYWHERE = ("run git ", "run gh ")
_NARROWEST_FIRST = ("repository", "repo", "project", "framework", "language", *CONTEXT_KEYS)


def _extract(run: EpisodeRun) -> list[Pattern]:
    """Return for the narrowest context that is known which commands worked there.

    A command that did as told in a run that failed did not work there.
    """
    episode = run.episode
    key = next((key for key in _NARROWEST_FIRST if episode.context.get(key)), None)
    if key is None or episode.outcome == "abandoned":
        return []
    commands = {act.action: act.ok for act in run.done if _tells(act.action)}
    return [
        _works(episode, key, str(episode.context[key]), command, worked and succeeded(episode))
        for command, worked in list(commands.items())[:_COMMANDS_MAX]
    ]


def _tells(action: str) -> bool:
    known = action in _COMMON or action.startswith(_EVERYWHERE)
    return action.startswith("run ") and not known


def _works(episode: Episode, key: str, value: str, command: str, worked: bool) -> Pattern:
    return pattern(
        "context",
        (key, value.lower(), command),
        situation=f"{key} {value}",
        advice=f"{command.removeprefix('run ')} works in {value}",
        steps=(command,),
        held=[episode] if worked else [],
        against=[] if worked else [episode],
    )._replace(context={key: value})


def _same(a: Pattern, b: Pattern, _similarity: float) -> bool:
    return a.context == b.context and a.steps == b.steps


def _tell(context: Pattern) -> str:
    return playbook_line("Here", context.advice) if context.successes >= _TOLD_FROM else ""


def _held(context: Pattern, run: EpisodeRun) -> bool | None:
    if any(run.episode.context.get(key) != value for key, value in context.context.items()):
        return None
    last = [act.ok for act in run.done if act.action == context.steps[0]][-1:]
    return last[0] if last else None


CONTEXT = Kind("context", _extract, _same, _tell, _held, is_local=True)
