"""Whether a text wants to tell a model that reads it what to do, against whom the model works for.

Rules that people give their own agent are no such text, nor is writing about such texts: a text
must speak to any model that happens to read it, or pose as the frame of a conversation, and lead
away from whoever asked; or it must call off what the model was told before.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from milepost.text.disguise import visible
from milepost.text.instructing_words import (
    ABOUT,
    ADDRESSES,
    AWAY,
    BARE,
    CALLS,
    CITING,
    FRAMES,
    HARMS,
    HINTS,
    OVERRIDES,
    PARTS,
    SIGNS,
    TURNED,
    TURNS,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_TAGS = range(0xE0020, 0xE007F)
# Letters of other alphabets that pass for Latin ones within a word.
_PASSING = str.maketrans("аеорсухіјѕԁһӏԛԝɡαεορνι", "aeopcyxijsdhlqwgaeopvi")
_MIXED = re.compile(r"[a-z]*[аеорсухіјѕԁһӏԛԝɡαεορνι][a-zа-яα-ω]*")
_WORD = re.compile(r"[^\W\d]+")
_SPACED = re.compile(r"\b(?:\w[ .\-_*·]){4,}\w\b")
_QUOTED = re.compile(
    r"\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|„[^“”\n]{1,200}[“”]|«[^»\n]{1,200}»"
    r"|`[^`\n]{1,200}`|「[^」\n]{1,200}」|(?<!\w)'[^'\n]{3,200}'(?!\w)"
)
_NEGATED = re.compile(
    r"(?:\bnot|n['’]t|\bnever|\bwithout|\bcannot|\bno|\bnie|\bkeine?|\bnichts|\bnicht|\bjamais|\bnunca"
    r"|\bne|不要|不得|禁止|切勿|不|别)\s*(?:\w+\s+){0,2}$"
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_READ_CHARS = 200_000
# So far from a quotation stands what says that it is one.
_NEAR = 60
# So soon after a model was spoken to comes what it shall do.
_REACH = 300
_BEFORE = 100
_ORDER = 160


def instructs(text: str) -> bool:
    """Tell whether a text wants to instruct a model that reads it."""
    plain = _plain(text[:_READ_CHARS])
    if not _may_instruct(plain):
        return False
    return any(map(_is_meant, _passages(plain))) or _turns(plain)


def _may_instruct(text: str) -> bool:
    """Tell of most texts, without compiling anything large, that they speak to no model."""
    return not HINTS.isdisjoint(_WORD.findall(text)) or any(part in text for part in PARTS)


def _is_meant(passage: str) -> bool:
    meant = _meant(passage)
    return _calls_off(meant) or _leads_away(meant)


def _passages(text: str) -> Iterator[str]:
    """Yield the parts of a text in which a model may be spoken to."""
    start = end = 0
    for sign in _any((SIGNS,)).finditer(text):
        if sign.start() - _BEFORE > end:
            if end:
                yield _cut(text, start, end)
            start = sign.start() - _BEFORE
        end = sign.end() + _REACH
    if end:
        yield _cut(text, start, end)


def _cut(text: str, start: int, end: int) -> str:
    """Return a part of a text, which does not begin as if nothing stood before it."""
    return f"… {text[start:end]}" if start > 0 else text[:end]


def _plain(text: str) -> str:
    """Return a text in small letters, in which nothing is hidden or disguised."""
    if text.isascii():
        shown = text
    else:
        hidden = "".join(chr(ord(sign) - 0xE0000) for sign in text if ord(sign) in _TAGS)
        shown = unicodedata.normalize("NFKC", visible(text)) + (f"\n{hidden}" if hidden else "")
    lowered = shown.lower()
    if not lowered.isascii():
        lowered = _MIXED.sub(_in_latin, lowered)
    return _SPACED.sub(lambda match: re.sub(r"[^\w]|_", "", match[0]), lowered)


def _in_latin(word: re.Match[str]) -> str:
    mixed = re.search(r"[a-z]", word[0])
    return word[0].translate(_PASSING) if mixed else word[0]


def _meant(text: str) -> str:
    """Return a text without what it only cites, and without sentences about instructing models."""
    outside = _QUOTED.sub(" … ", text)
    if outside != text and not _speaks(outside):
        text = _QUOTED.sub(_uncited, text)
    about = _any((ABOUT,))
    return "\n".join(part for part in _SENTENCE.split(text) if not about.search(part))


def _uncited(quote: re.Match[str]) -> str:
    """Return what is between quotation marks, unless it stands there to be cited."""
    around = quote.string[max(quote.start() - _NEAR, 0) : quote.start()]
    around += " … " + quote.string[quote.end() : quote.end() + _NEAR]
    cited = _any((ABOUT,)).search(around) or (
        _any((CITING,)).search(around) and not _speaks(quote[0])
    )
    return " … " if cited else quote[0]


def _spoken(text: str) -> Iterator[re.Match[str]]:
    """Yield where a text speaks to a model, or poses as what frames its conversation."""
    yield from _any(ADDRESSES).finditer(text)
    yield from _any(FRAMES).finditer(text)


def _speaks(text: str) -> bool:
    return next(_spoken(text), None) is not None


def _calls_off(text: str) -> bool:
    """Whether a text calls off what a model was told before."""
    orders = (*OVERRIDES, *BARE)
    return any(not _NEGATED.search(text[: match.start()][-30:]) for match in _found(orders, text))


def _leads_away(text: str) -> bool:
    """Whether a text speaks to a model and then leads it away from whom it works for."""
    if any(_asked(AWAY, text, match.start()) for match in _spoken(text)):
        return True
    return any(_harms(text, match) for match in _any(CALLS).finditer(text))


def _harms(text: str, call: re.Match[str]) -> bool:
    """Whether what follows a call to a model would do harm to whom it works for."""
    part = text[call.end() : call.end() + _ORDER].lstrip()
    harms = _any(HARMS).finditer(part)
    return any(not _NEGATED.search(part[: harm.start()]) for harm in harms)


def _turns(text: str) -> bool:
    """Whether a text goes on as a conversation in which somebody leads a model away."""
    if "assistant:" not in text and "ai:" not in text:
        return False
    turned = _any((TURNS,)).search(text)
    return turned is not None and bool(_asked(TURNED, text, turned.end()))


def _asked(sorts: Iterable[str], text: str, start: int) -> list[str]:
    """Return which sorts of things are asked for near a place, for which nobody says not."""
    part = text[max(start, 0) : max(start, 0) + _REACH]
    return [sort for sort in sorts if any(_is_asked(match) for match in _found(AWAY[sort], part))]


def _is_asked(match: re.Match[str]) -> bool:
    told = match.groupdict().get("told")
    return told is None or not _NEGATED.search(match.string[: match.start("told")][-30:])


def _found(patterns: Sequence[str], text: str) -> Iterator[re.Match[str]]:
    for pattern in patterns:
        yield from _one(pattern).finditer(text)


@cache
def _one(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)


@cache
def _any(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{each})" for each in patterns), re.MULTILINE)
