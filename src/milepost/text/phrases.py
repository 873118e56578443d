"""Find exact words in texts and in JSON, whatever their case, and take out what has them."""

import json
import re
from functools import cached_property
from typing import Any
from unicodedata import normalize

from milepost.text.erasing import unescaped, words_of

# Signs of their own that nobody sees: soft hyphens, joiners, marks of direction.
_HIDDEN = re.compile("[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
# What is no letter beyond ASCII: quotes, dashes. What escapes is left for who reads it.
_SIGNS = re.compile(r"[^\w\x00-\x7f]")


class Phrase:
    """Words that stand one after the other, whatever stands between them that is no letter.

    Case does not count, nor how a letter is put together; a part of a word is not the word.
    """

    def __init__(self, text: str) -> None:
        self.words = words_of(_composed(text))
        self._telling = max(self.words.split(), key=len, default="")

    def __bool__(self) -> bool:
        return bool(self.words.strip())

    def quoted_in(self, text: str) -> bool:
        """Whether a text has the words, as it stands or as a program or JSON writes it."""
        if text.isascii() and "\\" not in text and self._telling not in text.casefold():
            return False
        if self.words in words_of(_composed(text)):
            return True
        return "\\" in text and self.words in words_of(_composed(unescaped(text)))

    def without(self, document: str) -> str | None:
        """Return a JSON document with what has the words blanked; None if it is none and has."""
        return _without(self, document)


class Name:
    """A name by which something goes, as the whole of a text or of a value in JSON."""

    def __init__(self, text: str) -> None:
        self._name = text

    def __bool__(self) -> bool:
        return bool(self._name)

    @cached_property
    def _written(self) -> str:
        return json.dumps(self._name)

    def quoted_in(self, text: str) -> bool:
        """Whether a text is the name, begins with it in a line of its own, or has it as a value."""
        if text.partition("\n")[0] == self._name:
            return True
        if self._written not in text:
            return self._name in text and "\\" in text and self.without(text) != text
        return self.without(text) != text

    def without(self, document: str) -> str | None:
        """Return a JSON document with the name blanked; None for what is no more than that."""
        return _without(self, document)

    def is_in(self, value: str) -> bool:
        """Whether a value of JSON is the name."""
        return value == self._name


def _without(wanted: "Phrase | Name", document: str) -> str | None:
    holds = wanted.quoted_in if isinstance(wanted, Phrase) else wanted.is_in
    try:
        value = json.loads(document)
    except (ValueError, RecursionError):
        return None if holds(document) else document
    cleaned = _cleaned(holds, value)
    return document if cleaned == value else json.dumps(cleaned)


def _cleaned(holds: Any, value: Any) -> Any:
    if isinstance(value, str):
        return "" if holds(value) else value
    if isinstance(value, list):
        items = (_cleaned(holds, item) for item in value)
        return [new for item, new in zip(value, items, strict=True) if not (item and new == "")]
    if isinstance(value, dict):
        return {key: _cleaned(holds, item) for key, item in value.items() if not holds(key)}
    return value


def _composed(text: str) -> str:
    """Return a text with letters put together, without what hides, and signs blank."""
    if text.isascii():
        return text
    shown = _HIDDEN.sub("", normalize("NFKC", text))
    return _SIGNS.sub(" ", shown)
