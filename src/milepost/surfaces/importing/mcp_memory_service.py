"""What mcp-memory-service keeps, in its database or as its exporter writes it."""

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from milepost.config import folder_of
from milepost.surfaces.importing.databases import opened
from milepost.surfaces.importing.json_files import read_json, texts_of
from milepost.surfaces.importing.source import FileContent, Wanted, moment, origin

PROGRAM = "mcp-memory-service"
_FOLDERS = {"darwin": "Library/Application Support/mcp-memory", "win32": "AppData/Local/mcp-memory"}
# So many memories in a row are handed on together.
AT_ONCE = 1_000
# A memory there, and its metadata.
Told = tuple[Mapping[str, Any], Mapping[str, Any]]


def own_files() -> list[Path]:
    """Return the database of this user."""
    below_home = _FOLDERS.get(sys.platform, ".local/share/mcp-memory")
    return [Path(folder_of("MCP_MEMORY_BASE_DIR", below_home), "sqlite_vec.db")]


def read(path: Path, wanted: Wanted) -> Iterator[FileContent]:
    """Yield what a database or an export holds: versions in their order, nothing deleted."""
    if path.suffix == ".json":
        yield from _contents(path, wanted, read_json(path).get("memories", ()), 0)
        return
    with opened(path) as database:
        rows = list(database.rows("select * from memories order by created_at, id"))
    known = [row for row in rows if row.get("deleted_at") is None]
    yield from _contents(path, wanted, known, len(rows) - len(known))


def _contents(
    path: Path, wanted: Wanted, rows: Iterable[Mapping[str, Any]], deleted: int
) -> Iterator[FileContent]:
    left_out = {"deleted there": deleted} if deleted else {}
    told = [(row, _mapping(row.get("metadata"))) for row in rows]
    told.sort(key=lambda each: moment(each[0].get("created_at")) or 0)
    waiting: list[dict[str, Any]] = []
    brought = 0
    for lineage in _lineages(told):
        items = [_item(path, wanted, row, about) for row, about in lineage]
        for older, newer in pairwise(items):
            newer["replaces"] = older["content"]
        waiting += items
        brought += len(items)
        if len(waiting) >= AT_ONCE:
            yield FileContent(path, tuple(waiting))
            waiting = []
    if brought < len(told):
        left_out["replaced there by what is gone"] = len(told) - brought
    yield FileContent(path, tuple(waiting), left_out=left_out)


def _lineages(told: Sequence[Told]) -> Iterator[list[Told]]:
    """Yield each memory that holds after all that it replaced, which may be younger, and several.

    What was replaced by a memory that is no longer there is in none.
    """
    older = defaultdict[str, list[Told]](list)
    for each in told:
        older[_newer(each)].append(each)
    for current in older[""]:
        lineage, waiting = list[Told](), [current]
        while waiting:
            lineage.append(waiting.pop())
            name = str(lineage[-1][0].get("content_hash") or "")
            waiting += older[name] if name else []
        yield lineage[::-1]


def _newer(each: Told) -> str:
    """Return the name of the memory that replaced one; none of one that holds."""
    row, about = each
    return str(row.get("superseded_by") or about.get("superseded_by") or "")


def _item(
    path: Path, wanted: Wanted, row: Mapping[str, Any], about: Mapping[str, Any]
) -> dict[str, Any]:
    store = row.get("store")
    more = {**about, "store": None if store == "default" else store}
    more.pop("superseded_by", None)
    author = about.get("author")
    return {
        "content": str(row.get("content") or ""),
        "kind": row.get("memory_type") or "note",
        "tags": texts_of(row.get("tags")),
        "created": moment(row.get("created_at")),
        "author": author if isinstance(author, str) else None,
        "project": wanted.project,
        "metadata": {**more, **origin(PROGRAM, path)},
    }


def _mapping(value: object) -> dict[str, Any]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return {}
    return dict(value) if isinstance(value, Mapping) else {}
