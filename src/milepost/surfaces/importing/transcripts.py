"""What happened in a session of a coding agent, as memories."""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from milepost.sessions.notes import notes_of
from milepost.sessions.summary import summary_of
from milepost.sessions.transcript import read_transcript
from milepost.sessions.values import Note, Turn
from milepost.surfaces.importing.source import TRANSCRIPT, FileContent, hidden, place
from milepost.text.secrets import without_secrets
from milepost.workspace.project import detect


def read_session(path: Path, project: str | None) -> FileContent:
    """Return the memories of a transcript of Claude Code."""
    seen: list[str] = []
    with path.open(encoding="utf-8", errors="replace") as lines:
        turns = read_transcript(_noting_folder(lines, seen))
    owner = project or (detect(seen[0]).name if seen else None)
    return remembered(path, turns, path.stem, owner)


def remembered(path: Path, turns: Sequence[Turn], session: str, project: str | None) -> FileContent:
    """Return the memories of a conversation: what was noticed, and a summary of it all."""
    notes = notes_of(turns)
    summary = summary_of(turns, notes)
    if summary:
        notes = [*notes, Note("summary", summary, (), _end(turns))]
    items = [
        {
            "content": text,
            "kind": note.kind,
            "tags": note.tags,
            "session": session,
            "project": project,
            "created": note.at or path.stat().st_mtime,
            "metadata": {"by": "import", "from": place(path)},
        }
        for note in notes
        if (text := without_secrets(note.text).strip())
    ]
    return FileContent(path, tuple(items), sum(hidden(str(item["content"])) for item in items))


def folder_of_project(folder: Path) -> str | None:
    """Return the folder that the sessions of a project's transcripts were in."""
    for path in sorted(folder.glob(f"*{TRANSCRIPT}")):
        seen: list[str] = []
        with path.open(encoding="utf-8", errors="replace") as lines:
            if any(seen for _ in _noting_folder(lines, seen)):
                return seen[0]
    return None


def _noting_folder(lines: Iterable[str], seen: list[str]) -> Iterator[str]:
    """Pass lines on, and note the first folder that one of them names."""
    for line in lines:
        if not seen and '"cwd"' in line:
            seen += _folder(line)
        yield line


def _folder(line: str) -> list[str]:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return []
    folder = entry.get("cwd") if isinstance(entry, dict) else None
    return [folder] if isinstance(folder, str) and folder else []


def _end(turns: Iterable[Turn]) -> float | None:
    return max((turn.at for turn in turns if turn.at is not None), default=None)
