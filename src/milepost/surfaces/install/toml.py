"""TOML: read it, and change one place of its text while the rest stays as it is."""

import re
import tomllib
from collections.abc import Iterable, Iterator
from typing import Any

from milepost.surfaces.install.settings_file import Edit, Place, find, nested

EMPTY = ""
_BLANK_LINES = re.compile(r"(?:\A|(?<=\n))\s+\Z")
_COMMENTS = re.compile(r"(?:^[ \t\r]*(?:#.*)?\n)*\Z", re.MULTILINE)


def read(text: str) -> Any:
    """Return the data; a ValueError tells where the text is not TOML."""
    return tomllib.loads(text)


def apply(text: str, edits: Iterable[Edit]) -> str:
    """Return the text with tables added at its end, values changed, or either taken away."""
    import tomlkit

    newline = "\r\n" if "\r\n" in text else "\n"
    if text and not text.endswith("\n"):
        text += newline
    for edit in edits:
        if isinstance(edit.value, dict):
            table = tomlkit.dumps(nested(edit.path, edit.value)).replace("\n", newline)
            text += (newline if text.strip() else "") + table
        elif isinstance(find(read(text), edit.path), dict):
            text = _without_table(text, edit.path)
        else:
            text = _with_value(text, edit)
    return text


def _with_value(text: str, edit: Edit) -> str:
    """Return the text with a value of a table written anew, or without it."""
    import tomlkit

    document: Any = tomlkit.parse(text)
    *above, name = edit.path
    tables = _tables(document, tuple(above)) if above else [document]
    table = next((table for table in tables if not above or name in table), None)
    if table is None:
        raise ValueError(f"{_dotted(edit.path)} is not in a table of its own")
    before = _text(table)
    if edit.removes:
        table.remove(name)
    else:
        table[name] = item = tomlkit.item(edit.value)
        # What is said beside a value is said of that value.
        item.trivia.comment_ws = item.trivia.comment = ""
    return text.replace(before, _text(table), 1)


def _without_table(text: str, path: Place) -> str:
    """Return the text without a table, those below it, and the blank lines before each.

    The comments behind them stay: they belong to what follows.
    """
    import tomlkit

    for table in _tables(tomlkit.parse(text), path):
        before, _, after = text.partition(_text(table))
        comments = _COMMENTS.search(table.as_string())
        text = _BLANK_LINES.sub("", before) + (comments[0] if comments else "") + after
    if find(read(text), path) is not None:
        raise ValueError(f"{_dotted(path)} is not a table of its own")
    return text


def _tables(container: Any, path: Place) -> Iterator[Any]:
    """Yield the tables at a place or below it that have a header, without those within them."""
    from tomlkit.items import Table

    for key, item in container.body:
        if isinstance(item, Table) and (not path or key.key == path[0]):
            if path[1:] or item.is_super_table():
                yield from _tables(item.value, path[1:])
            else:
                yield item


def _text(table: Any) -> str:
    """Return the text of a table with its header; a document has none."""
    name, body = getattr(table, "display_name", None), str(table.as_string())
    if name is None:
        return body
    trivia = table.trivia
    return f"{trivia.indent}[{name}]{trivia.comment_ws}{trivia.comment}{trivia.trail}{body}"


def _dotted(path: Place) -> str:
    return ".".join(map(str, path))
