"""What a user asks in plain words to be remembered, before or after saying what it is."""

from __future__ import annotations

import re
from functools import cache

from milepost.sessions.jokes import is_joke
from milepost.sessions.values import Note
from milepost.sessions.wish_words import NO_WISH, WISHES
from milepost.text.pasted import own_words
from milepost.text.sentences import sentences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from milepost.sessions.values import Turn

TAGS = ("remembered", "important")
# What is said before "remember that" is as much as anybody means by "that".
_BEFORE_CHARS, _BEFORE_SENTENCES = 320, 2
# Fewer words, or characters of a script without spaces, say nothing by themselves.
_WORDS_MIN, _CHARS_MIN = 3, 8
_SHORT = 12
# So long a sentence needs none before it.
_WHOLE = 60
_EDGES = " \t.,:;!?-–—…、，。：；！？"
_LEADING = re.compile(r"(?i)^(?:that|and|so|und|et|и|що|что|dass|que|che|że|že)\s+")
# Something is, has, costs or must: a sentence that tells, in the languages that put it so.
_STATEMENT = re.compile(
    r"(?i)(?!(?:please|can|could|would|do|does|did|is|are|should|what|why|how|where|when|who)\b)"
    r"[^?]{0,80}?\b(?:is|are|was|were|has|have|runs?|uses?|lives?|costs?|takes?|belongs?|must"
    r"|ist|sind|hat|haben|läuft|kostet|gehört|est|sont|utilise|coûte|es|son|está|tiene|usa|cuesta"
    r"|è|sono|ha|costa|é|são|tem|zijn|heeft)\b[^?]*$"
)
# "Remember this" means what was said before, unless a colon follows.
_BACK = re.compile(
    r"(?i)\b(?:this|it|das|es|ça|cela|eso|esto|disso|disto|isso|isto|questo|dit|to|o tym|na to|это"
    r"|об этом|про это|це|про це|bunu)\b|recuérdalo|apúntalo|anótalo|tenlo|ricordalo"
    r"|这一?点|这个|ذلك|هذا"
)


def wishes(turns: Sequence[Turn]) -> Iterator[tuple[int, Note]]:
    """Yield a note for each thing that a user wants remembered, with the place of the turn."""
    answer, stated = "", ""
    for place, turn in enumerate(turns):
        if turn.role == "assistant":
            answer = turn.text
        elif turn.role == "user":
            # "Remember that" means what the user has just stated, else what the agent said to it.
            for text in wished(turn.text, stated or answer):
                yield place, Note("note", text, TAGS, turn.at)
            stated = turn.text if _states(turn.text) else ""


def _states(prompt: str) -> bool:
    """Whether a prompt tells something short, and neither asks nor orders."""
    said = list(sentences(own_words(prompt)))
    return (
        0 < len(said) <= _BEFORE_SENTENCES
        and all(_STATEMENT.match(sentence) for sentence in said)
        and not any(is_wish(sentence) for sentence in said)
    )


def wished(prompt: str, answer: str = "") -> Iterator[str]:
    """Yield what a prompt asks to remember; `answer` is what was said before it."""
    said = list(sentences(own_words(prompt)))
    told: list[str] = []
    for place, sentence in enumerate(said):
        match = _wish().search(sentence) if is_wish(sentence) else None
        if match is None or is_joke(said, place):
            continue
        before, after = sentence[: match.start()], sentence[match.end() :]
        if _BACK.search(match[0]) and not match[0].endswith((":", "：")) and len(before) < _SHORT:
            text = _before(said[:place]) or _last_words(answer)
        else:
            text = _meant(before, after) or _before(said[:place]) or _last_words(answer)
        if text and not any(text in other or other in text for other in told):
            told.append(text)
            yield text


def is_wish(sentence: str) -> bool:
    """Whether a sentence asks that something be remembered."""
    return not _is_no_wish(sentence) and _wish().search(sentence) is not None


def _is_no_wish(sentence: str) -> bool:
    return sentence.rstrip().endswith(("?", "？", "؟")) or _no_wish().search(sentence) is not None


def _meant(before: str, after: str) -> str:
    """Return what stands behind the wish, before it, or around it."""
    parts = [part.strip(_EDGES) for part in (before, after)]
    told = [part for part in parts if _says_something(part)]
    if len(told) == 2 and before.rstrip().endswith((",", ";", "—", "-", "，", "、")):
        # "The limit is 500, keep that in mind if we ever send more."
        return f"{told[0]}, {told[1]}" if _points_back(after) else told[1]
    return _LEADING.sub("", told[-1]) if told else ""


def _points_back(after: str) -> bool:
    """Whether what follows a wish only qualifies what was said before it."""
    return (
        re.match(r"(?i)\W*(?:if|when|in case|falls|wenn|si|se|als|jeśli|если|якщо)\b", after)
        is not None
    )


def _says_something(part: str) -> bool:
    words = len(re.findall(r"\w+", part))
    unspaced = sum("\u3040" <= c <= "\u9fff" or "\uac00" <= c <= "\ud7a3" for c in part)
    return words >= _WORDS_MIN or unspaced >= _CHARS_MIN


def _before(said: Sequence[str]) -> str:
    """Return the last sentences before a wish that say something."""
    chosen: list[str] = []
    for sentence in reversed(said[-_BEFORE_SENTENCES:]):
        if not _says_something(sentence) or len(" ".join([sentence, *chosen])) > _BEFORE_CHARS:
            break
        if sentence.rstrip().endswith(("?", "？", "؟")):
            break
        chosen.insert(0, sentence)
    return " ".join(chosen)


def _last_words(answer: str) -> str:
    """Return what an agent said at last, as far as it can be meant by "that"."""
    said = [one for one in sentences(answer) if not one.endswith(("?", "？", "؟"))]
    return _before(said[-1:] if said and len(said[-1]) >= _WHOLE else said)


@cache
def _wish() -> re.Pattern[str]:
    patterns = (line for text in WISHES.values() for line in text.strip().splitlines())
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


@cache
def _no_wish() -> re.Pattern[str]:
    return re.compile("|".join(NO_WISH.strip().splitlines()), re.IGNORECASE)
