"""TOML: read it, and add or take away one table while the rest of its text stays as it is."""

import json
import tomllib
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

from milepost.surfaces.install.edits import Edit, Place, find

EMPTY = ""


class Block(NamedTuple):
    """A table's lines, from its header to its last line that says something."""

    path: Place
    start: int
    end: int


def read(text: str) -> Any:
    """Return the data; a ValueError tells where the text is not TOML."""
    return tomllib.loads(text)


def apply(text: str, edits: Iterable[Edit]) -> str:
    """Return the text with tables added, values of theirs changed, or tables taken away."""
    for edit in edits:
        if edit.removes:
            text = _without_table(text, edit.path)
        elif isinstance(edit.value, dict):
            text = _with_table(text, edit.path, edit.value)
        else:
            text = _with_line(text, edit)
    return text


def _with_table(text: str, path: Place, table: dict[str, Any]) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = [f"[{'.'.join(map(str, path))}]", *(_line(name, v) for name, v in table.items())]
    if text and not text.endswith("\n"):
        text += newline
    return text + (newline if text.strip() else "") + newline.join(lines) + newline


def _line(name: str | int, value: Any) -> str:
    # Texts and lists of texts are written alike in JSON, but for what TOML does not escape.
    return f"{name} = {json.dumps(value, ensure_ascii=False)}".replace("\x7f", "\\u007f")


def _with_line(text: str, edit: Edit) -> str:
    """Return the text with a value of a table written anew."""
    *above, name = edit.path
    lines = text.splitlines(keepends=True)
    block = next((b for b in _blocks(lines) if b.path == tuple(above)), None)
    if block is None:
        raise ValueError(f"{'.'.join(map(str, above))} is not a table of its own")
    for start in range(block.start + 1, block.end):
        for end in range(start + 1, block.end + 1):
            found = _parsed("".join(lines[start:end]))
            if found is not None and list(found) == [name]:
                newline = "\r\n" if lines[end - 1].endswith("\r\n") else "\n"
                return "".join([*lines[:start], _line(name, edit.value) + newline, *lines[end:]])
    raise ValueError(f"{'.'.join(map(str, edit.path))} is not written on lines of its own")


def _without_table(text: str, path: Place) -> str:
    """Return the text without a table, those below it, and the blank lines before each."""
    lines = text.splitlines(keepends=True)
    for block in reversed(list(_blocks(lines))):
        if block.path[: len(path)] == path:
            start = block.start
            while start and not lines[start - 1].strip():
                start -= 1
            del lines[start : block.end]
    after = "".join(lines)
    if find(read(after), path) is not None:
        raise ValueError(f"{'.'.join(map(str, path))} is not a table of its own")
    return after


def _blocks(lines: list[str]) -> Iterator[Block]:
    heads = [i for i, line in enumerate(lines) if line.lstrip().startswith("[")]
    # A line of a list or of a long text may look like a header: only a real one begins a document.
    heads = [i for i in heads if _is_toml(lines[i : i + 1]) and _is_toml(lines[:i])]
    for start, end in pairwise([*heads, len(lines)]):
        last = max(i for i in range(start, end) if _says(lines[i]))
        yield Block(_header(lines[start]), start, last + 1)


def _says(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _header(line: str) -> Place:
    data: Any = tomllib.loads(line)
    path: list[str] = []
    while isinstance(data, dict) and data:
        ((name, data),) = data.items()
        path.append(name)
    return tuple(path)


def _is_toml(lines: list[str]) -> bool:
    return _parsed("".join(lines)) is not None


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None
