"""Failures of a session, each with what made it go away, or as still open."""

from __future__ import annotations

import re

from milepost.sessions.edits import FileEdit, edit_of, stem
from milepost.sessions.values import Note
from milepost.text.commands import Command, is_shell
from milepost.text.failures import error_line
from milepost.text.mending import Act, Mending, mendings, next_run, ran
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from milepost.sessions.values import Turn

# Refusals of the client and of the person are no failures of the work.
_REFUSED = re.compile(
    r"<tool_use_error>|The user doesn't want|user rejected|Request interrupted|permission to use"
    r"|has not been read yet|Blocked by hook|requires approval"
)
_SUMMARY = re.compile(
    r"\b[1-9]\d* (?:failed|errors?)\b|^FAILED |Traceback \(most recent call last\)", re.M
)
_SAID_MAX, _FIX_MAX = 200, 120
# That these fail is not worth telling.
_IDLE = frozenset(("kill", "pkill", "killall"))


class _Event(NamedTuple):
    """What a turn did: an edit, or one command of a line."""

    place: int
    act: Act
    edit: FileEdit | None
    at: float | None


def troubles(turns: Sequence[Turn]) -> Iterator[tuple[int, Note]]:
    """Yield a note for each failure, with the place of the turn at which it was settled."""
    events = [event for place, turn in enumerate(turns) for event in _events(place, turn)]
    acts = [event.act for event in events]
    mended = {mending.failure: mending for mending in mendings(acts)}
    unsettled: dict[str, _Event] = {}
    for number, event in enumerate(events):
        if event.act.ok or event.act.did.name in _IDLE or not _said(event):
            continue
        mending, again = mended.get(number), next_run(acts, number)
        if mending is not None:
            yield events[mending.success].place, _mended(events, mending)
        elif again is None:
            unsettled[event.act.did.name] = event
        elif acts[again].ok:
            yield events[again].place, _note(event, f"failed: {_said(event)}; it passed later")
    for event in unsettled.values():
        yield event.place, _note(event, f"failed and was not fixed: {_said(event)}", "open")


def failed(turn: Turn) -> bool:
    """Whether a tool's turn is a failure of the work."""
    return turn.role == "tool" and _failed(turn) and not _REFUSED.search(turn.text[:500])


def _failed(turn: Turn) -> bool:
    # A pipe hides the exit code: then the output of what runs things is believed.
    return turn.failed or (is_shell(turn.tool) and _tells_failure(turn.text[-4_000:]))


def _tells_failure(output: str) -> bool:
    signs = ("failed", "FAILED", "error", "Traceback")
    return any(sign in output for sign in signs) and _SUMMARY.search(output) is not None


def _events(place: int, turn: Turn) -> Iterator[_Event]:
    if edit := edit_of(turn):
        did = Command(f"edit {edit.path}", "", frozenset(), edit.path, "changes")
        yield _Event(place, Act(did, ok=True, tool=turn.tool), edit, turn.at)
    elif turn.role == "tool" and is_shell(turn.tool) and not _REFUSED.search(turn.text[:500]):
        for act in ran(turn.input, turn.text, ok=not _failed(turn)):
            if act.did.effect != "looks":
                yield _Event(place, act, None, turn.at)


def _said(event: _Event) -> str:
    line = error_line(event.act.output)
    return line if len(line) <= _SAID_MAX else f"{line[: _SAID_MAX - 1].rstrip()}…"


def _mended(events: Sequence[_Event], mending: Mending) -> Note:
    failure, success = events[mending.failure], events[mending.success].act.did
    told = f"failed: {_said(failure)}"
    changes = [events[number] for number in mending.changes]
    edits = [event.edit for event in changes if event.edit]
    commands = [event.act.did for event in changes if not event.edit]
    if not changes and _way(success) != _way(failure.act.did):
        commands = [success]
    ways = [_edited(edits)] if edits else []
    ways += [f"running {commands[-1].text[:_FIX_MAX]}"] if commands else []
    if ways:
        tags = [stem(edits[-1].path)] if edits else []
        return _note(failure, f"{told}; fixed by {' and '.join(ways)}", after=tags)
    return _note(failure, f"{told}; it passed later", after=["flaky"])


def _way(did: Command) -> str:
    """Return how a command was run; of a check, which other options do not mend, only by what."""
    return did.text if did.changes else did.text.partition(did.name.split(" ", 1)[0])[0]


def _edited(edits: Sequence[FileEdit]) -> str:
    last = edits[-1]
    how = f" ({last.what})" if last.what else ""
    others = [edit.path for edit in edits if edit.path != last.path]
    return f"editing {last.path}{how}" + (f", also {others[-1]}" if others else "")


def _note(event: _Event, text: str, *before: str, after: Sequence[str] = ()) -> Note:
    name = event.act.did.name
    tags = [*before, stem(name.split(" ", 1)[0]), *after]
    return Note("error", f"{name} {text}", tuple(dict.fromkeys(tags)), event.at)
