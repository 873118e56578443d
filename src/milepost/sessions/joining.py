"""Join commits to what was decided: one that says nothing else is told by its hash there."""

from __future__ import annotations

import re

from milepost.sessions.covering import words_of
from milepost.text.lines import clip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from milepost.sessions.values import Note

_STATING = frozenset(("decision", "preference", "note", "fact"))
_HEAD = re.compile(r"^Committed (\w+): ")
_FILES = re.compile(r" \([^()]*\)$")
# So much of a commit's message must be said by the statements it is joined to.
_SHARE, _WORDS_MIN, _TITLE_MAX = 0.75, 2, 100


def joined(notes: Sequence[Note]) -> tuple[list[Note], list[tuple[Note, str]]]:
    """Return notes with commits joined to statements, and what changed with its old text."""
    stating = [note for note in notes if note.kind in _STATING]
    added: dict[str, list[str]] = {}
    told: set[str] = set()
    for commit in (note for note in notes if note.kind == "commit"):
        head = _HEAD.match(commit.text)
        title = _FILES.sub("", _HEAD.sub("", commit.text))
        words = words_of(title)
        shared = [note for note in stating if len(words & words_of(note.text)) >= _WORDS_MIN]
        said = frozenset().union(*(words_of(note.text) for note in shared))
        if head and shared and len(words & said) >= _SHARE * len(words):
            told.add(commit.text)
            for place, note in enumerate(shared):
                named = f"{head[1]}: {clip(title, _TITLE_MAX)}" if place == 0 else head[1]
                added.setdefault(note.text, []).append(named)
    kept = [note for note in notes if note.text not in told]
    changed = [(_named(note, added[note.text]), note.text) for note in kept if note.text in added]
    renamed = {old: note for note, old in changed}
    return [renamed.get(note.text, note) for note in kept], changed


def _named(note: Note, commits: Sequence[str]) -> Note:
    return note._replace(text=f"{note.text} (commit {', '.join(commits)})")
