"""What mem0 keeps: `get_all` saved as JSON, or the history that lies beside its vectors."""

from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from milepost.config import folder_of
from milepost.errors import InvalidInput
from milepost.surfaces.importing.databases import opened
from milepost.surfaces.importing.json_files import dicts, read_json, texts_of
from milepost.surfaces.importing.source import FileContent, Wanted, moment, origin

PROGRAM = "mem0"


def own_files() -> list[Path]:
    """Return the history of this user."""
    return [Path(folder_of("MEM0_DIR", ".mem0"), "history.db")]


def read(path: Path, wanted: Wanted) -> Iterator[FileContent]:
    """Yield what an export or a history holds."""
    if path.suffix == ".json":
        yield _exported(path, wanted)
    else:
        yield from _history(path, wanted)


def _exported(path: Path, wanted: Wanted) -> FileContent:
    found = read_json(path)
    rows = dicts(found.get("results", found.get("memories", found.get(""))))
    users = sorted({str(row["user_id"]) for row in rows if row.get("user_id")})
    if len(users) > 1 and wanted.user is None:
        raise InvalidInput(
            f"{path} holds what {len(users)} users said ({', '.join(users[:5])}): import each with "
            "--user NAME, into a space of its own with --space."
        )
    chosen = [row for row in rows if wanted.user is None or row.get("user_id") == wanted.user]
    return FileContent(path, tuple(_item(path, wanted, row) for row in chosen))


def _item(path: Path, wanted: Wanted, row: Mapping[str, Any]) -> dict[str, Any]:
    about = row.get("metadata") if isinstance(row.get("metadata"), dict) else {}
    about = dict(about or {})
    tags = texts_of(about.pop("category", None)) + texts_of(row.get("categories"))
    return {
        "content": str(row.get("memory") or row.get("text") or ""),
        "tags": list(dict.fromkeys(tags)),
        "created": moment(row.get("created_at")),
        "valid_from": moment(row.get("updated_at")),
        "session": row.get("run_id"),
        "author": row.get("actor_id") or row.get("agent_id"),
        "project": wanted.project,
        "metadata": {**about, **origin(PROGRAM, path, user=row.get("user_id"))},
    }


_VERSIONS = (
    "select memory_id, new_memory, event, created_at, updated_at, actor_id from history "
    "order by memory_id, coalesce(updated_at, created_at), rowid"
)


def _history(path: Path, wanted: Wanted) -> Iterator[FileContent]:
    """Yield each memory with the versions it had; what was deleted stays deleted."""
    with opened(path) as database:
        if not database.columns("history"):
            raise InvalidInput(f"{path} is no history of mem0: it has no table `history`.")
        deleted = 0
        items: list[dict[str, Any]] = []
        for _, rows in groupby(database.rows(_VERSIONS), key=lambda row: row["memory_id"]):
            versions = list(rows)
            if versions[-1]["event"] == "DELETE":
                deleted += 1
            else:
                items += _versions(path, wanted, versions)
    yield FileContent(path, tuple(items), left_out={"deleted there": deleted} if deleted else {})


def _versions(
    path: Path, wanted: Wanted, rows: list[Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    before = None
    for row in rows:
        text = row["new_memory"]
        if not text or text == before:
            continue
        yield {
            "content": str(text),
            "created": moment(row["updated_at"]) or moment(row["created_at"]),
            "author": row["actor_id"],
            "project": wanted.project,
            "metadata": origin(PROGRAM, path),
            **({} if before is None else {"replaces": before}),
        }
        before = str(text)
