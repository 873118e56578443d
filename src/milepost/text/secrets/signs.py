"""Find out at once which of many words are in a text, and whether it has words of chance at all."""

from __future__ import annotations

import re
from functools import cache, cached_property

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# Four bytes are read as one number, which is how fast a text can be looked through here.
_SIZE = 4


class Signs:
    """A text in lower case, with what is cheap to know of it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lowered = text.lower()

    @cached_property
    def beginnings(self) -> set[int]:
        """Every four bytes of the text that follow each other."""
        raw = memoryview(self.lowered.encode("utf-8", "surrogatepass"))
        numbers: set[int] = set()
        for start in range(_SIZE):
            numbers.update(raw[start : len(raw) - (len(raw) - start) % _SIZE].cast("I"))
        return numbers

    @cached_property
    def has_long(self) -> bool:
        """Whether a word is long and mixed enough to be a token of whatever make."""
        return any(len(word) >= 32 or _digit().search(word) for word in _long().findall(self.text))

    def any(self, *words: str) -> bool:
        """Whether one of some words is there."""
        lowered = self.lowered
        for word in words:  # noqa: SIM110 -- a generator costs more than what it asks
            if word in lowered:
                return True
        return False


class Index:
    """Words with the number of what each is a sign of, to be looked up in texts."""

    def __init__(self, words: Iterable[tuple[str, int]]) -> None:
        self._short: list[tuple[str, int]] = []
        self._by_beginning: dict[int, list[tuple[str, int]]] = {}
        for written, meaning in words:
            word = written.lower()
            raw = word.encode()
            if len(raw) < _SIZE:
                self._short.append((word, meaning))
            else:
                (beginning,) = memoryview(raw[:_SIZE]).cast("I")
                self._by_beginning.setdefault(beginning, []).append((word, meaning))
        self._beginnings = frozenset(self._by_beginning)

    def found(self, signs: Signs) -> list[tuple[str, int]]:
        """Return the words that are in a text, with their meanings."""
        lowered, known = signs.lowered, self._by_beginning
        there = [entry for number in self._beginnings & signs.beginnings for entry in known[number]]
        return [entry for entry in (*self._short, *there) if entry[0] in lowered]


@cache
def _long() -> re.Pattern[str]:
    return re.compile(r"\S{14,}")


@cache
def _digit() -> re.Pattern[str]:
    return re.compile(r"\d")
