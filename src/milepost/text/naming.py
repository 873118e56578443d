"""How names of things, and words for how they stand to each other, are compared."""

import re
from unicodedata import normalize

from milepost.text.disguise import visible

_BETWEEN = re.compile(r"[\s_-]+")


def name_key(name: str) -> str:
    """Return a name as names are compared: whatever its case, its blanks and its way of writing.

    What nobody sees of a name makes no other name of it.
    """
    return " ".join(normalize("NFKC", visible(name)).casefold().split())


def word_key(word: str) -> str:
    """Return the word for a relation as such words are compared: "Works at" is works_at."""
    key = name_key(word)
    return _BETWEEN.sub("_", key).strip("_") or key
