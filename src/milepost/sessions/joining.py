"""Join commits to what was decided: git knows them, and what they say is evidence of that.

A commit whose message gives a reason or a choice that nobody else stated is kept for itself.
"""

from __future__ import annotations

import re

from milepost.memory.values import ASSISTANT, weaker
from milepost.sessions.causes import is_explanation
from milepost.sessions.covering import words_of
from milepost.sessions.statements import kind_of
from milepost.text.lines import clip
from milepost.text.overturning import names_former
from milepost.text.sentences import sentences
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from milepost.sessions.values import Note

_STATING = frozenset(("decision", "preference", "note", "fact"))
_FOUND = frozenset(("error", "insight"))
_REASONS = frozenset(("decision", "preference", "insight"))
_HEAD = re.compile(r"^Committed(?: (\w+))?: ")
# So much of a commit's message must be said by the statements it is joined to.
_SHARE, _WORDS_MIN, _TITLE_MAX = 0.75, 2, 100


class Joined(NamedTuple):
    """Notes with commits joined to them, what changed with its old text, and the commits by name.

    commits: what a summary says of each: its hash, and its subject if no note tells of it.
    """

    notes: list[Note]
    changed: list[tuple[Note, str]]
    commits: list[str]


def joined(notes: Sequence[Note]) -> Joined:
    """Return notes of a session with its commits joined to those that they bear out."""
    added: dict[str, list[str]] = {}
    told: set[str] = set()
    names = []
    for commit in (note for note in notes if note.kind == "commit"):
        keeps, borne_out = _place(commit, notes)
        names.append(_name(commit, whole=not keeps and not borne_out))
        if not keeps:
            told.add(commit.text)
        for number, note in enumerate(borne_out):
            added.setdefault(note.text, []).append(_name(commit, whole=number == 0))
    kept = [note for note in notes if note.text not in told]
    changed = [(_named(note, added[note.text]), note.text) for note in kept if note.text in added]
    renamed = {old: note for note, old in changed}
    return Joined([renamed.get(n.text, n) for n in kept], changed, list(filter(None, names)))


def _place(commit: Note, notes: Sequence[Note]) -> tuple[bool, list[Note]]:
    """Return whether a commit stays a note of its own, and the notes that it bears out."""
    words = words_of(_message(commit))
    telling = [n for n in notes if n.kind in _STATING | _FOUND and "open" not in n.tags]
    stating = [n for n in telling if n.kind in _STATING and _shared(words, n) >= _WORDS_MIN]
    said = frozenset().union(*(words_of(note.text) for note in stating))
    if stating and len(words & said) >= _SHARE * len(words):
        return False, stating
    if _decides(commit):
        return True, []
    files = set(commit.tags[1:])
    near = [n for n in telling if _shared(words, n) >= _WORDS_MIN or files.intersection(n.tags)]
    return False, sorted(near, key=lambda note: -_shared(words, note))[:1]


def _decides(commit: Note) -> bool:
    """Whether a message says why, or what was chosen: in its body, or in so many words."""
    message = _message(commit)
    if "body" in dict(commit.about) or names_former(message):
        return True
    return any(is_explanation(s) or kind_of(s, "user") in _REASONS for s in sentences(message))


def _message(commit: Note) -> str:
    about = dict(commit.about)
    return ". ".join(filter(None, (about.get("subject"), about.get("body"))))


def _shared(words: frozenset[str], note: Note) -> int:
    return len(words & words_of(note.text))


def _name(commit: Note, *, whole: bool) -> str:
    """Return a commit by its hash, and by its subject too."""
    head = _HEAD.match(commit.text)
    subject = clip(dict(commit.about).get("subject", ""), _TITLE_MAX) if whole else ""
    return ": ".join(filter(None, (head[1] if head else None, subject)))


def _named(note: Note, commits: Sequence[str]) -> Note:
    names = ", ".join(filter(None, commits))
    if not names:
        return note
    text = f"{note.text} (commit {names})"
    return note._replace(text=text, source=weaker(note.source, ASSISTANT))
