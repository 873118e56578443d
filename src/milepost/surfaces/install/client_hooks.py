"""The hooks of each client as it writes them: which of its events run which of ours, and when."""

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from milepost.surfaces.hooks.dialects import DIALECTS
from milepost.surfaces.install.invocations import POWERSHELL, SH, hook_command

# A hook ends by itself within the setting hook_timeout; this is for a machine that cannot.
_TIMEOUT_S = 10

Groups = dict[str, dict[str, Any]]


def _hooks(
    client: str,
    *,
    shared: bool,
    entry: Callable[[str], Mapping[str, Any]],
    matchers: Mapping[str, str] = {},
    grouped: bool,
) -> Groups:
    """Return what belongs into a client's settings for each of its events."""
    groups = {}
    for theirs, ours in _pairs(client):
        hook = entry(_command(ours, shared=shared))
        matcher = {"matcher": matchers[theirs]} if theirs in matchers else {}
        groups[theirs] = matcher | ({"hooks": [dict(hook)]} if grouped else dict(hook))
    return groups


def _pairs(client: str) -> Iterator[tuple[str, str]]:
    for ours, names in DIALECTS[client].events.items():
        yield from ((theirs, ours) for theirs in names)


def _command(event: str, *, shared: bool) -> str:
    shell = POWERSHELL if os.name == "nt" else SH
    return hook_command(event, shared=shared, shell_is=shell)


def _named(command: str) -> dict[str, Any]:
    return {"type": "command", "command": command}


def codex(*, shared: bool) -> Groups:
    """Return groups as in Claude Code."""
    return _hooks(
        "codex",
        shared=shared,
        entry=lambda command: _named(command) | {"timeout": _TIMEOUT_S},
        matchers={
            "SessionStart": "startup|resume|clear|compact",
            "PostToolUse": "Bash|apply_patch|Edit|Write",
        },
        grouped=True,
    )


def gemini(*, shared: bool) -> Groups:
    """Return groups as in Claude Code, with names, and with times in milliseconds."""
    return _hooks(
        "gemini",
        shared=shared,
        entry=lambda command: (
            {"name": "milepost"} | _named(command) | {"timeout": 1_000 * _TIMEOUT_S}
        ),
        matchers={"AfterTool": "run_shell_command|replace|write_file"},
        grouped=True,
    )


def cursor(*, shared: bool) -> Groups:
    """Return hooks that stand by themselves; matchers stand in them."""
    tools = "|".join(DIALECTS["cursor"].tools)
    return _hooks(
        "cursor",
        shared=shared,
        entry=lambda command: {"command": command, "timeout": _TIMEOUT_S},
        matchers={"postToolUse": tools, "postToolUseFailure": tools},
        grouped=False,
    )


def vscode(*, shared: bool) -> Groups:
    """Return hooks that stand by themselves; there are no matchers."""
    return _hooks(
        "vscode",
        shared=shared,
        entry=lambda command: _named(command) | {"timeout": _TIMEOUT_S},
        grouped=False,
    )


def windsurf(*, shared: bool) -> Groups:
    """Return hooks that stand by themselves and say nothing."""
    key = "powershell" if os.name == "nt" else "command"
    return _hooks(
        "windsurf",
        shared=shared,
        entry=lambda command: {key: command, "show_output": False},
        grouped=False,
    )
