"""A text that is being read: its tokens, and which of its characters are already part of a name."""

from __future__ import annotations

from milepost.text.entities.calendar import CALENDAR
from milepost.text.entities.listings import listed, tells
from milepost.text.entities.values import Mention
from milepost.text.expressions import lazy
from milepost.text.languages import function_words
from milepost.text.words import STOP_WORDS
from milepost.values import NamedTuple

# Chinese and its punctuation divide, as blanks do; so do brackets, but not what names hold.
_TOKEN = lazy(
    r"[^\s`\"<>|,;*?{}()\[\]=$\\\u00ab\u00bb\u2013\u2014\u2018\u201a-\u201f\u2026\u2190-\u21ff"
    r"\u3000-\u303f\u3400-\u9fff\uff00-\uffef]+"
)
_CLOSING = ".:!'\u2019-+&%^"
_ARTICLES = frozenset("El La Los Las Le Les Der Die Das Den Dem Ein Eine Una Un Une Firma".split())
# So many characters tell the language of a text.
_TOLD_BY = 500


class Token(NamedTuple):
    """What stands between blanks, without the signs of the sentence around it."""

    start: int
    end: int
    word: str


class Page:
    """A text, the names found in it so far, and who says it."""

    def __init__(self, text: str, author: str | None) -> None:
        self.text = text
        self.author = author
        self.found: list[Mention] = []
        self._claimed = bytearray(len(text))
        self._listed = listed(text)
        self._german: bool | None = None

    def in_german(self) -> bool:
        """Tell whether all nouns may be capitalised; a few words are enough to be careful."""
        if self._german is None:
            words = [word.lower() for word in self.text[:_TOLD_BY].split()]
            german = sum(map(function_words("german").__contains__, words))
            self._german = german > max(1, sum(map(STOP_WORDS.__contains__, words)))
        return self._german

    def free(self, start: int, end: int) -> bool:
        """Tell whether no name was found in a span."""
        return self._claimed.find(1, start, end) < 0

    def claim(self, start: int, end: int, type_: str | None = None) -> None:
        """Say that a span is a name, or that it is none (no type) and is not to be read."""
        self._claimed[start:end] = b"\1" * (end - start)
        if type_ is not None:
            self.found.append(Mention(self.text[start:end], type_, start))

    def claim_run(self, tokens: list[Token], place: int, type_: str) -> int:
        """Claim the tokens from a place of a run on, and return the place behind them."""
        self.claim(tokens[0].start, tokens[-1].end, type_)
        return place + len(tokens)

    def is_opening(self, token: Token) -> bool:
        """Tell whether a word is capitalised only because a sentence begins with it, or a day."""
        if token.word in CALENDAR:
            return True
        if token.word in _ARTICLES:
            return True
        return self.begins(token.start) and (token.word.lower() in STOP_WORDS or self.in_german())

    def tells(self, token: Token) -> bool:
        """Tell whether a name in code stands in a sentence, or is one to know in a listing."""
        if self._listed is None or not self._listed[token.start]:
            return True
        return tells(token.word, self.text, token.end)

    def tokens(self) -> list[Token]:
        """Return what is left to be read, in order."""
        free = self._claimed.find
        return [
            _token(match.start(), match[0])
            for match in _TOKEN.finditer(self.text)
            if free(1, match.start(), match.end()) < 0
        ]

    def begins(self, start: int) -> bool:
        """Tell whether a sentence, a line or an item begins here, where any word is capitalised."""
        before = self.text[max(0, start - 4) : start]
        bare = before.rstrip(" \t\"'(\u201c\u201e\u00ab\u00bf\u00a1*_[-\u2022>")
        return not bare or bare[-1] in ".!?:\u2026\n\u3002\uff01\uff1f" or start == 0


def _token(start: int, raw: str) -> Token:
    if raw.isalnum():
        return Token(start, start + len(raw), raw)
    word = raw.rstrip(_CLOSING)
    if word[-2:] in ("'s", "\u2019s", "'S"):
        word = word[:-2]
    # C++ and C# keep their signs.
    if raw[len(word) : len(word) + 2] == "++" and len(word) == 1:
        word = raw[: len(word) + 2]
    bare = word.lstrip("'\u2019!:^&%")
    start += len(word) - len(bare)
    return Token(start, start + len(bare), bare)
