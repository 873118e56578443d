"""Take a verdict apart: which sentence says what went wrong, which what to do instead."""

from __future__ import annotations

import re

from milepost.text.sentences import clip_at_word

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"'(])|\n+")
_REMEDY = re.compile(
    r"\bshould(?:n't)?\b|\bnext (?:trial|time|attempt)|\bI will\b|\bneeds? to\b|\bmust\b"
    r"|\binstead\b|\bfix(?:ed)?\b|\bsolution is\b|\bworks? (?:when|if|with|after)\b"
    r"|\bafter (?:adding|changing)",
    re.IGNORECASE,
)
_WRONG = re.compile(
    r"\b(?:incorrect|wrong|stuck|fail\w*|forgot\w*|unable|unsuccessful|error|cannot|couldn't"
    r"|could not|did not|didn't|does not|doesn't|was not|wasn't|missing|broke\w*|because|however"
    r"|timed? ?out|loop)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]\w+")
# Words that every account of a failure has; a sentence of nothing else says nothing.
_EMPTY = frozenset(
    "the this that these those and but for with from into then than have has had was were will "
    "would should could can may did does not its it my me in on to of is are be been an as at by "
    "or if so again also any all some other same more try tried trying make sure different action "
    "actions execute identical two row help stuck loop trial next time environment plan task case "
    "cases test tests incorrect results result failed fail fails leads lead leading causes causing "
    "cause implementation function correctly properly correct because however additionally which "
    "when where there current instead need needs order take attention read carefully double check "
    "before after".split()
)


_CONTENT_MIN = 2


def what_failed(verdict: str) -> str:
    """Return the sentence that says best what went wrong, or ""."""
    return _best(verdict, _WRONG, _REMEDY)


def what_to_do(verdict: str) -> str:
    """Return the sentence that says best what to do instead, or ""."""
    return _best(verdict, _REMEDY, None)


def first_sentence(verdict: str) -> str:
    """Return the beginning of a verdict."""
    found = sentences(verdict)
    return clip_at_word(found[0]) if found else ""


def sentences(text: str) -> list[str]:
    """Return the sentences of a text."""
    return [part.strip() for part in _SENTENCE.split(text[:8_000].strip()) if part.strip()]


def _best(verdict: str, wanted: re.Pattern[str], unwanted: re.Pattern[str] | None) -> str:
    best, most = "", _CONTENT_MIN - 1.0
    for sentence in sentences(verdict):
        # What is to be done in another case than this one tells nothing about this one.
        if not wanted.search(sentence) or sentence.startswith("If "):
            continue
        content = {word.lower() for word in _WORD.findall(sentence)} - _EMPTY
        score = min(len(content), 12) / (2 if unwanted and unwanted.search(sentence) else 1)
        if score > most:
            best, most = sentence, score
    return clip_at_word(best)
