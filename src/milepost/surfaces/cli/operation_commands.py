"""Operations as commands: where they stand, what they take, how they are run."""

from __future__ import annotations

import sys
import time

from milepost.errors import InvalidInput, MilepostError
from milepost.surfaces.cli.command import SHOWN, Call, Inquiry, Misuse, Subcommand, argument
from milepost.surfaces.cli.described import (
    BATCH,
    JOINED,
    LIST,
    NUMBER,
    OBJECT,
    SWITCH,
    WHOLE,
    described_operations,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from milepost.surfaces.cli.command import Argument
    from milepost.surfaces.cli.described import Described, DescribedParameter

# The operations of these categories are what the program is about; others stand in groups.
TOP_LEVEL = ("memory", "code", "admin")
SHORT_NAMES = {
    "store": ("add",), "search": ("s", "find"), "recall": ("r",), "get": ("show",),
    "update": ("edit",), "delete": ("rm",), "search_by_tag": ("tagged",), "timeline": ("tl",),
    "list_memories": ("ls", "list-memories"), "list_jobs": ("ls",),
}  # fmt: skip
# What a command is called whose operation would hide a name of Python's own, or another command.
_OWN_NAMES = {
    "list_memories": "list", "record_events": "record_batch",
    "import_graph": "import_lines", "export_graph": "export_lines",
    "extract_graph": "extract_unasked", "alerts": "list",
}  # fmt: skip
# What people call parameters, beside their names.
_SYNONYMS = {
    "after": ("--since",), "before": ("--until",), "everything": ("--all",),
    "include_superseded": ("--superseded",),
}  # fmt: skip
SHORT_FLAGS = {"limit": "-n", "tags": "-t", "kind": "-k", "project": "-p"}
# Lines of input that make one call, and so one transaction.
LINES_MAX = 2_000
_FILE = "lines_from"
# What only a command can do: give the text as it was stored to a file or to another program.
_MORE = {
    "get": argument(
        "--raw",
        action="store_true",
        help="write the text alone, byte for byte as it was stored; it may steer a terminal",
    )
}
# What may take long is watched at a terminal.
_LONG = ("backup", "code", "consolidation", "document")
# Operations that write, but only about what is there already.
_SHOWING = (
    "brief", "remind", "decay_patterns", "extract_patterns", "undo", "retry_jobs",
)  # fmt: skip
# How something ended can be said by a switch, whatever the operation calls it.
_ENDING = "ending_"
_ENDINGS: dict[str, dict[str, object]] = {
    "outcome": {"--success": "success", "--partial": "partial", "--failed": "failure"},
    "success": {"--success": True, "--failed": False},
}
# Of these one alone is said by an option of all commands: in which space a command works.
_OTHER = "--spaces"
# So many memories are deleted without asking, and so many are shown before asking.
FEW, _PREVIEWED, _PREVIEW_TOKENS, _PREVIEW_CHARS = 3, 5, 200, 70
_YES = argument("--yes", "-y", action="store_true", help=f"do not ask before more than {FEW}")


def commands_of(
    operations: Iterable[Described], made: Mapping[tuple[str, ...], Subcommand] | None = None
) -> list[Subcommand]:
    """Return the commands of all operations; those in groups also go by their full names.

    made: those that were made for people, by their words; they stand for what is derived.
    """
    commands = []
    for operation in operations:
        command = _command(operation)
        if made and command.path in made:
            command = made[command.path]
        else:
            commands.append(command)
        # One that is called as its group is would stand before that.
        if len(command.path) > 1 and operation.name != command.path[0]:
            full, *others = (n.replace("_", "-") for n in (operation.name, *operation.aliases))
            commands.append(command._replace(path=(full,), aliases=tuple(others), listed=False))
    return commands


def command_path(name: str, category: str) -> tuple[str, ...]:
    """Return the words of a command: create_episode of the category episode is `episode create`.

    The category is left out of the name, unless nothing would be left of that.
    """
    words = _OWN_NAMES.get(name, name).split("_")
    if category in TOP_LEVEL:
        return ("-".join(words),)
    one = category.removesuffix("s")
    own = {one, f"{one}s", f"{one.removesuffix('y')}ies"}
    rest = [word for word in words if word not in own]
    return (category, "-".join(rest or words))


def _command(operation: Described) -> Subcommand:
    path = command_path(operation.name, operation.category)
    aliases = [*SHORT_NAMES.get(operation.name, ())]
    aliases += [command_path(alias, operation.category)[-1] for alias in operation.aliases]
    return Subcommand(
        path,
        operation.summary,
        lambda call: run_operation(operation, call),
        (
            *(taken for p in operation.parameters for taken in _arguments(p)),
            *([_MORE[operation.name]] if operation.name in _MORE else []),
            *([_YES] if _may_delete_many(operation) else []),
        ),
        aliases=tuple(dict.fromkeys(alias for alias in aliases if alias != path[-1])),
        changes=not operation.read_only and not operation.takes("dry_run"),
        example=operation.shell,
        epilog=f"In Python: {operation.python}\nTokens of the answer: {operation.tokens}",
        section=operation.category,
    )


def _arguments(parameter: DescribedParameter) -> Iterator[Argument]:
    endings = _ENDINGS.get(parameter.name, {})
    if parameter.shape == BATCH:
        yield from _batch(parameter)
    elif parameter.required:
        many = "+" if parameter.shape in (LIST, JOINED) else None
        nargs, metavar = "?" if endings else many, parameter.name.upper()
        yield argument(parameter.name, help=parameter.description, metavar=metavar, nargs=nargs)
    else:
        yield _option(parameter)
    for flag, value in endings.items():
        text, dest = f"{parameter.name}: {str(value).lower()}", _ENDING + parameter.name
        yield argument(flag, dest=dest, action="append_const", const=value, help=text)


def _batch(parameter: DescribedParameter) -> Iterator[Argument]:
    many = "; - reads them from standard input, one a line, in JSON or as text, "
    text = f"{parameter.description.rstrip('.')}{many}{LINES_MAX:,} a transaction."
    yield argument(parameter.name, nargs="*", help=text, metavar=parameter.name.upper())
    yield argument("--file", dest=_FILE, metavar="FILE", help="read them from this file")


def _option(parameter: DescribedParameter) -> Argument:
    name, shape, _, default, text = parameter
    flag, metavar = "--" + name.replace("_", "-"), name.upper()
    flags = [flag, *([SHORT_FLAGS[name]] if name in SHORT_FLAGS else [])]
    flags += () if shape == WHOLE else _SYNONYMS.get(name, ())
    if shape == SWITCH and default:
        off = flag.replace("--", "--no-", 1)
        return argument(off, dest=name, action="store_false", help=f"switch off: {text}")
    if shape == SWITCH:
        return argument(*flags, action="store_true", help=text)
    if shape in (LIST, JOINED):
        # One at a time is as good as all of them: --tag a --tag b, --tags a,b.
        one = [flag.removesuffix("s")] if flag.endswith("s") and flag != _OTHER else []
        return argument(*flags, *one, help=text, metavar=metavar, action="append", dest=name)
    if shape == OBJECT:
        form = f"{text.rstrip('.')}; KEY=VALUE, and so for each, or all as JSON."
        return argument(*flags, help=form, metavar="KEY=VALUE", action="append")
    shown = "" if default is None or default == "" else f" (default {default})"
    return argument(*flags, help=text + shown, metavar=metavar)


def run_operation(operation: Described, call: Call) -> object:
    """Run an operation with what was typed."""
    arguments = _read(operation, call)
    batch = next((p.name for p in operation.parameters if p.shape == BATCH), None)
    if call.dry_run and not operation.takes("dry_run"):
        from milepost.surfaces.cli.dry_run import rehearse

        if batch:
            arguments[batch] = list(arguments[batch])
        return rehearse(operation.name, arguments, call)
    call.inquiry = Inquiry(operation.name, time.perf_counter())
    if batch:
        return _run_batch(operation, call, batch, arguments)
    raw = call.values.get("raw")
    if raw and "budget" in arguments:
        raise Misuse("--raw writes the whole text; leave out --budget")
    if _may_delete_many(operation) and not _may_go_on(operation, call, arguments):
        arguments["dry_run"] = True
    result = _asked(operation, call, arguments)
    if raw:
        return _write_raw(result.content)
    if operation.noted_by:
        _note_shown(operation, call, arguments, result)
    return or_nothing(call, result) if operation.read_only else result


def _may_delete_many(operation: Described) -> bool:
    return operation.destructive and operation.takes("dry_run")


def _may_go_on(operation: Described, call: Call, arguments: dict[str, Any]) -> bool:
    """Show what would be deleted and ask, where that is more than a few."""
    if arguments.get("dry_run") or call.values.get("yes"):
        return True
    planned = _asked(operation, call, arguments | {"dry_run": True})
    if planned.deleted <= FEW:
        return True
    from milepost.surfaces.cli.terminal import agreed
    from milepost.text.fence import cleaned
    from milepost.text.lines import clip, left_out

    for name in planned.hashes[:_PREVIEWED]:
        whole = call.ask("get", {"hash": name, "budget": _PREVIEW_TOKENS}, only_reads=True)
        text = clip(" ".join(whole.content.split()), _PREVIEW_CHARS)
        print(f"{name} {cleaned(text)}", file=sys.stderr)
    if planned.deleted > _PREVIEWED:
        print(left_out(planned.deleted - _PREVIEWED), file=sys.stderr)
    held = planned.undo_until
    back = f"`milepost undo` takes it back until {held}" if held else "nothing takes it back"
    return agreed(f"Delete {planned.deleted:,} memories? {back}.")


def _asked(operation: Described, call: Call, arguments: dict[str, Any]) -> Any:
    if operation.category not in _LONG:
        return call.ask(operation.name, arguments, only_reads=not _adds(operation))
    from milepost.surfaces.cli.programs import waiting_shown

    with waiting_shown():
        return call.ask(operation.name, arguments, only_reads=not _adds(operation))


def _adds(operation: Described) -> bool:
    """Whether a store has to be made for it where there is none."""
    return not (operation.read_only or operation.destructive or operation.name in _SHOWING)


def or_nothing(call: Call, result: object) -> object:
    """Return the result of a question; people are told when there was nothing to ask."""
    if call.missing_store is None:
        return result
    from milepost.surfaces.cli.printer import View

    status = f"{result.status}, 0 memories; " if hasattr(result, "status") else ""
    there = f"there is no store at {call.missing_store}"
    text = f"{status}nothing is remembered yet: {there}; `milepost store TEXT` makes it"
    return View(result, text, getattr(result, "ready", True))


def _note_shown(
    operation: Described, call: Call, arguments: dict[str, Any], result: object
) -> None:
    (noting,) = (o for o in described_operations() if o.name == operation.noted_by)
    if not all(arguments.get(p.name) or getattr(result, p.name, ()) for p in noting.parameters):
        return  # nothing to note, so nothing to load
    from milepost.app import Operations
    from milepost.registry import operations_of

    operations_of(Operations)[operation.name].note(call.memory(), arguments, result)


def _write_raw(text: str) -> object:
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode())
    return SHOWN


