"""BM25 over plain words: the floor that every other ranking has to beat."""

import math
import re
from collections import Counter
from collections.abc import Collection, Sequence


class BM25:
    """An index of texts by their words, without stems, stop words or meaning."""

    def __init__(self, texts: Sequence[str], k1: float = 1.2, b: float = 0.75) -> None:
        self._counts = [Counter(words(text)) for text in texts]
        lengths = [counts.total() for counts in self._counts]
        mean = sum(lengths) / max(len(lengths), 1)
        self._norms = [k1 * (1 - b + b * length / mean) for length in lengths]
        self._k1 = k1
        having = Counter(word for counts in self._counts for word in counts)
        total = len(texts)
        self._idf = {w: math.log(1 + (total - n + 0.5) / (n + 0.5)) for w, n in having.items()}

    def rank(self, query: str, without: Collection[int] = ()) -> list[int]:
        """Return the places of the texts, best first."""
        asked = [word for word in sorted(set(words(query))) if word in self._idf]
        scores = {
            place: sum(self._score(place, word) for word in asked)
            for place in range(len(self._counts))
            if place not in without
        }
        return sorted(scores, key=lambda place: (-scores[place], place))

    def _score(self, place: int, word: str) -> float:
        count = self._counts[place][word]
        return self._idf[word] * count * (self._k1 + 1) / (count + self._norms[place])


def words(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return re.findall(r"\w+", text.lower())
