"""The three dialects in which embedding servers are asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from milepost.embedding.prefixes import Prefixes, Purpose, known_prefixes


@dataclass(frozen=True)
class Dialect:
    """How one kind of server is asked and how it answers."""

    name: str
    base_url: str
    root: str
    path: str
    default_model: str
    texts_max: int
    characters_max: int
    # The texts to ask about, as the request has them beside the name of the model.
    body: Callable[[list[str], Purpose], dict[str, Any]]
    rows: Callable[[Any], Any]
    prefixes: Callable[[str], Prefixes]


def _openai_rows(answer: Any) -> list[Any]:
    items = answer["data"]
    # Some servers leave the index out; a wrong or doubled one leaves a hole, which is an error.
    indexed = {item.get("index", place): item["embedding"] for place, item in enumerate(items)}
    return [indexed[place] for place in range(len(items))]


DIALECTS = {
    dialect.name: dialect
    for dialect in (
        Dialect(
            name="openai",
            base_url="https://api.openai.com",
            root="/v1",
            path="/embeddings",
            default_model="text-embedding-3-small",
            texts_max=256,
            characters_max=200_000,
            body=lambda texts, _purpose: {"input": texts, "encoding_format": "float"},
            rows=_openai_rows,
            prefixes=known_prefixes,
        ),
        Dialect(
            name="cohere",
            base_url="https://api.cohere.com",
            root="/v2",
            path="/embed",
            default_model="embed-v4.0",
            texts_max=96,
            characters_max=200_000,
            body=lambda texts, purpose: {
                "texts": texts,
                "input_type": f"search_{purpose}",
                "embedding_types": ["float"],
            },
            rows=lambda answer: answer["embeddings"]["float"],
            # Cohere is told the purpose itself.
            prefixes=lambda _model: Prefixes(),
        ),
        Dialect(
            name="ollama",
            base_url="http://127.0.0.1:11434",
            root="/api",
            path="/embed",
            default_model="nomic-embed-text",
            texts_max=64,
            characters_max=100_000,
            body=lambda texts, _purpose: {"input": texts, "truncate": True},
            rows=lambda answer: answer["embeddings"],
            prefixes=known_prefixes,
        ),
    )
}
