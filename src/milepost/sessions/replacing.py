"""Which older memories the notes of a session take the place of."""

import re
from collections.abc import Iterator, Sequence

from milepost.memory.branches import branches_told
from milepost.memory.context import Context
from milepost.memory.home import home_of
from milepost.memory.values import Filter, Record
from milepost.sessions.causes import cause_in
from milepost.sessions.commits import commits
from milepost.sessions.covering import covers, done_words, nearest_note, passing_run
from milepost.sessions.overturning import overturns
from milepost.sessions.troubles import last_runs
from milepost.sessions.values import Note, Turn
from milepost.text.failures import tells
from milepost.text.mending import Act
from milepost.text.purposes import purpose_of
from milepost.text.sentences import sentences

_STATED = ("decision", "preference", "fact", "note")
_CHANGING = frozenset(("decision", "preference"))
# The hash before a commit's message, and the files behind it.
_COMMIT = re.compile(r"^Committed(?: \w+)?: | \([^()]*\)$")
_JOINED = re.compile(r" \(commit .*\)$")
_WORD = re.compile(r"[^\W\d_]{3,}")
# What every check says when it fails.
_COMMON = frozenset(
    "assert assertionerror error failed expected value but got not equal the and for with that path"
    " test tests failure exception".split()
)
_LOOKED_AT = 400
_HEAD = 60
Replacement = tuple[Note, str]


def overturned(
    context: Context, project: str | None, notes: Sequence[Note]
) -> Iterator[Replacement]:
    """Yield the notes that overturn what was stated before, with what they overturn."""
    stating = [note for note in notes if note.kind in _STATED]
    known = _known(context, project, (*_STATED, "commit")) if stating else []
    for note in stating:
        made = note.at * 1e6 if note.at is not None else context.clock()
        # What a commit adds bears a statement out, but states nothing.
        stated = _JOINED.sub("", note.text)
        for record in known:
            said = _one_thing(record)
            older = record.created_us < made and said and said != stated
            if older and overturns(stated, said, changes=note.kind in _CHANGING):
                yield note, record.hash


def _one_thing(record: Record) -> str:
    """Return what a memory says if it says one thing; of several the others would be hidden too."""
    said = _JOINED.sub("", record.content)
    if record.kind == "commit":
        said = _COMMIT.sub("", said)
        if "," in said or ";" in said:
            return ""
    return said if len(list(sentences(said))) == 1 else ""


def withdrawn(
    context: Context,
    project: str | None,
    session: str,
    turns: Sequence[Turn],
    notes: Sequence[Note],
) -> Iterator[Replacement]:
    """Yield what was kept of a session at once and does not stand at its end, with its summary."""
    summary = next((note for note in reversed(notes) if note.kind == "summary"), None)
    first = next((turn.at for turn in turns if turn.at is not None), None)
    if summary is None or first is None:
        return
    texts = {note.text for note in notes}
    for record in _known(context, project, _STATED):
        # What was said before the turns that could be read may well stand.
        read = record.session == session and record.created_us >= first * 1e6
        if read and record.content not in texts:
            yield summary, record.hash


def settled(
    context: Context,
    project: str | None,
    session: str,
    turns: Sequence[Turn],
    notes: Sequence[Note],
) -> Iterator[Replacement]:
    """Yield what was left open by earlier sessions and is done now, with the note that tells so."""
    telling = [note for note in notes if note.kind in ("commit", "summary")]
    if not telling:
        return
    last, made = last_runs(turns), [note for _, note in commits(turns)]
    worked = made or any(run.ok and purpose_of(run.did) for run in last.values())
    done = done_words(turns, made) if worked else frozenset()
    for record in _known(context, project, ("next", "error")):
        note = None
        if record.session == session:
            continue
        if record.kind == "next" and covers(done, record.content):
            note = nearest_note(record.content, telling)
        elif "open" in record.tags and (run := passing_run(record, last)):
            note = _mended(record, run, turns) or nearest_note(record.content, telling)
        if note is not None:
            yield note, record.hash


def told_once(
    notes: Sequence[Note], replaced: Sequence[Replacement]
) -> tuple[list[Note], list[Replacement]]:
    """Return both without causes that are joined to what an earlier session left; commits stay."""
    kept, told = [], list(replaced)
    for note in notes:
        head = note.text[:_HEAD]
        beside = [n for n, _ in told if n.kind == "error" and head in n.text]
        if note.kind != "insight" or not beside:
            kept.append(note)
            continue
        commits = "".join(_JOINED.findall(note.text))
        told = [(n._replace(text=n.text + commits) if n in beside else n, old) for n, old in told]
    return kept, told


def _mended(record: Record, run: Act, turns: Sequence[Turn]) -> Note | None:
    """Return the note of a failure that an earlier session left, with the cause that is known."""
    said = record.content.replace(" and was not fixed", "", 1).partition("; said last: ")[0]
    cause = cause_in(turns, said)
    about = tuple(
        (k, str(record.metadata[k])) for k in ("command", "error") if k in record.metadata
    )
    tags = tuple(tag for tag in record.tags if tag != "open")
    return Note("error", f"{said}; {cause}", tags, run.step.at, about) if cause else None


def rehearsed(
    context: Context, project: str | None, notes: Sequence[Note]
) -> Iterator[Replacement]:
    """Yield the notes of how the project is run, with the older ones for the same purpose."""
    commands = {dict(note.about)["purpose"]: note for note in notes if note.kind == "command"}
    for record in _known(context, project, ("command",)) if commands else ():
        note = commands.get(str(record.metadata.get("purpose")))
        if note is not None and record.content != note.text:
            yield note, record.hash


def recurred(
    context: Context, project: str | None, session: str, notes: Sequence[Note]
) -> Iterator[tuple[Note, Note, str]]:
    """Yield errors that were met before, as they are told with the earlier time, and that one."""
    errors = [note for note in notes if note.kind == "error"]
    known = _known(context, project, ("error",)) if errors else []
    for note in errors:
        same = [r for r in known if r.session != session and _is_same(r, note)]
        if same:
            again = note if "open" in note.tags else _again(note, same[0])
            yield note, again, same[0].hash


def _is_same(record: Record, note: Note) -> bool:
    """Whether a memory is of the same trouble, as open as a note's."""
    error = dict(note.about).get("error", "")
    if record.metadata.get("error") != error or ("open" in record.tags) != ("open" in note.tags):
        return False
    telling = {word.lower() for word in _WORD.findall(error)} - _COMMON
    return tells(error) and len(telling) > 1


def _again(note: Note, record: Record) -> Note:
    """Return the note of an error with how often it came and what was found the other time."""
    count = int(record.metadata.get("count") or 1) + 1
    before = record.content.partition("; ")[2].partition(" (met ")[0]
    text = f"{note.text} (met {count} times; before: {before})"
    about = (*note.about, ("count", str(count)))
    return note._replace(text=text, about=about)


def _known(context: Context, project: str | None, kinds: Sequence[str]) -> list[Record]:
    """Return what was noticed in the project and may be replaced from where the work is done.

    What is decided or done on a branch changes nothing elsewhere before it is merged.
    """
    home = home_of(context)
    branches = branches_told(context, home).names if home.place.git else None
    where = Filter(context.space, context.clock(), project=project, branches=branches)
    ids = context.store.candidates.newest_of(where, kinds, _LOOKED_AT)
    records = context.store.memories.records([i for kind in kinds for i in ids[kind]])
    noticed = [record for record in records if record.metadata.get("by") == "notice"]
    return [record for record in noticed if home.branch in (None, record.branch)]
