"""Commits that were made in a session, with their message and their files."""

from __future__ import annotations

import re

from milepost.memory.values import ASSISTANT
from milepost.sessions.edits import edit_of, listed, short_path, stem
from milepost.sessions.values import Note
from milepost.text.commands import commands, is_shell
from milepost.text.lines import clip_at_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from milepost.sessions.values import Turn

_MESSAGE_MAX = 240
_DONE = r"(?m)^\[[^\]\n]{0,120}?(?P<hash>[0-9a-f]{7,40})\] (?P<title>.{1,200})"
_TRAILER = re.compile(r"(?i)(?:co-authored-by|signed-off-by|reviewed-by):|🤖")
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
    subject, *body = _paragraphs(turn.input) or [done["title"] if done else ""]
    files = _files(turn) or edited
    hash_ = f" {done['hash']}" if done else ""
    where = f" ({listed(files)})" if files else ""
    message = clip_at_word(". ".join([subject, *body]), _MESSAGE_MAX)
    about = tuple((k, v) for k, v in (("subject", subject), ("body", " ".join(body))) if v)
    tags = tuple(dict.fromkeys(["git", *map(stem, files[:4])]))
    text = f"Committed{hash_}: {message}{where}"
    return Note("commit", text, tags, turn.at, about, ASSISTANT)


def _paragraphs(command: str) -> list[str]:
    """Return the message that a command gives, in quotes or as a document: subject and body."""
    document = re.search(_DOCUMENT, command)
    quoted = [m["message"] or m["single"] or "" for m in re.finditer(_QUOTED, command)]
    message = document["message"] if document else "\n\n".join(quoted)
    parts = re.split(r"\n\s*\n", message.replace("\\n", "\n"))
    subject, _, rest = parts[0].strip().partition("\n")
    told = (" ".join(_told(part)) for part in (subject, rest, *parts[1:]))
    return [text.rstrip(".") for text in told if text]


def _told(paragraph: str) -> list[str]:
    """Return the words of a paragraph but for lines that only say who made it."""
    lines = [line.strip() for line in paragraph.splitlines()]
    return [word for line in lines if not _TRAILER.match(line) for word in line.split()]


def _files(turn: Turn) -> list[str]:
    """Return the files that a command added by name, and those the commit says it made."""
    added = [command for command in commands(turn.input) if command.name == "git add"]
    named = [word.strip("'\"") for command in added for word in command.text.split()[2:]]
    files = [*named, *re.findall(_MADE, turn.text)]
    files = [word for word in files if not word.startswith("-") and word != "."]
    return list(dict.fromkeys(map(short_path, files)))
