"""The parser of the command line, made of the commands."""

import argparse
import re
import shutil
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

from milepost import __version__
from milepost.surfaces.cli.builtin import CARE, GROUPS, SERVING
from milepost.surfaces.cli.command import Subcommand, argument, setting
from milepost.surfaces.cli.printer import FORMATS

EPILOG = """exit codes: 0 done, 1 failed, 2 wrongly called, 130 interrupted
settings: a flag, else MILEPOST_<NAME>, else milepost.toml (see `milepost config show`)"""
COMMAND = "COMMAND"
_TITLES = {
    "memory": "memories", "session": "sessions", "episode": "episodes", "pattern": "patterns",
    "admin": "state", SERVING: "processes", CARE: "upkeep",
}  # fmt: skip

COMMON = (
    argument("--format", dest="form", choices=FORMATS, help="how to print what comes back"),
    argument("--json", dest="form", action="store_const", const="json", help="--format json"),
    setting("url"),
    setting("space"),
    setting("log_level", metavar="LEVEL"),
)
DRY_RUN = argument("--dry-run", action="store_true", help="only say what would be done")


class Parser(argparse.ArgumentParser):
    """Knows what somebody may have meant by a command that does not exist."""

    def __init__(self, prog: str, **options: Any) -> None:
        super().__init__(prog, **options, allow_abbrev=False)
        self.meant: dict[str, str] = {}
        self.listing = ""

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        words = self.meant or {str(choice): str(choice) for choice in action.choices}
        near = get_close_matches(str(value).lower(), words, n=3, cutoff=0.6)
        names = list(dict.fromkeys(words[word] for word in near))
        hint = f"did you mean {' or '.join(names)}?" if names else f"see {self.prog} --help"
        if action.metavar != COMMAND:
            hint = f"it must be one of {', '.join(map(str, action.choices))}"
        raise argparse.ArgumentError(action, f"there is no {value!r}; {hint}")

    def format_help(self) -> str:
        """Return the help; that of the whole program lists its commands by subject."""
        return self.listing or super().format_help()


def build_parser(commands: Sequence[Subcommand]) -> Parser:
    """Return the parser of all commands; what it parses has the command and its parser."""
    root = Parser("milepost", description="A persistent memory for AI agents.", epilog=EPILOG)
    root.add_argument("--version", action="version", version=f"milepost {__version__}")
    _add_common(root)
    places: dict[tuple[str, ...], Any] = {(): root.add_subparsers(metavar=COMMAND, required=True)}
    for command in commands:
        group = command.path[:-1]
        if group not in places:
            text = GROUPS.get(group[0]) or group[0]
            parser = places[()].add_parser(group[0], help=text, description=f"Look after {text}.")
            places[group] = parser.add_subparsers(title="commands", metavar=COMMAND, required=True)
        _add(places[group], command)
    root.meant = _meant(commands)
    root.listing = _listing(root, commands)
    return root


def _add(place: Any, command: Subcommand) -> None:
    listing = {"help": command.summary.replace("%", "%%")} if command.listed else {}
    parser = place.add_parser(
        command.path[-1],
        aliases=command.aliases,
        description=command.summary.replace("%", "%%"),
        epilog=command.epilog.replace("%", "%%"),
        **listing,
    )
    for names, options in command.arguments:
        parser.add_argument(*names, **options)
    _add_common(parser, command)
    parser.set_defaults(command=command, parser=parser)


def _add_common(parser: argparse.ArgumentParser, command: Subcommand | None = None) -> None:
    group = parser.add_argument_group("common options")
    for names, options in (*COMMON, *([DRY_RUN] if command and command.changes else [])):
        # Given before the command or after it; the later one counts.
        group.add_argument(*names, default=argparse.SUPPRESS, **options)


def _meant(commands: Iterable[Subcommand]) -> dict[str, str]:
    """Return by each word that somebody may type what to suggest for it."""
    suggestions: dict[str, str] = {}
    for command in commands:
        full = " ".join(command.path)
        if command.listed:
            suggestions.setdefault(command.path[0], command.path[0] if command.path[1:] else full)
            for word in (command.path[-1], *command.aliases):
                suggestions.setdefault(word, full)
    return suggestions


def _listing(root: Parser, commands: Sequence[Subcommand]) -> str:
    width = shutil.get_terminal_size().columns - 2
    lines = [f"usage: {root.prog} COMMAND [options]", "", str(root.description)]
    sections: dict[str, list[tuple[str, str]]] = {}
    for command in commands:
        if command.listed:
            sections.setdefault(command.section, []).append((_name(command), command.summary))
    longest = max(len(name) for rows in sections.values() for name, _ in rows)
    for section, rows in sections.items():
        lines += ["", f"{_TITLES.get(section, section)}:"]
        lines += [_cut(f"  {name.ljust(longest)}  {summary}", width) for name, summary in rows]
    return "\n".join([*lines, "", "`milepost COMMAND --help` tells more of each.", "", EPILOG, ""])


def _name(command: Subcommand) -> str:
    short = [alias for alias in command.aliases if len(alias) <= 4]
    return ", ".join([" ".join(command.path), *short])


def _cut(line: str, width: int) -> str:
    """Return the clauses of a sentence that fit on a line."""
    if len(line) <= width:
        return line
    ends = [clause.start() for clause in re.finditer("(?<! or)[,;:] ", line[:width])]
    return f"{line[: ends[-1]]}." if ends and ends[-1] > width / 2 else f"{line[: width - 1]}…"
