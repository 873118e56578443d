"""The one table of what `milepost import` reads."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from milepost.errors import InvalidInput
from milepost.surfaces.importing import (
    basic_memory,
    chroma,
    claude_mem,
    codex,
    columns,
    exported_chats,
    letta,
    mcp_memory_service,
    mem0,
    opencode,
    reference_server,
)
from milepost.surfaces.importing.databases import tables
from milepost.surfaces.importing.instructions import read_instructions
from milepost.surfaces.importing.source import (
    TRANSCRIPT,
    FileContent,
    Wanted,
    claude_code_files,
    named,
)
from milepost.surfaces.importing.transcripts import folder_of_project, read_session
from milepost.workspace.project import detect

Read = Callable[[Path, Wanted], Iterator[FileContent]]


class Format(NamedTuple):
    """How one program's memory is found and read.

    own_files: where it lies by itself.
    patterns: which files of a folder that is named are meant.
    """

    read: Read
    own_files: Callable[[], list[Path]]
    patterns: tuple[str, ...]

    def files(self, paths: Sequence[str]) -> list[Path]:
        """Return the files to read: those that were named, else the program's own."""
        if paths:
            return named(paths, *self.patterns)
        return [path for path in self.own_files() if path.is_file()]


def _claude_code(path: Path, wanted: Wanted) -> Iterator[FileContent]:
    if path.suffix == TRANSCRIPT:
        yield read_session(path, wanted.project)
    else:
        yield read_instructions(path, wanted.project or _project_of(path))


def _project_of(path: Path) -> str | None:
    """Return the project that instructions are for; those in the user's own folder are for all."""
    folder = path.parent
    if folder.name == "memory" and folder.parent.parent.name == "projects":
        worked_in = folder_of_project(folder.parent)
        return detect(worked_in).name if worked_in else None
    if folder.name == ".claude":
        folder = folder.parent
    return None if folder == Path.home() else detect(str(folder)).name


class ClaudeCode(Format):
    """Instructions and transcripts of Claude Code, of which a folder holds several kinds."""

    def files(self, paths: Sequence[str]) -> list[Path]:
        """Return what is named, else what the client reads itself."""
        return claude_code_files(paths)


_CHATS = Format(exported_chats.read, exported_chats.own_files, (*exported_chats.PATTERNS, "*.zip"))
FORMATS: dict[str, Format] = {
    "claude-code": ClaudeCode(_claude_code, list, ()),
    "mcp-memory-service": Format(
        mcp_memory_service.read, mcp_memory_service.own_files, ("sqlite_vec.db", "*.json")
    ),
    "mem0": Format(mem0.read, mem0.own_files, ("history.db", "*.json")),
    "claude-mem": Format(claude_mem.read, claude_mem.own_files, ("claude-mem.db",)),
    "basic-memory": Format(basic_memory.read, basic_memory.own_files, ("*.md",)),
    "mempalace": Format(
        chroma.read, chroma.own_files, ("chroma.sqlite3", "knowledge_graph.sqlite3")
    ),
    "chroma": Format(chroma.read, list, ("chroma.sqlite3",)),
    "server-memory": Format(reference_server.read, reference_server.own_files, ("*.jsonl",)),
    "claude": _CHATS,
    "chatgpt": _CHATS,
    "codex": Format(codex.read, codex.own_files, ("*.jsonl",)),
    "opencode": Format(opencode.read, opencode.own_files, ("opencode.db", "*.json")),
    "letta": Format(letta.read, letta.own_files, ("*.af",)),
    "jsonl": Format(columns.read_lines, columns.own_files, ("*.jsonl", "*.ndjson")),
    "csv": Format(columns.read_table, columns.own_files, ("*.csv", "*.tsv")),
}


def format_of(path: Path) -> str:
    """Return by what it holds whose memory a file is."""
    found = _of_folder(path) if path.is_dir() else _of_file(path)
    if found is None:
        raise InvalidInput(
            f"{path} does not look like what is known; say whose it is: {', '.join(FORMATS)}."
        )
    return found


def _of_folder(path: Path) -> str | None:
    for name in ("mcp-memory-service", "claude-mem", "mempalace", "mem0", "opencode"):
        pattern = FORMATS[name].patterns[0]
        if next(path.rglob(pattern), None) is not None:
            return name
    return None


_TABLES = {
    "memory_embeddings": "mcp-memory-service",
    "history": "mem0",
    "session_summaries": "claude-mem",
    "embedding_metadata": "mempalace",
    "triples": "mempalace",
    "part": "opencode",
}


def _of_file(path: Path) -> str | None:
    by_table = next((name for table, name in _TABLES.items() if table in tables(path)), None)
    if by_table is not None:
        return by_table
    if path.suffix in (".csv", ".tsv"):
        return "csv"
    if path.suffix == ".af":
        return "letta"
    if path.suffix in (".zip", ".json") and exported_chats.is_export(path):
        return "claude"
    if path.suffix in (".jsonl", ".ndjson"):
        return _of_lines(path)
    return _of_json(path) if path.suffix == ".json" else None


def _of_lines(path: Path) -> str:
    with path.open(encoding="utf-8-sig", errors="replace") as lines:
        first = next((line for line in lines if line.strip()), "")
    try:
        told = json.loads(first)
    except ValueError:
        return "jsonl"
    if not isinstance(told, dict):
        return "jsonl"
    if told.get("type") in ("entity", "relation"):
        return "server-memory"
    if told.get("type") == "session_meta":
        return "codex"
    return "claude-code" if {"sessionId", "parentUuid"} & told.keys() else "jsonl"


def _of_json(path: Path) -> str | None:
    try:
        told = json.loads(path.read_text("utf-8-sig"))
    except (ValueError, OSError, RecursionError):
        return None
    keys = told.keys() if isinstance(told, dict) else ()
    for key, name in (
        ("export_metadata", "mcp-memory-service"),
        ("results", "mem0"),
        ("messages", "opencode"),
        ("agents", "letta"),
    ):
        if key in keys:
            return name
    return None
