"""Operations as commands: where they stand, what they take, how they are run."""

import json
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, get_args, get_origin

from milepost.app import Operations
from milepost.errors import InvalidInput, MilepostError
from milepost.operation import CATEGORIES
from milepost.registry import Operation, Parameter
from milepost.surfaces.cli.command import (
    SHOWN,
    Argument,
    Call,
    Inquiry,
    Misuse,
    Subcommand,
    argument,
)
from milepost.surfaces.cli.terminal import Progress

# The operations of these categories are what the program is about; others stand in groups.
TOP_LEVEL = ("memory", "code", "admin")
SHORT_NAMES = {
    "store": ("add",), "search": ("s", "find"), "recall": ("r",), "get": ("show",),
    "update": ("edit",), "delete": ("rm",), "search_by_tag": ("tagged",), "timeline": ("tl",),
}  # fmt: skip
SHORT_FLAGS = {"limit": "-n", "tags": "-t", "kind": "-k", "project": "-p"}
# Lines of input that make one call, and so one transaction.
BATCH = 2_000
_FILE = "lines_from"
# What only a command can do: give the text as it was stored to a file or to another program.
_MORE = {
    "get": argument(
        "--raw",
        action="store_true",
        help="write the text alone, byte for byte as it was stored; it may steer a terminal",
    )
}


def commands_of(operations: Mapping[str, Operation]) -> list[Subcommand]:
    """Return the commands of all operations; those in groups also go by their full names."""
    commands = []
    places = list(CATEGORIES)
    for operation in sorted(operations.values(), key=lambda o: places.index(o.spec.category)):
        command = _command(operation)
        commands.append(command)
        if len(command.path) > 1:
            full = (operation.name.replace("_", "-"),)
            commands.append(command._replace(path=full, aliases=(), listed=False))
    return commands


def command_path(operation: Operation, name: str | None = None) -> tuple[str, ...]:
    """Return the words of a command: create_episode of the category episode is `episode create`.

    The category is left out of the name, unless nothing would be left of that.
    """
    words = (name or operation.name).split("_")
    category = operation.spec.category
    if category in TOP_LEVEL:
        return ("-".join(words),)
    own = {category, f"{category}s", f"{category.removesuffix('y')}ies"}
    rest = [word for word in words if word not in own]
    return (category, "-".join(rest or words))


def _command(operation: Operation) -> Subcommand:
    path = command_path(operation)
    aliases = [*SHORT_NAMES.get(operation.name, ())]
    aliases += [command_path(operation, alias)[-1] for alias in operation.spec.aliases]
    return Subcommand(
        path,
        operation.summary,
        lambda call: run_operation(operation, call),
        (
            *(taken for p in operation.parameters for taken in _arguments(p)),
            *([_MORE[operation.name]] if operation.name in _MORE else []),
        ),
        aliases=tuple(dict.fromkeys(alias for alias in aliases if alias != path[-1])),
        changes=not operation.spec.read_only and not operation.takes("dry_run"),
        epilog=f"In Python: {operation.spec.example}",
        section=operation.spec.category,
    )


def _arguments(parameter: Parameter) -> Iterator[Argument]:
    flag = "--" + parameter.name.replace("_", "-")
    flags = [SHORT_FLAGS[parameter.name]] if parameter.name in SHORT_FLAGS else []
    text = parameter.description
    if _is_batch(parameter):
        many = f"{text.rstrip('.')}; - reads them from standard input, one a line, in JSON or as "
        yield argument(parameter.name, nargs="*", help=f"{many}text, {BATCH:,} a transaction.")
        yield argument("--file", dest=_FILE, metavar="FILE", help="read them from this file")
    elif parameter.required:
        is_list = get_origin(parameter.type) is list
        yield argument(parameter.name, help=text, nargs="+" if is_list else None)
    elif parameter.type is bool and parameter.default:
        yield argument(
            flag.replace("--", "--no-", 1),
            dest=parameter.name,
            action="store_false",
            help=f"switch off: {text}",
        )
    elif parameter.type is bool:
        yield argument(flag, *flags, action="store_true", help=text)
    elif any(get_origin(option) is list for option in get_args(parameter.type)):
        metavar = parameter.name.upper()
        yield argument(flag, *flags, help=text, metavar=metavar, action="append")
    else:
        default = "" if parameter.default is None else f" (default {parameter.default})"
        metavar = "JSON" if _is_mapping(parameter.type) else parameter.name.upper()
        yield argument(flag, *flags, help=text + default, metavar=metavar)


