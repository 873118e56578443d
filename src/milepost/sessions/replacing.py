"""Which older memories the notes of a session take the place of."""

import re
from collections.abc import Iterator, Sequence

from milepost.memory.branches import branches_told
from milepost.memory.context import Context
from milepost.memory.home import home_of
from milepost.memory.remember import content_hash
from milepost.memory.values import USER, Filter, Record, weaker
from milepost.sessions.causes import cause_in
from milepost.sessions.changing import changes_it, instead_of, spoken_before
from milepost.sessions.commits import commits
from milepost.sessions.covering import (
    covers,
    done_words,
    nearest_note,
    passed_later,
    passing_run,
    words_of,
)
from milepost.sessions.jokes import is_joke
from milepost.sessions.marks import SETTLED
from milepost.sessions.statements import is_unsettled
from milepost.sessions.troubles import MET, last_runs, met
from milepost.sessions.values import Note, Turn
from milepost.text.failures import tells
from milepost.text.mending import Act
from milepost.text.overturning import is_against_something, may_overturn, overturns
from milepost.text.pasted import own_words
from milepost.text.purposes import purpose_of
from milepost.text.sentences import sentences

_STATED = ("decision", "preference", "fact", "note")
_CHANGING = frozenset(("decision", "preference"))
# What people call a statement when they store it themselves.
_CALLED = (*_STATED, "architecture", "convention", "rule", "requirement", "constraint")
# So much of what a decision is about was said by who then speaks of "it".
_SPOKEN_OF, _SPOKEN_MIN = 0.75, 2
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
# What tells that something is done.
_TELLING = ("commit", "summary")
_HEAD = 60
Replacement = tuple[Note, str]
# A memory, and what it says.
Stated = tuple[Record, str]


def overturned(
    context: Context, project: str | None, notes: Sequence[Note]
) -> Iterator[Replacement]:
    """Yield the notes that overturn what was stated before, with what they overturn."""
    stating = [note for note in notes if note.kind in _STATED]
    known = _stated(context, project) if stating else []
    for note in stating:
        made = note.at * 1e6 if note.at is not None else context.clock()
        # What a commit adds bears a statement out, but states nothing.
        stated = _JOINED.sub("", note.text)
        older = _before(known, made, stated)
        for record, _ in _overturned_by(stated, older, changes=note.kind in _CHANGING):
            yield note, record.hash
        for other in stating[: stating.index(note)]:
            name = content_hash(other.text)
            # What stands in the store already was compared above.
            new = context.store.memories.record(context.space, name) is None
            if new and overturns(
                stated, _JOINED.sub("", other.text), changes=note.kind in _CHANGING
            ):
                yield note, name


def _overturned_by(text: str, older: Sequence[Stated], *, changes: bool) -> list[Stated]:
    """Return what a statement overturns: what surely is the same, else the only one it may mean."""
    sure = [one for one in older if overturns(text, one[1], changes=changes)]
    if sure:
        return sure
    possible = [one for one in older if may_overturn(text, one[1])]
    return possible if len(possible) == 1 else []


def redecided(
    context: Context, project: str | None, turns: Sequence[Turn], notes: Sequence[Note]
) -> Iterator[Replacement]:
    """Yield what users say that is a decision because it changes one that is known, with that."""
    # A summary that repeats what was asked decides nothing.
    told = [note.text for note in notes if note.kind in _STATED]
    known: list[Stated] | None = None
    for place, sentence in _changes(turns):
        if any(sentence.rstrip(".!") in text for text in told):
            continue
        known = _stated(context, project) if known is None else known
        at = turns[place].at
        made = at * 1e6 if at is not None else context.clock()
        older = _before(known, made, sentence)
        if it := changes_it(sentence):
            former = _spoken_of(spoken_before(turns, place), older)
        else:
            former = _overturned_by(sentence, older, changes=False)
        for record, said in former:
            text = instead_of(sentence, said) if it else sentence
            whose = weaker(USER, record.source) if it else USER
            yield Note("decision", text, (), at, ((_SAID, sentence),), whose), record.hash


# Under this name a decision holds the words by which it was made; without what it changed they
# would be none.
_SAID = "said"


