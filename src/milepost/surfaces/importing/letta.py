"""Agent files of Letta: blocks of memory, and what was said."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from milepost.errors import InvalidInput
from milepost.surfaces.importing.json_files import dicts, read_json
from milepost.surfaces.importing.markdown import passages
from milepost.surfaces.importing.source import FileContent, Wanted, moment, origin

PROGRAM = "Letta"


def own_files() -> list[Path]:
    """Return nothing: an agent file lies where it was put."""
    return []


def read(path: Path, wanted: Wanted) -> Iterator[FileContent]:
    """Yield the blocks in passages, and each message of the user and of the agent."""
    told = read_json(path)
    agents = dicts(told.get("agents"))
    if not agents and "core_memory" not in told:
        raise InvalidInput(f"{path} is no agent file of Letta: it names no agents.")
    # Files of before 2025 are an agent themselves.
    agents = agents or [told]
    blocks = [*dicts(told.get("blocks")), *dicts(told.get("core_memory"))]
    items = [
        {
            "content": part.text,
            "tags": [str(block.get("label") or "block")[:40], *part.tags],
            "project": wanted.project,
            "metadata": origin(PROGRAM, path, block=block.get("label")),
        }
        for block in blocks
        for part in passages(str(block.get("value") or ""))
    ]
    yield FileContent(path, tuple(items))
    for agent in agents:
        yield FileContent(path, tuple(_messages(path, wanted, agent)))


def _messages(path: Path, wanted: Wanted, agent: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    name = str(agent.get("name") or agent.get("id") or path.stem)
    for message in dicts(agent.get("messages")):
        role, text = message.get("role"), _text(message.get("content") or message.get("text"))
        if role in ("user", "assistant") and text:
            yield {
                "content": text,
                "kind": "message",
                "author": "user" if role == "user" else name[:200],
                "session": name[:200],
                "created": moment(message.get("created_at")),
                "project": wanted.project,
                "metadata": origin(PROGRAM, path, agent=name),
            }


def _text(content: object) -> str:
    if isinstance(content, str):
        return content.strip()
    return "\n".join(str(part.get("text") or "") for part in dicts(content)).strip()
