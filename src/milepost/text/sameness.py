"""Whether two texts say the same, word for word but for what changes nothing.

Similar is not the same: one number, name or "not" makes another statement of a text. So the words
must be the same ones in the same order; only their case, signs that end or frame them, articles and
words of courtesy may differ, and a part may stand before the other or after it.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from hashlib import blake2b
from itertools import chain, dropwhile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Signs that end or frame words. A question mark is none of them, nor is a sign before a word.
_FRAMES = "\"'`“”‘’«»„"
_BEFORE = f"{_FRAMES}([¿¡"
_AFTER = f"{_FRAMES})]!.,;:…。，！；："
# At the beginning of a line these are bullets, as number signs are; a dash within one says no more.
_BULLETS = frozenset("- – — * •".split())
_DASHES = frozenset("- – —".split())
# *never*, **never use tabs**; but not *args, nor build*.
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3})(?=\w)([^*\n]*[^\s*])\1(?![\w*])")
_SENTENCE_ENDS = ".!?:"
# MB is another than Mb.
_UNIT = re.compile(r"[kmgtp]?i?b", re.IGNORECASE)
# Stands before a word whose case matters.
_SPELLED = "="
# Signs that make another word of one, but for a number sign before a number: C#, $5, 5%, !=.
_TELLING_SIGNS = frozenset("$€£¥%+!=~*<>^|@\\[{}_#;,")
# Written alone these only join: "cursor = null" is "cursor is null".
_JOINING = frozenset({"->", "=>", "→", "="})
_FILLERS = frozenset(
    """
    a an the our please der die das den dem des ein eine einen einem einer bitte
    el la los las un una unos unas le les une
    """.split()
)
# In capitals these are names: LA, LE, the DES, the IT, the US.
_NAMES = frozenset(word.upper() for word in _FILLERS - {*"a an the our please bitte".split()})
_NAMES |= {"IT", "US"}
# "No, deploy" says another thing than "no deploy".
_ANSWERS = frozenset("no nein non yes ja sí oui".split())
# What may stand before all else, and before a colon or a comma.
_OPENERS = frozenset("A so also btw fyi note that".split())
_LABELS = frozenset(
    " ".join(label.split())
    for label in """
    again, as said, as said before, as i said, like i said, as mentioned, once more, to repeat,
    reminder, remember, note, note to self, for the record, noch einmal, nochmal, wie gesagt,
    zur erinnerung, notiz, otra vez, como dije, recordatorio, nota, encore, rappel
    """.split(",")
)
_LABEL_CHARS = max(map(len, _LABELS))
_ENDINGS = {"re": "are", "m": "am", "ll": "will", "ve": "have"}
_PRONOUNS = frozenset("it that he she what there here who where".split())
_NEGATED = {"ca": "can", "wo": "will", "sha": "shall"}
# Few words may mean another thing in another order: "Ann called", "called Ann".
_TURNED_MIN, _TURNED_MAX = 4, 200
# A text is compared with many.
_CACHED = 4_096


@lru_cache(_CACHED)
def said(text: str) -> tuple[str, ...]:
    """Return the words by which a text says what it says."""
    plain = _unlabelled(text).replace("’", "'")
    if "*" in plain:
        plain = _EMPHASIS.sub(r"\2", plain)
    found = chain.from_iterable(_words(line.split()) for line in _lines(plain))
    words = dropwhile(_OPENERS.__contains__, found)
    return tuple(word for word in words if word not in _FILLERS)


def _lines(text: str) -> Iterator[str]:
    """Yield the lines of a text; "No. Deploy" begins as "No, deploy" does."""
    first, *others = text.strip().splitlines() or [""]
    head, blank, rest = first.partition(" ")
    yield f"{head[:-1]}, {rest}" if blank and head[-1] in ".!" else first
    yield from others


def said_key(text: str) -> int:
    """Return a number that texts share which say the same, and hardly any others."""
    words = "\x1f".join(sorted(said(text)))
    digest = blake2b(words.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def signs_of(words: tuple[str, ...]) -> list[str]:
    """Return what signs and capitals tell besides words: _id, $5, C#, 10 MB, "no," as an answer."""
    return [sign for sign in map(_sign, words) if sign]


