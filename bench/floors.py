"""The simplest rankings that a memory has to beat: BM25 over stems, and SQLite's full text."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence

import apsw

from milepost.text.words import content_words, stem, terms


class StemmedBM25:
    """BM25 over the stems of content words."""

    def __init__(self, texts: Sequence[str], k1: float = 0.9, b: float = 0.4) -> None:
        counts = [Counter(terms(text)) for text in texts]
        mean = sum(c.total() for c in counts) / max(len(counts), 1)
        self._postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for place, words in enumerate(counts):
            norm = k1 * (1 - b + b * words.total() / mean)
            for word, n in words.items():
                self._postings[word].append((place, n * (k1 + 1) / (n + norm)))
        self._total = len(texts)

    def best(self, question: str, limit: int) -> list[int]:
        """Return the places of the best texts."""
        scores: dict[int, float] = defaultdict(float)
        for word in {stem(word) for word in content_words(question)}:
            held = self._postings.get(word, [])
            weight = math.log(1 + (self._total - len(held) + 0.5) / (len(held) + 0.5))
            for place, gain in held:
                scores[place] += weight * gain
        return sorted(scores, key=lambda place: (-scores[place], place))[:limit]


class FullText:
    """SQLite's FTS5 with its porter stemmer, any word of the question."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._db = apsw.Connection(":memory:")
        self._db.execute("CREATE VIRTUAL TABLE texts USING fts5(text, tokenize='porter unicode61')")
        self._db.executemany("INSERT INTO texts VALUES (?)", [(text,) for text in texts])

    def best(self, question: str, limit: int) -> list[int]:
        """Return the places of the best texts."""
        words = re.findall(r"\w+", question)
        if not words:
            return []
        query = " OR ".join(f'"{word}"' for word in words)
        rows = self._db.execute(
            "SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY bm25(texts) LIMIT ?",
            (query, limit),
        )
        return [int(row[0]) - 1 for row in rows]