def _run_batch(operation: Described, call: Call, batch: str, arguments: dict[str, Any]) -> Any:
    """Run an operation on many items, some at a time; each call is a transaction of its own.

    What it answers is put together: lists of what was stored, or how much it was.
    """
    from itertools import islice

    from milepost.surfaces.cli.terminal import Progress

    items = iter(arguments.pop(batch))
    results: Any = None
    stored = 0
    with Progress(operation.name.replace("_", "-")) as progress:
        try:
            while chunk := list(islice(items, LINES_MAX)):
                told = call.ask(operation.name, {**arguments, batch: chunk})
                results = told if results is None else results + told
                progress(stored := stored + len(chunk))
        except MilepostError as problem:
            before = f" The {stored:,} before were stored." if stored else ""
            raise type(problem)(f"{problem}{before}") from problem
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"{stored:,} were stored" if stored else "") from None
    return [] if results is None else results


def _read(operation: Described, call: Call) -> dict[str, Any]:
    """Return what was typed, in the types that the operation takes."""
    values = {}
    for parameter in operation.parameters:
        value = _ending(parameter, call.values.get(_ENDING + parameter.name))
        given = call.values.get(parameter.name)
        if value is None:
            value = given
        elif parameter.required and given not in (None, value):
            raise Misuse(f"say one {parameter.name}, not {given} and {value}")
        if parameter.shape == BATCH:
            value = _items(parameter.name, value or [], call.values.get(_FILE))
        elif value is None and parameter.required:
            ways = ", ".join(_ENDINGS[parameter.name])
            raise Misuse(f"say the {parameter.name}: {parameter.name.upper()}, {ways}")
        elif value is None or (value is parameter.default and isinstance(value, bool)):
            continue
        values[parameter.name] = _typed(parameter, value)
    return values


