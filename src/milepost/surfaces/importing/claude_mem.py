"""What claude-mem keeps: what was observed in sessions, and their summaries."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from milepost.config import folder_of
from milepost.errors import InvalidInput
from milepost.surfaces.importing.databases import Database, opened
from milepost.surfaces.importing.json_files import texts_of
from milepost.surfaces.importing.source import FileContent, Wanted, moment, origin

PROGRAM = "claude-mem"
_KINDS = {"bugfix": "fix", "decision": "decision"}
_PARTS = ("investigated", "learned", "completed", "next_steps", "notes")
_SESSIONS = (
    "select memory_session_id, content_session_id from sdk_sessions "
    "where memory_session_id is not null"
)


def own_files() -> list[Path]:
    """Return the database of this user."""
    return [Path(folder_of("CLAUDE_MEM_DATA_DIR", ".claude-mem"), "claude-mem.db")]


def read(path: Path, wanted: Wanted) -> Iterator[FileContent]:
    """Yield the observations and the summaries; what was typed is in the client's transcripts."""
    with opened(path) as database:
        if not database.columns("observations"):
            raise InvalidInput(f"{path} is no database of claude-mem: it has no observations.")
        sessions = {
            row["memory_session_id"]: row["content_session_id"] for row in database.rows(_SESSIONS)
        }
        rows = [
            *((row, _observed(row)) for row in _rows(database, "observations")),
            *((row, _summed_up(row)) for row in _rows(database, "session_summaries")),
        ]
        typed = sum(1 for _ in _rows(database, "user_prompts"))
    items = [
        {
            "created": moment(row["created_at_epoch"]),
            "session": sessions.get(row["memory_session_id"]) or row["memory_session_id"],
            "project": wanted.project or row["project"],
            "metadata": origin(PROGRAM, path, files=texts_of(row.get("files_modified"))),
            **told,
        }
        for row, told in sorted(rows, key=lambda each: each[0]["created_at_epoch"])
        if told["content"]
    ]
    yield FileContent(path, tuple(items), left_out={"prompts": typed} if typed else {})


def _rows(database: Database, table: str) -> Iterator[Mapping[str, Any]]:
    if database.columns(table):
        yield from database.rows(f"select * from {table} order by created_at_epoch, id")  # noqa: S608


def _observed(row: Mapping[str, Any]) -> dict[str, Any]:
    title, said = row["title"] or "", row["narrative"] or row["text"] or row["subtitle"] or ""
    facts = [fact for fact in texts_of(row["facts"]) if fact not in said]
    text = f"{title}: {said}" if title and said else title or said
    return {
        "content": "\n".join([text, *(f"- {fact}" for fact in facts)]).strip(),
        "kind": _KINDS.get(row["type"], "note"),
        "tags": [row["type"], *texts_of(row["concepts"])],
    }


def _summed_up(row: Mapping[str, Any]) -> dict[str, Any]:
    parts = (
        f"{name.replace('_', ' ').capitalize()}: {row[name].strip()}"
        for name in _PARTS
        if (row[name] or "").strip()
    )
    text = "\n".join([(row["request"] or "").strip(), *parts]).strip()
    return {"content": text, "kind": "summary", "tags": []}
