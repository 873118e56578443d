"""The shipped model: texts as means of static token vectors, and what is known of single words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from milepost.deadline import check_time
from milepost.embedding.wordpiece import WordPiece
from milepost.errors import EmbedderError
from milepost.ports import EmbedderStatus
from milepost.ranking.keys import term_key
from milepost.ranking.numerics import unit_rows
from milepost.text.words import stem

NAME = "potion-base-8M-int8"
FOLDER = Path(__file__).parent / "data" / NAME

# A mean over this many tokens hardly moves any more, and a megabyte of text must not cost a second.
TOKENS_MAX = 8_192
CHARACTERS_MAX = 5 * TOKENS_MAX

# Token rows become float32 chunk by chunk: a megabyte stays in the cache of the processor.
CHUNK_TOKENS = 1_024


class StaticEmbedder:
    """Embed offline, at once, with the vectors that come with the package."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self.model = f"static:{folder.name}"
        try:
            # Mapped, not read: only the rows of words in use become resident.
            rows = np.load(folder / "emb.i8.npy", mmap_mode="r")
            scales = np.load(folder / "scale.f32.npy")
            vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")
        except OSError as error:
            raise EmbedderError(f"Reinstall milepost: a model file is gone ({error}).") from error
        self._rows: NDArray[np.int8] = np.asarray(rows)
        self._scales: NDArray[np.float32] = scales
        self._wordpiece = WordPiece(vocabulary)
        self.dim = int(self._rows.shape[1])

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit row per text; a text without a known token gets zeros."""
        sums = np.zeros((len(texts), self.dim), dtype=np.float32)
        for chunk in _chunks(map(self.token_ids, texts)):
            vectors = self.token_vectors([i for _, ids in chunk for i in ids])
            start = 0
            for position, ids in chunk:
                end = start + len(ids)
                np.add.reduce(vectors[start:end], axis=0, out=sums[position])
                start = end
        return unit_rows(sums)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the unit vector of one question."""
        vector: NDArray[np.float32] = self.embed([text])[0]
        return vector

    def status(self) -> EmbedderStatus:
        """Report what cannot fail once loaded."""
        return EmbedderStatus(self.model, healthy=True, note="shipped with milepost")

    @property
    def numbers(self) -> dict[str, int]:
        """Return the ids of all tokens, in their order."""
        return self._wordpiece.ids

    def token_ids(self, text: str) -> list[int]:
        """Return the ids of the known tokens of a text."""
        check_time()
        unknown = self._wordpiece.unknown
        ids = self._wordpiece.encode(text[:CHARACTERS_MAX])[:TOKENS_MAX]
        return [i for i in ids if i != unknown] if unknown in ids else ids

    def token_vectors(self, ids: Sequence[int]) -> NDArray[np.float32]:
        """Return the raw vector of each token id, not normalised."""
        index = np.asarray(ids, dtype=np.intp)
        scales = self._scales.take(index)[:, np.newaxis]
        vectors: NDArray[np.float32] = self._rows.take(index, axis=0) * scales
        return vectors


def _chunks(texts: Iterable[list[int]]) -> Iterator[list[tuple[int, list[int]]]]:
    """Group texts that have tokens, each with its position, and never split one."""
    chunk: list[tuple[int, list[int]]] = []
    size = 0
    for position, ids in enumerate(texts):
        if chunk and size + len(ids) > CHUNK_TOKENS:
            yield chunk
            chunk, size = [], 0
        if ids:
            chunk.append((position, ids))
            size += len(ids)
    if chunk:
        yield chunk


_DEVELOPER_WORDS = Path(__file__).parent / "data" / "developer-kin.txt"
_SAME = 0.85
_KIND = 0.65
# Of a word in pieces that are no longer than this, on average, nothing is known but its letters.
PIECE_LETTERS_MIN = 2


class StaticLexicon:
    """Reads kin off the model's vectors, and off a list of the words of software work."""

    def __init__(self, model: StaticEmbedder, folder: Path = FOLDER) -> None:
        self._numbers = model.numbers
        self._pieces = model.token_ids
        self._terms = np.load(folder / "kin.terms.npy", mmap_mode="r")
        self._sims = np.load(folder / "kin.sims.npy", mmap_mode="r")
        self._listed = _listed_words(_DEVELOPER_WORDS.read_text("utf-8"))

    def rank(self, word: str) -> int:
        """Return the place of a word among the model's words, which stand by falling frequency."""
        return self._numbers.get(word, len(self._numbers))

    def knows(self, word: str) -> bool:
        """Whether the model can tell anything of a word: not of letters thrown together."""
        if word in self._numbers or word in self._listed or not word.isascii():
            return True
        return len(word) > PIECE_LETTERS_MIN * len(self._pieces(word))

    def related(self, word: str) -> list[tuple[int, float]]:
        """Return the terms nearest in meaning, nearest first, with their similarity."""
        similar = [(term_key(stem(other)), sim) for other, sim in self._listed.get(word, [])]
        number = self._numbers.get(word)
        if number is not None:
            sims = self._sims[number].tolist()
            terms = self._terms[number].tolist()
            similar += [(term, sim / 255) for term, sim in zip(terms, sims, strict=True) if sim]
        return similar


def _listed_words(text: str) -> dict[str, list[tuple[str, float]]]:
    similar: dict[str, list[tuple[str, float]]] = {}
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        head, sign, *others = line.split()
        pairs = permutations([head, *others], 2) if sign == "=" else _both_ways(head, others)
        for word, other in pairs:
            similar.setdefault(word, []).append((other, _SAME if sign == "=" else _KIND))
    return similar


def _both_ways(head: str, others: Sequence[str]) -> Iterable[tuple[str, str]]:
    for other in others:
        yield head, other
        yield other, head
