"""Keep the vectors of a transformer in a file, so that what needs them can be measured again.

Embedding all sources takes an hour; a change of a feature should not. Half precision is enough: it
moves a similarity by less than 0.001.
"""

import sqlite3
from collections.abc import Sequence
from hashlib import sha1
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from milepost.embedding.onnx import OnnxEmbedder

Vector = NDArray[np.float32]


def keep_vectors(path: Path) -> None:
    """Let transformers of this process look into a file before they embed, and write to it."""
    file = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
    file.execute("CREATE TABLE IF NOT EXISTS v (k BLOB PRIMARY KEY, x BLOB)")
    embed, embed_query = OnnxEmbedder.embed, OnnxEmbedder.embed_query

    def kept(purpose: str, text: str) -> Vector | None:
        key = sha1((purpose + text).encode("utf-8", "replace")).digest()
        row = file.execute("SELECT x FROM v WHERE k = ?", (key,)).fetchone()
        return np.frombuffer(row[0], np.float16).astype(np.float32) if row else None

    def keep(purpose: str, text: str, vector: Vector) -> Vector:
        key = sha1((purpose + text).encode("utf-8", "replace")).digest()
        row = (key, vector.astype(np.float16).tobytes())
        file.execute("INSERT OR IGNORE INTO v VALUES (?, ?)", row)
        return vector

    def kept_or_embedded(self: OnnxEmbedder, texts: Sequence[str]) -> Vector:
        rows = [kept("d", t) for t in texts]
        rows = [
            keep("d", text, embed(self, [text])[0]) if row is None else row
            for text, row in zip(texts, rows, strict=True)
        ]
        return np.array(rows, np.float32).reshape(len(texts), self.dim)

    def kept_or_asked(self: OnnxEmbedder, text: str) -> Vector:
        row = kept("q", text)
        return keep("q", text, embed_query(self, text)) if row is None else row

    OnnxEmbedder.embed, OnnxEmbedder.embed_query = kept_or_embedded, kept_or_asked
