"""Whether two texts say the same, word for word but for what changes nothing.

Similar is not the same: one number, name or "not" makes another statement of a text. So the words
must be the same ones in the same order; only their case, signs at their ends, articles and words of
courtesy may differ, and a part may stand before the other or after it.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from itertools import chain, dropwhile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Signs that end or frame words. A question mark is none of them, nor is a sign before a word.
_BEFORE = "\"'`([{*“”‘’«»„¿¡"
_AFTER = "\"'`)]}*“”‘’«»!.,;:…。，！；："
_BULLETS = frozenset("- – — * • #".split())
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
    tokens = _unlabelled(text).replace("’", "'").split()
    if len(tokens) > 1 and tokens[0][-1] in ".!":
        tokens[0] = f"{tokens[0][:-1]},"
    found = chain.from_iterable(map(_word, tokens))
    words = dropwhile(_OPENERS.__contains__, found)
    return tuple(word for word in words if word not in _FILLERS)


def said_key(text: str) -> int:
    """Return a number that texts share which say the same, and hardly any others."""
    words = "\x1f".join(sorted(said(text)))
    digest = blake2b(words.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def signs_of(words: tuple[str, ...]) -> list[str]:
    """Return the words that a sign makes others: _id, __str__, "no," as an answer."""
    return sorted(w for w in words if w[0] == "_" or w[-1] in "_,")


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


def _word(token: str) -> Iterator[str]:
    word = token.lstrip(_BEFORE).rstrip(_AFTER)
    if not word or token in _BULLETS:
        return
    if word[0] == "_" == word[-1] and not word.startswith("__"):
        word = word.strip("_") or word  # emphasis; what begins with it alone is an identifier
    letters = word.replace("'", "")
    if not letters.isalpha() or len(letters) == 1 or word in _NAMES:
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
