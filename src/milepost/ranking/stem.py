"""Reduce an English word to a stem, so that plurals and tenses find each other."""

_VOWELS = frozenset("aeiouy")
_SUFFIXES = ("ingly", "edly", "ing", "ed", "ly")
_MIN_STEM = 3


def stem(word: str) -> str:
    """Return the stem of a lower-case word; words of other scripts come back unchanged."""
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    word = _singular(word)
    for suffix in _SUFFIXES:
        if word.endswith(suffix):
            word = _without(word, suffix)
            break
    if len(word) > 4 and word.endswith("e"):
        word = word[:-1]
    if len(word) > 3 and word.endswith("y") and word[-2] not in _VOWELS:
        word = word[:-1] + "i"
    return word


def _singular(word: str) -> str:
    if not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1]


def _without(word: str, suffix: str) -> str:
    root = word[: -len(suffix)]
    if len(root) < _MIN_STEM or not any(c in _VOWELS for c in root):
        return word
    if len(root) > 3 and root[-1] == root[-2] and root[-1] not in "lsz":
        return root[:-1]
    return root
