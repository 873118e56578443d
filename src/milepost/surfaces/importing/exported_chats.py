"""Data exports of Claude and ChatGPT: conversations, what was remembered, documents of projects."""

import json
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from milepost.errors import InvalidInput
from milepost.reading.chats import sections_of
from milepost.surfaces.importing.json_files import dicts
from milepost.surfaces.importing.markdown import passages
from milepost.surfaces.importing.source import FileContent, Wanted, moment, origin

CLAUDE, CHATGPT = "Claude", "ChatGPT"
# Files of an export that hold something to remember.
PATTERNS = ("conversations.json", "projects.json", "memories.json")
# A whole export is read into memory: what unpacks to more is refused.
_BYTES_MAX = 2_000_000_000


def own_files() -> list[Path]:
    """Return nothing: an export lies where it was put."""
    return []


def read(path: Path, wanted: Wanted) -> Iterator[FileContent]:
    """Yield a conversation at a time: each message is a memory of its session."""
    left_out = 0
    for name, value in _parts(path):
        if name == "memories.json":
            yield FileContent(path, tuple(_remembered(path, wanted, value)))
            continue
        for entry in dicts(value):
            if name == "projects.json":
                yield FileContent(path, tuple(_documents(path, wanted, entry)))
                continue
            items = tuple(_conversation(path, wanted, entry))
            left_out += not items
            yield FileContent(path, items)
    yield FileContent(path, left_out={"empty conversations": left_out} if left_out else {})


def is_export(path: Path) -> bool:
    """Whether a file is an export of one of the two."""
    try:
        return any(_program(entry) for _, value in _parts(path) for entry in dicts(value)[:1])
    except (InvalidInput, OSError):
        return False


def _program(entry: Mapping[str, Any]) -> str | None:
    if "chat_messages" in entry or "prompt_template" in entry:
        return CLAUDE
    return CHATGPT if isinstance(entry.get("mapping"), dict) else None


def _parts(path: Path) -> Iterator[tuple[str, object]]:
    """Yield the files of an export with what they hold: of an archive, or one by itself."""
    if not zipfile.is_zipfile(path):
        yield (path.name if path.name in PATTERNS else PATTERNS[0]), _json(path, path.read_bytes())
        return
    with zipfile.ZipFile(path) as archive:
        members = [info for info in archive.infolist() if Path(info.filename).name in PATTERNS]
        if not members:
            raise InvalidInput(f"{path} holds none of {', '.join(PATTERNS)}.")
        if sum(info.file_size for info in members) > _BYTES_MAX:
            raise InvalidInput(f"{path} unpacks to more than {_BYTES_MAX:,} bytes; unpack it.")
        for info in members:
            yield Path(info.filename).name, _json(path, archive.read(info))


def _json(path: Path, content: bytes) -> object:
    try:
        found: object = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as problem:
        raise InvalidInput(f"{path} is not JSON ({problem}).") from problem
    return found


def _conversation(path: Path, wanted: Wanted, entry: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    is_claude = _program(entry) == CLAUDE
    title = str(entry.get("name") or entry.get("title") or "")
    session = str(entry.get("uuid") or entry.get("conversation_id") or entry.get("id") or title)
    began = moment(entry.get("created_at") or entry.get("create_time"))
    about = origin(CLAUDE if is_claude else CHATGPT, path, title=title)
    for said in sections_of(entry):
        yield {
            "content": said.text,
            "kind": "message",
            "author": said.author,
            "session": session[:200] or None,
            "created": said.created or began,
            "project": wanted.project,
            "metadata": about,
        }


def _remembered(path: Path, wanted: Wanted, value: object) -> Iterator[dict[str, Any]]:
    """Yield what Claude remembered of its user, in passages."""
    for entry in dicts(value):
        projects = entry.get("project_memories")
        texts = [entry.get("conversations_memory"), *(_texts(projects))]
        for text in texts:
            for part in passages(text if isinstance(text, str) else ""):
                yield {
                    "content": part.text,
                    "tags": part.tags,
                    "project": wanted.project,
                    "source": "model",
                    "metadata": origin(CLAUDE, path),
                }


def _texts(value: object) -> list[object]:
    return list(value.values()) if isinstance(value, dict) else []


def _documents(path: Path, wanted: Wanted, entry: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the instructions and documents of a project, in passages."""
    name = str(entry.get("name") or "")
    documents: list[tuple[object, object]] = [
        ("instructions", entry.get("prompt_template")),
        ("", entry.get("description")),
    ]
    documents += [(doc.get("filename"), doc.get("content")) for doc in dicts(entry.get("docs"))]
    for title, text in documents:
        for part in passages(text if isinstance(text, str) else ""):
            yield {
                "content": part.text,
                "tags": part.tags,
                "session": f"{name}/{title}"[:200] if title else name[:200] or None,
                "created": moment(entry.get("created_at")),
                "project": wanted.project or name[:200] or None,
                "metadata": origin(CLAUDE, path, title=title),
            }
