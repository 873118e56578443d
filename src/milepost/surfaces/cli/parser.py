"""The parser of one command."""

from __future__ import annotations

import argparse

from milepost.surfaces.cli.command import argument, setting
from milepost.surfaces.cli.printer import FORMATS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NoReturn

    from milepost.surfaces.cli.command import Argument, Subcommand

COMMON = (
    argument("--format", dest="form", choices=FORMATS, help="how to print what comes back"),
    argument("--json", dest="form", action="store_const", const="json", help="--format json"),
    setting("url"),
    setting("space"),
    setting("log_level", metavar="LEVEL"),
    argument("--trace", action="store_true", help="show where an error was raised, not only what"),
)
DRY_RUN = argument("--dry-run", action="store_true", help="only say what would be done")


class Parser(argparse.ArgumentParser):
    """Parses what a command was given, and says how it is called when that does not fit."""

    def __init__(self, command: Subcommand) -> None:
        name = " ".join(("milepost", *command.path))
        super().__init__(
            name,
            usage=" ".join(filter(None, (name, *map(_shown, command.arguments), "[options]"))),
            description=command.summary.replace("%", "%%"),
            allow_abbrev=False,
        )
        self._example = command.example or name
        self._more = command.epilog
        for names, options in command.arguments:
            self.add_argument(*names, **options)
        group = self.add_argument_group("common options")
        for names, options in common_options(command):
            group.add_argument(*names, default=argparse.SUPPRESS, **options)

    def parse(self, words: Sequence[str]) -> dict[str, Any]:
        """Return what was given, by name."""
        self._take_by_name(words)
        given, unknown = self.parse_known_args(words)
        if unknown:
            self.error(self._unknown(unknown))
        return vars(given)

    def _take_by_name(self, words: Sequence[str]) -> None:
        """Let what is told by its place be told by its name as well: --kind event for event."""
        named = {word.partition("=")[0] for word in words if word.startswith("--")}
        for action in self._get_positional_actions():
            flag = f"--{action.dest.replace('_', '-')}"
            if flag in named and action.nargs is None and flag not in self._option_string_actions:
                action.option_strings = [flag]
                self._option_string_actions[flag] = action

    def _unknown(self, words: Sequence[str]) -> str:
        option = next((word for word in words if word.startswith("-")), None)
        if option is None:
            extra = " ".join(words)
            return f"{extra!r} is too much; put quotes around what belongs together"
        from difflib import get_close_matches

        from milepost.surfaces.cli.hints import OPTIONS

        name = option.partition("=")[0]
        known = self._option_string_actions
        said = OPTIONS.get(name, "")
        near = [said] if said.partition(" ")[0] in known else []
        near = near or get_close_matches(name, known, n=1, cutoff=0.7)
        hint = f"did you mean {near[0]}?" if near else f"`{self.prog} --help` lists the options"
        return f"there is no option {name}; {hint}"

    def error(self, message: str) -> NoReturn:
        """End with how the command is called, and with what was wrong."""
        example = f"for example: {self._example}\n"
        self.exit(2, f"{self.format_usage()}{example}{self.prog}: error: {message}\n")

    def format_help(self) -> str:
        """Return the help, with an example."""
        below = [f"for example: {self._example}", *([self._more] if self._more else [])]
        return "\n".join((super().format_help(), *below, ""))

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            choices = ", ".join(map(str, action.choices))
            raise argparse.ArgumentError(
                action, f"there is no {value!r}; it must be one of {choices}"
            )


def common_options(command: Subcommand) -> Sequence[Argument]:
    """Return the options that a command has beside its own, which come before one of that name."""
    own = {taken.names[0] for taken in command.arguments}
    common = tuple(taken for taken in COMMON if taken.names[0] not in own)
    return (*common, DRY_RUN) if command.changes else common


def _shown(taken: Argument) -> str:
    """Return how an argument stands in the usage; options are not listed there."""
    (name, *_), options = taken
    if name.startswith("-"):
        return ""
    shown = str(options.get("metavar", name.upper()))
    nargs = str(options.get("nargs"))
    return {"?": f"[{shown}]", "*": f"[{shown} ...]", "+": f"{shown} ..."}.get(nargs, shown)
