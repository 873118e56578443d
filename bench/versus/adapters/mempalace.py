"""MemPalace by its MCP server: a drawer is a text in a room of a wing."""

from __future__ import annotations

import json
import re
from pathlib import Path

from peers.mcp_memory_service import Client, PeerError
from versus.peer import LIMIT, Environment, Found, Note, Server

QUERY_MAX = 250


class Adapter(Server):
    name = "MemPalace"
    embedder = "all-MiniLM-L6-v2, its default, and BM25"
    packages = ("mempalace",)

    def command(self, environment: Environment) -> list[str]:
        return [str(environment.folder / "bin" / "mempalace-mcp")]

    def variables(self, home: Path) -> dict[str, str]:
        return {"MEMPALACE_PALACE_PATH": str(home / "palace")}

    def store(self, client: Client, note: Note) -> str:
        room = re.sub(r"\W+", "-", note.session or "notes").strip("-")
        given = {"wing": "bench", "room": room, "content": note.said}
        answer = json.loads(client.call("mempalace_add_drawer", given).text)
        if not answer["success"]:
            raise PeerError(answer["error"])
        return str(answer["drawer_id"])

    def search(self, client: Client, query: str) -> Found:
        given = {"query": query[:QUERY_MAX], "limit": LIMIT}
        text = client.call("mempalace_search", given).text
        return Found([one["drawer_id"] for one in json.loads(text)["results"]], text)
