"""Whether what was left to do, or failed, is settled by a later session."""

from __future__ import annotations

import re
from functools import lru_cache

from milepost.sessions.edits import edit_of
from milepost.text.words import content_words, stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from milepost.memory.values import Record
    from milepost.sessions.values import Note, Turn
    from milepost.text.mending import Act

# So large a share of the words by which a task is told must have come up where it was done.
_SHARE, _SHARE_OF_MANY = 0.6, 0.5
_WORDS_MIN, _MANY = 2, 4
_READ_MAX = 60_000
_CACHED = 512
# Words of one root begin alike in most languages: Rechnung, Rechnungs-PDF.
_BEGINNING = 5
_LABEL = re.compile(r"^[^:]{1,40}: ")
# The last sentence of a summary whose check failed.
_RED = re.compile(r"\bAt the end (.{1,80}) failed\.$")
_CLAUSE = re.compile(r"[,;(]| (?:when|because|since|so that|plus|weil|damit|car|porque)\b")
# Words by which tasks are announced say nothing about any of them.
_ANNOUNCING = frozenset(
    map(
        stem,
        """
        next still todo open left remaining step steps session later tomorrow need needs should must
        would could will also then plus add write written make fix done missing pending after before
        itself yet isn isnt aren not noted
        als nächstes noch offen später ensuite faire reste pendiente queda siguiente paso falta
        faltan дальше осталось
        """.split(),
    )
)


@lru_cache(_CACHED)
def words_of(text: str) -> frozenset[str]:
    """Return the words by which a text says what it is about, by their beginnings."""
    parts = text.lower().replace("_", " ").replace("/", " ").replace(".", " ")
    words = {stem(word) for word in content_words(parts)} - _ANNOUNCING
    return frozenset(word[:_BEGINNING] for word in words if len(word) > 2 or not word.isascii())


def done_words(turns: Sequence[Turn], commits: Sequence[Note]) -> frozenset[str]:
    """Return the words of what a session committed, was asked and changed."""
    said = [turn.text for turn in turns if turn.role != "tool"]
    changed = [turn.input for turn in turns if edit_of(turn)]
    text = "\n".join([*(note.text for note in commits), *said, *changed])
    return words_of(text[:_READ_MAX])


def covers(done: frozenset[str], task: str) -> bool:
    """Tell whether what was done has so much of a task's words that it was that task."""
    first = words_of(_CLAUSE.split(_LABEL.sub("", task), maxsplit=1)[0])
    words = first if len(first) >= _WORDS_MIN else words_of(task)
    shared = words & done
    share = _SHARE if len(shared) < _MANY else _SHARE_OF_MANY
    return len(shared) >= min(_WORDS_MIN, len(words) or 1) and len(shared) >= share * len(words)


def said_once(notes: Sequence[Note]) -> list[Note]:
    """Return notes without tasks that an earlier one of them tells in other words."""
    kept: list[Note] = []
    for note in notes:
        tasks = [words_of(other.text) for other in kept if other.kind == "next"]
        if note.kind != "next" or not any(covers(words, note.text) for words in tasks):
            kept.append(note)
    return kept


def passing_run(record: Record, last: Mapping[str, Act]) -> Act | None:
    """Return the run by which the command of a failure went well the last time it was run."""
    run = last.get(str(record.metadata.get("command")))
    return run if run is not None and run.ok else None


def passed_later(record: Record, last: Mapping[str, Act]) -> str:
    """Return the command of a failure, or of a summary that ended red, if it went well since."""
    ended = _RED.search(record.content) if record.kind == "summary" else None
    name = ended[1] if ended else str(record.metadata.get("command"))
    run = last.get(name.replace(" run ", " "))
    return name if run is not None and run.ok and _is_after(run, record) else ""


def _is_after(run: Act, record: Record) -> bool:
    """Whether something was run after a memory was made, as far as its time is known."""
    at = run.step.at
    return at is None or at * 1e6 > record.created_us


def nearest_note(text: str, notes: Iterable[Note]) -> Note | None:
    """Return the note that has most words in common with a text; the last one of equals."""
    words = words_of(text)
    rated = [(len(words & words_of(note.text)), place, note) for place, note in enumerate(notes)]
    return max(rated, key=lambda row: row[:2])[2] if rated else None
