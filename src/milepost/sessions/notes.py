"""What deserves to be remembered of a stretch of a session."""

from __future__ import annotations

import re
from functools import cache

from milepost.sessions.commits import commits, is_commit
from milepost.sessions.edits import edit_of, listed, stem
from milepost.sessions.requests import request_in
from milepost.sessions.statements import kind_of
from milepost.sessions.tasks import unfinished
from milepost.sessions.transcript import shortened
from milepost.sessions.troubles import failed, troubles
from milepost.sessions.values import Note
from milepost.text.lines import clip
from milepost.text.secrets import without_secrets
from milepost.text.secrets.private import without_private
from milepost.text.sentences import sentences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from milepost.sessions.values import Turn

NOTE_MAX = 400
TAGS_MAX = 5
_PURPOSE_MAX = 160
_OUTPUT_MAX = 6_000


def notes_of(turns: Sequence[Turn]) -> list[Note]:
    """Return what to remember of some turns, in their order and each thing once."""
    safe = safe_turns(turns)
    notes = [
        *_statements(safe),
        *troubles(safe),
        *commits(safe),
        *_changes(safe),
        *unfinished(safe),
    ]
    notes.sort(key=lambda placed: placed[0])
    return list(_once(_finished(note) for _, note in notes))


def safe_turns(turns: Sequence[Turn]) -> list[Turn]:
    """Return the turns that may be read, without secrets."""
    return [_safe(turn) for turn in _without_skipped(turns)]


def _without_skipped(turns: Sequence[Turn]) -> Iterator[Turn]:
    """Yield the turns of the prompts that do not ask to be left alone."""
    skipped = False
    for turn in turns:
        if turn.role == "user":
            skipped = "#skip" in turn.text.lower() and request_in(turn.text).skip
        if not skipped:
            yield turn


def _safe(turn: Turn) -> Turn:
    """Return a turn without secrets; of an output only as much as anybody would quote."""
    if turn.role != "tool":
        return turn._replace(text=without_secrets(turn.text))
    output = shortened(without_private(turn.text), _OUTPUT_MAX)
    if failed(turn) or is_commit(turn):
        output = without_secrets(output)
    return turn._replace(text=output, input=without_secrets(turn.input))


def _statements(turns: Sequence[Turn]) -> Iterator[tuple[int, Note]]:
    """Yield what was decided, wished, understood and left open in so many words."""
    last_words = _last_words(turns)
    for place, turn in enumerate(turns):
        if turn.role == "tool":
            continue
        for sentence in sentences(turn.text):
            kind = kind_of(sentence, turn.role)
            # What an agent says it will do next it does, unless it then stops.
            if kind and not (
                kind == "next" and turn.role == "assistant" and place not in last_words
            ):
                yield place, Note(kind, sentence, tuple(_names(sentence)), turn.at)


def _last_words(turns: Sequence[Turn]) -> set[int]:
    """Return the places of the last thing that was said before each prompt and at the end."""
    places: set[int] = set()
    last: int | None = None
    for place, turn in enumerate(turns):
        if turn.role == "assistant":
            last = place
        elif turn.role == "user" and last is not None:
            places.add(last)
            last = None
        elif turn.role == "tool":
            last = None
    return places if last is None else places | {last}


def _changes(turns: Sequence[Turn]) -> Iterator[tuple[int, Note]]:
    """Yield the files that each prompt had changed, unless a commit tells of them."""
    purpose = ""
    edited: dict[str, str] = {}
    place, at = 0, None
    last = max((here for here, turn in enumerate(turns) if is_commit(turn)), default=-1)
    # What was changed before the last commit is told by that one, or by one before it.
    for here, turn in enumerate(turns[last + 1 :], last + 1):
        if turn.role == "user":
            yield from _changed(edited, purpose, place, at)
            purpose, edited = _purpose(turn.text), {}
        elif edit := edit_of(turn):
            edited[edit.path] = edited.get(edit.path) or edit.what
            place, at = here, turn.at
    yield from _changed(edited, purpose, place, at)


def _changed(
    edited: dict[str, str], purpose: str, place: int, at: float | None
) -> Iterator[tuple[int, Note]]:
    if not edited:
        return
    what = next((what for what in edited.values() if what), "")
    how = f" ({what})" if what else ""
    why = f", asked: {purpose}" if purpose else ""
    tags = tuple(dict.fromkeys(map(stem, edited)))
    yield place, Note("change", f"Edited {listed(edited)}{how}{why}", tags, at)


def _purpose(prompt: str) -> str:
    """Return the first sentence of a prompt that says something."""
    parts = [part for part in sentences(prompt) if len(part) > 3]
    said = next((part for part in parts if part.count(" ") >= 2), parts[0] if parts else "")
    return clip(said, _PURPOSE_MAX)


def _names(sentence: str) -> Iterator[str]:
    """Yield the files and names of programs that a sentence mentions, as tags."""
    for match in _name().finditer(sentence):
        yield stem(match[0])


@cache
def _name() -> re.Pattern[str]:
    kinds = (
        "py pyi js jsx ts tsx go rs java kt rb php c h cpp cs swift sql sh md toml yaml yml "
        "json css html vue tf"
    )
    file = rf"[\w./-]{{0,120}}\w\.(?:{'|'.join(kinds.split())})"
    symbol = (
        r"[a-z]+(?:_[a-z0-9]+)+|[a-z]+[A-Z]\w+|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+"
        r"|[A-Z][A-Z0-9]+_[A-Z0-9_]+"
    )
    return re.compile(rf"\b(?:{file}|{symbol})\b")


def _finished(note: Note) -> Note:
    text = " ".join(note.text.split())
    if len(text) > NOTE_MAX:
        text = f"{text[: text.rfind(' ', NOTE_MAX // 2, NOTE_MAX - 1)].rstrip()}…"
    tags = [tag.lower()[:60] for tag in dict.fromkeys(note.tags) if tag]
    return note._replace(text=text[:NOTE_MAX], tags=tuple(tags[:TAGS_MAX]))


def _once(notes: Iterable[Note]) -> Iterator[Note]:
    """Yield each note the first time it is made, whatever its case and punctuation."""
    seen: set[tuple[str, ...]] = set()
    for note in notes:
        key = tuple(re.findall(r"\w+", note.text.lower()))
        if key not in seen:
            seen.add(key)
            yield note
