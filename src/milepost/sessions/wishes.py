"""What a user asks in plain words to be remembered, before or after saying what it is."""

from __future__ import annotations

import re
from functools import cache

from milepost.memory.values import ASSISTANT, USER
from milepost.sessions.jokes import is_joke
from milepost.sessions.values import Note
from milepost.sessions.wish_words import (
    FINDINGS,
    HABITS,
    NO_WISH,
    ORDERED,
    ORDERS,
    PARTS,
    PLACED,
    WISHES,
)
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
    r"(?i)\b(?:this|it|das|es|ça|cela|eso|esto|disso|disto|isso|isto|questo|dit|o tym|na to|это"
    r"|об этом|про это|це|про це|bunu)\b"
    r"|(?:aj|uj|isz|iej|ěj|ej|eň|ite|nout)(?: \w+)? to\b"
    r"|recuérdalo|apúntalo|anótalo|tenlo|ricordalo|这一?点|这个|ذلك|هذا"
)
_FINDINGS, _ORDERED = re.compile(FINDINGS), re.compile(ORDERED)
# Who is told that they forget a thing is told so whole, unless a clause says what it is.
_REPROACH = re.compile(
    r"(?i)\b(?:forget(?:ting)?|vergisst|oubli(?:es|ez)|olvida|olvidas|esquec\w+|dimentic\w+"
    r"|vergeten|vergeet|zapominasz|zapomínáš|забываешь|забуваєш)\b"
)
_CLAUSE = re.compile(
    r"(?i)(?:\b(?:that|to|dass|que|qu|de|d|che|di|dat|że|že|что|що)['’]?|[:：])\s*$"
)
# A thing, or an infinitive that stands last, says nothing without the verb before it.
_PART = re.compile(r"(?i)^(?:the|an?|your|about)\b|\b(?:zu \w+n|\w{2,}zu\w{2,}n|te \w+n)\b")


# So much of a note tells whether it quotes the agent.
_QUOTED = 40


def wishes(turns: Sequence[Turn]) -> Iterator[tuple[int, Note]]:
    """Yield a note for each thing that a user wants remembered, with the place of the turn."""
    answer, stated = "", ""
    for place, turn in enumerate(turns):
        if turn.role == "assistant":
            answer = turn.text
        elif turn.role == "user":
            # "Remember that" means what the user has just stated, else what the agent said to it.
            for text in wished(turn.text, stated or answer):
                answered = not stated and text[:_QUOTED] in answer
                whose = ASSISTANT if answered else USER
                yield place, Note("note", text, TAGS, turn.at, source=whose)
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
        match = _asking(sentence)
        if match is None or is_joke(said, place):
            continue
        text = _alone(sentence, match)
        before, after = sentence[: match.start()], sentence[match.end() :]
        points_back = _BACK.search(match[0]) and not _goes_on(match[0], after)
        if _FINDINGS.match(before):
            text = _last_words(answer)
        else:
            if not text and not (points_back and len(before) < _SHORT):
                text = _meant(before, after)
            text = _ORDERED.sub("", text) or _before(said[:place]) or _last_words(answer)
        if text and not any(text in other or other in text for other in told):
            told.append(text)
            yield text


def _goes_on(asking: str, after: str) -> bool:
    """Whether what is to be remembered stands behind the words that ask for it."""
    if asking.endswith((":", "：")):
        return True
    return asking.endswith(",") and _STATEMENT.match(after.strip()) is not None


def is_wish(sentence: str) -> bool:
    """Whether a sentence asks that something be remembered."""
    return _asking(sentence) is not None


def _asking(sentence: str) -> re.Match[str] | None:
    """Return the words by which a sentence asks that something be remembered."""
    if _is_no_wish(sentence):
        return None
    if order := _order().search(sentence):
        lasts = _habit().search(sentence) or _placed().search(sentence)
        return order if lasts else None
    return _wish().search(sentence)


def _alone(sentence: str, match: re.Match[str]) -> str:
    """Return what is to be done, or is forgotten, so that it can be understood by itself."""
    before, after = sentence[: match.start()].strip(_EDGES), sentence[match.end() :].strip(_EDGES)
    is_order = match.re is _order()
    if not is_order and (not _REPROACH.search(match[0]) or _CLAUSE.search(match[0])):
        return ""
    if is_order and not before and _says_something(after) and not _PART.search(after):
        return after
    return sentence.strip(_EDGES) if is_order or _says_something(after) else ""


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
    mixed = unspaced >= _CHARS_MIN // 2 and words > 1
    return words >= _WORDS_MIN or unspaced >= _CHARS_MIN or mixed


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
    return _any_of("\n".join(WISHES.values()))


@cache
def _order() -> re.Pattern[str]:
    return _any_of("\n".join(ORDERS.values()))


@cache
def _habit() -> re.Pattern[str]:
    return _any_of(HABITS)


@cache
def _placed() -> re.Pattern[str]:
    return _any_of(PLACED)


@cache
def _no_wish() -> re.Pattern[str]:
    return _any_of(NO_WISH)


def _any_of(patterns: str) -> re.Pattern[str]:
    for name, part in PARTS.items():
        patterns = patterns.replace(name, part)
    lines = filter(None, patterns.splitlines())
    return re.compile("|".join(f"(?:{line})" for line in lines), re.IGNORECASE)
