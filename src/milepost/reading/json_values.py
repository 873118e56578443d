"""JSON and JSON lines: values with the path to each, or the messages of a chat."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from milepost.documents.values import Document
from milepost.reading import chats, notebook
from milepost.reading.outline import Outline
from milepost.reading.source import Cannot, Source

_LINES_MIN = 2
_SECTION_CHARACTERS = 1_000


def read(source: Source) -> Document:
    """Read JSON, or JSON lines where it is not one value."""
    text = source.text()
    try:
        value = json.loads(text)
    except ValueError as problem:
        lines = text.split("\n")
        if sum(line.lstrip()[:1] in {"{", "["} for line in lines) < _LINES_MIN:
            raise Cannot(f"it is damaged or truncated JSON ({problem})") from problem
        return _read_lines(source, lines)
    if notebook.is_notebook(value):
        return notebook.notebook_of(source, value)
    if sections := chats.sections_of(value):
        return Document("chat", source.stem, tuple(sections))
    outline = Outline()
    _add_value(outline, source, value)
    return Document("json", source.stem, tuple(outline.sections))


def _read_lines(source: Source, lines: list[str]) -> Document:
    values = list(_values(source, lines))
    if sections := chats.sections_of([value for _, value in values]):
        return Document("chat", source.stem, tuple(sections))
    outline = Outline()
    for number, value in values:
        outline.block("\n".join(_told(value)), number, "table")
    return Document("jsonl", source.stem, tuple(outline.sections))


def _values(source: Source, lines: list[str]) -> Iterator[tuple[int, Any]]:
    damaged = 0
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except ValueError:
                damaged += 1
    if damaged:
        source.note(f"{damaged:,} lines are no JSON")


def _add_value(outline: Outline, source: Source, value: Any) -> None:
    """Add a value entry by entry: small ones together, each under its name where it has one."""
    entries = value.items() if isinstance(value, dict) else enumerate(_listed(value))
    lines: list[str] = []
    for name, entry in entries:
        if source.is_time_up():
            source.note("read in part: its time was up")
            break
        told = list(_told(entry, str(name) if isinstance(value, dict) else ""))
        if sum(map(len, told)) + sum(map(len, lines)) > _SECTION_CHARACTERS:
            outline.block("\n".join(lines), kind="table")
            lines = []
        if isinstance(value, dict) and isinstance(entry, dict | list) and len(told) > 3:
            outline.block("\n".join(lines), kind="table")
            lines = []
            outline.heading(1, str(name))
            outline.block("\n".join(_told(entry)), kind="table")
            outline.heading(1, "")
        else:
            lines += told if isinstance(value, dict) else [*told, ""]
    outline.block("\n".join(lines), kind="table")


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _told(value: Any, path: str = "") -> Iterator[str]:
    """Return a line for each value that is neither empty nor made of others, with its path."""
    waiting = [(path, value)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict):
            inner = [(f"{path}.{name}" if path else str(name), one) for name, one in value.items()]
            waiting.extend(reversed(inner))
        elif isinstance(value, list):
            if value and not any(isinstance(one, dict | list) for one in value):
                yield _line(path, ", ".join(map(_said, value)))
            else:
                inner = [(f"{path}[{at}]" if path else "", one) for at, one in enumerate(value)]
                waiting.extend(reversed(inner))
        elif value not in {None, ""}:
            yield _line(path, _said(value))


def _line(path: str, said: str) -> str:
    return f"{path}: {said}" if path else said


def _said(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
