"""Lines of JSON and tables of values from anywhere, by the names of their columns."""

import csv
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from milepost.errors import InvalidInput
from milepost.surfaces.importing.json_files import json_lines, texts_of
from milepost.surfaces.importing.source import FileContent, Wanted, moment, origin

_AT_ONCE = 1_000
# Of a value in characters; what is longer than a memory may be is refused by itself.
_FIELD_MAX = 100_000_000
# What columns are called by whoever did not think of us.
_USUAL = {
    "content": ("content", "text", "memory", "note", "body", "message", "document"),
    "tags": ("tags", "labels", "categories", "keywords"),
    "kind": ("kind", "type", "memory_type", "category"),
    "created": ("created", "created_at", "timestamp", "date", "time"),
    "author": ("author", "speaker", "role", "user", "from"),
    "session": ("session", "session_id", "conversation", "conversation_id", "thread", "run_id"),
    "project": ("project",),
    "valid_from": ("valid_from",),
}


def own_files() -> list[Path]:
    """Return nothing: such files lie where they were put."""
    return []


def read_lines(path: Path, wanted: Wanted) -> Iterator[FileContent]:
    """Yield what the objects of a file hold, each on a line."""
    rows = (line for _, line in json_lines(path))
    yield from _contents(path, wanted, rows)


def read_table(path: Path, wanted: Wanted) -> Iterator[FileContent]:
    """Yield what the rows of a table hold, whose first row names its columns."""
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        beginning = file.read(4_096)
        file.seek(0)
        try:
            dialect: Any = csv.Sniffer().sniff(beginning, delimiters=",;\t|")
        except csv.Error:
            dialect = "excel-tab" if path.suffix == ".tsv" else "excel"
        csv.field_size_limit(_FIELD_MAX)
        try:
            yield from _contents(path, wanted, csv.DictReader(file, dialect=dialect))
        except csv.Error as problem:
            raise InvalidInput(f"{path} is no table of values ({problem}).") from problem


def _contents(path: Path, wanted: Wanted, rows: Iterator[Any]) -> Iterator[FileContent]:
    known: dict[str, None] = {}
    while part := list(islice(rows, _AT_ONCE)):
        found = [row for row in part if isinstance(row, dict)]
        known |= {name: None for row in found for name in row}
        _refuse_unknown(path, wanted, known)
        items = [_item(path, wanted, row) for row in found]
        telling = [item for item in items if item["content"]]
        left_out = Counter({"rows without a text": len(part) - len(telling)})
        for item in telling:
            left_out.update(f"times that cannot be read ({name})" for name in item.pop("timeless"))
        yield FileContent(path, tuple(telling), left_out=+left_out)


def _refuse_unknown(path: Path, wanted: Wanted, known: Mapping[str, None]) -> None:
    """Refuse columns that no row has, and rows of which none has a text."""
    for parameter, column in wanted.columns.items():
        if parameter not in _USUAL:
            raise InvalidInput(f"--columns names {parameter}; there is {', '.join(_USUAL)}.")
        if column not in known:
            raise InvalidInput(f"{path} has no column {column!r}; it has {', '.join(known)}.")
    if "content" not in _columns(wanted, known):
        raise InvalidInput(
            f"{path} has no column for the text; say which it is: --columns content=NAME. "
            f"It has {', '.join(map(str, known)) or 'none'}."
        )


def _columns(wanted: Wanted, row: Mapping[str, Any]) -> dict[str, str]:
    """Return which column of a row is which parameter: as was said, else by its name."""
    names = {str(name).strip().lower(): name for name in row}
    usual = {
        parameter: names[word]
        for parameter, words in _USUAL.items()
        for word in reversed(words)
        if word in names and names[word] not in wanted.columns.values()
    }
    return {**usual, **wanted.columns}


def _item(path: Path, wanted: Wanted, row: Mapping[str, Any]) -> dict[str, Any]:
    columns = _columns(wanted, row)
    given = {parameter: row.get(column) for parameter, column in columns.items()}
    others = {
        str(name): value
        for name, value in row.items()
        if name not in columns.values() and value not in (None, "", [], {}) and name is not None
    }
    times = {name: moment(given.get(name)) for name in ("created", "valid_from")}
    return {
        **times,
        "timeless": [columns[n] for n, at in times.items() if at is None and given.get(n)],
        "content": str(given.get("content") or "").strip(),
        "kind": str(given.get("kind") or "note")[:40],
        "tags": texts_of(given.get("tags")),
        "author": _name(given.get("author")),
        "session": _name(given.get("session")),
        "project": wanted.project or _name(given.get("project")),
        "metadata": {**_plain(others), **origin("", path)},
    }


def _name(value: object) -> str | None:
    return str(value).strip()[:200] or None if value not in (None, "") else None


def _plain(others: Mapping[str, Any]) -> dict[str, Any]:
    return dict(json.loads(json.dumps(others, default=str)))
