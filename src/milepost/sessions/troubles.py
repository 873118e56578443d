"""Failures of a session, each with what made it go away, or as still open."""

from __future__ import annotations

import re

from milepost.sessions.edits import FileEdit, edit_of, stem
from milepost.sessions.values import Note
from milepost.text.commands import Command, is_shell
from milepost.text.failures import error_line
from milepost.text.lines import clip
from milepost.text.mending import Act, Mending, mendings, next_run, ran

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from milepost.sessions.values import Turn

# Refusals of the client and of the person are no failures of the work.
_REFUSED = re.compile(
    r"<tool_use_error>|The user doesn't want|user rejected|Request interrupted|permission to use"
    r"|has not been read yet|Blocked by hook|requires approval"
)
_SUMMARY = r"(?m)\b[1-9]\d* (?:failed|errors?)\b|^FAILED |Traceback \(most recent call last\)"
_SAID_MAX, _FIX_MAX = 200, 120
# That these fail is not worth telling.
_IDLE = frozenset(("kill", "pkill", "killall"))


def troubles(turns: Sequence[Turn]) -> Iterator[tuple[int, Note]]:
    """Yield a note for each failure, with the place of the turn at which it was settled."""
    acts = [
        act._replace(number=place, step=turn)
        for place, turn in enumerate(turns)
        for act in acts_of(turn)
    ]
    mended = {id(mending.failure): mending for mending in mendings(acts)}
    unsettled: dict[str, tuple[int, Note]] = {}
    for place, act in enumerate(acts):
        if act.ok or act.did.name in _IDLE or not (said := clip(error_line(act.output), _SAID_MAX)):
            continue
        rest = acts[place + 1 :]
        again = next_run(act, rest)
        if mending := mended.get(id(act)):
            how, tag = _how(mending)
            yield mending.success.number, _note(act, f"failed: {said}; {how}", tag)
        elif again is None:
            unsettled[act.key] = act.number, _note(act, f"failed and was not fixed: {said}", "open")
        elif rest[again].ok:
            yield rest[again].number, _note(act, f"failed: {said}; it passed later")
    yield from unsettled.values()


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
    """Return what mended a failure, with a tag: the last edit, the last command, or neither."""
    edits = [edit for act in mending.change if (edit := edit_of(act.step))]
    ran = [act.did.text for act in mending.change if not edit_of(act.step)]
    if mending.cause_seen and not mending.change:
        ran = [mending.success.did.text]
    ways = [_edited(edits)] if edits else []
    ways += [f"running {ran[-1][:_FIX_MAX]}"] if ran else []
    if not ways:
        return "it passed later", "flaky"
    return f"fixed by {' and '.join(ways)}", stem(edits[-1].path) if edits else ""


def _edited(edits: Sequence[FileEdit]) -> str:
    last = edits[-1]
    how = f" ({last.what})" if last.what else ""
    others = [edit.path for edit in edits if edit.path != last.path]
    return f"editing {last.path}{how}" + (f", also {others[-1]}" if others else "")


def _note(act: Act, text: str, tag: str = "") -> Note:
    program = stem(act.did.name.split(" ", 1)[0])
    tags = (tag, program) if tag == "open" else (program, tag)
    return Note("error", f"{act.did.name} {text}", tuple(filter(None, tags)), act.step.at)
