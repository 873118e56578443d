"""Graphiti on its embedded graph, Kuzu. It asks a language model what each episode says."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from versus.peer import Found, Library, Note


class Adapter(Library):
    name = "Graphiti"
    embedder = "a language model's provider"
    packages = ("graphiti-core[kuzu]", "httpx")
    overrides = ("certifi>=2025",)

    def variables(self, home: Path) -> dict[str, str]:  # noqa: ARG002
        return {"OPENAI_API_KEY": "none", "GRAPHITI_TELEMETRY_ENABLED": "false"}


class Memory:
    """Runs in the environment."""

    def __init__(self, folder: Path) -> None:
        from graphiti_core import Graphiti
        from graphiti_core.driver.kuzu_driver import KuzuDriver

        self._run = asyncio.new_event_loop().run_until_complete
        self._graph: Any = Graphiti(graph_driver=KuzuDriver(db=str(folder / "graph.db")))

    def store(self, note: Note) -> str:
        added = self._run(
            self._graph.add_episode(
                name="note",
                episode_body=note.said,
                source_description="bench",
                reference_time=datetime.now(UTC),
            )
        )
        return str(added.episode.uuid)

    def search(self, query: str) -> Found:
        edges = self._run(self._graph.search(query, num_results=5))
        return Found([edge.episodes[0] for edge in edges], "\n".join(edge.fact for edge in edges))
