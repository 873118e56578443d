"""Take a deleted text out of JSON that quotes it, whatever way it is written there."""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Any

# Whoever has so many letters of a text in a row, from the start of a word on, quotes it.
_STRETCH = 24
# A shorter text than this is taken for a quote only between the ends of words.
_TELLING = 12
# A name is a hash or as much of its beginning as is ever shown.
_NAME_DIGITS = 6
# With more stretches than this it is faster to look up each that the other text has.
_FEW = 200

_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|.)", re.DOTALL)
_BETWEEN = {code: " " for code in range(128) if not chr(code).isalnum()}
# The scripts that are written without blanks: each of their signs is taken for a word.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1780-\u17ff\u2e80-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
)
_NAME_START = re.compile(rf"(?<![0-9a-f])[0-9a-f]{{{_NAME_DIGITS}}}")
_NAME = re.compile(rf"(?<![0-9a-f])[0-9a-f]{{{_NAME_DIGITS},}}")
_PLAIN_WORD = re.compile(r"[a-z0-9]+")


class Erasure:
    """Texts, with the hashes that name them, which are to be left nowhere."""

    def __init__(self, texts: Iterable[str], names: Iterable[str] = ()) -> None:
        self._names = {name[:_NAME_DIGITS]: name for name in names}
        self._stretches = {part for text in texts for part in _stretches(words_of(text))}
        self._lengths = sorted({len(part) for part in self._stretches})
        plain = {max(_PLAIN_WORD.findall(part), key=len, default="") for part in self._stretches}
        # What none of these words is in need not be read closely.
        self._plain = plain if all(plain) and len(plain) <= _FEW else {""}

    def quoted_in(self, text: str) -> bool:
        """Whether a text quotes one of them, or names it."""
        return self._holds(text) or any(map(self._is_name, _NAME.findall(text)))

    def without(self, document: str) -> str | None:
        """Return a JSON document with the texts blanked and the names left out; None for nothing.

        What has none of them comes back as it is, and so does what is no JSON.
        """
        # A backslash of its own may begin an escape within the escape: only reading on can tell.
        quotes = self._may_hold if r"\\" in document else self._holds
        if not quotes(document) and not self._may_name(document):
            return document
        try:
            value = json.loads(document)
        except ValueError:
            return None if self._holds(document) else document
        cleaned = self._cleaned(value)
        return document if cleaned == value else json.dumps(cleaned)

    def _cleaned(self, value: Any) -> Any:
        if isinstance(value, str):
            return "" if self._holds(value) or self._is_name(value) else value
        if isinstance(value, list):
            return [self._cleaned(item) for item in value if not self._is_name(item)]
        if isinstance(value, dict):
            fields = {k: v for k, v in value.items() if not self._is_name(k) and not self._holds(k)}
            return {key: self._cleaned(item) for key, item in fields.items()}
        return value

    def _is_name(self, value: object) -> bool:
        if not isinstance(value, str) or len(value) < _NAME_DIGITS:
            return False
        return self._names.get(value[:_NAME_DIGITS], "").startswith(value)

    def _may_name(self, text: str) -> bool:
        if len(self._names) <= _FEW:
            return any(start in text for start in self._names)
        return not self._names.keys().isdisjoint(_NAME_START.findall(text))

    def _may_hold(self, text: str) -> bool:
        lowered = text.lower()
        return any(word in lowered for word in self._plain)

    def _holds(self, text: str) -> bool:
        return self._may_hold(text) and any(map(self._quotes, _readings(text)))

    def _quotes(self, words: str) -> bool:
        if len(self._stretches) <= _FEW:
            return any(part in words for part in self._stretches)
        return any(
            words[at : at + length] in self._stretches
            for at in _starts(words)
            for length in self._lengths
        )


def _readings(text: str) -> Iterator[str]:
    """Yield the words of a text as it stands, and as those of a program or of JSON."""
    yield words_of(text)
    if "\\" in text:
        yield words_of(unescaped(text))


def unescaped(text: str) -> str:
    """Return a text as whoever reads a program or JSON takes what is escaped there."""
    halves = _ESCAPE.sub(_unescaped, text).encode("utf-16", "surrogatepass")
    return halves.decode("utf-16", "replace")


def words_of(text: str) -> str:
    """Return the words of a text in small letters, with single blanks between and around them."""
    apart = text if text.isascii() else _UNSPACED.sub(r" \g<0> ", text)
    return f" {' '.join(apart.translate(_BETWEEN).split())} ".casefold()


def _starts(words: str) -> list[int]:
    """Return where the words are, each from the blank before it."""
    return list(accumulate((len(word) + 1 for word in words.split()), initial=0))[:-1]


def _unescaped(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2]
    return chr(int(code, 16)) if code else " "


def _stretches(words: str) -> list[str]:
    """Return parts of a text of which one is in whatever quotes it at some length."""
    if len(words) <= _TELLING:
        return [words] if words.strip() else []
    whole = [words[at : at + _STRETCH] for at in _starts(words) if len(words) - at > _STRETCH]
    return whole or [words.rstrip()[:_STRETCH]]
