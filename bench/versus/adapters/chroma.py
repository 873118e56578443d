"""Do it yourself: a collection of chromadb with its default embedder."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Any

from versus.peer import LIMIT, Found, Library, Note, text_field


class Adapter(Library):
    name = "chromadb"
    embedder = "all-MiniLM-L6-v2, its default"
    packages = ("chromadb",)

    def variables(self, home: Path) -> dict[str, str]:  # noqa: ARG002
        return {"ANONYMIZED_TELEMETRY": "False"}


class Memory:
    """Runs in the environment."""

    def __init__(self, folder: Path) -> None:
        import chromadb

        client = chromadb.PersistentClient(str(folder / "chroma"))
        self._notes: Any = client.get_or_create_collection("notes")
        self._numbers = count(1)

    def store(self, note: Note) -> str:
        name = str(next(self._numbers))
        self._notes.add(ids=[name], documents=[note.said])
        return name

    def search(self, query: str) -> Found:
        found = self._notes.query(query_texts=[query], n_results=LIMIT)
        shown = {"ids": found["ids"][0], "documents": found["documents"][0]}
        return Found(found["ids"][0], text_field(shown))
