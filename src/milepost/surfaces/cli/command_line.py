"""Run one command line: find its command, parse the rest, show the result or the error."""

from __future__ import annotations

import sys

from milepost.errors import MilepostError
from milepost.surfaces.cli.builtin import COMMANDS
from milepost.surfaces.cli.command import SHOWN, Call, Misuse
from milepost.surfaces.cli.described import described_operations
from milepost.surfaces.cli.operation_commands import commands_of
from milepost.surfaces.cli.parser import COMMON, Parser
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from milepost.surfaces.cli.command import Subcommand

DONE, FAILED, MISUSED = 0, 1, 2
_HELP = frozenset(("-h", "--help"))
_VALUED = frozenset(n for names, options in COMMON if "action" not in options for n in names)


class Called(NamedTuple):
    """What a command line names: a command, a group of them, or something unknown."""

    # The words that name it, and the others.
    name: tuple[str, ...]
    words: list[str]
    command: Subcommand | None


def all_commands() -> list[Subcommand]:
    """Return every command there is; some operations have one made for people."""
    made = {command.path: command for command in COMMANDS}
    return [*commands_of(described_operations(), made), *COMMANDS]


def run(words: Sequence[str]) -> int:
    """Run a command and return its exit code."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    commands = all_commands()
    called = called_by(commands, words)
    if called.command is None:
        return _printed(lambda: _show(called, commands))
    command, parser = called.command, Parser(called.command)
    values = parser.parse(called.words)
    return _printed(lambda: _run_safely(command, parser, values))


# What people say for commands of a group that is called otherwise: `consolidate schedule daily`.
_SAID: dict[tuple[str, ...], tuple[str, ...]] = (
    {
        ("consolidate", word): ("consolidation", word)
        for word in ("schedule", "status", "apply", "undo", "get")
    }
    | {
        (group, word): ("consolidation", "schedule", word)
        for group in ("consolidate", "consolidation")
        for word in ("pause", "resume")
    }
    | {("audit", "verify"): ("verify-audit",)}
)


def called_by(commands: Sequence[Subcommand], words: Sequence[str]) -> Called:
    """Return what is called; common options may stand before a command and after it."""
    places = {(*c.path[:-1], n): c for c in commands for n in (c.path[-1], *c.aliases)}
    groups = {c.path[0] for c in commands if len(c.path) > 1}
    name: tuple[str, ...] = ()
    before: list[str] = []
    left = iter((*_SAID.get(tuple(words[:2]), words[:2]), *words[2:]))
    for word in left:
        if word.startswith("-"):
            before += [word, *([next(left, "")] if word in _VALUED else [])]
        elif word == "help" and not name:
            return called_by(commands, [*before, *left, "--help"])
        else:
            name = (*name, word.replace("_", "-"))
            if name in places or name[0] not in groups or len(name) > 1:
                return Called(name, [*before, *left], places.get(name))
    return Called(name, before, None)


def _show(called: Called, commands: Sequence[Subcommand]) -> int:
    """Show the commands that there are, or tell which may have been meant."""
    from milepost.surfaces.cli import listing

    group = next((c.path[0] for c in commands if c.path[:-1] == called.name[:1] != ()), "")
    if called.name and called.name != (group,):
        _refuse(_unknown(called, commands, group))
    elif group:
        print(listing.group_overview(group, commands))
    elif _HELP & {*called.words}:
        print(listing.overview(commands))
    elif called.words:
        _refuse("name a command; `milepost --help` lists them")
    else:
        print(listing.greeting(commands))
    return DONE


def _unknown(called: Called, commands: Sequence[Subcommand], group: str) -> str:
    from milepost.surfaces.cli.hints import meant

    near = [f"`milepost {name}`" for name in meant(called.name[-1], commands, group)]
    sentence = " ".join((called.name[0], *(w for w in called.words if not w.startswith("-"))))
    if not group and " " in sentence and (not near or "?" in sentence):
        near = [f'`milepost search "{sentence}"`']
    all_of = f"`milepost {group} --help`".replace("  ", " ")
    hint = f"did you mean {_either(near)}?" if near else f"{all_of} lists them"
    options = [w for w in called.words if w.startswith("-") and w not in _HELP]
    where = "" if not options or near else "; options of a command stand after it"
    return f"there is no command {' '.join(called.name)!r}; {hint}{where}"


def _either(names: list[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


def _refuse(message: str) -> None:
    from milepost.surfaces.cli.listing import USAGE

    print(f"{USAGE}\nmilepost: error: {message}", file=sys.stderr)
    raise SystemExit(MISUSED)


def _printed(work: Callable[[], int]) -> int:
    """Return the exit code of what prints, also where nothing more can be printed."""
    try:
        code = work()
        sys.stdout.flush()
    except BrokenPipeError:
        _give_up_stdout()  # whoever read it has enough
        return DONE
    except OSError as problem:
        where = f"{problem.filename}: " if problem.filename else ""
        print(f"milepost: {where}{problem.strerror or problem}.", file=sys.stderr)
        _give_up_stdout()
        return FAILED
    return code


def _run_safely(command: Subcommand, parser: Parser, values: dict[str, object]) -> int:
    from contextlib import ExitStack

    from milepost.request import begin

    begin()
    with ExitStack() as closing:
        try:
            return _run(command, Call(values, closing))
        except Misuse as problem:
            parser.error(str(problem))
        except MilepostError as problem:
            from milepost.text.fence import cleaned

            if values.get("trace"):
                _show_stack(problem)
            print(f"milepost: {cleaned(str(problem))}", file=sys.stderr)
            return FAILED
        except OSError as problem:
            if values.get("trace"):
                _show_stack(problem)
            raise  # told by whoever prints


def _show_stack(problem: BaseException) -> None:
    """Show where an error was raised; what another process did stands in its log."""
    from traceback import print_exception

    print_exception(problem)
    request = getattr(problem, "request", "")
    if request:
        found = f"by which `milepost logs --request {request}` finds what servers logged of it"
        print(f"milepost: this was request {request}, {found}", file=sys.stderr)


def _run(command: Subcommand, call: Call) -> int:
    from milepost.config import agent
    from milepost.surfaces.cli.printer import show, show_agent

    result = command.run(call)
    if result is not SHOWN:
        form, reader = call.values.get("form", "human"), agent()
        if call.inquiry is None or reader is None:
            show(result, form)
        else:
            show_agent(result, form, call, reader)
    return DONE if getattr(result, "ready", True) else FAILED


def _give_up_stdout() -> None:
    """Let what is still to be written go nowhere, so that Python does not complain at its end."""
    import os
    from contextlib import suppress

    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
