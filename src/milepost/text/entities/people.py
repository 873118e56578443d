"""People: known first names, and what follows a title."""

from __future__ import annotations

from milepost.text import speakers
from milepost.text.languages import folded

# "Don" and "M" are more often a name and an initial than a title.
_TITLES = speakers.TITLES - {"don", "m", "hon"}
# First names that begin sentences as words, in one of our languages.
_WORDS = frozenset(
    "will mark rob till guy dawn grace una nada mia jan lan ben val rune pip hai wen chad sue pat "
    "rod "
    "jay kun nur uma ella ama alla ali lei dan ed jo meg mina ville bela don frank ken hank jack "
    "victor iris ivy jade gene sora chao bala carter mason taylor tyler christian jordan "
    "eve".split()
)
# First names that are more often something else wherever they stand; with a surname they are names.
_RARE = frozenset(
    "pip mel len baz elif edu nan val julia pascal kelvin mercedes virginia florence jordan "
    "chelsea "
    "madison marina noel lex kuba sina victoria charlotte cliff dale glen rosemary sherry angus "
    "melody "
    "carol holly hazel heather daisy poppy lily".split()
)
_NO_NAMES = frozenset("roman jesus moses santiago".split())


def is_title(word: str) -> bool:
    """Tell whether a word announces a surname."""
    return word.rstrip(".").lower() in _TITLES and word[0].isupper()


def is_first_name(word: str, begins: bool = False, alone: bool = False) -> bool:
    """Tell whether a capitalised word is somebody's first name, without a surname if alone."""
    plain = folded(word).lower()
    if plain in _NO_NAMES:
        return False
    if alone and (plain in _RARE or (begins and plain in _WORDS)):
        return False
    # "Friedrich-Ebert" is a street, and "Svenja-Radio" a radio.
    return all(map(speakers.is_first_name, plain.split("-")))


def is_surname(word: str) -> bool:
    """Tell whether a word may be a surname, or an initial: capitalised, but not in capitals."""
    return word[0].isupper() and (len(word) <= 1 or not word.isupper())
