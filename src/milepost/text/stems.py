"""Reduce an English word to a stem, so that plurals and tenses find each other."""

from functools import lru_cache

_VOWELS = frozenset("aeiouy")


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return the stem of a lower-case word; words of other scripts come back unchanged."""
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    word = _without_tense(_singular(word))
    if word[-1] == "e" and len(word) > 2:
        word = word[:-1]
    if word[-1] == "y" and len(word) > 2 and word[-2] not in _VOWELS:
        word = word[:-1] + "i"
    return word[:-1] if word.endswith("ll") and len(word) > 4 else word


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return word[:-2]
    return word[:-1] if word[-1] == "s" and word[-2] not in "sui" else word


def _without_tense(word: str) -> str:
    if word.endswith("ied"):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith("eed"):
        return word[:-1]
    for suffix in ("ing", "ed"):
        root = word.removesuffix(suffix)
        if root != word and len(root) > 1 and not _VOWELS.isdisjoint(root):
            doubled = len(root) > 3 and root[-1] == root[-2] and root[-1] not in "lsz"
            return root[:-1] if doubled else root
    if word.endswith("ily"):
        return word[:-2]
    return word[:-2] if word.endswith("ly") and len(word) > 6 else word
