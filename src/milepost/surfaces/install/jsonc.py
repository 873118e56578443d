"""JSON with comments: read it, and change one place of its text while the rest stays as it is."""

import json
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

from milepost.surfaces.install.settings_file import Edit, nested

EMPTY = "{}\n"
_DEPTH_MAX = 200
_MARK = "\ufeff"
_BLANK = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_SCALAR = re.compile(r'"(?:[^"\\\n]|\\.)*"|-?[0-9][-+.0-9eE]*|true|false|null')
_INDENT = re.compile(r'\n([ \t]+)"')


class Node(NamedTuple):
    """A value and where it stands in the text."""

    start: int
    end: int
    value: Any
    items: "tuple[Item, ...]" = ()


class Item(NamedTuple):
    """An item of a list or a member of an object, and where it begins."""

    key: str | int
    start: int
    node: Node


def read(text: str) -> Any:
    """Return the data; a ValueError tells where the text is not JSON."""
    return _parse(text).value


def apply(text: str, edits: Iterable[Edit]) -> str:
    """Return the text with places changed."""
    for edit in edits:
        text = _without(text, edit) if edit.removes else _with(text, edit)
    return text


# Reading


# Settings are read several times on the way, and may be megabytes.
@lru_cache(maxsize=8)
def _parse(text: str) -> Node:
    node = _value(text, _skip(text, len(_MARK) if text.startswith(_MARK) else 0), 0)
    if (rest := _skip(text, node.end)) != len(text):
        raise _wrong(text, rest, "there is more after the end")
    return node


def _skip(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    assert blank is not None
    return blank.end()


def _value(text: str, at: int, depth: int) -> Node:
    if depth > _DEPTH_MAX:
        raise _wrong(text, at, "it is nested too deeply")
    if text[at : at + 1] in ("{", "["):
        return _container(text, at, depth)
    scalar = _SCALAR.match(text, at)
    if scalar is None:
        raise _wrong(text, at, "a value is missing")
    try:
        return Node(at, scalar.end(), json.loads(scalar[0]))
    except ValueError as problem:
        raise _wrong(text, at, str(problem)) from problem


def _container(text: str, start: int, depth: int) -> Node:
    is_object = text[start] == "{"
    close, items = "}" if is_object else "]", list[Item]()
    at = _skip(text, start + 1)
    while text[at : at + 1] != close:
        item = _member(text, at, depth) if is_object else _item(text, at, len(items), depth)
        items.append(item)
        at = _skip(text, item.node.end)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
        elif text[at : at + 1] != close:
            raise _wrong(text, at, f"a comma or {close} is missing")
    values = {i.key: i.node.value for i in items} if is_object else [i.node.value for i in items]
    return Node(start, at + 1, values, tuple(items))


def _member(text: str, at: int, depth: int) -> Item:
    key = _value(text, at, depth + 1)
    colon = _skip(text, key.end)
    if not isinstance(key.value, str) or text[colon : colon + 1] != ":":
        raise _wrong(text, at, "a name and a colon are missing")
    return Item(key.value, at, _value(text, _skip(text, colon + 1), depth + 1))


def _item(text: str, at: int, index: int, depth: int) -> Item:
    return Item(index, at, _value(text, at, depth + 1))


def _wrong(text: str, at: int, why: str) -> ValueError:
    line = text.count("\n", 0, at) + 1
    return ValueError(f"line {line}, column {at - text.rfind(chr(10), 0, at)}: {why}")


# Changing


def _child(node: Node, key: str | int) -> Item | None:
    # Of members with the same name the last one counts, as it does for every reader.
    return next((item for item in reversed(node.items) if item.key == key), None)


def _with(text: str, edit: Edit) -> str:
    if not text.strip(_MARK + " \t\r\n"):
        text += EMPTY
    node = _parse(text)
    for depth, step in enumerate(edit.path):
        if not isinstance(node.value, list if isinstance(step, int) else dict):
            where = ".".join(map(str, edit.path[:depth])) or "the whole"
            raise ValueError(f"{where} is not {'a list' if isinstance(step, int) else 'an object'}")
        item = _child(node, step)
        if item is None:
            return _insert(text, node, step, nested(edit.path[depth + 1 :], edit.value))
        node = item.node
    written = _written(text, edit.value, _indent_of_line(text, node.start))
    return text[: node.start] + written + text[node.end :]


def _insert(text: str, container: Node, key: str | int, value: Any) -> str:
    """Return the text with one more item at the end of a container."""
    label = f"{json.dumps(key, ensure_ascii=False)}: " if isinstance(key, str) else ""
    body = text[container.start + 1 : container.end - 1]
    if container.items and "\n" not in body:
        return _insert_inline(text, container, label + json.dumps(value, ensure_ascii=False))
    newline, outer = _newline(text), _indent_of_line(text, container.start)
    indent = _indent_of_items(text, container)
    member = newline + indent + label + _written(text, value, indent)
    last = container.items[-1].node.end if container.items else container.start + 1
    gap = text[last : container.end - 1]
    before = gap.rstrip()
    if not container.items:
        return text[:last] + before + member + newline + outer + text[container.end - 1 :]
    comma, ending = ("", ",") if _has_comma(text, last) else (",", "")
    rest = gap[len(before) :] + text[container.end - 1 :]
    return text[:last] + comma + before + member + ending + rest


def _insert_inline(text: str, container: Node, member: str) -> str:
    last = container.items[-1].node.end
    if _has_comma(text, last):
        after = _skip(text, last) + 1
        return f"{text[:after]} {member},{text[after:]}"
    return f"{text[:last]}, {member}{text[last:]}"


def _has_comma(text: str, end: int) -> bool:
    return text[_skip(text, end)] == ","


def _without(text: str, edit: Edit) -> str:
    """Return the text without one item, and without the blank before it."""
    container = _parse(text)
    for step in edit.path[:-1]:
        item = _child(container, step)
        assert item is not None
        container = item.node
    index = max(i for i, item in enumerate(container.items) if item.key == edit.path[-1])
    start, end = container.items[index].start, container.items[index].node.end
    start = len(text[:start].rstrip())
    if _has_comma(text, end):
        end = _skip(text, end) + 1
    elif index:
        comma = _skip(text, container.items[index - 1].node.end)
        return text[:comma] + text[comma + 1 : start] + text[end:]
    close = container.end - 1
    left = text[container.start + 1 : start] + text[end:close]
    if len(container.items) == 1 and not left.strip():
        return text[: container.start + 1] + text[close:]
    return text[:start] + text[end:]


# How the text is written


def _written(text: str, value: Any, indent: str) -> str:
    match = _INDENT.search(text)
    lines = json.dumps(value, indent=match[1] if match else 2, ensure_ascii=False).split("\n")
    return (_newline(text) + indent).join(lines)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _indent_of_line(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _indent_of_items(text: str, container: Node) -> str:
    """Return the indent of the items, or what it would be if there were any."""
    for item in container.items:
        line = text[text.rfind("\n", 0, item.start) + 1 : item.start]
        if not line.strip():
            return line
    match = _INDENT.search(text)
    return _indent_of_line(text, container.start) + (match[1] if match else "  ")
