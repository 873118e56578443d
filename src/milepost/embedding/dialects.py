"""The three dialects in which embedding servers are asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    body: Callable[[str, Sequence[str], Purpose], dict[str, Any]]
    rows: Callable[[Any], list[Any]]
    prefixes: Callable[[str], Prefixes]


def _openai_body(model: str, texts: Sequence[str], _purpose: Purpose) -> dict[str, Any]:
    return {"model": model, "input": list(texts), "encoding_format": "float"}


def _openai_rows(answer: Any) -> list[Any]:
    items = answer["data"]
    # Some servers leave the index out; a wrong or doubled one leaves a hole, which is an error.
    indexed = {item.get("index", place): item["embedding"] for place, item in enumerate(items)}
    return [indexed[place] for place in range(len(items))]


def _cohere_body(model: str, texts: Sequence[str], purpose: Purpose) -> dict[str, Any]:
    return {
        "model": model,
        "texts": list(texts),
        "input_type": f"search_{purpose}",
        "embedding_types": ["float"],
    }


def _cohere_rows(answer: Any) -> list[Any]:
    rows: list[Any] = answer["embeddings"]["float"]
    return rows


def _ollama_body(model: str, texts: Sequence[str], _purpose: Purpose) -> dict[str, Any]:
    return {"model": model, "input": list(texts), "truncate": True}


def _ollama_rows(answer: Any) -> list[Any]:
    rows: list[Any] = answer["embeddings"]
    return rows


def _no_prefixes(_model: str) -> Prefixes:
    return Prefixes()


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
            body=_openai_body,
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
            body=_cohere_body,
            rows=_cohere_rows,
            # Cohere is told the purpose itself.
            prefixes=_no_prefixes,
        ),
        Dialect(
            name="ollama",
            base_url="http://127.0.0.1:11434",
            root="/api",
            path="/embed",
            default_model="nomic-embed-text",
            texts_max=64,
            characters_max=100_000,
            body=_ollama_body,
            rows=_ollama_rows,
            prefixes=known_prefixes,
        ),
    )
}
