"""Commits that were made in a session, with their message and their files."""

from __future__ import annotations

import re

from milepost.sessions.edits import edit_of, listed, short_path, stem
from milepost.sessions.values import Note
from milepost.text.commands import commands, is_shell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from milepost.sessions.values import Turn

_MESSAGE_MAX = 240
_DONE = r"(?m)^\[[^\]\n]{0,120}?(?P<hash>[0-9a-f]{7,40})\] (?P<title>.{1,200})"
_MADE = r"(?m)^ (?:create|delete) mode \d+ (\S+)"
_DOCUMENT = r"(?s)<<-?\s*['\"]?(?P<end>\w+)['\"]?\n(?P<message>.*?)\n\s*(?P=end)\b"
_QUOTED = (
    r"(?s)\s(?:-\w*m|--message)[ =]?"
    r"(?:\"(?P<message>(?:[^\"\\]|\\.){1,2000})\"|'(?P<single>[^']{1,2000})')"
)


def commits(turns: Sequence[Turn]) -> Iterator[tuple[int, Note]]:
    """Yield a note for each commit that succeeded, with the place of its turn."""
    edited: list[str] = []
    for place, turn in enumerate(turns):
        if edit := edit_of(turn):
            edited.append(edit.path)
        elif is_commit(turn):
            yield place, _note(turn, edited)
            edited = []


def is_commit(turn: Turn) -> bool:
    """Whether a turn committed something."""
    if turn.failed or not is_shell(turn.tool) or "commit" not in turn.input:
        return False
    ran = any(command.name == "git commit" and command.changes for command in commands(turn.input))
    return ran and "nothing to commit" not in turn.text and "no changes added" not in turn.text


def _note(turn: Turn, edited: list[str]) -> Note:
    done = re.search(_DONE, turn.text)
    message = " ".join((_message(turn.input) or (done["title"] if done else "")).split())
    files = _files(turn) or edited
    hash_ = f" {done['hash']}" if done else ""
    about = f" ({listed(files)})" if files else ""
    text = f"Committed{hash_}: {message[:_MESSAGE_MAX]}{about}"
    return Note("commit", text, tuple(dict.fromkeys(["git", *map(stem, files[:4])])), turn.at)


def _message(command: str) -> str | None:
    """Return the first message that a command gives: in quotes, or as a document."""
    match = re.search(_DOCUMENT, command) or re.search(_QUOTED, command)
    if match is None:
        return None
    message = match["message"] or match.groupdict().get("single") or ""
    lines = [line.strip() for line in message.replace("\\n", "\n").splitlines()]
    lines = [line for line in lines if line and not line.startswith(("Co-Authored-By", "🤖"))]
    return ". ".join(line.rstrip(".") for line in lines[:3])


def _files(turn: Turn) -> list[str]:
    """Return the files that a command added by name, and those the commit says it made."""
    added = [command for command in commands(turn.input) if command.name == "git add"]
    named = [word.strip("'\"") for command in added for word in command.text.split()[2:]]
    files = [*named, *re.findall(_MADE, turn.text)]
    files = [word for word in files if not word.startswith("-") and word != "."]
    return list(dict.fromkeys(map(short_path, files)))
