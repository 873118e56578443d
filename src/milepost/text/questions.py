"""What the form of a question tells: whether it asks at all, of the past, and by which names."""

from __future__ import annotations

from milepost.text.asking_words import AUXILIARIES, QUESTION_WORDS, QUESTION_WORDS_ABROAD
from milepost.text.expressions import lazy
from milepost.text.languages import languages_of

# Fewer words are looked up rather than told: "prod database port".
_LOOKED_UP = 4
_ASKING = QUESTION_WORDS | AUXILIARIES | QUESTION_WORDS_ABROAD
_WORD = lazy(r"[^\W_]+")
_MARK = lazy(r"[?？؟]")
_PAST = lazy(
    r"(?i)\b(?:did|didn|was|wasn|were|weren|had|hadn|used to|ago|yesterday|originally|initially|"
    r"first|previously|formerly|before|earlier|back then|at the time|last time|"
    r"war|waren|hatte|hatten|wurde|wurden|gab|damals|früher|zuerst|ursprünglich|"
    r"fue|fueron|era|eran|hizo|dijo|había|tuvo|estaba|pasó|antes|"
    r"était|étaient|avait|avaient|fut|avant|"
    r"foi|foram|tinha|estava|aveva|stato|stata|prima|werd|werden|waren|toen|"
    r"был|была|было|были|раньше)\b|[了过過]|当时|之前|以前|上次|最初|でした|ました"
)
# A word with a capital letter inside a sentence; one with a capital, a digit or a line inside it.
_CAPITAL = lazy(r"(?<=[\w,;)\"'’] )[\"'(`]?([A-Z]\w*)")
_IDENTIFIER = lazy(r"\b[^\W\d_]+[A-Z0-9_]\w*\b")
# Letters of other scripts than Latin.
_ELSEWHERE = lazy(r"[\u0370-\u1dff\u2c00-\ud7ff\uf900-\ufdff\ufe70-\ufeff]")
_NO_NAMES = frozenset({"i", "ok", "a"})


def asks(text: str) -> bool:
    """Whether a text asks or looks something up, rather than tells something."""
    found = _WORD.findall(text.casefold())
    if len(found) <= _LOOKED_UP or _MARK.search(text):
        return True
    return found[0] in _ASKING


def asks_of_the_past(text: str) -> bool:
    """Whether a question asks what was, not what holds."""
    return _PAST.search(text) is not None


def in_english(text: str) -> bool:
    """Whether a question is in English, as far as can be told."""
    return not _ELSEWHERE.search(text) and not languages_of(text, _WORD.findall(text))


def names(text: str) -> frozenset[str]:
    """Return the lower-case words of a question that stand in it as names do."""
    found = _IDENTIFIER.findall(text)
    # In German every noun has a capital letter.
    if "german" not in languages_of(text, _WORD.findall(text)):
        found += _CAPITAL.findall(text)
    return frozenset(name.casefold() for name in found) - _NO_NAMES
