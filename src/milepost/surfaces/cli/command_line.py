"""Run one command line: parse it, run its command, show the result, tell of errors."""

import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack, suppress

from milepost.app import Operations
from milepost.config import agent
from milepost.errors import MilepostError
from milepost.registry import operations_of
from milepost.surfaces.cli.builtin import COMMANDS
from milepost.surfaces.cli.command import SHOWN, Call, Misuse, Subcommand
from milepost.surfaces.cli.operation_commands import commands_of
from milepost.surfaces.cli.parser import Parser, build_parser
from milepost.surfaces.cli.printer import show, show_agent
from milepost.text.fence import cleaned

DONE, FAILED = 0, 1


def all_commands() -> list[Subcommand]:
    """Return every command there is; some operations have one made for people."""
    own = {command.path for command in COMMANDS}
    derived = commands_of(operations_of(Operations))
    return [*(command for command in derived if command.path not in own), *COMMANDS]


def run(words: Sequence[str]) -> int:
    """Run a command and return its exit code."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    values = vars(build_parser(all_commands()).parse_args(words))
    command: Subcommand = values.pop("command")
    parser: Parser = values.pop("parser")
    with ExitStack() as closing:
        try:
            return _run(command, Call(values, closing))
        except Misuse as problem:
            parser.error(str(problem))
        except MilepostError as problem:
            print(f"milepost: {cleaned(str(problem))}", file=sys.stderr)
            return FAILED
        except BrokenPipeError:
            _give_up_stdout()  # whoever read it has enough
            return DONE
        except OSError as problem:
            where = f"{problem.filename}: " if problem.filename else ""
            print(f"milepost: {where}{problem.strerror or problem}.", file=sys.stderr)
            _give_up_stdout()
            return FAILED


def _run(command: Subcommand, call: Call) -> int:
    result = command.run(call)
    if result is not SHOWN:
        form, reader = call.values.get("form", "human"), agent()
        if call.inquiry is None or reader is None:
            show(result, form)
        else:
            show_agent(result, form, call.inquiry, reader)
    sys.stdout.flush()
    return DONE if getattr(result, "ready", True) else FAILED


def _give_up_stdout() -> None:
    """Let what is still to be written go nowhere, so that Python does not complain at its end."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
