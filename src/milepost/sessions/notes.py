"""What deserves to be remembered of a stretch of a session."""

from __future__ import annotations

import re
from functools import cache

from milepost.memory.remember import REQUIREMENT
from milepost.memory.values import ASSISTANT, USER
from milepost.sessions.causes import is_explanation, is_refuted, next_prompt
from milepost.sessions.changing import changes_it, decided_before, instead_of
from milepost.sessions.commits import commits, is_commit
from milepost.sessions.edits import edit_of, listed, stem
from milepost.sessions.jokes import is_joke
from milepost.sessions.requests import request_in
from milepost.sessions.statement_words import RETRACTIONS
from milepost.sessions.statements import is_of_others, is_requirement, kind_of, without_refusal
from milepost.sessions.tasks import unfinished
from milepost.sessions.transcript import shortened
from milepost.sessions.troubles import failed, troubles
from milepost.sessions.values import Note
from milepost.sessions.ways import marked, tells_way
from milepost.sessions.wishes import is_wish, wishes
from milepost.text.expressions import lazy
from milepost.text.lines import clip
from milepost.text.pasted import own_words
from milepost.text.secrets import without_secrets
from milepost.text.secrets.mark import SECRET
from milepost.text.secrets.private import without_private
from milepost.text.sentences import sentences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from milepost.sessions.values import Turn

_TAKEN_BACK = lazy(RETRACTIONS)
NOTE_MAX = 400
TAGS_MAX = 5
_PURPOSE_MAX = 160
_HEAD = 60
_OUTPUT_MAX = 6_000


def notes_of(turns: Sequence[Turn]) -> list[Note]:
    """Return what to remember of some turns, in their order and each thing once."""
    safe = safe_turns(turns)
    notes = [
        *wishes(safe),
        *_statements(safe),
        *troubles(safe),
        *commits(safe),
        *_changes(safe),
        *unfinished(safe),
    ]
    notes.sort(key=lambda placed: placed[0])
    return list(_once(_unexplained([_finished(note) for _, note in notes])))


def _unexplained(notes: Sequence[Note]) -> Iterator[Note]:
    """Yield the notes but for causes that stand in the note of an error already."""
    errors = [note.text for note in notes if note.kind == "error"]
    for note in notes:
        head = note.text[:_HEAD]
        if note.kind != "insight" or not any(head in error for error in errors):
            yield note


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
    explanations = last_words & _after_work(turns)
    for place, turn in enumerate(turns):
        if turn.role == "tool" or (turn.role == "assistant" and is_refuted(turns, place)):
            continue
        said = list(sentences(own_words(turn.text) if turn.role == "user" else turn.text))
        spans = marked(turn.text) if turn.role == "user" else frozenset()
        for number, sentence in enumerate(said):
            stated = without_refusal(sentence) if turn.role == "user" else sentence
            kind = kind_of(sentence, turn.role)
            if kind is None and stated != sentence:
                kind = kind_of(stated, turn.role)
            former = turn.role == "user" and _former(turns, place, said[: number + 1])
            kind = "decision" if former else kind
            if kind is None and turn.role == "user" and _tells_way(stated, spans):
                kind = "fact"
            if kind is None and place in explanations and is_explanation(sentence):
                kind = "insight"
            if kind is None or (turn.role == "user" and _is_unmeant(said, number)):
                continue
            if kind == "decision" and _is_taken_back(turns, place):
                continue
            if kind != "next" or _is_left(turns, place, last_words):
                required = kind == "preference" and is_requirement(stated)
                tags = [*([REQUIREMENT] if required else []), *_names(stated)]
                text = instead_of(stated, former) if former else stated
                # What stood before may have been the agent's.
                whose = USER if turn.role == "user" and not former else ASSISTANT
                yield place, Note(kind, text, tuple(tags), turn.at, source=whose)


def _tells_way(sentence: str, spans: frozenset[str]) -> bool:
    return tells_way(sentence, spans) and not is_of_others(sentence.lower())


def _former(turns: Sequence[Turn], place: int, said: Sequence[str]) -> str:
    """Return the decision that the last sentence of a prompt so far changes, if it changes "it"."""
    return decided_before(turns, place, said[:-1]) if changes_it(said[-1]) else ""


def _is_left(turns: Sequence[Turn], place: int, last_words: set[int]) -> bool:
    """Whether what is said to be next is left for later.

    What an agent says it will do next it does, unless it then stops; what a user says is next is an
    order if files are changed before the user speaks again.
    """
    if turns[place].role == "assistant":
        return place in last_words
    for turn in (turns[i] for i in range(place + 1, len(turns))):
        if turn.role == "user":
            break
        if edit_of(turn):
            return False
    return True


def _is_taken_back(turns: Sequence[Turn], place: int) -> bool:
    """Whether the user thinks better of a decision with the next prompt."""
    return _TAKEN_BACK.search(next_prompt(turns, place)) is not None


def _is_unmeant(said: Sequence[str], number: int) -> bool:
    """Whether a user's sentence is a joke, or asks to remember another one."""
    return is_joke(said, number) or is_wish(said[number])


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


def _after_work(turns: Sequence[Turn]) -> set[int]:
    """Return the places of what was said after a file was changed and before the next prompt."""
    places: set[int] = set()
    worked = False
    for place, turn in enumerate(turns):
        if turn.role == "user":
            worked = False
        elif edit_of(turn):
            worked = True
        elif turn.role == "assistant" and worked:
            places.add(place)
    return places


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


# What says nothing once the secret in it is hidden.
_POINTLESS = frozenset(("note", "preference", "fact", "next"))


def _once(notes: Iterable[Note]) -> Iterator[Note]:
    """Yield each note the first time it is made, whatever its case and punctuation."""
    seen: set[str] = set()
    wished: list[str] = []
    for note in notes:
        key = " ".join(re.findall(r"\w+", note.text.lower()))
        pointless = note.kind in _POINTLESS and SECRET in note.text
        if pointless or key in seen or any(key in wish or wish in key for wish in wished):
            continue
        seen.add(key)
        if note.kind == "note":
            wished.append(key)
        yield note
