"""The command line, derived from the operations: `milepost search "which database?"`."""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from typing import Any, get_args, get_origin

from milepost import __version__
from milepost.app import Milepost, Opening
from milepost.config import load_settings
from milepost.errors import InvalidInput, MilepostError
from milepost.registry import Operation, Parameter, operations_of
from milepost.render import to_data, to_text

EXIT_FAILED = 1
EXIT_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 done, 1 failed, 2 wrongly called."""
    operations = operations_of(Milepost)
    given = vars(_parser(operations).parse_args(arguments))
    operation = operations[given.pop("operation")]
    as_json, settings = given.pop("json"), load_settings()
    settings = settings._replace(
        url=given.pop("url") or settings.url, space=given.pop("space") or settings.space
    )
    memory = Milepost(Opening(lambda: settings))
    try:
        values = operation.bind(_read(operation, given))
        _show(getattr(memory, operation.name)(**values), as_json)
    except MilepostError as problem:
        print(f"milepost: {problem}", file=sys.stderr)
        return EXIT_FAILED
    except BrokenPipeError:
        sys.stderr.close()
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    finally:
        memory.close()
    return 0


def _parser(operations: dict[str, Operation]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "milepost", description="A persistent memory for AI agents.", allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"milepost {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for operation in operations.values():
        command = commands.add_parser(
            operation.name.replace("_", "-"),
            aliases=[alias.replace("_", "-") for alias in operation.spec.aliases],
            help=operation.summary,
            description=operation.summary,
            epilog=f"In Python: {operation.spec.example}",
            allow_abbrev=False,
        )
        for parameter in operation.parameters:
            _add_argument(command, parameter)
        command.add_argument("--json", action="store_true", help="print JSON, not text")
        command.add_argument("--url", help="the store, instead of MILEPOST_URL")
        command.add_argument("--space", help="the tenant, instead of MILEPOST_SPACE")
        command.set_defaults(operation=operation.name)
    return parser


def _add_argument(command: argparse.ArgumentParser, parameter: Parameter) -> None:
    flag = "--" + parameter.name.replace("_", "-")
    text = parameter.description.replace("%", "%%")
    if parameter.required:
        many = get_origin(parameter.type) is list
        command.add_argument(parameter.name, help=text, nargs="+" if many else None)
    elif parameter.type is bool:
        command.add_argument(flag, action="store_true", help=text)
    elif _is_mapping(parameter):
        command.add_argument(flag, metavar="JSON", help=text)
    else:
        shown = "" if parameter.default is None else f" (default {parameter.default})"
        command.add_argument(flag, help=text + shown, metavar=parameter.name.upper())


def _read(operation: Operation, given: dict[str, Any]) -> dict[str, Any]:
    """Return what was typed, with JSON parsed and `-` read from standard input."""
    values = {}
    for parameter in operation.parameters:
        value = given.get(parameter.name)
        if value is None or (value is False and not parameter.required):
            continue
        if parameter.name == "items":
            value = [_item(line) for line in _lines(value)]
        elif value == "-" and parameter.required:
            value = _input()
        elif _is_mapping(parameter):
            value = _json(parameter.name, value)
        values[parameter.name] = value
    return values


def _lines(value: Sequence[str]) -> Iterator[str]:
    for item in value:
        yield from filter(str.strip, _input().split("\n")) if item == "-" else (item,)


def _input() -> str:
    try:
        return sys.stdin.read()
    except UnicodeDecodeError as problem:
        raise InvalidInput(f"Standard input is not UTF-8 text ({problem}).") from problem


def _item(line: str) -> Any:
    return _json("items", line) if line.lstrip().startswith("{") else line


def _json(name: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as problem:
        raise InvalidInput(f"{name} is not JSON: {problem}.") from problem


def _is_mapping(parameter: Parameter) -> bool:
    kinds = (parameter.type, *get_args(parameter.type))
    return any(get_origin(kind) is dict for kind in kinds)


def _show(result: object, as_json: bool) -> None:
    if isinstance(result, Iterator):
        for item in result:
            print(json.dumps(to_data(item), ensure_ascii=False) if as_json else item)
    elif as_json:
        print(json.dumps(to_data(result), ensure_ascii=False))
    else:
        print(to_text(result))


if __name__ == "__main__":
    sys.exit(main())
