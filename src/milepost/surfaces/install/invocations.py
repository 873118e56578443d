"""The commands that clients run, and how to tell that Milepost wrote one."""

import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import milepost

# -P: a client runs this in the user's project, whose modules must not be taken for ours.
MODULE = ("-P", "-m", "milepost")
BY_NAME = ("milepost",)
# The shells that clients run hooks in: Claude Code has one of its own even on Windows.
SH, POWERSHELL = "sh", "powershell"
# In settings that a team shares: whoever has no Milepost must not be told of errors.
_SHARED = "command -v milepost >/dev/null 2>&1 || exit 0; milepost hook {event} || exit 0"
_WRITTEN = re.compile(re.escape(_SHARED).replace(re.escape("{event}"), "[a-z-]+"))
# What stands behind the first command of a line that install wrote.
_OR = " || "
_OTHER = r"exit 0|milepost hook {event}|PYTHONPATH=.* python3 -P -m milepost hook {event}"
_MENTIONED = re.compile(r"(?:^|[\s/\\])milepost(?:\.exe)?[\"']?\s+hook\s+[a-z-]+")


def program(*, shared: bool) -> tuple[str, ...]:
    """Return the words that run Milepost: by its name, or by this very interpreter."""
    return BY_NAME if shared else (sys.executable, *MODULE)


def hook_command(event: str, *, shared: bool, shell_is: str = SH) -> str:
    """Return what a shell runs for an event.

    A missing interpreter, or one that cannot import Milepost, ends before it has read anything, so
    another one can be tried: the Milepost on the PATH, or any Python with the files of this one.
    PowerShell pipes the event into what it is given, which must be one command then.
    """
    if shared:
        return _SHARED.format(event=event)
    if shell_is == POWERSHELL:
        return f'& "{sys.executable}" {" ".join(MODULE)} hook {event}'
    first = f"{shell(shared=False)} hook {event}"
    return _OR.join((first, *_others(event), "exit 0"))


def _others(event: str) -> tuple[str, str]:
    site = _quoted(str(Path(milepost.__file__).parents[1]))
    return f"milepost hook {event}", f"PYTHONPATH={site} python3 {' '.join(MODULE)} hook {event}"


def shell(*, shared: bool) -> str:
    """Return what runs Milepost in a shell."""
    return "milepost" if shared else f"{_quoted(sys.executable)} {' '.join(MODULE)}"


def _quoted(path: str) -> str:
    if "\\" in path:
        # On Windows the shell is the one of Git, which takes slashes.
        path = path.replace("\\", "/")
    return f'"{path}"' if not re.search(r'["$`\\!]', path) else shlex.quote(path)


def wrote_hook(command: object) -> bool:
    """Whether install wrote this command, for whatever interpreter."""
    if not isinstance(command, str):
        return False
    if _WRITTEN.fullmatch(command):
        return True
    first, *others = command.removeprefix("& ").split(_OR)
    try:
        words = shlex.split(first)
    except ValueError:
        return False
    known = re.compile(_OTHER.format(event=re.escape(words[-1]))) if words else None
    is_first = tuple(words[1:-1]) == (*MODULE, "hook")
    return is_first and known is not None and all(map(known.fullmatch, others))


def mentions_hook(command: object) -> bool:
    """Whether a command runs a hook of Milepost in some way."""
    return isinstance(command, str) and bool(_MENTIONED.search(command))


def server_words(entry: Any) -> list[str]:
    """Return the words that start a server: a command with its arguments, or all in one list."""
    if not isinstance(entry, dict):
        return []
    command, rest = entry.get("command"), entry.get("args", [])
    words = command if isinstance(command, list) else [command, *rest] if command else []
    return words if all(isinstance(word, str) for word in words) else []


def wrote_server(words: Sequence[str]) -> bool:
    """Whether install wrote these words, for whatever interpreter."""
    return tuple(words) == (*BY_NAME, "mcp") or tuple(words[1:]) == (*MODULE, "mcp")
