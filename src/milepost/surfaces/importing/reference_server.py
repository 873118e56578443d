"""The file of the MCP reference memory server, as memories and as relations."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from milepost.surfaces.importing.json_files import json_lines
from milepost.surfaces.importing.source import FileContent, Wanted, origin

PROGRAM = "server-memory"


def own_files() -> list[Path]:
    """Return nothing: the server keeps its file where it was told to."""
    return []


def read(path: Path, wanted: Wanted) -> Iterator[FileContent]:
    """Yield a memory for each observation, and the relations; lines of no meaning are counted."""
    items: list[dict[str, Any]] = []
    relations: list[dict[str, Any]] = []
    unread = 0
    for _, line in json_lines(path):
        kind = line.get("type") if isinstance(line, dict) else None
        if isinstance(line, dict) and kind == "entity":
            items += _said(path, wanted, line)
        elif isinstance(line, dict) and kind == "relation":
            ends = {"source": line.get("from"), "target": line.get("to")}
            relations.append(ends | {"relation": line.get("relationType")})
        else:
            unread += 1
    left_out = {"lines that are neither entity nor relation": unread} if unread else {}
    yield FileContent(path, tuple(items), relations=tuple(relations), left_out=left_out)


def _said(path: Path, wanted: Wanted, line: dict[str, Any]) -> Iterator[dict[str, Any]]:
    name, kind = str(line.get("name") or ""), str(line.get("entityType") or "")
    observations = line.get("observations")
    for said in observations if isinstance(observations, list) else ():
        yield {
            "content": f"{name}: {said}",
            "tags": [name[:40], *([kind[:40]] if kind else [])],
            "project": wanted.project,
            "metadata": origin(PROGRAM, path),
        }
