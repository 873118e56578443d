"""Sessions of OpenCode: its database, or what `opencode export` writes."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from milepost.config import folder_of
from milepost.errors import InvalidInput
from milepost.sessions.values import Turn
from milepost.surfaces.importing.databases import Database, opened
from milepost.surfaces.importing.json_files import dicts, read_json
from milepost.surfaces.importing.source import FileContent, Wanted, moment
from milepost.surfaces.importing.transcripts import remembered
from milepost.workspace.project import detect

_TEXT_MAX = 20_000
_SESSIONS = "select id, directory from session where parent_id is null order by time_created, id"
_PARTS = (
    "select m.id as message, m.data as about, p.data as part from message m "
    "join part p on p.message_id = m.id where m.session_id = ? "
    "order by m.time_created, m.id, p.time_created, p.id"
)


def own_files() -> list[Path]:
    """Return the database of this user."""
    data = Path(folder_of("XDG_DATA_HOME", ".local/share"))
    return [data / "opencode" / "opencode.db"]


def read(path: Path, wanted: Wanted) -> Iterator[FileContent]:
    """Yield what is to be remembered of each session."""
    if path.suffix == ".json":
        told = read_json(path)
        about = told.get("info") or {}
        messages = [
            (message.get("info") or {}, dicts(message.get("parts")))
            for message in dicts(told.get("messages"))
        ]
        yield _session(path, wanted, str(about.get("id")), about.get("directory"), messages)
        return
    with opened(path) as database:
        if not database.columns("session"):
            raise InvalidInput(f"{path} is no database of OpenCode: it has no sessions.")
        for row in list(database.rows(_SESSIONS)):
            messages = _messages(database, row["id"])
            yield _session(path, wanted, row["id"], row["directory"], messages)


Messages = list[tuple[Mapping[str, Any], list[Mapping[str, Any]]]]


def _messages(database: Database, session: str) -> Messages:
    found: dict[str, tuple[Mapping[str, Any], list[Mapping[str, Any]]]] = {}
    for row in database.rows(_PARTS, session):
        _, parts = found.setdefault(row["message"], (json.loads(row["about"]), []))
        parts.append(json.loads(row["part"]))
    return list(found.values())


def _session(
    path: Path, wanted: Wanted, session: str, folder: object, messages: Messages
) -> FileContent:
    turns = [turn for about, parts in messages for turn in _turns(about, parts)]
    there = isinstance(folder, str) and Path(folder).is_dir()
    owner = wanted.project or (detect(str(folder)).name if there else None)
    return remembered(path, turns, session, owner)


def _turns(about: Mapping[str, Any], parts: Iterable[Mapping[str, Any]]) -> Iterator[Turn]:
    role, at = str(about.get("role")), moment((about.get("time") or {}).get("created"))
    for part in parts:
        text = str(part.get("text") or "").strip()
        if part.get("type") == "text" and text and not part.get("synthetic"):
            # What was typed on the command line comes in quotes.
            said = text[1:-1] if text[:1] == text[-1:] == '"' and len(text) > 1 else text
            yield Turn(role, said[:_TEXT_MAX], at=at)
        elif part.get("type") == "tool":
            yield _called(part, at)


def _called(part: Mapping[str, Any], at: float | None) -> Turn:
    state = part.get("state") or {}
    given = state.get("input") or {}
    asked = given.get("command") or given.get("filePath") or json.dumps(given, ensure_ascii=False)
    answer = str(state.get("output") or state.get("error") or "")
    ended = (state.get("metadata") or {}).get("exit")
    failed = state.get("status") == "error" or ended not in (None, 0)
    return Turn("tool", answer[:_TEXT_MAX], str(part.get("tool") or ""), str(asked), failed, at)
