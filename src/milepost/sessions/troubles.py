"""Failures of a session, each with what made it go away, or as still open."""

from __future__ import annotations

import re
from collections import Counter

from milepost.sessions.causes import cause_of, is_refuted, last_words_on, state_before
from milepost.sessions.edits import FileEdit, edit_of, stem
from milepost.sessions.values import Note
from milepost.text.commands import Command, is_shell
from milepost.text.failures import error_line, is_far, is_slip, tells
from milepost.text.lines import clip
from milepost.text.mending import Act, Mending, mendings, passes_later, ran
from milepost.text.purposes import purpose_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from milepost.sessions.values import Turn

# Refusals of the client and of the person are no failures of the work.
_REFUSED = re.compile(
    r"<tool_use_error>|The user doesn't want|user rejected|Request interrupted|permission to use"
    r"|has not been read yet|Blocked by hook|requires approval"
)
_SUMMARY = r"(?m)\b[1-9]\d* (?:failed|errors?)\b|^FAILED |Traceback \(most recent call last\)"
_SAID_MAX, _FIX_MAX, _READ_MAX = 200, 120, 2_000
# What stands before the count of how often an error came.
MET = " (met "
# That these fail is not worth telling.
_IDLE = frozenset(("kill", "pkill", "killall"))


def troubles(turns: Sequence[Turn]) -> Iterator[tuple[int, Note]]:
    """Yield a note for each failure, with the place of the turn at which it was settled."""
    acts = all_acts(turns)
    mended = {id(mending.failure): mending for mending in mendings(acts)}
    times = Counter((act.key, act.error) for act in acts if not act.ok)
    unsettled: dict[str, tuple[int, Note]] = {}
    for place, act in enumerate(acts):
        said = "" if act.ok or act.did.name in _IDLE else clip(error_line(act.output), _SAID_MAX)
        if not said or is_far(act.output[-_READ_MAX:]) or is_slip(said):
            continue
        # What follows a semicolon in a note is what mended it.
        said = said.replace("; ", ", ")
        if mending := mended.get(id(act)):
            yield from _counted(_mended(turns, mending, said), times)
        elif not _is_over(act, acts[place + 1 :]):
            text = f"failed and was not fixed: {said}{last_words_on(turns, act.number)}"
            unsettled[act.key] = act.number, _note(act, text, "open")
    yield from _counted(unsettled.values(), times)


def _counted(
    placed: Iterable[tuple[int, Note]], times: Mapping[tuple[str, str], int]
) -> Iterator[tuple[int, Note]]:
    """Yield notes of errors with how often they came, where that is more than once."""
    for place, note in placed:
        about = dict(note.about)
        count = times[about["command"], about["error"]] if tells(about["error"]) else 1
        yield place, met(note, count)


def met(note: Note, count: int, before: str = "") -> Note:
    """Return the note of an error that came so often, and what was found the other time."""
    if count < 2:
        return note
    about = {**dict(note.about), "count": str(count)}
    more = f"; before: {before}" if before else ""
    text = f"{note.text.partition(MET)[0]}{MET}{count} times{more})"
    return note._replace(text=text, about=tuple(about.items()))


def last_runs(turns: Sequence[Turn]) -> dict[str, Act]:
    """Return by command the last time that it was run."""
    return {act.key: act for act in all_acts(turns)}


def all_acts(turns: Sequence[Turn]) -> list[Act]:
    """Return what was done in some turns, in order, each act with the place of its turn."""
    return [
        act._replace(number=place, step=turn)
        for place, turn in enumerate(turns)
        for act in acts_of(turn)
    ]


def _mended(turns: Sequence[Turn], mending: Mending, said: str) -> Iterator[tuple[int, Note]]:
    """Yield what mended a failure: the cause that was stated, else what was changed, and why."""
    act, place = mending.failure, mending.success.number
    how, tag = _how(mending)
    if is_refuted(turns, place):
        return
    if cause := cause_of(turns, place, act.output):
        said = clip(said, _SAID_MAX if len(cause) < _SAID_MAX // 2 else _SAID_MAX // 2)
        yield place, _note(act, f"failed: {said}; {cause}", tag or "cause")
    elif how:
        state = state_before(turns, act.number, place, act.output)
        why = f"{state}; " if state else ""
        yield place, _note(act, f"failed: {said}; {why}{how}", tag)


def _is_over(failure: Act, rest: Sequence[Act]) -> bool:
    """Whether the same went well later, or what it was for was done another way."""
    if passes_later(failure, rest) or failure.did.name.endswith((" -c", " -e")):
        return True
    purpose = purpose_of(failure.did)
    others = (act for act in rest if act.ok and act.key != failure.key)
    return bool(purpose) and any(purpose_of(act.did) == purpose for act in others)


def failed(turn: Turn) -> bool:
    """Whether a tool's turn is a failure of the work."""
    return turn.role == "tool" and _failed(turn) and not _REFUSED.search(turn.text[:500])


def _failed(turn: Turn) -> bool:
    # A pipe hides the exit code: then the output of what runs things is believed.
    return turn.failed or (is_shell(turn.tool) and _tells_failure(turn.text[-4_000:]))


def _tells_failure(output: str) -> bool:
    signs = ("failed", "FAILED", "error", "Traceback")
    return any(sign in output for sign in signs) and re.search(_SUMMARY, output) is not None


def acts_of(turn: Turn) -> Iterator[Act]:
    """Yield what a turn did: an edit, or the commands of a line that do more than look."""
    if edit := edit_of(turn):
        yield Act(Command(f"edit {edit.path}", "", frozenset(), "", "changes"), True, "", turn.tool)
    elif turn.role == "tool" and is_shell(turn.tool) and not _REFUSED.search(turn.text[:500]):
        acts = ran(turn.input, turn.text, ok=not _failed(turn))
        yield from (act for act in acts if act.did.effect != "looks")


def _how(mending: Mending) -> tuple[str, str]:
    """Return what mended a failure, with a tag; nothing if it went away by itself."""
    edits = [edit for act in mending.change if (edit := edit_of(act.step))]
    ran = [act.did.text for act in mending.change if not edit_of(act.step)]
    if mending.cause_seen and not mending.change:
        ran = [mending.success.did.text]
    ways = [_edited(edits)] if edits else []
    ways += [f"running {ran[-1][:_FIX_MAX]}"] if ran else []
    if not ways:
        return "", ""
    return f"fixed by {' and '.join(ways)}", stem(edits[-1].path) if edits else ""


def _edited(edits: Sequence[FileEdit]) -> str:
    last = edits[-1]
    how = f" ({last.what})" if last.what else ""
    others = [edit.path for edit in edits if edit.path != last.path]
    return f"editing {last.path}{how}" + (f", also {others[-1]}" if others else "")


def _note(act: Act, text: str, tag: str = "") -> Note:
    program = stem(act.did.name.split(" ", 1)[0])
    tags = (tag, program) if tag == "open" else (program, tag)
    about = (("command", act.key), ("error", act.error))
    return Note("error", f"{act.did.name} {text}", tuple(filter(None, tags)), act.step.at, about)
