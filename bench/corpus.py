"""Texts for speed benchmarks: those of public sets where given, made-up ones elsewhere."""

import gzip
import json
import random
import re
from collections.abc import Iterator
from itertools import accumulate, islice
from pathlib import Path

import milepost
from datasets import cases

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


def passages(data: Path, count: int) -> list[dict[str, object]]:
    """Return memories that people and models wrote: documents whole, then their sentences.

    The documents stand in an order of chance, each with its sentences in one session.
    """
    documents = list(dict.fromkeys([*_developer_texts(data), *_turns(data)]))
    random.Random(0).shuffle(documents)
    texts: dict[str, int] = {}
    for number, document in enumerate(documents):
        texts.setdefault(document, number)
        for sentence in _SENTENCE_END.split(document):
            if 25 <= len(sentence.strip()) <= 400:
                texts.setdefault(sentence.strip(), number)
        if len(texts) >= count:
            break
    return [
        {"content": text, "session": f"document {number}", "project": f"project{number % 10}"}
        for text, number in islice(texts.items(), count)
    ]


def asked_questions(data: Path, count: int) -> list[str]:
    """Return questions that were asked of these texts, as many of each set."""
    rng = random.Random(1)
    sets = {
        source: [question.text for case in cases(source, data) for question in case.questions]
        for source in ("faq", "changes", "meetings")
    }
    sets["longmemeval"] = [asked["question"] for asked in _longmemeval(data)]
    return [text for asked in sets.values() for text in rng.sample(asked, count // len(sets))]


_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


def _developer_texts(data: Path) -> Iterator[str]:
    for source in ("faq", "changes", "meetings"):
        for case in cases(source, data):
            yield from (memory["content"] for memory in case.memories)


def _turns(data: Path) -> Iterator[str]:
    folder = data / "longmemeval_dev"
    whole = json.loads(gzip.decompress((folder / "longmemeval_s_dev60.json.gz").read_bytes()))
    shared = json.loads(gzip.decompress((folder / "longmemeval_s_dev190.json.gz").read_bytes()))
    sessions = [session for asked in whole for session in asked["haystack_sessions"]]
    for session in [*sessions, *shared["sessions"].values()]:
        yield from (turn["content"].strip() for turn in session if turn["content"].strip())


def _longmemeval(data: Path) -> Iterator[dict[str, str]]:
    folder = data / "longmemeval_dev"
    yield from json.loads(gzip.decompress((folder / "longmemeval_s_dev60.json.gz").read_bytes()))
    shared = json.loads(gzip.decompress((folder / "longmemeval_s_dev190.json.gz").read_bytes()))
    yield from shared["questions"]


def _spliced(rng: random.Random, pool: list[str], i: int) -> str:
    first, second = rng.choice(pool).split(), rng.choice(pool).split()
    return " ".join([*first[: len(first) // 2], *second[len(second) // 2 :], f"#{i}"])


def _made_up(count: int) -> Iterator[str]:
    """Yield texts whose words are as unevenly frequent as those of a language."""
    rng = random.Random(7)
    tokens = _VOCABULARY.read_text("utf-8").split("\n")
    words = [t for t in tokens if t.isalpha() and t.isascii() and len(t) > 1]
    weights = list(accumulate(1 / (rank + 10) for rank in range(len(words))))
    for _ in range(count):
        yield " ".join(rng.choices(words, cum_weights=weights, k=rng.randint(10, 35)))
