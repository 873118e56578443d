"""Say what a step did in a way that fits other runs: the verb stays, its objects become kinds.

"go to cabinet 3" is "go to cabinet", "pytest tests/x.py -k foo" is "run pytest", an edit of
src/a.py is "edit *.py".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from posixpath import basename, splitext

from milepost.experience.values import Step
from milepost.text.commands import ACTION_CHARS, WITH_VERB, Command, is_shell
from milepost.text.mending import Act, act, ran

ACTION_WORDS = 6
# Only the beginning of an action names it; the rest is its text.
_READ_CHARS = 400

# Tools that say nothing about what was done: the action says it all.
_BLAND = frozenset(
    "agent env environment alfworld world game tool tools action act none assistant human user "
    "default generic unknown".split()
)
_PROGRAMS = WITH_VERB | frozenset(
    "pytest python python3 node ruby perl java javac gcc g++ clang cmake ninja ls cat cp mv rm "
    "mkdir touch grep rg find sed awk curl wget tar unzip ssh scp rsync psql sqlite3 mysql "
    "redis-cli ruff mypy black flake8 pylint eslint prettier tsc jest vitest mocha rspec phpunit "
    "php rustc head tail wc sort echo chmod chown ln df du ps kill which diff patch jq tree less "
    "playwright cypress ctest bazel sbt swift xcodebuild flutter dart webpack vite".split()
)
# Programs that are also English words: only a shell makes a command of them.
_ENGLISH = frozenset(
    "go find make kill touch sort less head tail which just tree diff cat patch node swift dart "
    "flutter black awk mix helm echo hatch rake flask turbo prisma".split()
)
_COMMANDS = _PROGRAMS - _ENGLISH
_FILE_VERBS = frozenset("edit write read view open create delete append patch format".split())
_PATH_KEYS = ("path", "file_path", "file", "filename", "target_file", "notebook_path", "filepath")
_COMMAND_KEYS = ("command", "cmd", "script", "code")

_CALL = re.compile(r"^([A-Za-z_][\w.-]*)\s*[\[(](.*)[\])]\s*$", re.DOTALL)
_QUOTED = re.compile(r"\"[^\"]*\"|`[^`]*`|(?<!\w)'[^']*'(?!\w)")
_URL = re.compile(r"\b[a-z][a-z+.-]*://\S+")
_PATH = re.compile(
    r"(?<![\w/])(?:[\w.@~-]*/)+[\w.@-]*|\b[\w-]+(?:\.[\w-]+)*\.(?:py|[jt]sx?|rs|go|java|rb|php|c|h|cc|cpp|cs|kt|sh"
    r"|sql|json|ya?ml|toml|lock|txt|md|csv|ini|cfg|xml|html|css|vue|ipynb|swift|scala)\b"
)
_COUNTED = re.compile(r"\s*\(?#?\b\d[\d.,:-]*\b\)?%?")
_ARTICLES = re.compile(r"\b(?:the|a|an|some|my|your|its|this|that|these|those)\b ", re.IGNORECASE)
_IN_ON = re.compile(r"\b(in|on|in/on|into|onto|inside)\b(?= )")
# Actions that change nothing, by how they begin.
_LOOKING = tuple(
    "read,view,open *,list,look,show,print,examine,inventory,think,grep,search,glob,websearch,"
    "webfetch".split(",")
)


def is_bland(tool: str) -> bool:
    """Tell whether the name of a tool says nothing about what was done."""
    return tool.strip().lower() in _BLAND


def acts(step: Step, *, ok: bool) -> list[Act]:
    """Return what a step did: the commands of a line that it ran, or the one thing it was."""
    tool, action = step.tool.strip().lower(), step.action.strip()
    line = _line(tool, action, _first(step, _COMMAND_KEYS))
    if line is not None:
        return ran(line, step.observation, step.tool, ok=ok)
    named = _abstract(tool, action[:_READ_CHARS], _first(step, _PATH_KEYS))
    effect = "looks" if named.startswith(_LOOKING) else "changes"
    did = Command(named, named, frozenset(action.split()), action, effect)
    return [act(did, step.observation, step.tool, ok=ok)]


def _first(step: Step, keys: Sequence[str]) -> str:
    """Return the first of some parameters that a step has."""
    given = step.parameters or {}
    return next((str(given[key]) for key in keys if given.get(key)), "")


def _line(tool: str, action: str, command: str) -> str | None:
    """Return the line of a shell that a step ran, if it ran one."""
    if is_shell(tool):
        return command or action
    if tool in _PROGRAMS and tool not in _BLAND:
        return action if _first_word(action) == tool else f"{tool} {action}"
    return action if tool in (*_BLAND, "") and _first_word(action) in _COMMANDS else None


@lru_cache(4_096)
def _abstract(tool: str, action: str, path: str) -> str:
    phrase = _phrase(action)
    if path and "*" not in phrase:
        return f"{_verb(tool, phrase)} {_kind_of(path)}"[:ACTION_CHARS]
    return _with_tool(tool, phrase)[:ACTION_CHARS]


def _verb(tool: str, phrase: str) -> str:
    """Return what is done to a file, in one word if the tool or the action has one."""
    if tool in _FILE_VERBS or not phrase:
        return tool
    bland = not tool or tool in _BLAND
    return _first_word(phrase) if bland or " " not in phrase else tool.replace("_", " ")


def _with_tool(tool: str, phrase: str) -> str:
    """Put the tool before the phrase unless it says nothing, or says the same."""
    name = tool.replace("_", " ")
    if not phrase:
        return name
    first = _first_word(phrase)
    if not name or tool in _BLAND or name.startswith(first) or first.startswith(name):
        return phrase
    return f"{name} {phrase}" if tool in _FILE_VERBS else f"{name}: {phrase}"


def _phrase(action: str) -> str:
    call = _CALL.match(action)
    if call:
        return call[1].lower().replace("_", " ")
    text = action.splitlines()[0].replace("in/on", "in") if action else ""
    text = _URL.sub("page", text)
    text = _PATH.sub(lambda found: _kind_of(found[0]), text)
    text = _QUOTED.sub("", text)
    text = _COUNTED.sub("", text)
    text = _ARTICLES.sub("", _IN_ON.sub("in", text)).lower()
    return " ".join(text.rstrip(".:!").split()[:ACTION_WORDS])


def _kind_of(path: str) -> str:
    ending = splitext(basename(path.rstrip("/")))[1]
    return f"*{ending}" if ending else basename(path.rstrip("/")) if "/" not in path else "folder"


def _first_word(text: str) -> str:
    return text.split(None, 1)[0].lower() if text else ""
