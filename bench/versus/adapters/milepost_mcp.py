"""Milepost as an MCP server."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from peers.mcp_memory_service import Client
from versus.adapters.milepost import ROOT, unseen_weights
from versus.peer import LIMIT, Environment, Found, Note, Server


class Adapter(Server):
    name = "Milepost MCP"
    embedder = "its static model, in the wheel"
    packages = (f"{ROOT}[server]",)

    def prepare(self, environment: Environment, source: str) -> None:
        unseen_weights(environment, source)

    def command(self, environment: Environment) -> list[str]:
        return [str(environment.python), "-m", "milepost", "mcp"]

    def variables(self, home: Path) -> dict[str, str]:
        return {
            "MILEPOST_URL": str(home / "memory.db"),
            "MILEPOST_PROJECT": "everywhere",
            "MILEPOST_CACHE_MB": "0",
        }

    def store(self, client: Client, note: Note) -> str:
        given = {name: value for name, value in note._asdict().items() if value is not None}
        if note.created is not None:
            given["created"] = datetime.fromtimestamp(note.created, UTC).isoformat()
        return client.call("store", given).text.split()[0]

    def search(self, client: Client, query: str) -> Found:
        text = client.call("search", {"query": query, "limit": LIMIT}).text
        return Found([line.split()[0] for line in text.splitlines() if line], text)
