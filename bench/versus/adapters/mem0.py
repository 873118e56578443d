"""mem0 by its Python API, without a language model: `infer=False`.

Its own default embedder is OpenAI's. Here it is fastembed, which also gives it BM25; spaCy's model,
by which it would reduce words to their stems, is on no registry.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from versus.minilm import FASTEMBED
from versus.peer import LIMIT, Found, Library, Note, text_field


class Adapter(Library):
    name = "mem0"
    embedder = "all-MiniLM-L6-v2 and BM25, both by fastembed"
    packages = ("mem0ai", "fastembed", "stop-words")

    def variables(self, home: Path) -> dict[str, str]:
        return {
            "FASTEMBED_CACHE_PATH": str(home / "fastembed"),
            "MEM0_TELEMETRY": "False",
            "MEM0_DIR": str(home / "mem0"),
            "OPENAI_API_KEY": "none",
        }


class Memory:
    """Runs in the environment."""

    def __init__(self, folder: Path) -> None:
        _lay_out_stop_words(folder / "fastembed" / "bm25")
        from mem0 import Memory as Mem0

        model = {"model": FASTEMBED, "embedding_dims": 384}
        store = {"path": str(folder / "qdrant"), "embedding_model_dims": 384, "on_disk": True}
        self._memory: Any = Mem0.from_config(
            {
                "embedder": {"provider": "fastembed", "config": model},
                "vector_store": {"provider": "qdrant", "config": store},
                "history_db_path": str(folder / "history.db"),
            }
        )

    def store(self, note: Note) -> str:
        message = {"role": "user", "content": note.said}
        added = self._memory.add([message], user_id="user", infer=False)
        return str(added["results"][0]["id"])

    def search(self, query: str) -> Found:
        found = self._memory.search(query, filters={"user_id": "user"}, top_k=LIMIT)
        return Found([one["id"] for one in found["results"]], text_field(found))


def _lay_out_stop_words(folder: Path) -> None:
    """Write the list without which fastembed has no BM25."""
    from stop_words import get_stop_words

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "english.txt").write_text("\n".join(get_stop_words("english")))
    (folder / "mock.file").touch()
