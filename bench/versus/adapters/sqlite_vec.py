"""Do it yourself: sqlite-vec and a static model, potion-base-8M by model2vec."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from versus.peer import LIMIT, Found, Library, Note, text_field

DIMENSIONS = 256


class Adapter(Library):
    name = "sqlite-vec"
    embedder = "potion-base-8M"
    packages = ("sqlite-vec", "model2vec")

    def variables(self, home: Path) -> dict[str, str]:  # noqa: ARG002
        return {"POTION": str(self.models / "potion-base-8M")}


class Memory:
    """Runs in the environment."""

    def __init__(self, folder: Path) -> None:
        import sqlite3

        import sqlite_vec
        from model2vec import StaticModel

        self._model: Any = StaticModel.from_pretrained(os.environ["POTION"])
        self._db = sqlite3.connect(folder / "notes.db", isolation_level=None)
        self._db.enable_load_extension(True)
        sqlite_vec.load(self._db)
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS notes USING"
            f" vec0(vector float[{DIMENSIONS}] distance_metric=cosine, +text TEXT)"
        )

    def store(self, note: Note) -> str:
        row = (self._model.encode(note.said).tobytes(), note.said)
        done = self._db.execute("INSERT INTO notes (vector, text) VALUES (?, ?)", row)
        return str(done.lastrowid)

    def search(self, query: str) -> Found:
        rows = self._db.execute(
            "SELECT rowid, text FROM notes WHERE vector MATCH ? AND k = ? ORDER BY distance",
            (self._model.encode(query).tobytes(), LIMIT),
        ).fetchall()
        shown = {"notes": [text for _, text in rows]}
        return Found([str(row) for row, _ in rows], text_field(shown))
