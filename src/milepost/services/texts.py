"""Analyse memories and questions: terms for the words, vectors for the meaning."""

from array import array
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from milepost.model.memory import Analysis, Indexed
from milepost.ports import Embedder, FallibleEmbedder
from milepost.ranking.analysis import content_words, terms
from milepost.ranking.keys import label_key, term_key
from milepost.ranking.stem import stem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from milepost.ranking.pool import Probe


class Texts:
    """Analyses with the shipped static model, and with a chosen one beside it when it answers."""

    def __init__(self, static: Embedder, chosen: FallibleEmbedder | None = None) -> None:
        self._static = static
        self.chosen = chosen

    def analyse(self, memories: Sequence[Indexed]) -> list[Analysis]:
        """Return what each memory is found by."""
        if not memories:
            return []
        texts = [_indexed_text(memory) for memory in memories]
        vectors = {self._static.model: self._static.embed(texts)}
        chosen = self.chosen.try_embed(texts) if self.chosen else None
        if self.chosen and chosen is not None:
            vectors[self.chosen.model] = chosen
        return [
            Analysis(packed_terms(text), 0, {model: rows[i] for model, rows in vectors.items()})
            for i, text in enumerate(texts)
        ]

    def chosen_vectors(
        self, memories: Sequence[Indexed]
    ) -> "Mapping[int, NDArray[np.float32]] | None":
        """Return vectors of the chosen model by memory, or None when it does not answer."""
        texts = [_indexed_text(memory) for memory in memories]
        rows = self.chosen.try_embed(texts) if self.chosen else None
        if rows is None:
            return None
        return {memory.id: row for memory, row in zip(memories, rows, strict=True)}

    def probe(self, question: str) -> "Probe":
        """Return a question as a search needs it."""
        from milepost.ranking.pool import Probe

        words = tuple(dict.fromkeys(content_words(question)))
        keys = tuple(term_key(stem(word)) for word in words)
        vectors = {self._static.model: self._static.embed_query(question)}
        chosen = self.chosen.try_embed_query(question) if self.chosen else None
        if self.chosen and chosen is not None:
            vectors[self.chosen.model] = chosen
        authors = frozenset(label_key("author", word) for word in words)
        return Probe(question, words, keys, tuple({key: 1.0} for key in keys), vectors, authors)

    def problems(self) -> list[str]:
        """Return what is wrong with the embedders, for people."""
        state = self.chosen.status() if self.chosen else None
        if state is None or state.healthy:
            return []
        return [f"{state.model} is away, the static model serves alone ({state.note})"]


def _indexed_text(memory: Indexed) -> str:
    when = datetime.fromtimestamp(memory.created / 1e6, UTC)
    about = f"({when.day} {when:%B %Y})"
    return f"{memory.author} {about}: {memory.content}" if memory.author else f"{about}: {memory.content}"


def packed_terms(text: str) -> bytes:
    """Return the keys of the terms of a text, four bytes each."""
    return array("I", [term_key(term) for term in terms(text)]).tobytes()