def _ending(parameter: DescribedParameter, switches: Iterable[object] | None) -> Any:
    """Return how something ended as its switches say it, which must be one thing."""
    said = list(dict.fromkeys(switches or ()))
    if len(said) > 1:
        ways = (way for way, value in _ENDINGS[parameter.name].items() if value in said)
        raise Misuse(f"say one of {' and '.join(ways)}")
    return said[0] if said else None


def _typed(parameter: DescribedParameter, value: Any) -> Any:
    """Return what was typed for a parameter; what cannot be read the operation refuses."""
    if parameter.shape == JOINED:
        return ",".join(value)
    if parameter.shape == OBJECT:
        return _object(parameter.name, value)
    if parameter.shape in (WHOLE, NUMBER):
        return _number(value, whole=parameter.shape == WHOLE)
    return _input() if value == "-" and parameter.required else value


def _number(text: str, *, whole: bool) -> object:
    try:
        return int(text) if whole else float(text)
    except ValueError:
        return text


def _object(name: str, typed: list[str]) -> dict[str, Any]:
    """Return the object that is typed as KEY=VALUE, once for each key, or in JSON."""
    values: dict[str, Any] = {}
    for text in typed:
        key, equals, value = text.partition("=")
        if text.lstrip().startswith("{"):
            values |= _json(name, text)
        elif equals and key.strip():
            values[key.strip()] = value
        else:
            raise InvalidInput(f"{name} must be KEY=VALUE or an object in JSON, not {text!r}.")
    return values


