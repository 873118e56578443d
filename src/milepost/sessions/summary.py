"""A session in a few sentences of its own: what was asked, what was done, how it ended."""

from __future__ import annotations

import re

from milepost.sessions.attempts import is_taken_back
from milepost.sessions.causes import is_refuted
from milepost.sessions.claims import boasts
from milepost.sessions.commits import is_commit
from milepost.sessions.edits import edit_of, listed
from milepost.sessions.joining import joined
from milepost.sessions.jokes import is_joke
from milepost.sessions.requests import request_in
from milepost.sessions.statement_words import PROPOSALS
from milepost.sessions.troubles import failed
from milepost.sessions.values import Turn
from milepost.text.commands import commands, is_shell
from milepost.text.expressions import lazy
from milepost.text.lines import clip, clip_at_word
from milepost.text.pasted import own_words
from milepost.text.secrets import without_secrets
from milepost.text.sentences import sentences
from milepost.text.words import content_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from milepost.sessions.values import Note

SUMMARY_MAX = 700
_PROMPTS_MIN = 3
_PART_MAX = 180
_COMMITS_MAX = 240
_ORDER_CHARS, _REACHED, _HEAD = 15, 2, 60
_TAKEN_BACK, _RED = "It was taken back.", " failed."
_ASKED, _NAMED_WORDS = "Asked: ", 2
_ASKING = ("?", "？", "؟")
_BUILDING = re.compile(r"build|compile|package|assemble")
_PROPOSED = lazy(PROPOSALS)
_ANNOUNCED = re.compile(
    r"(?i)(?:left to do|still (?:to do|open)|remaining|to ?do|next(?: steps?| up)?|noted?"
    r"|committed)\b"
)


def summary_of(turns: Sequence[Turn], notes: Sequence[Note]) -> str | None:
    """Return a summary of a session, or None of one that is too small to matter.

    What its notes say is theirs: a summary tells what was asked and reached, and names the commits.
    """
    prompts = [without_secrets(text) for text in _prompts(turns)]
    used_tools = any(turn.role == "tool" for turn in turns)
    if not prompts or (not used_tools and len(prompts) < _PROMPTS_MIN):
        return None
    worked = [without_secrets(text) for text in _prompts(turns, worked=True)]
    told = [note.text for note in notes]
    asked, reached = _asked(worked or prompts[:1], told), list(_reached(turns, told))
    outcome = _TAKEN_BACK if is_taken_back(turns) else _outcome(turns)
    if outcome.endswith(_RED):
        # What was seen outweighs what is claimed.
        reached = [said for said in reached if not boasts(said)]
    ends = [part for part in (_done(turns, joined(notes).commits), outcome) if part]
    if not reached and not ends and _is_empty(asked, told):
        return None
    return _packed(asked, reached, ends)


def _prompts(turns: Sequence[Turn], *, worked: bool = False) -> Iterator[str]:
    """Yield the prompts, or only those for which files were changed or something was committed."""
    prompt, done = "", False
    for turn in [*turns, Turn("user", "")]:
        if turn.role == "user":
            if prompt and (done or not worked) and not _is_skipped(prompt):
                yield prompt
            prompt, done = turn.text, False
        elif edit_of(turn) or is_commit(turn):
            done = True


def _is_skipped(prompt: str) -> bool:
    return "#skip" in prompt.lower() and request_in(prompt).skip


def _asked(prompts: Sequence[str], told: Sequence[str]) -> str:
    """Return the first and the last prompt that are more than a nod or a note."""
    openings = [part for prompt in prompts if (part := _opening(prompt))]
    said = [part for part in openings if not _is_told(part, told)] or openings[:1]
    real = [part for part in said if len(part.split()) >= 3] or said
    if not real:
        return ""
    first, last = real[0].rstrip(".?!"), real[-1].rstrip(".?!")
    return f"{_ASKED}{first}" + (f"; at last: {last}." if last != first else ".")


def _opening(prompt: str) -> str:
    """Return the first sentence of a prompt that asks for work, or says anything."""
    said = [part for part in sentences(own_words(prompt)) if any(map(str.isalpha, part))]
    meant = [part for place, part in enumerate(said) if not is_joke(said, place)]
    orders = [p for p in meant if len(p) >= _ORDER_CHARS and not p.endswith(_ASKING)]
    return clip(next(iter([*orders, *meant]), ""), _PART_MAX)


def _is_empty(asked: str, told: Sequence[str]) -> bool:
    """Whether what was asked is told by a note, or names nothing."""
    part = asked.removeprefix(_ASKED)
    return len(set(content_words(part))) < _NAMED_WORDS or _is_told(part, told)


def _is_told(part: str, told: Sequence[str]) -> bool:
    """Whether a note says the same."""
    head = part[:_HEAD].rstrip(".…")
    return any(head in note or note[:_HEAD].rstrip(".…") in part for note in told)


def _reached(turns: Sequence[Turn], told: Sequence[str]) -> Iterator[str]:
    """Yield what the agent said last of the work on a prompt, unless a note says it."""
    words = [words for words in _last_words(turns) if not _is_told(words, told)]
    for said in words[-_REACHED:]:
        yield said if said.endswith((".", "!", "…", "。")) else f"{said}."


def _last_words(turns: Sequence[Turn]) -> Iterator[str]:
    """Yield the last statement on each prompt for which something was done."""
    worked, last = False, -1
    for place, turn in enumerate([*turns, Turn("user", "")]):
        if turn.role == "tool":
            worked = True
        elif turn.role == "assistant":
            last = place
        else:
            if worked and last >= 0 and not is_refuted(turns, last):
                yield from _statement(turns[last].text)
            worked, last = False, -1


def _statement(text: str) -> Iterator[str]:
    """Yield the first sentence that tells of something done, if one does."""
    for said in sentences(without_secrets(text)):
        weighs = said.endswith(_ASKING) or _PROPOSED.search(said) or _ANNOUNCED.match(said)
        if len(said) >= _ORDER_CHARS and not weighs:
            yield clip(said, _PART_MAX)
            return


def _done(turns: Sequence[Turn], commits: Sequence[str]) -> str:
    """Return the commits by their names, or the files that were edited."""
    if commits:
        return f"Commits: {clip_at_word('; '.join(commits), _COMMITS_MAX).rstrip('.')}."
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


def _packed(asked: str, reached: Sequence[str], ends: Sequence[str]) -> str:
    """Return the parts in their order; of what was reached as much as there is room for."""
    text = asked
    room = SUMMARY_MAX - sum(len(part) + 1 for part in ends)
    for part in reached:
        if len(text) + 1 + len(part) <= room:
            text = f"{text} {part}"
    return clip_at_word(" ".join(filter(None, (text, *ends))), SUMMARY_MAX)
