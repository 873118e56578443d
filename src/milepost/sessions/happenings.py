"""What happened in a session, as events: its beginning and end, its tool uses, tests, commits."""

from collections.abc import Iterator, Sequence

from milepost.knowledge.events import COMMIT, event_id
from milepost.knowledge.values import Event
from milepost.sessions.commits import commits
from milepost.sessions.values import Turn
from milepost.text.commands import commands, is_shell
from milepost.text.lines import clip
from milepost.text.purposes import purpose_of
from milepost.text.secrets import without_secrets

SESSION, TEST, TOOL = "session", "test", "tool"
_INPUT_CHARS = 240
_TESTS = frozenset({"tests", "end-to-end tests"})


def events_of(
    turns: Sequence[Turn], session: str, project: str | None, now_s: float, *, ended: bool
) -> list[Event]:
    """Return the events of a stretch of a session; what is read twice has the same ids."""
    times = [turn.at for turn in turns if turn.at is not None]
    first, last = (times[0], times[-1]) if times else (now_s, now_s)
    bounds = [("started", first)] if turns else []
    bounds += [("ended", last)] if ended else []
    told = [(SESSION, what, None, at, (what,)) for what, at in bounds]
    return [
        Event(event_id(session, *key), at, kind, content, outcome, session, None, project)
        for kind, content, outcome, at, key in (*told, *_deeds(turns, now_s))
    ]


_Deed = tuple[str, str, str | None, float, tuple[str, ...]]


def _deeds(turns: Sequence[Turn], now_s: float) -> Iterator[_Deed]:
    """Yield of each use of a tool type, content, outcome, time and what tells it from others."""
    made = {
        place: note.text.removeprefix("Committed").strip(": ") for place, note in commits(turns)
    }
    for place, turn in enumerate(turns):
        if not turn.tool:
            continue
        kind = COMMIT if place in made else _kind(turn)
        used = clip(f"{turn.tool} {without_secrets(turn.input)}", _INPUT_CHARS)
        asked = without_secrets(made.get(place) or used)
        at = now_s if turn.at is None else turn.at
        key = (turn.tool, turn.input, "" if turn.at is None else str(turn.at))
        yield kind, asked.strip(), "failed" if turn.failed else "ok", at, key


def _kind(turn: Turn) -> str:
    if not is_shell(turn.tool):
        return TOOL
    purposes = {purpose_of(command) for command in commands(turn.input)}
    return TEST if purposes & _TESTS else TOOL
