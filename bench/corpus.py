"""Texts for speed benchmarks: sentences of LongMemEval where given, made-up ones elsewhere."""

import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path

import milepost

_VOCABULARY = (
    Path(milepost.__file__).parent / "embedding" / "data" / "potion-base-8M-int8" / "vocab.txt"
)


def sentences(data: Path | None) -> list[str]:
    """Return distinct sentences to build memories from."""
    if data is None:
        return list(_made_up(50_000))
    packed = (data / "longmemeval_dev" / "longmemeval_s_dev60.json.gz").read_bytes()
    found: dict[str, None] = {}
    for question in json.loads(gzip.decompress(packed)):
        for session in question["haystack_sessions"]:
            for turn in session:
                for sentence in turn["content"].replace("\n", " ").split(". "):
                    if 40 < len(sentence) < 300:
                        found[sentence] = None
    return list(found)


def memories(pool: list[str], count: int, seed: int = 0) -> Iterator[dict[str, object]]:
    """Yield memories of about twenty words; past the sentences there are, halves are joined."""
    rng = random.Random(seed)
    for i in range(count):
        text = pool[i] if i < len(pool) else _spliced(rng, pool, i)
        yield {
            "content": text,
            "session": f"session {i // 20}",
            "tags": [f"tag{i % 50}"],
            "project": f"project{i % 10}",
        }


def questions(pool: list[str], count: int, seed: int = 1) -> list[str]:
    """Return questions of four to nine words taken from the memories."""
    rng = random.Random(seed)
    asked = []
    for _ in range(count):
        words = rng.choice(pool).split()
        start = rng.randrange(max(len(words) - 9, 1))
        asked.append(" ".join(words[start : start + rng.randint(4, 9)]))
    return asked


def _spliced(rng: random.Random, pool: list[str], i: int) -> str:
    first, second = rng.choice(pool).split(), rng.choice(pool).split()
    return " ".join([*first[: len(first) // 2], *second[len(second) // 2 :], f"#{i}"])


def _made_up(count: int) -> Iterator[str]:
    """Yield texts whose words are as unevenly frequent as those of a language."""
    rng = random.Random(7)
    tokens = _VOCABULARY.read_text("utf-8").split("\n")
    words = [t for t in tokens if t.isalpha() and t.isascii() and len(t) > 1]
    weights = [1 / (rank + 10) for rank in range(len(words))]
    for _ in range(count):
        yield " ".join(rng.choices(words, weights, k=rng.randint(10, 35)))
