"""Transcripts of Codex: one JSON object a line, of which the response items are the talk."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from milepost.config import folder_of
from milepost.sessions.values import Turn
from milepost.surfaces.importing.json_files import dicts, json_lines
from milepost.surfaces.importing.source import FileContent, Wanted, moment
from milepost.surfaces.importing.transcripts import remembered
from milepost.workspace.project import detect

# What the client puts into the user's mouth.
_NOT_SAID = ("<environment_context", "<user_instructions", "<permissions", "# AGENTS.md", "<skill")
_EXIT = re.compile(r"^(?:Process exited with code|Exit code:) (\d+)", re.MULTILINE)
_OUTPUT = re.compile(r"\A(?:[\w ]+:.*\n|Process exited.*\n)*?Output:\n")
_TEXT_MAX = 20_000


def own_files() -> list[Path]:
    """Return the transcripts of this user, the oldest first."""
    home = Path(folder_of("CODEX_HOME", ".codex"))
    return sorted(home.glob("sessions/**/*.jsonl"), key=lambda path: path.name)


def read(path: Path, wanted: Wanted) -> Iterator[FileContent]:
    """Yield what is to be remembered of a session."""
    calls: dict[str, tuple[str, str]] = {}
    turns: list[Turn] = []
    session, folder = path.stem, ""
    for _, line in json_lines(path):
        payload = line.get("payload") if isinstance(line, dict) else None
        if not isinstance(line, dict) or not isinstance(payload, dict):
            continue
        if line.get("type") == "session_meta":
            session, folder = str(payload.get("id") or session), str(payload.get("cwd") or "")
        elif line.get("type") == "response_item":
            turns += _turns(payload, calls, moment(line.get("timestamp")))
    owner = wanted.project or (detect(folder).name if folder and Path(folder).is_dir() else None)
    yield remembered(path, turns, session, owner)


def _turns(
    item: Mapping[str, Any], calls: dict[str, tuple[str, str]], at: float | None
) -> Iterator[Turn]:
    kind, call = item.get("type"), str(item.get("call_id") or "")
    if kind == "message" and item.get("role") in ("user", "assistant"):
        text = "\n".join(str(part.get("text") or "") for part in dicts(item.get("content")))
        if text.strip() and not text.lstrip().startswith(_NOT_SAID):
            yield Turn(str(item["role"]), text.strip()[:_TEXT_MAX], at=at)
    elif kind in ("function_call", "custom_tool_call"):
        asked = item.get("arguments") or item.get("input") or ""
        calls[call] = (str(item.get("name") or ""), _asked(str(asked)))
    elif kind in ("function_call_output", "custom_tool_call_output") and call in calls:
        tool, asked = calls.pop(call)
        text, failed = _answer(item.get("output"))
        yield Turn("tool", text[:_TEXT_MAX], tool, asked, failed, at)


def _asked(arguments: str) -> str:
    """Return the command of a call, or all that it was given."""
    try:
        given = json.loads(arguments)
    except ValueError:
        return arguments
    command = given.get("cmd") or given.get("command") if isinstance(given, dict) else None
    if isinstance(command, list):
        is_shell = len(command) == 3 and command[1] in ("-c", "-lc")
        command = command[2] if is_shell else " ".join(map(str, command))
    return str(command) if command else arguments


def _answer(output: object) -> tuple[str, bool]:
    """Return what a tool answered, and whether it failed."""
    text = str(output.get("content") or "") if isinstance(output, dict) else str(output or "")
    if text.startswith("{"):
        try:
            told = json.loads(text)
        except ValueError:
            told = None
        if isinstance(told, dict) and "output" in told:
            ended = (told.get("metadata") or {}).get("exit_code")
            return str(told["output"]), ended not in (None, 0)
    code = _EXIT.search(text)
    return _OUTPUT.sub("", text), code is not None and code[1] != "0"