def _sign(word: str) -> str:
    if word[0] == _SPELLED or not any(map(str.isalnum, word)):
        return "" if word in _JOINING else word
    unit = word.lstrip("0123456789.,")
    if unit == word:
        return "".join(sign for sign in word.lstrip("#") if sign in _TELLING_SIGNS)
    signs = "".join(sign for sign in unit if sign in _TELLING_SIGNS - {","})
    return unit if unit.isalpha() and unit != unit.casefold() else signs


def is_the_same(words: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """Tell whether what one text says is what another says, neither more nor less."""
    if len(words) != len(others) or not words:
        return False
    may_turn = _TURNED_MIN <= len(words) <= _TURNED_MAX
    return words == others or (may_turn and _turned(words, others))


def _turned(words: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """Whether the end of one stands before its beginning in the other."""
    starts = (place for place, word in enumerate(others) if word == words[0])
    return any(others[start:] + others[:start] == words for start in starts)


def _unlabelled(text: str) -> str:
    beginning = text[: _LABEL_CHARS + 1]
    end = next((place for place, sign in enumerate(beginning) if sign in ":,"), None)
    labelled = end is not None and beginning[:end].strip().casefold() in _LABELS
    return text[end + 1 :] if end is not None and labelled else text


def _words(tokens: Sequence[str]) -> Iterator[str]:
    """Yield the words of a line."""
    if tokens and (tokens[0] in _BULLETS or not tokens[0].strip("#")):
        tokens = tokens[1:]
    bare = [token.lstrip(_BEFORE).rstrip(_AFTER) for token in tokens]
    several = _in_several_cases(tokens, bare)
    before, begins = "", True
    for place, (token, word) in enumerate(zip(tokens, bare, strict=True)):
        if not word:
            yield from _lone_sign(token)
        elif token in _DASHES:
            yield from [token] if "".join(bare[place + 1 : place + 2])[:1].isdigit() else ()
        elif word in several or _is_unit(before, word) or _is_name(word, begins):
            yield f"{_SPELLED}{word}"
        else:
            yield from _word(token, word)
        before, begins = word, token[-1] in _SENTENCE_ENDS


def _in_several_cases(tokens: Sequence[str], bare: Sequence[str]) -> set[str]:
    """Return the words that a line writes in two ways: "rename User to user"."""
    inner = {
        word
        for before, word in zip(tokens, bare[1:], strict=False)
        if before[-1] not in _SENTENCE_ENDS
    }
    forms = Counter(map(str.casefold, inner))
    return set() if len(forms) == len(inner) else {w for w in inner if forms[w.casefold()] > 1}


def _lone_sign(token: str) -> Iterator[str]:
    """Yield a sign that is a word of its own: a comma between fields, the folder above."""
    sign = token.strip(f"{_FRAMES}()[]") or token
    if sign.strip("!…"):
        yield sign


def _is_unit(number: str, word: str) -> bool:
    return number[:1].isdigit() and _UNIT.fullmatch(word) is not None


def _is_name(word: str, begins: bool) -> bool:
    """Whether what else only joins words is a name: "the class Die", LA, the US."""
    return word in _NAMES or (not begins and word.istitle() and word.casefold() in _FILLERS)


def _word(token: str, word: str) -> Iterator[str]:
    if word[0] == "_" == word[-1] and not word.startswith("__"):
        word = word.strip("_") or word  # emphasis; what begins with it alone is an identifier
    letters = word.replace("'", "")
    if not letters.isalpha() or len(letters) == 1:
        # Case matters in identifiers and options, and in single letters: -v, -V.
        yield word
        return
    folded = word.casefold()
    if folded in _ANSWERS and token[-1] in ",;:":
        yield f"{folded},"
        return
    yield from _whole(folded)


def _whole(word: str) -> Iterator[str]:
    """Write out what was drawn together."""
    head, _, tail = word.partition("'")
    if word == "cannot":
        yield from ("can", "not")
    elif word.endswith("n't"):
        yield from (_NEGATED.get(word[:-3], word[:-3]), "not")
    elif tail in _ENDINGS:
        yield from (head, _ENDINGS[tail])
    elif tail == "s" and head in _PRONOUNS:
        yield from (head, "is")
    else:
        yield word
