"""Failures of a session, each with what made it go away, or as still open."""

from __future__ import annotations

import re

from milepost.sessions.edits import edit_of, stem
from milepost.sessions.values import Note
from milepost.text.commands import Command, command_of, is_same
from milepost.text.failures import first_line, telling_line
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from milepost.sessions.values import Turn

_SHELLS = frozenset(("Bash", "bash", "shell", "PowerShell"))
# Refusals of the client and of the person are no failures of the work.
_REFUSED = re.compile(
    r"<tool_use_error>|The user doesn't want|user rejected|Request interrupted|permission to use"
    r"|has not been read yet|Blocked by hook|requires approval"
)
_SUMMARY = re.compile(
    r"\b[1-9]\d* (?:failed|errors?)\b|^FAILED |Traceback \(most recent call last\)", re.M
)
_FIX_MAX = 120


class _Trouble(NamedTuple):
    """A failure that nothing has ended yet."""

    place: int
    command: Command
    said: str
    output: str
    at: float | None


def troubles(turns: Sequence[Turn]) -> Iterator[tuple[int, Note]]:
    """Yield a note for each failure, with the place of the turn at which it was settled."""
    waiting: dict[str, _Trouble] = {}
    for place, turn in enumerate(turns):
        if turn.role != "tool" or turn.tool not in _SHELLS:
            continue
        command = command_of(turn.input)
        if command.looks_only or _REFUSED.search(turn.text[:500]):
            continue
        before = waiting.get(command.name)
        if _failed(turn):
            said = telling_line(turn.text) or first_line(turn.text)
            if said and (before is None or before.said != said):
                waiting[command.name] = _Trouble(place, command, said, turn.text, turn.at)
        elif before and is_same(before.command, command, before.output):
            yield place, _fixed(before, turns[before.place + 1 : place])
            del waiting[command.name]
    for trouble in waiting.values():
        yield trouble.place, _open(trouble)


def failed(turn: Turn) -> bool:
    """Whether a tool's turn is a failure of the work."""
    return turn.role == "tool" and _failed(turn) and not _REFUSED.search(turn.text[:500])


def _failed(turn: Turn) -> bool:
    # A pipe hides the exit code: then the output of what runs things is believed.
    return turn.failed or (turn.tool in _SHELLS and _tells_failure(turn.text[-4_000:]))


def _tells_failure(output: str) -> bool:
    signs = ("failed", "FAILED", "error", "Traceback")
    return any(sign in output for sign in signs) and _SUMMARY.search(output) is not None


def _fixed(trouble: _Trouble, between: Sequence[Turn]) -> Note:
    edits = [edit for turn in between if (edit := edit_of(turn))]
    told = f"{trouble.command.name} failed: {trouble.said}"
    tags = [_program(trouble.command)]
    if edits:
        last = edits[-1]
        how = f" ({last.what})" if last.what else ""
        others = [edit.path for edit in edits if edit.path != last.path]
        also = f", also {others[-1]}" if others else ""
        return _note(
            f"{told}; fixed by editing {last.path}{how}{also}", [*tags, stem(last.path)], trouble
        )
    ran = [command for turn in between if (command := _effective(turn))]
    if ran:
        return _note(f"{told}; fixed by running {ran[-1].text[:_FIX_MAX]}", tags, trouble)
    return _note(f"{told}; it passed on a later run without a change", [*tags, "flaky"], trouble)


def _open(trouble: _Trouble) -> Note:
    told = f"{trouble.command.name} failed and was not fixed: {trouble.said}"
    return _note(told, ["open", _program(trouble.command)], trouble)


def _note(text: str, tags: list[str], trouble: _Trouble) -> Note:
    return Note("error", text, tuple(dict.fromkeys(tags)), trouble.at)


def _effective(turn: Turn) -> Command | None:
    """Return the command of a turn that may have changed something."""
    if turn.tool not in _SHELLS or turn.failed:
        return None
    command = command_of(turn.input)
    return None if command.looks_only else command


def _program(command: Command) -> str:
    return stem(command.name.split(" ", 1)[0])
