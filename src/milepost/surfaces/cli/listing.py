"""What is shown of all commands, of a group of them, and to whoever names none."""

from __future__ import annotations

from milepost import __version__
from milepost.surfaces.cli.builtin import CARE, GROUPS, SERVING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from milepost.surfaces.cli.command import Subcommand

ABOUT = "A persistent memory for AI agents."
USAGE = "usage: milepost COMMAND [options]"
_BELOW = """`milepost COMMAND --help` tells more of each.

exit codes: 0 done, 1 failed, 2 wrongly called, 130 interrupted
settings: a flag, else MILEPOST_<NAME>, else milepost.toml (see `milepost config show`)"""
_TITLES = {
    "memory": "memories", "session": "sessions", "episode": "episodes", "pattern": "patterns",
    "event": "events", "graph": "entities and relations",
    "admin": "state", SERVING: "processes", CARE: "upkeep",
}  # fmt: skip
# On a terminal that is narrower than this lines are longer than it.
_WIDTH_MIN = 30
# What shows what is remembered: the first of these that there is.
_TO_SEE = ("list", "storage info")


def greeting(commands: Sequence[Subcommand]) -> str:
    """Return what to do first."""
    known = {" ".join(command.path) for command in commands}
    to_see = next(name for name in _TO_SEE if name in known)
    rows = [
        ("install claude-code", "give a coding agent its memory"),
        ('store "We chose PostgreSQL"', "remember something"),
        ('search "which database?"', "find it again"),
        (to_see, "see what is remembered"),
        ("doctor", "check that everything works"),
    ]
    lines = _aligned([(f"milepost {words}", told) for words, told in rows])
    head = f"milepost {__version__}: a persistent memory for AI agents. To begin with:"
    below = "`milepost install --help` names other agents, `milepost --help` all commands."
    return "\n".join([head, "", *lines, "", below])


def overview(commands: Iterable[Subcommand]) -> str:
    """Return all commands by subject."""
    sections: dict[str, list[tuple[str, str]]] = {}
    for command in commands:
        if command.listed:
            sections.setdefault(command.section, []).append((_name(command), command.summary))
    longest = max(len(name) for rows in sections.values() for name, _ in rows)
    lines = [USAGE, "", ABOUT]
    for section, rows in sections.items():
        lines += ["", f"{_TITLES.get(section, section)}:", *_aligned(rows, longest)]
    return "\n".join([*lines, "", _BELOW])


def group_overview(group: str, commands: Iterable[Subcommand]) -> str:
    """Return the commands of a group."""
    rows = [(_name(c), c.summary) for c in commands if c.listed and c.path[:-1] == (group,)]
    subject = GROUPS.get(group, group)
    head = [f"usage: milepost {group} COMMAND [options]", "", f"Look after {subject}.", ""]
    below = f"`milepost {rows[0][0].partition(',')[0]} --help` tells more, and so with each."
    return "\n".join([*head, *_aligned(rows), "", below])


def _aligned(rows: Sequence[tuple[str, str]], longest: int = 0) -> list[str]:
    import shutil

    width = shutil.get_terminal_size().columns - 2
    longest = longest or max(len(name) for name, _ in rows)
    lines: list[str] = []
    for name, text in rows:
        first, *others = _wrapped(_first_sentence(text), max(width - longest - 4, _WIDTH_MIN))
        lines += [f"  {name.ljust(longest)}  {first}"]
        lines += [f"{' ' * (longest + 6)}{other}" for other in others]
    return lines


def _name(command: Subcommand) -> str:
    short = [alias for alias in command.aliases if len(alias) <= 4]
    return ", ".join([" ".join(command.path), *short])


def _first_sentence(text: str) -> str:
    first, stop, _ = text.partition(". ")
    return f"{first}{stop.strip()}"


def _wrapped(text: str, width: int) -> list[str]:
    """Return a sentence in lines; those after the first are two letters shorter, to stand in."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".lstrip()
        if len(longer) <= width - 2 * (len(lines) > 1) or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines
