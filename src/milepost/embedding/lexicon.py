"""What is known of single words: which are akin, and how common each is."""

from collections.abc import Iterable, Sequence
from itertools import permutations
from pathlib import Path

import numpy as np

from milepost.embedding.static import FOLDER, StaticEmbedder
from milepost.ranking.keys import term_key
from milepost.text.stems import stem

_DEVELOPER_KIN = Path(__file__).parent / "data" / "developer-kin.txt"
_SAME = 0.85
_KIND = 0.65


class StaticLexicon:
    """Reads kin off the model's vectors, and off a list of the words of software work."""

    def __init__(self, model: StaticEmbedder, folder: Path = FOLDER) -> None:
        self._numbers = model.numbers
        self._terms = np.load(folder / "kin.terms.npy", mmap_mode="r")
        self._sims = np.load(folder / "kin.sims.npy", mmap_mode="r")
        self._listed = _listed_kin(_DEVELOPER_KIN.read_text("utf-8"))

    def rank(self, word: str) -> int:
        """Return the place of a word among the model's words, which stand by falling frequency."""
        return self._numbers.get(word, len(self._numbers))

    def kin(self, word: str) -> list[tuple[int, float]]:
        """Return the terms nearest in meaning, nearest first, with their similarity."""
        found = [(term_key(stem(other)), sim) for other, sim in self._listed.get(word, [])]
        number = self._numbers.get(word)
        if number is not None:
            sims = self._sims[number].tolist()
            terms = self._terms[number].tolist()
            found += [(term, sim / 255) for term, sim in zip(terms, sims, strict=True) if sim]
        return found


def _listed_kin(text: str) -> dict[str, list[tuple[str, float]]]:
    found: dict[str, list[tuple[str, float]]] = {}
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        head, sign, *others = line.split()
        pairs = permutations([head, *others], 2) if sign == "=" else _both_ways(head, others)
        for word, other in pairs:
            found.setdefault(word, []).append((other, _SAME if sign == "=" else _KIND))
    return found


def _both_ways(head: str, others: Sequence[str]) -> Iterable[tuple[str, str]]:
    for other in others:
        yield head, other
        yield other, head
