"""Read what hooks left of a session, together with the client's transcript, in the background."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from milepost.errors import StoreError
from milepost.memory.context import Context
from milepost.sealing import Lines
from milepost.sessions.inbox import tail, take
from milepost.sessions.noticing import Noticing
from milepost.sessions.values import Turn
from milepost.upkeep.values import Job

TOPIC = "session"
# A transcript longer than this is read from its end.
TRANSCRIPT_BYTES = {"turn": 4 << 20, "end": 64 << 20}
# After a turn only the last few prompts and what followed are read; the end reads everything.
PROMPTS = 3


def digest(context: Context, job: Job) -> None:
    """Remember what matters of a session."""
    Noticing(lambda: context).notice(**noticed(json.loads(job.payload)))


def noticed(left: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of `notice` for what a session left: entries, and the last mark."""
    from milepost.sessions.transcript import read_transcript

    mark, entries = left["mark"], left["entries"]
    stage = mark["mark"]
    lines = [json.dumps(entry["turn"]) for entry in entries if "turn" in entry]
    written = read_transcript(tail(mark.get("transcript") or "", TRANSCRIPT_BYTES[stage]))
    turns = _joined(_latest(written) if stage == "turn" else written, read_transcript(lines))
    return {
        "session": mark["session"],
        "turns": [turn._asdict() for turn in turns],
        "project": mark.get("project"),
        # The transcript holds the turn when the session ends; without one it is read only now.
        "stage": "interim" if stage == "turn" and written else stage,
        "folder": mark.get("folder"),
        "branch": mark.get("branch"),
        "head": mark.get("head"),
    }


def _latest(turns: Sequence[Turn]) -> Sequence[Turn]:
    """Return the turns of the last few prompts, from where the task began that they go on with."""
    from milepost.sessions.attempts import beginnings

    prompts = [i for i, turn in enumerate(turns) if turn.role == "user"]
    if len(prompts) <= PROMPTS:
        return turns
    first = max(place for place in beginnings(turns) if place <= prompts[-PROMPTS])
    # "Remember that" may mean what was said before the first of them.
    answers = [i for i in range(first) if turns[i].role == "assistant"]
    return [*(turns[i] for i in answers[-1:]), *turns[first:]]


def _joined(transcript: Sequence[Turn], left: Sequence[Turn]) -> list[Turn]:
    """Return the transcript, and what hooks saw that is not in it."""
    known = {_key(turn) for turn in transcript}
    return [*transcript, *(turn for turn in left if _key(turn) not in known)]


def _key(turn: Turn) -> tuple[str, str]:
    return turn.tool, (turn.input or turn.text)[:500]


def collect(
    folder: str, pass_on: Callable[[str, dict[str, Any]], None], lines: Lines | None = None
) -> int:
    """Pass on what sessions left in an inbox under a name each; return how many there were.

    What fails to be passed on stays where it is, and is found again later.
    """
    count, problem = 0, None
    for path, entries in take(folder, lines):
        mark = _mark(entries)
        try:
            if mark:
                pass_on(Path(path).name, {"mark": mark, "entries": entries})
                count += 1
        except StoreError as failure:  # other spaces may be on another store
            problem = failure
            continue
        Path(path).unlink(missing_ok=True)
    if problem is not None:
        raise problem
    return count


def _mark(entries: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """Return the mark that a file is read for: the end if it was left, or if nothing else was."""
    marks = [entry for entry in entries if entry.get("mark") in TRANSCRIPT_BYTES]
    if marks:
        return max(marks, key=lambda mark: mark["mark"] == "end")
    abouts = (entry["of"] for entry in reversed(entries) if isinstance(entry.get("of"), dict))
    about = next(abouts, None)
    return {**about, "mark": "end"} if about else None


def enqueue(context: Context, folder: str, lines: Lines | None = None) -> None:
    """Make jobs of what sessions left."""

    def pass_on(name: str, left: dict[str, Any]) -> None:
        space = left["mark"].get("space") or context.space
        there = context if space == context.space else context.within(space)
        there.store.jobs.enqueue(space, TOPIC, name, json.dumps(left), context.clock())

    collect(folder, pass_on, lines)
