"""A session in a few sentences of its own: what was asked, what was done, how it ended."""

from __future__ import annotations

import math
import re
from collections import Counter

from milepost.sessions.commits import is_commit
from milepost.sessions.edits import edit_of, listed
from milepost.sessions.requests import request_in
from milepost.sessions.troubles import failed
from milepost.text.commands import commands, is_shell
from milepost.text.expressions import lazy
from milepost.text.lines import clip
from milepost.text.secrets import without_secrets
from milepost.text.sentences import sentences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from milepost.sessions.values import Note, Turn

SUMMARY_MAX = 700
_PROMPTS_MIN = 3
_PART_MAX = 180
_READ_MAX = 200_000
_BUILDING = re.compile(r"build|compile|package|assemble")
_COMMON = frozenset(
    "the a an and or but of to in on for with from by as at is are was were be been it its this "
    "that these those i we you they he she not no do does did have has had will would can could "
    "should may might must so if then than there here what which who how when where why all any "
    "some more most now just also only into out up down over about after before our your my "
    "their let me us please ok okay yes go".split()
)
_WORD = lazy(r"[^\W\d_]{2,}")
_ANNOUNCED = lazy(
    r"(?i)^(?:left to do|still to do|remaining|to ?do|next(?: steps?| up)?):\s*|^next,? "
)


def summary_of(turns: Sequence[Turn], notes: Sequence[Note]) -> str | None:
    """Return a summary of a session, or None of one that is too small to matter."""
    prompts = [turn.text for turn in turns if turn.role == "user"]
    prompts = [without_secrets(prompt) for prompt in prompts if not _is_skipped(prompt)]
    used_tools = any(turn.role == "tool" for turn in turns)
    if not prompts or (not used_tools and len(prompts) < _PROMPTS_MIN):
        return None
    parts = (_asked(prompts), _done(turns, notes), _outcome(turns), _next(notes))
    return _packed([*(part for part in parts if part), *_central(turns, notes)])


def _is_skipped(prompt: str) -> bool:
    return "#skip" in prompt.lower() and request_in(prompt).skip


def _asked(prompts: Sequence[str]) -> str:
    """Return the first and the last prompt that are more than a nod."""
    said = [part for prompt in prompts if (part := _opening(prompt))]
    real = [part for part in said if len(part.split()) >= 3] or said
    if not real:
        return ""
    first, last = real[0].rstrip(".?!"), real[-1].rstrip(".?!")
    return f"Asked: {first}" + (f"; at last: {last}." if last != first else ".")


def _opening(prompt: str) -> str:
    said = (part for part in sentences(prompt) if any(map(str.isalpha, part)))
    return clip(next(said, ""), _PART_MAX)


def _done(turns: Sequence[Turn], notes: Sequence[Note]) -> str:
    """Return the commits, or the files that were edited, or what else was done."""
    commits = [
        note.text.removeprefix("Committed").lstrip(": ") for note in notes if note.kind == "commit"
    ]
    if commits:
        more = f" and {len(commits) - 2} more commits" if len(commits) > 2 else ""
        return f"Committed {'; '.join(clip(text, _PART_MAX) for text in commits[-2:])}{more}."
    edited = [edit.path for turn in turns if (edit := edit_of(turn))]
    return f"Edited {listed(edited)}." if edited else ""


def _outcome(turns: Sequence[Turn]) -> str:
    """Return how the last run of something that checks the work ended."""
    for turn in reversed(turns):
        if turn.role != "tool" or is_commit(turn):
            continue
        ran = commands(turn.input) if is_shell(turn.tool) else ()
        checks = [c.name for c in ran if c.effect == "checks" or _BUILDING.search(c.name)]
        if checks:
            return f"At the end {checks[-1]} {'failed' if failed(turn) else 'passed'}."
    return ""


def _next(notes: Sequence[Note]) -> str:
    left = [note.text for note in notes if note.kind == "next"]
    if not left:
        return ""
    return f"Next: {clip(_ANNOUNCED.sub('', left[-1]).rstrip('.'), _PART_MAX)}."


def _central(turns: Sequence[Turn], notes: Sequence[Note]) -> list[str]:
    """Return the statements nearest to what the session was about, the nearest first."""
    weights = _weights(turn.text for turn in turns if turn.role != "tool")
    texts = [note.text for note in notes if note.kind in ("decision", "insight", "error")]
    nearest = sorted(texts, key=lambda text: -_centrality(text, weights))[:3]
    return [text if text.endswith((".", "!", "…")) else f"{text}." for text in nearest]


def _weights(texts: Iterable[str]) -> Mapping[str, int]:
    counts: Counter[str] = Counter()
    room = _READ_MAX
    for text in texts:
        counts.update(_words(text[:room]))
        room -= len(text)
        if room <= 0:
            break
    return counts


def _centrality(text: str, weights: Mapping[str, int]) -> float:
    words = set(_words(text))
    # A long sentence has many words: the root favours it a little and not without end.
    total = sum(weights.get(word, 0) for word in words)
    return total / math.sqrt(len(words) + 1)


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text.lower()) if word not in _COMMON]


def _packed(parts: Sequence[str]) -> str:
    """Return as many parts as there is room for, in their order."""
    text = ""
    for part in parts:
        joined = f"{text} {part}".strip()
        if len(joined) <= SUMMARY_MAX:
            text = joined
    return text
