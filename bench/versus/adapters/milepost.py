"""Milepost by its Python API, with weights that never saw the source that is asked."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from versus.peer import LIMIT, Environment, Found, Library, Note

ROOT = Path(__file__).parents[3]


def unseen_weights(environment: Environment, source: str) -> None:
    """Rank by weights trained without a source, or by the shipped if it is never trained on."""
    (weights,) = environment.folder.glob("lib/*/site-packages/milepost/ranking/data")
    shipped, kept = weights / "fusion-static.json", weights / "fusion-shipped.json"
    if not kept.exists():
        shutil.copyfile(shipped, kept)
    apart = environment.folder.parent / "weights" / f"{source}.json"
    shutil.copyfile(apart if apart.exists() else kept, shipped)


class Adapter(Library):
    name = "Milepost"
    embedder = "its static model, in the wheel"
    packages = (str(ROOT),)

    def prepare(self, environment: Environment, source: str) -> None:
        unseen_weights(environment, source)

    def variables(self, home: Path) -> dict[str, str]:  # noqa: ARG002
        return {"MILEPOST_PROJECT": "everywhere", "MILEPOST_CACHE_MB": "0"}


class Memory:
    """Runs in the environment."""

    def __init__(self, folder: Path) -> None:
        from milepost import connect

        self._memory: Any = connect(folder / "memory.db")

    def store(self, note: Note) -> str:
        return str(self._memory.store(**note._asdict()))

    def search(self, query: str) -> Found:
        found = self._memory.search(query, limit=LIMIT)
        return Found([memory.hash for memory in found.memories], str(found))
