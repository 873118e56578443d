"""Failures of a session, each with what made it go away, or as still open."""

from __future__ import annotations

import re

from milepost.sessions.edits import FileEdit, edit_of, stem
from milepost.sessions.values import Note
from milepost.text.commands import Command, is_shell
from milepost.text.failures import error_line
from milepost.text.mending import Act, mendings, next_run, ran

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


def troubles(turns: Sequence[Turn]) -> Iterator[tuple[int, Note]]:
    """Yield a note for each failure, with the place of the turn at which it was settled."""
    done = [(place, act) for place, turn in enumerate(turns) for act in _acts(turn)]
    acts = [act for _, act in done]
    mended = {mending.failure: mending for mending in mendings(acts)}
    unsettled: dict[str, tuple[int, Note]] = {}
    for number, (place, act) in enumerate(done):
        if act.ok or act.did.name in _IDLE or not (said := _said(act)):
            continue
        again = next_run(acts, number)
        if mending := mended.get(number):
            changes = [(act, turns[there]) for there, act in map(done.__getitem__, mending.changes)]
            how, tag = _how(act, changes, acts[mending.success])
            yield done[mending.success][0], _note(turns[place], act, f"failed: {said}; {how}", tag)
        elif again is None:
            told = f"failed and was not fixed: {said}"
            unsettled[act.key] = place, _note(turns[place], act, told, "open")
        elif acts[again].ok:
            yield done[again][0], _note(turns[place], act, f"failed: {said}; it passed later")
    yield from unsettled.values()


def failed(turn: Turn) -> bool:
    """Whether a tool's turn is a failure of the work."""
    return turn.role == "tool" and _failed(turn) and not _REFUSED.search(turn.text[:500])


def _failed(turn: Turn) -> bool:
    # A pipe hides the exit code: then the output of what runs things is believed.
    return turn.failed or (is_shell(turn.tool) and _tells_failure(turn.text[-4_000:]))


def _tells_failure(output: str) -> bool:
    signs = ("failed", "FAILED", "error", "Traceback")
    return any(sign in output for sign in signs) and _SUMMARY.search(output) is not None


def _acts(turn: Turn) -> Iterator[Act]:
    """Yield what a turn did: an edit, or the commands of a line that do more than look."""
    if edit := edit_of(turn):
        yield Act(Command(f"edit {edit.path}", "", frozenset(), "", "changes"), True, "", turn.tool)
    elif turn.role == "tool" and is_shell(turn.tool) and not _REFUSED.search(turn.text[:500]):
        acts = ran(turn.input, turn.text, ok=not _failed(turn))
        yield from (act for act in acts if act.did.effect != "looks")


def _said(act: Act) -> str:
    line = error_line(act.output)
    return line if len(line) <= _SAID_MAX else f"{line[: _SAID_MAX - 1].rstrip()}…"


def _how(failure: Act, changes: Sequence[tuple[Act, Turn]], success: Act) -> tuple[str, str]:
    """Return what mended a failure, with a tag: the last edit, the last command, or neither."""
    edits = [edit for _, turn in changes if (edit := edit_of(turn))]
    ran = [act.did.text for act, turn in changes if not edit_of(turn)]
    if not changes and _way(success.did) != _way(failure.did):
        ran = [success.did.text]
    ways = [_edited(edits)] if edits else []
    ways += [f"running {ran[-1][:_FIX_MAX]}"] if ran else []
    if not ways:
        return "it passed later", "flaky"
    return f"fixed by {' and '.join(ways)}", stem(edits[-1].path) if edits else ""


def _way(did: Command) -> str:
    """Return how a command was run; of a check, which other options do not mend, only by what."""
    return did.text if did.changes else did.text.partition(did.name.split(" ", 1)[0])[0]


def _edited(edits: Sequence[FileEdit]) -> str:
    last = edits[-1]
    how = f" ({last.what})" if last.what else ""
    others = [edit.path for edit in edits if edit.path != last.path]
    return f"editing {last.path}{how}" + (f", also {others[-1]}" if others else "")


def _note(turn: Turn, act: Act, text: str, tag: str = "") -> Note:
    program = stem(act.did.name.split(" ", 1)[0])
    tags = (tag, program) if tag == "open" else (program, tag)
    return Note("error", f"{act.did.name} {text}", tuple(filter(None, tags)), turn.at)