def _changes(turns: Sequence[Turn]) -> Iterator[tuple[int, str]]:
    """Yield the sentences of users that change something, with the places of their turns."""
    for place, turn in enumerate(turns):
        said = list(sentences(own_words(turn.text))) if turn.role == "user" else []
        for number, sentence in enumerate(said):
            changes = changes_it(sentence) or is_against_something(sentence)
            if changes and not is_unsettled(sentence) and not is_joke(said, number):
                yield place, sentence


def _spoken_of(text: str, older: Sequence[Stated]) -> list[Stated]:
    """Return the one decision that was spoken of, if it is one."""
    said = words_of(text)
    decisions = [(one, words_of(one[1])) for one in older if one[0].kind == "decision"]
    meant = [
        one
        for one, words in decisions
        if len(words) >= _SPOKEN_MIN and len(words & said) >= _SPOKEN_OF * len(words)
    ]
    return meant if len(meant) == 1 else []


def _before(known: Sequence[Stated], made_us: float, text: str) -> list[Stated]:
    """Return what was stated before a moment in other words than a text."""
    return [one for one in known if one[0].created_us < made_us and one[1] != text]


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
    said = {sentence for _, sentence in _changes(turns)}
    for record in _known(context, project, _STATED):
        # What was said before the turns that could be read may well stand.
        read = record.session == session and record.created_us >= first * 1e6
        if read and record.content not in texts and record.metadata.get(_SAID) not in said:
            yield summary, record.hash


def settled(
    context: Context,
    project: str | None,
    session: str,
    turns: Sequence[Turn],
    notes: Sequence[Note],
) -> Iterator[Replacement]:
    """Yield what was left open by earlier sessions and is done now, with the note that tells so."""
    telling = [note for note in notes if note.kind in _TELLING]
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


def turned_green(
    context: Context, project: str | None, turns: Sequence[Turn], notes: Sequence[Note]
) -> Iterator[tuple[Record, str]]:
    """Yield summaries that ended red and whose command goes well now, with the command.

    What failed is settled by what the session tells of itself, if it does; else it is among them.
    """
    last, telling = last_runs(turns), any(note.kind in _TELLING for note in notes)
    if not any(run.ok for run in last.values()):
        return
    for record in _known(context, project, ("summary",) if telling else ("summary", "error")):
        red = record.kind == "summary" or "open" in record.tags
        if red and SETTLED not in record.metadata and (command := passed_later(record, last)):
            yield record, command


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
            yield note, _again(note, same[0]), same[0].hash


def _is_same(record: Record, note: Note) -> bool:
    """Whether a memory is of the same trouble, as open as a note's."""
    error = dict(note.about).get("error", "")
    if record.metadata.get("error") != error or ("open" in record.tags) != ("open" in note.tags):
        return False
    telling = {word.lower() for word in _WORD.findall(error)} - _COMMON
    return tells(error) and len(telling) > 1


def _again(note: Note, record: Record) -> Note:
    """Return the note of an error with how often it came and what was found the other time."""
    count = int(record.metadata.get("count") or 1) + int(dict(note.about).get("count") or 1)
    found = "" if "open" in note.tags else record.content.partition("; ")[2].partition(MET)[0]
    return met(note, count, found)


def _known(context: Context, project: str | None, kinds: Sequence[str]) -> list[Record]:
    """Return what was noticed in the project and may be replaced from where the work is done."""
    return [r for r in _all_known(context, project, kinds) if r.metadata.get("by") == "notice"]


def _stated(context: Context, project: str | None) -> list[Stated]:
    """Return what anybody stated in the project, or committed, with the one thing that it says."""
    records = _all_known(context, project, (*_CALLED, "commit"))
    own = [r for r in records if r.kind != "commit" or r.metadata.get("by") == "notice"]
    return [(record, said) for record in own if (said := _one_thing(record))]


def _all_known(context: Context, project: str | None, kinds: Sequence[str]) -> list[Record]:
    """Return what is known of the project and may be replaced from where the work is done.

    What is decided or done on a branch changes nothing elsewhere before it is merged, and who works
    on no project changes what belongs to none.
    """
    home = home_of(context)
    branches = branches_told(context, home).names if home.place.git else None
    where = Filter(context.space, context.clock(), project=project, branches=branches)
    ids = context.store.candidates.newest_of(where, kinds, _LOOKED_AT)
    records = context.store.memories.records([i for kind in kinds for i in ids[kind]])
    own = [record for record in records if project is not None or not record.projects]
    return [record for record in own if home.branch in (None, record.branch)]
