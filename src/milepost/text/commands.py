"""What a shell command was for: which program it ran, on what, and whether it changed anything."""

from __future__ import annotations

import re
from functools import cache

from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Commands that look and change nothing: that they fail is not worth telling.
_LOOKING = frozenset(
    "ls cat grep rg find fd head tail less more which whereis type file stat wc tree pwd echo "
    "printf env ps top df du diff jq awk sed cut sort uniq test [ kill pkill sleep true false "
    "history man tldr date id whoami hostname uname lsof ss netstat ping curl wget gh".split()
)
_LOOKING_GIT = frozenset(
    "status diff log show branch remote blame grep ls-files rev-parse describe config".split()
)
# What stands before a command and is none.
_PREPARING = frozenset("cd pushd popd export source . set unset mkdir".split())
_WRAPPERS = frozenset("sudo time timeout nice env nohup".split())
_SEPARATORS = frozenset(("&&", "||", ";", "|", "&", "\n"))
_LINE_MAX = 4_000
# Programs whose first word after the name belongs to it.
_WITH_VERB = frozenset(
    "npm pnpm yarn bun npx cargo go git docker kubectl make just poetry uv uvx pip pip3 "
    "terraform helm dotnet mvn gradle gradlew mix bundle rails rake composer php artisan deno "
    "nx turbo conda apt apt-get brew systemctl alembic flask django-admin manage.py".split()
)


class Command(NamedTuple):
    """A command: the program with its verb, and the files or folders it was about."""

    name: str
    places: frozenset[str]
    text: str

    @property
    def looks_only(self) -> bool:
        """Whether it changes nothing and proves nothing."""
        program, _, verb = self.name.partition(" ")
        return not program or program in _LOOKING or (program == "git" and verb in _LOOKING_GIT)


def command_of(line: str) -> Command:
    """Return the command that a line of a shell is about: the last that does not only look."""
    chosen = Command("", frozenset(), "")
    for words in _parts(line[:_LINE_MAX]):
        command = _named(words)
        if not chosen.name or not command.looks_only:
            chosen = command
    return chosen


def is_same(failed: Command, passed: Command, failure: str) -> bool:
    """Whether that a command passed says that the one that failed would pass as well."""
    if failed.name != passed.name:
        return False
    # A version in a name need not be the same.
    if not passed.places or _unnumbered(passed.places) & _unnumbered(failed.places):
        return True
    return any(place.split("::")[0] in failure for place in passed.places)


def _unnumbered(places: frozenset[str]) -> frozenset[str]:
    return frozenset(re.sub(r"\d+", "", place) for place in places)


def _parts(line: str) -> Iterator[list[str]]:
    """Yield the words of each command of a line, without what only prepares it."""
    words: list[str] = []
    for found in _token().finditer(f"{_heredoc().sub('', line)}\n"):
        token = found[0]
        if token in _SEPARATORS:
            if ready := _without_preparation(words):
                yield ready
            words = []
        elif not token[:3].lstrip("012&").startswith((">", "<")):
            words.append(token)


def _without_preparation(words: list[str]) -> list[str]:
    while words and (words[0] in _WRAPPERS or _assignment().match(words[0])):
        words = words[1:]
        while words and (words[0].startswith("-") or words[0][:1].isdigit()):
            words = words[1:]
    return [] if words and words[0] in _PREPARING else words


def _named(words: list[str]) -> Command:
    program = words[0].rsplit("/", 1)[-1]
    rest = words[1:]
    if program.startswith("python") or program in (
        "uv",
        "poetry",
        "npx",
        "pipenv",
        "bunx",
        "hatch",
    ):
        program, rest = _run_by(program, rest)
    plain = [word for word in rest if not word.startswith("-")]
    if program in _WITH_VERB and plain:
        verb = f"run {plain[1]}" if plain[0] == "run" and len(plain) > 1 else plain[0]
        program, plain = f"{program} {verb}", plain[1:]
    places = frozenset(word.strip("'\"") for word in plain if "/" in word or "." in word)
    return Command(program, places, " ".join(words))


def _run_by(program: str, rest: list[str]) -> tuple[str, list[str]]:
    """Return the program that another one runs: python -m pytest, uv run pytest."""
    if rest[:1] == ["-m"] and len(rest) > 1:
        return rest[1], rest[2:]
    if rest[:1] == ["run"] and len(rest) > 1:
        return (
            (rest[1], rest[2:]) if not rest[1].startswith("python") else _run_by(rest[1], rest[2:])
        )
    if program == "npx" and rest:
        return rest[0], rest[1:]
    if rest and rest[0].endswith(".py"):
        return rest[0].rsplit("/", 1)[-1], rest[1:]
    if program.startswith("python") and rest[:1] == ["-c"]:
        return "python -c", [_imports(" ".join(rest[1:]))]
    return ("python" if program.startswith("python") else program), rest


def _imports(code: str) -> str:
    return re.sub(r"\W+", ".", code)[:80]


@cache
def _token() -> re.Pattern[str]:
    quoted = r"\"(?:[^\"\\]|\\.)*\"|'[^']*'"
    return re.compile(rf"\d?>&\d|&>\S*|&&|\|\||[;|&\n]|(?:[^\s\"';|&\\]|\\.|{quoted})+", re.DOTALL)


@cache
def _heredoc() -> re.Pattern[str]:
    return re.compile(r"<<-?\s*['\"]?(\w+)['\"]?.*?\n\1\b", re.DOTALL)


@cache
def _assignment() -> re.Pattern[str]:
    return re.compile(r"[A-Za-z_]\w*=")