def _is_batch(parameter: Parameter) -> bool:
    """Whether it takes many items, each of which may be an object."""
    is_list = get_origin(parameter.type) is list
    return is_list and any(_is_mapping(item) for item in get_args(parameter.type))


def _is_mapping(kind: Any) -> bool:
    return any(get_origin(option) is dict for option in (kind, *get_args(kind)))


def run_operation(operation: Operation, call: Call) -> object:
    """Run an operation with what was typed."""
    arguments = _read(operation, call)
    batch = next((p.name for p in operation.parameters if _is_batch(p)), None)
    if call.dry_run and not operation.takes("dry_run"):
        from milepost.surfaces.cli.dry_run import rehearse

        if batch:
            arguments[batch] = list(arguments[batch])
        return rehearse(operation, arguments, call)
    memory = call.memory()
    call.inquiry = Inquiry(memory, operation.name, time.perf_counter())
    if batch:
        return _run_batch(operation, memory, batch, arguments)
    if call.values.get("raw"):
        return _write_raw(operation, memory, arguments)
    if operation.spec.category == "code":
        from milepost.surfaces.cli.programs import waiting_shown

        with waiting_shown():
            return operation.answer(memory, arguments)
    return operation.answer(memory, arguments)


def _write_raw(operation: Operation, memory: Operations, arguments: dict[str, Any]) -> object:
    if "budget" in arguments:
        raise Misuse("--raw writes the whole text; leave out --budget")
    text: str = operation.call(memory, arguments).content
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode())
    return SHOWN


def _run_batch(
    operation: Operation, memory: Operations, batch: str, arguments: dict[str, Any]
) -> list[Any]:
    """Run an operation on many items, some at a time; each call is a transaction of its own."""
    items = iter(arguments.pop(batch))
    results: list[Any] = []
    with Progress(operation.name.replace("_", "-")) as progress:
        try:
            while chunk := list(islice(items, BATCH)):
                results += operation.call(memory, {**arguments, batch: chunk})
                progress(len(results))
        except MilepostError as problem:
            before = f" The {len(results):,} before were stored." if results else ""
            raise type(problem)(f"{problem}{before}") from problem
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"{len(results):,} were stored" if results else "") from None
    return results


def _read(operation: Operation, call: Call) -> dict[str, Any]:
    """Return what was typed, with JSON parsed and `-` read from standard input."""
    values = {}
    for parameter in operation.parameters:
        value = call.values.get(parameter.name)
        if _is_batch(parameter):
            value = _items(parameter, value or [], call.values.get(_FILE))
        elif value is None or (value is parameter.default and isinstance(value, bool)):
            continue
        elif isinstance(value, list) and not parameter.required and str in get_args(parameter.type):
            value = ",".join(value)
        elif value == "-" and parameter.required:
            value = _input()
        elif _is_mapping(parameter.type):
            value = _json(parameter.name, value)
        values[parameter.name] = value
    return values


def _items(parameter: Parameter, typed: list[str], file: str | None) -> Iterator[Any]:
    if not typed and file is None:
        raise Misuse(f"give {parameter.name}, `-` to read them, or --file FILE")
    lines = _lines(typed, file)
    return (item for line in lines for item in _parsed(parameter.name, line))


def _lines(typed: list[str], file: str | None) -> Iterator[str]:
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
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _json(name: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as problem:
        raise InvalidInput(f"{name} is not JSON: {problem}.") from problem