def _items(name: str, typed: list[str], file: str | None) -> Iterator[Any]:
    if not typed and file is None:
        raise Misuse(f"give {name}, `-` to read them, or --file FILE")
    return (item for line in _lines(typed, file) for item in _parsed(name, line))


def _lines(typed: list[str], file: str | None) -> Iterator[str]:
    from pathlib import Path

    try:
        for item in typed:
            yield from _filled(sys.stdin) if item == "-" else (item,)
        if file is not None:
            with Path(file).open(encoding="utf-8-sig") as lines:
                yield from _filled(lines)
    except UnicodeDecodeError as problem:
        source = file or "Standard input"
        raise InvalidInput(f"{source} is not UTF-8 text ({problem}).") from problem
    except OSError as problem:
        raise InvalidInput(f"Cannot read {file} ({problem.strerror}).") from problem


def _filled(lines: Iterable[str]) -> Iterator[str]:
    return (line.removesuffix("\n") for line in lines if line.strip())


def _input() -> str:
    try:
        return sys.stdin.read()
    except UnicodeDecodeError as problem:
        raise InvalidInput(f"Standard input is not UTF-8 text ({problem}).") from problem


def _parsed(name: str, line: str) -> list[Any]:
    """Return the items on a line: an object, a list of them in JSON, or the line itself."""
    text = line.strip()
    if text.startswith("{") or (text.startswith("[") and text.endswith("]") and _is_json(text)):
        items = _json(name, text)
        return items if isinstance(items, list) else [items]
    return [line]


def _is_json(text: str) -> bool:
    import json

    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _json(name: str, text: str) -> Any:
    import json

    try:
        return json.loads(text)
    except ValueError as problem:
        raise InvalidInput(f"{name} is not JSON: {problem}.") from problem
