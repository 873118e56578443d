"""Find out at once which of many words are in a text, by the beginnings that are there."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_SIZE = 3


class Signs:
    """A text in lower case, with every three letters of it that follow each other."""

    def __init__(self, text: str) -> None:
        self.lowered = lowered = text.lower()
        self.threes = set(zip(lowered, lowered[1:], lowered[2:], strict=False))

    def any(self, *words: str) -> bool:
        """Whether one of some words is there."""
        return any(word in self.lowered for word in words)


class Index:
    """Words with the number of what each is a sign of, to be looked up in texts."""

    def __init__(self, words: Iterable[tuple[str, int]]) -> None:
        self._short: list[tuple[str, int]] = []
        self._by_three: dict[tuple[str, ...], list[tuple[str, int]]] = {}
        for written, meaning in words:
            word = written.lower()
            three = tuple(word[:_SIZE])
            entries = self._by_three.setdefault(three, []) if len(three) == _SIZE else self._short
            entries.append((word, meaning))

    def found(self, signs: Signs) -> list[tuple[str, int]]:
        """Return the words that are in a text, with their meanings."""
        lowered = signs.lowered
        known = self._by_three
        there = [entry for three in known.keys() & signs.threes for entry in known[three]]
        return [entry for entry in (*self._short, *there) if entry[0] in lowered]
