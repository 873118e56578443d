"""Say what a step did in a way that fits other runs: the verb stays, its objects become kinds.

"go to cabinet 3" is "go to cabinet", "pytest tests/x.py -k foo" is "run pytest", an edit of
src/a.py is "edit *.py".
"""

from __future__ import annotations

import re
from functools import lru_cache
from posixpath import basename, splitext

from milepost.experience.values import Step

ACTION_WORDS = 6
ACTION_CHARS = 60
# Only the beginning of an action names it; the rest is its text.
_READ_CHARS = 400

_SHELLS = frozenset(
    "bash sh zsh shell terminal console exec execute cmd powershell command process "
    "run_command run_shell_command execute_command execute_bash".split()
)
# Tools that say nothing about what was done: the action says it all.
_BLAND = frozenset(
    "agent env environment alfworld world game tool tools action act none assistant human user "
    "default generic unknown".split()
)
# Programs whose first argument is the verb.
_WITH_VERB = frozenset(
    "git npm pnpm yarn cargo docker kubectl helm pip pip3 uv go poetry apt apt-get brew conda "
    "systemctl terraform gh aws gcloud dotnet mix bundle make just rustup alembic manage.py "
    "docker-compose podman nix rails composer gradle gradlew mvn npx bun deno hatch tox nox".split()
)
_PROGRAMS = _WITH_VERB | frozenset(
    "pytest python python3 node ruby perl java javac gcc g++ clang cmake ninja ls cat cp mv rm "
    "mkdir touch grep rg find sed awk curl wget tar unzip ssh scp rsync psql sqlite3 mysql "
    "redis-cli ruff mypy black flake8 pylint eslint prettier tsc jest vitest mocha rspec phpunit "
    "php rustc head tail wc sort echo chmod chown ln df du ps kill which diff patch jq tree less "
    "playwright cypress ctest bazel sbt swift xcodebuild flutter dart webpack vite".split()
)
# Programs that are also English words: only a shell makes a command of them.
_ENGLISH = frozenset(
    "go find make kill touch sort less head tail which just tree diff cat patch node swift dart "
    "flutter black awk mix helm echo hatch".split()
)
_COMMANDS = _PROGRAMS - _ENGLISH
# Verbs that are followed by another one, which says what is done.
_VERB_OF_VERB = frozenset((
    ("docker", "compose"), ("docker", "image"), ("docker", "container"), ("kubectl", "rollout"),
    ("git", "stash"), ("git", "remote"), ("gh", "pr"), ("gh", "issue"),
    ("uv", "pip"), ("terraform", "state"), ("aws", "s3"),
))  # fmt: skip
_PREFIXES = frozenset("sudo env time timeout nohup nice exec command xvfb-run stdbuf".split())
_SETTING_UP = frozenset("cd export source . set pushd popd true echo".split())
# Programs that run another one, and the word after which it stands.
_RUNNERS = {
    "python": "-m",
    "python3": "-m",
    "uv": "run",
    "poetry": "run",
    "hatch": "run",
    "pipx": "run",
    "bundle": "exec",
    "pnpm": "exec",
    "npx": "",
}
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
_SEPARATOR = re.compile(r"&&|\|\||;|\n")
# The words of a command, a quoted one whole; shlex knows more and takes twenty times as long.
_WORD = re.compile(r"(?:[^\s\"']|\"[^\"]*\"|'[^']*')+|\S+")
_ASSIGNMENT = re.compile(r"^\w+=")
_IN_ON = re.compile(r"\b(in|on|in/on|into|onto|inside)\b(?= )")


def is_shell(tool: str) -> bool:
    """Tell whether a tool runs commands, so that the action says it all."""
    return tool.strip().lower() in _SHELLS


def is_bland(tool: str) -> bool:
    """Tell whether the name of a tool says nothing about what was done."""
    return tool.strip().lower() in _BLAND


def abstract(step: Step) -> str:
    """Return what a step did, without what is particular to its run."""
    return _abstract(step.tool, step.action[:_READ_CHARS], *_named(step))


def _named(step: Step) -> tuple[str, str]:
    """Return the file and the command that a step's parameters name."""
    given = step.parameters
    if not given:
        return "", ""
    path = next((str(given[key]) for key in _PATH_KEYS if given.get(key)), "")
    command = next((str(given[key]) for key in _COMMAND_KEYS if given.get(key)), "")
    return path, command[:_READ_CHARS]


@lru_cache(4_096)
def _abstract(tool: str, action: str, path: str, command: str) -> str:
    tool, action = tool.strip().lower(), action.strip()
    if tool in _SHELLS:
        return _run(command or action)
    if tool in _PROGRAMS and tool not in _BLAND:
        return _run(action if _first_word(action) == tool else f"{tool} {action}")
    if (tool in _BLAND or not tool) and _first_word(action) in _COMMANDS:
        return _run(action)
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


def _run(line: str) -> str:
    """Name the program that a command line is there to run, with its verb."""
    for part in _SEPARATOR.split(line):
        words = _words(part)
        if words and (words[0] not in _SETTING_UP or part is line):
            return f"run {_program(words)}"[:ACTION_CHARS]
    words = _words(line)
    return f"run {words[0]}"[:ACTION_CHARS] if words else "run"


def _words(command: str) -> list[str]:
    words = _WORD.findall(command)
    while words and (words[0] in _PREFIXES or _ASSIGNMENT.match(words[0]) or words[0][0] in "-("):
        words.pop(0)
        if words and words[0].isdigit():
            words.pop(0)
    return words


def _program(words: list[str]) -> str:
    program = basename(words[0]) or words[0]
    through = _RUNNERS.get(program)
    if through is not None:
        rest = words[1:]
        if not through:
            return _program(rest) if rest else program
        if through in rest[:1] and len(rest) > 1:
            return _program(rest[1:])
    if program not in _WITH_VERB:
        return program
    arguments = [word for word in words[1:] if word[0] != "-" and not {*"/."} & {*word}]
    if arguments[:1] == ["run"] and len(arguments) > 1:
        arguments.pop(0)
    verbs = 2 if (program, *arguments[:1]) in _VERB_OF_VERB else 1
    return " ".join([program, *arguments[:verbs]])


def _first_word(text: str) -> str:
    return text.split(None, 1)[0].lower() if text else ""
