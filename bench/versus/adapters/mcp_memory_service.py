"""mcp-memory-service by its MCP server, on its default store."""

from __future__ import annotations

import re
from pathlib import Path

from peers.mcp_memory_service import Client
from versus.peer import LIMIT, Environment, Found, Note, Server


class Adapter(Server):
    name = "mcp-memory-service"
    embedder = "all-MiniLM-L6-v2, its default"
    packages = ("mcp-memory-service[sqlite]",)
    overrides = ("certifi>=2025",)

    def command(self, environment: Environment) -> list[str]:
        return [str(environment.folder / "bin" / "memory"), "server"]

    def variables(self, home: Path) -> dict[str, str]:
        return {
            "MCP_MEMORY_BASE_DIR": str(home / "memory"),
            "MCP_MEMORY_STORAGE_BACKEND": "sqlite_vec",
            "MCP_MEMORY_USE_ONNX": "1",
            "MCP_MDNS_ENABLED": "false",
            # What resembles another is stored all the same: no question loses its answer.
            "MCP_SEMANTIC_DEDUP_ENABLED": "false",
        }

    def store(self, client: Client, note: Note) -> str:
        given = {"content": note.said, "metadata": {"tags": note.author or "note"}}
        text = client.call("memory_store", given).text
        return _hashes(text)[0]

    def search(self, client: Client, query: str) -> Found:
        text = client.call("memory_search", {"query": query, "limit": LIMIT}).text
        return Found(_hashes(text), text)


def _hashes(text: str) -> list[str]:
    return re.findall(r"\b[0-9a-f]{64}\b", text)
