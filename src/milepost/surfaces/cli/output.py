"""Show what a command returns: as text for people, as JSON or YAML for programs."""

import json
import re
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from milepost.codec import to_data
from milepost.render import to_text
from milepost.text.disguise import escaped

FORMATS = ("human", "json", "yaml")
_ESCAPES = re.compile("\x1b\\[[0-9]+m")
_COLOURS = {"red": 31, "green": 32, "yellow": 33, "dim": 2, "bold": 1}


class View(NamedTuple):
    """A result with the text that people read in place of its own."""

    data: object
    text: str
    ready: bool = True


def show(result: object, form: str) -> None:
    """Print a result; what streams is printed item by item."""
    for text in texts_of(result, form):
        print(text, flush=isinstance(result, Iterator))


def texts_of(result: object, form: str) -> Iterator[str]:
    """Return a result as texts to print; what streams comes item by item."""
    if isinstance(result, Iterator):
        return _items(result, form)
    if form == "human":
        text = result.text if isinstance(result, View) else to_text(result)
        return iter([text] if text else [])
    data = to_data(result.data if isinstance(result, View) else result)
    return iter([_written(data, form)])


def _items(items: Iterator[object], form: str) -> Iterator[str]:
    shown = False
    for item in items:
        if form == "yaml":
            from milepost.surfaces.cli.yaml import to_yaml_item

            yield to_yaml_item(to_data(item))
        else:
            yield to_text(item) if form == "human" else _json(to_data(item))
        shown = True
    if form == "yaml" and not shown:
        yield "[]"


def _written(data: object, form: str) -> str:
    if form == "json":
        return _json(data)
    from milepost.surfaces.cli.yaml import to_yaml

    return to_yaml(data)


def _json(data: object) -> str:
    # Escapes of our own, where standard output cannot carry every character.
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return escaped(json.dumps(data, ensure_ascii=not encoding.lower().startswith("utf")))


def paint(text: str, colour: str) -> str:
    """Return a text in a colour, where standard output is a terminal that wants colours."""
    from milepost.config import wants_colour

    if not sys.stdout.isatty() or not wants_colour():
        return text
    return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m"


def table(rows: Sequence[Sequence[object]], head: Sequence[str] = ()) -> str:
    """Return rows as text with aligned columns; the last column may be of any length."""
    shown = [[str(cell) for cell in row] for row in ([head, *rows] if head else rows)]
    if not shown:
        return ""
    widths = [max(_width(row[i]) for row in shown) for i in range(len(shown[0]) - 1)]
    widths.append(0)
    lines = [
        "  ".join(c + " " * (w - _width(c)) for c, w in zip(row, widths, strict=True)).rstrip()
        for row in shown
    ]
    return "\n".join([paint(lines[0], "bold"), *lines[1:]] if head else lines)


def _width(cell: str) -> int:
    return len(_ESCAPES.sub("", cell))


def size(count: float) -> str:
    """Return a number of bytes as people read it: 1.2 MB."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1_000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1_000
    return f"{count:.1f} TB"


def counted(count: int, noun: str) -> str:
    """Return a number with its noun: 1 memory, 2,000 memories."""
    many = f"{noun.removesuffix('y')}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else many}"


def moment(seconds: float | None) -> str:
    """Return a moment in local time."""
    if seconds is None:
        return "never"
    return datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M:%S")
