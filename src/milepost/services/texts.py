"""Analyse memories and questions: terms for the words, vectors for the meaning."""

from array import array
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from milepost.model.memory import Analysis, Indexed, Record
from milepost.ports import Embedder
from milepost.ranking.analysis import cached_stem, content_words, terms
from milepost.ranking.keys import label_key, term_key

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from milepost.ranking.pool import Probe


class Texts:
    """Analyses with the shipped static model, and with a chosen one beside it when it answers."""

    def __init__(self, static: Embedder, chosen: Embedder | None = None) -> None:
        self.static = static
        self.chosen = chosen

    def analyse(self, memories: Sequence[Indexed]) -> list[Analysis]:
        """Return what each memory is found by."""
        texts = [_indexed_text(memory) for memory in memories]
        vectors = [
            (embedder.model, embedder.embed(texts))
            for embedder in self.embedders()
        ]
        return [
            Analysis(packed_terms(text), 0, {model: rows[i] for model, rows in vectors})
            for i, text in enumerate(texts)
        ]


    def probe(self, question: str) -> "Probe":
        """Return a question as a search needs it."""
        from milepost.ranking.pool import Probe

        words = tuple(dict.fromkeys(content_words(question)))
        keys = tuple(term_key(cached_stem(word)) for word in words)
        return Probe(
            question,
            words,
            keys,
            tuple({key: 1.0} for key in keys),
            {e.model: e.embed_query(question) for e in self.embedders()},
            frozenset(label_key("author", word) for word in words),
        )

    def probe_like(self, record: Record, vectors: "Mapping[str, NDArray[np.float32]]") -> "Probe":
        """Return a question for the memories that resemble one."""
        from milepost.ranking.pool import Probe

        return Probe(record.content, (), (), (), vectors, frozenset())

    def vectors_of(
        self, model: str, memories: Sequence[Indexed]
    ) -> "Mapping[int, NDArray[np.float32]] | None":
        """Return vectors of a model by memory, or None when it does not answer."""
        embedder = next(e for e in self.embedders() if e.model == model)
        rows = embedder.embed([_indexed_text(memory) for memory in memories])
        return {memory.id: row for memory, row in zip(memories, rows, strict=True)}

    def problems(self) -> list[str]:
        """Return what is wrong with the embedders, for people."""
        states = [embedder.status() for embedder in self.embedders()]
        return [f"{state.model}: {state.note}" for state in states if not state.healthy]

    def embedders(self) -> list[Embedder]:
        """Return the embedders in use."""
        return [e for e in (self.static, self.chosen) if e is not None]


def _indexed_text(memory: Indexed) -> str:
    when = datetime.fromtimestamp(memory.created / 1e6, UTC).strftime("%-d %B %Y")
    about = f"{memory.author} ({when})" if memory.author else f"({when})"
    return f"{about}: {memory.content}"


def packed_terms(text: str) -> bytes:
    """Return the keys of the terms of a text, four bytes each."""
    return array("I", [term_key(term) for term in terms(text)]).tobytes()
