"""The cause that an agent states of a failure once it is mended."""

from __future__ import annotations

import re

from milepost.sessions.state_words import OTHERWISE, STATES
from milepost.sessions.statement_words import CAUSES, REFUSALS
from milepost.text.expressions import lazy
from milepost.text.sentences import sentences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from milepost.sessions.values import Turn

CAUSE_MAX, _LAST_MAX = 320, 160
_BECAUSE = lazy(rf"(?i){CAUSES}")
# A guess before anything was tried is no cause.
_GUESS = lazy(
    r"(?i)\b(?:i think|maybe|perhaps|probably|might|seems?|vielleicht|peut-être|quizás)\b"
)
_DENIED = lazy(REFUSALS)
_WORD = lazy(r"[\w.:/@-]{4,}")
_STATE = lazy("|".join(STATES.strip().splitlines()))
_OTHERWISE = lazy("|".join(OTHERWISE.strip().splitlines()))
# Fixed: …; They pass now; …
_LEAD = lazy(r"\s*[:;]\s+|\s+[-–—]\s+")
_STATE_WORDS_MIN = 3


def cause_of(turns: Sequence[Turn], mended_at: int, error: str) -> str:
    """Return what was said of a failure between its mending and the next prompt, if anything."""
    return best_cause([turn.text for turn in _after(turns, mended_at)], error)[1]


def state_before(turns: Sequence[Turn], failed_at: int, mended_at: int, error: str) -> str:
    """Return how things were, as an agent says it last after a failure that it mended, if it does.

    That is why it failed, as long as nothing else failed that may be spoken of.
    """
    if any(turns[i].failed for i in range(failed_at + 1, mended_at + 1)):
        return ""
    said = [turn.text for turn in _after(turns, mended_at, until_failure=True)]
    telling = _telling(error)
    states = [state for text in said[-1:] for one in sentences(text) if (state := _state(one))]
    return max(states, key=lambda state: _weight(state, telling), default="")[:CAUSE_MAX]


def _state(sentence: str) -> str:
    """Return from where on a sentence says how something was, not what was done or how it goes."""
    if sentence.rstrip().endswith(("?", "？", "؟")) or _GUESS.search(sentence):
        return ""
    clauses = _LEAD.split(sentence)
    for place, clause in enumerate(clauses):
        said = clause.lower().replace("’", "'")
        enough = len(said.split()) >= _STATE_WORDS_MIN
        if enough and _STATE.search(said) and not _OTHERWISE.search(said):
            return ", ".join(clauses[place:]).rstrip(" .!")
    return ""


def cause_in(turns: Sequence[Turn], error: str) -> str:
    """Return what was said anywhere in a session of a failure that an earlier one left."""
    said = [
        turn.text
        for place, turn in enumerate(turns)
        if turn.role == "assistant" and not is_refuted(turns, place)
    ]
    return best_cause(said, error, least=3)[1]


def best_cause(texts: Sequence[str], error: str, least: int = 2) -> tuple[int, str]:
    """Return which text surely explains an error, and the sentence that does with what follows."""
    telling = _telling(error)
    best, at, cause = 0, -1, ""
    for number, text in enumerate(texts):
        said = list(sentences(text))
        for place, sentence in enumerate(said):
            weight = _weight(sentence, telling)
            if weight >= max(best, least) and (weight > best or place == 0):
                best, at, cause = weight, number, _clipped(said[place:])
    return at, cause


def is_explanation(sentence: str) -> bool:
    """Whether a sentence states why something was so, and does not guess or ask."""
    asks = sentence.rstrip().endswith(("?", "？", "؟"))
    return not asks and bool(_BECAUSE.search(sentence)) and not _GUESS.search(sentence)


def is_refuted(turns: Sequence[Turn], place: int) -> bool:
    """Whether the prompt that follows denies what was said."""
    return _DENIED.search(next_prompt(turns, place)) is not None


def next_prompt(turns: Sequence[Turn], place: int) -> str:
    """Return what the user says next after a place; nothing at the end."""
    after = (turns[i] for i in range(place + 1, len(turns)))
    return next((turn.text for turn in after if turn.role == "user"), "")


def last_words_on(turns: Sequence[Turn], failed_at: int) -> str:
    """Return what an agent said last of a failure that it left, as the end of a sentence."""
    said = [one for turn in _after(turns, failed_at) for one in sentences(turn.text)]
    said = [one for one in said if not one.endswith(("?", "？", "؟")) and len(one) <= _LAST_MAX]
    return f"; said last: {said[-1]}" if said else ""


def _after(turns: Sequence[Turn], mended_at: int, *, until_failure: bool = False) -> list[Turn]:
    """Return what an agent says from a success on until it is the user's turn."""
    said = []
    for turn in (turns[i] for i in range(mended_at + 1, len(turns))):
        if turn.role == "user" or (until_failure and turn.failed):
            break
        if turn.role == "assistant":
            said.append(turn)
    return said


def _telling(text: str) -> set[str]:
    return {word.lower().strip(".:'\"") for word in _WORD.findall(text)}


def _weight(sentence: str, telling: set[str]) -> int:
    """Return how surely a sentence explains an error: it says why, or names what it named."""
    if sentence.rstrip().endswith(("?", "？", "؟")) or _GUESS.search(sentence):
        return 0
    shared = min(3, len(_telling(sentence) & telling))
    return shared + (2 if _BECAUSE.search(sentence) else 0)


def _clipped(said: Sequence[str]) -> str:
    """Return a sentence with those that follow it, as many as there is room for."""
    text = said[0][:CAUSE_MAX]
    for sentence in said[1:3]:
        if len(text) + len(sentence) >= CAUSE_MAX or re.search(r"(?i)\bcommit|[?？]$", sentence):
            break
        text = f"{text} {sentence}"
    return text
