"""BERT's uncased WordPiece: text to vocabulary ids, with the standard library alone."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

UNKNOWN = "[UNK]"
CONTINUATION = "##"

# Longer words are noise (hashes, base64); BERT's own limit, so the ids agree with its tokenizer.
WORD_CHARACTERS_MAX = 100

# Words of several pieces are remembered, since texts repeat them; about 4 MB when full.
SPLITS_MAX = 20_000

_IDEOGRAPHS = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0x2F800, 0x2FA1F),
)


class WordPiece:
    """Split text into the longest pieces a vocabulary knows.

    A special token written in a text, such as "[MASK]", is read as plain text.
    """

    def __init__(self, vocabulary: Iterable[str]) -> None:
        self.ids: dict[str, int] = {piece: index for index, piece in enumerate(vocabulary)}
        self.unknown = self.ids[UNKNOWN]
        self._piece_characters_max = max(map(len, self.ids))
        self._splits: dict[str, Sequence[int]] = {}

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text, unknown words included."""
        ids: list[int] = []
        known, splits = self.ids, self._splits
        for word in words(text):
            index = known.get(word)
            if index is not None:
                ids.append(index)
            else:
                ids += splits.get(word) or self._split(word)
        return ids

    def _split(self, word: str) -> Sequence[int]:
        pieces = self._pieces(word) if len(word) <= WORD_CHARACTERS_MAX else (self.unknown,)
        if len(self._splits) >= SPLITS_MAX:
            self._splits.clear()
        self._splits[word] = pieces
        return pieces

    def _pieces(self, word: str) -> Sequence[int]:
        pieces: list[int] = []
        start, prefix = 0, ""
        while start < len(word):
            end = min(len(word), start + self._piece_characters_max)
            while end > start and prefix + word[start:end] not in self.ids:
                end -= 1
            if end == start:
                return (self.unknown,)
            pieces.append(self.ids[prefix + word[start:end]])
            start, prefix = end, CONTINUATION
        return tuple(pieces)


def words(text: str) -> list[str]:
    """Lower a text, strip its accents and split it at spaces, punctuation and ideographs."""
    if not text.isascii():
        text = unicodedata.normalize("NFD", text)
    return text.translate(_REWRITES).split()


class _Rewrites(dict[int, str]):
    """What each code point of a decomposed text becomes, filled as code points are met."""

    # The usual texts of one user fit; a text made of every code point must not fill the memory.
    SIZE_MAX = 10_000

    def __missing__(self, code: int) -> str:
        rewritten = _rewrite(chr(code))
        if len(self) < self.SIZE_MAX:
            self[code] = rewritten
        return rewritten


def _rewrite(character: str) -> str:
    category = unicodedata.category(character)
    if character in "\t\n\r":
        return " "
    if category in ("Cc", "Cf", "Co", "Cs", "Mn") or character == "\ufffd":
        return ""
    if character.isspace():
        return " "
    if _stands_alone(character, category):
        return f" {character} "
    return character.lower()


def _stands_alone(character: str, category: str) -> bool:
    # BERT also counts the ASCII symbols ($, +, <, …) as punctuation, but no other symbols.
    if category[0] == "P" or (category[0] == "S" and character.isascii()):
        return True
    return any(first <= ord(character) <= last for first, last in _IDEOGRAPHS)


_REWRITES = _Rewrites()
