"""A text as signs, one a word, that tell what its words mean to one who looks for something."""

from __future__ import annotations

import re
from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# A word that is not known; where sentences and clauses end, and what a colon follows.
OTHER, SENTENCE, CLAUSE, COLON, ADDRESS = ".", "|", ",", ":", "O"
# A sign that already stands in a text for what was found there.
_PLACED = 0xE000
_PART = re.compile(
    r"(?P<placed>[\ue020-\ue07e])|(?P<address>https?://\S+|[\w.+-]+@[\w-]+\.[\w.]+)"
    r"|(?P<joined>[\u3040-\u30ff\u3400-\u9fff]+)"
    r"|(?P<word>\.?[^\W_\u3040-\u30ff\u3400-\u9fff]+(?:['’.@-][^\W_\u3040-\u30ff\u3400-\u9fff]+)*)"
    r"|(?P<end>[.!?。！？\n]+)|(?P<colon>[:：])|(?P<clause>[,;，；、()\[\]{}\"“”„«»「」—–<>*#/|-]+)"
)
_MARKS = {"end": SENTENCE, "colon": COLON, "clause": CLAUSE, "address": ADDRESS}


def placed(sign: str) -> str:
    """Return what stands for a sign in a text."""
    return chr(_PLACED + ord(sign))


class Meanings:
    """Words by what they mean: whole ones, beginnings, several together, those without blanks."""

    def __init__(self, lists: Mapping[str, str]) -> None:
        self._whole: dict[str, str] = {}
        self._begins: dict[str, str] = {}
        self._phrases: dict[str, list[tuple[list[str], str]]] = {}
        joined: dict[str, str] = {}
        for word, sign in ((word, sign) for sign, words in lists.items() for word in words.split()):
            first, *rest = word.split("_")
            if rest:
                self._phrases.setdefault(first, []).append((rest, sign))
            elif "\u3040" <= word[0] <= "\u9fff":
                joined[word] = sign
            else:
                known = self._begins if word.endswith("*") else self._whole
                known.setdefault(word.rstrip("*"), sign)
        self._joined = joined
        longest = sorted(joined, key=len, reverse=True)
        self._joined_word = re.compile("|".join(longest) or "(?!)")
        self._lengths = sorted({len(each) for each in self._begins}, reverse=True)
        self._sign = lru_cache(maxsize=1 << 14)(self._look_up)

    def signs(self, text: str) -> str:
        """Return a text, in small letters, as signs."""
        parts = [(part.lastgroup or "", part[0]) for part in _PART.finditer(text)]
        return "".join(self._read(parts))

    def _read(self, parts: list[tuple[str, str]]) -> Iterator[str]:
        skipped = 0
        for place, (sort, part) in enumerate(parts):
            if skipped:
                skipped -= 1
            elif sort == "word":
                sign, skipped = self._together(parts, place)
                yield sign or self._sign(part)
            elif sort == "joined":
                yield from self._apart(part)
            else:
                yield _MARKS.get(sort) or chr(ord(part) - _PLACED)

    def _together(self, parts: list[tuple[str, str]], place: int) -> tuple[str, int]:
        """Return what a word means with those behind it, and how many these are."""
        for rest, sign in self._phrases.get(parts[place][1], ()):
            behind = parts[place + 1 : place + 1 + len(rest)]
            if len(behind) == len(rest) and all(map(_is, (b[1] for b in behind), rest)):
                return sign, len(rest)
        return "", 0

    def _apart(self, run: str) -> Iterator[str]:
        """Yield the signs of words between which stands no blank."""
        end = 0
        for word in self._joined_word.finditer(run):
            if word.start() > end:
                yield OTHER
            yield self._joined[word[0]]
            end = word.end()
        if end < len(run):
            yield OTHER

    def _look_up(self, word: str) -> str:
        word = word.replace("’", "'")
        sign = self._whole.get(word)
        beginnings = (word[:length] for length in self._lengths if length <= len(word))
        sign = sign or next((self._begins[b] for b in beginnings if b in self._begins), OTHER)
        before, elided, behind = word.partition("'")
        if sign == OTHER and elided:
            sign = self._look_up(behind)
            sign = self._look_up(before) if sign == OTHER else sign
        return sign


def _is(word: str, known: str) -> bool:
    return word.startswith(known[:-1]) if known.endswith("*") else word == known
