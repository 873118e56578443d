"""The reference, written from the operations, the settings and the errors: `make docs`."""

import json
import shlex
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_origin

from milepost import errors
from milepost.app import Operations
from milepost.config import DESCRIPTIONS, SECRETS, Settings
from milepost.operation import CATEGORIES
from milepost.registry import Operation, by_category, operations_of

_NOTICE = "<!-- Written by `make docs`; change the docstrings instead. -->"


def pages() -> dict[str, str]:
    """Return all pages of the reference by file name."""
    operations = operations_of(Operations)
    texts = {"operations.md": _joined(_operations(operations))}
    return texts | {"settings.md": _joined(_settings()), "errors.md": _joined(_errors())}


def _joined(lines: Iterator[str]) -> str:
    return "\n".join([_NOTICE, *lines]) + "\n"


def _operations(operations: Mapping[str, Operation]) -> Iterator[str]:
    yield from ("# Operations", "")
    yield "Each is a Python function, a method of what `connect` returns and of `MilepostClient`,"
    yield "a command, an HTTP endpoint and an MCP tool, with the same arguments and errors."
    yield from ("", "What an answer costs was measured by `bench/answers.py`, on 31 memories of up")
    yield "to 60 tokens and seven episodes; it is the text that a model reads."
    for category, members in by_category(operations).items():
        yield from ("", f"## {category.capitalize()}", "", f"To {CATEGORIES[category]}.")
        for operation in members:
            yield from _operation(operation)


def _operation(operation: Operation) -> Iterator[str]:
    spec = operation.spec
    traits = [
        ("read-only", spec.read_only),
        ("idempotent", spec.idempotent and not spec.read_only),
        ("destructive", spec.destructive),
    ]
    shown = ", ".join(name for name, holds in traits if holds)
    yield from ("", f"### {operation.name}", "", operation.summary)
    yield from ("", f"Returns `{operation.returned}`; {shown}." if shown else "")
    if spec.aliases:
        yield f"Also answers to {', '.join(f'`{alias}`' for alias in spec.aliases)}."
    if operation.parameters:
        yield from ("", "| parameter | type | default | |", "|---|---|---|---|")
    for p in operation.parameters:
        default = "required" if p.required else f"`{p.default!r}`"
        kind = p.shown_type.replace("|", "\\|")
        yield f"| `{p.name}` | {kind} | {default} | {p.description} |"
    body = json.dumps(operation.example, ensure_ascii=False)
    if spec.tokens is not None:
        yield from ("", f"The answer to this example costs {_tokens(spec.tokens)}:")
    yield from ("", "```python", spec.example, "```", "```sh")
    yield command_line(operation, operation.example)
    yield f"curl --json {shlex.quote(body)} localhost:8765/tools/{operation.name}/execute"
    yield "```"


def _tokens(count: int) -> str:
    return "1 token" if count == 1 else f"{count} tokens"


def command_line(operation: Operation, arguments: Mapping[str, Any]) -> str:
    """Return a call as it is typed in a shell."""
    return shlex.join(["milepost", *command_words(operation, arguments)])


def command_words(operation: Operation, arguments: Mapping[str, Any]) -> list[str]:
    """Return a call as words of a command line."""
    from milepost.surfaces.cli.operation_commands import command_path

    words = list(command_path(operation.name, operation.spec.category))
    flags: list[str] = []
    for parameter in operation.parameters:
        if parameter.name not in arguments:
            continue
        value = arguments[parameter.name]
        if parameter.required:
            many = get_origin(parameter.type) is list
            words += [_typed(item) for item in value] if many else [_typed(value)]
        elif isinstance(value, bool):
            no = "no-" if parameter.default else ""
            flags += [f"--{no}{parameter.name.replace('_', '-')}"] * (value != parameter.default)
        else:
            flag = f"--{parameter.name.replace('_', '-')}"
            flags += [word for typed in _flag_values(value) for word in (flag, typed)]
    return [*words, *flags]


def _flag_values(value: Any) -> list[str]:
    """Return what is given to a flag: an object of texts as KEY=VALUE, once for each."""
    if isinstance(value, dict) and all(isinstance(each, str) for each in value.values()):
        return [f"{key}={each}" for key, each in value.items()]
    return [_typed(value)]


def _typed(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(map(str, value))
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else str(value)


def _settings() -> Iterator[str]:
    yield from ("# Settings", "")
    yield "A setting comes from a flag (`--name`), else from `MILEPOST_NAME`, else from"
    yield "`milepost.toml` in your configuration folder (`milepost config path`), else it has its"
    yield "default. `milepost config show` tells which it was."
    yield from (
        "",
        "A secret, and the URL, may also lie in a file that `MILEPOST_NAME_FILE` names;",
    )
    yield "a secret also in the system's keyring: see [secrets](../how-to/secrets.md)."
    yield from ("", "| setting | default | |", "|---|---|---|")
    for name in Settings._fields:
        default = Settings._field_defaults.get(name, "")
        secret = " Never shown." if name in SECRETS else ""
        shown = f"`{default}`" if default not in ("", ()) else ""
        yield f"| `{name}` | {shown} | {DESCRIPTIONS[name]}.{secret} |"


def _errors() -> Iterator[str]:
    yield from ("# Errors", "", "Every error says what to do. Its code never changes.")
    yield from ("", "| code | Python | |", "|---|---|---|")
    classes = [errors.MilepostError]
    for known in classes:
        yield f"| `{known.code}` | `{known.__name__}` | {known.__doc__} |"
        classes += known.__subclasses__()
    yield from ("", "Commands end with 0 when done, 1 when they failed, 2 when they were wrongly")
    yield "called, 130 when interrupted. Over HTTP the code stands in a problem+json document."


def main(folder: str) -> None:
    """Write the pages into a folder, and the table that the command line reads."""
    from milepost.surfaces.cli.describing import TABLE, table_text

    for name, text in pages().items():
        Path(folder, name).write_text(text, "utf-8")
    TABLE.write_text(table_text(operations_of(Operations)), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
