"""The reference server of MCP: a graph in a file, searched for words.

Its search looks for the whole query as it stands, so that a question finds nothing. An agent that
knows this asks for words: here for each word of a question, and what rare words find comes first.
Counted is the answer to the rarest that finds anything, as if the agent had known it.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from itertools import count
from pathlib import Path

from peers.mcp_memory_service import Client
from versus.peer import LIMIT, Environment, Found, Note, Server

LETTERS_MIN = 4


class Adapter(Server):
    name = "MCP reference server"
    embedder = "none: substrings"
    npm = ("@modelcontextprotocol/server-memory",)

    def __init__(self) -> None:
        self._numbers = count(1)

    def command(self, environment: Environment) -> list[str]:
        package = environment.folder / "node_modules" / self.npm[0]
        return ["node", str(package / "dist" / "index.js")]

    def variables(self, home: Path) -> dict[str, str]:
        return {"MEMORY_FILE_PATH": str(home / "memory.jsonl")}

    def store(self, client: Client, note: Note) -> str:
        name = f"note {next(self._numbers)}"
        entity = {"name": name, "entityType": "note", "observations": [note.said]}
        client.call("create_entities", {"entities": [entity]})
        return name

    def search(self, client: Client, query: str) -> Found:
        weights: defaultdict[str, float] = defaultdict(float)
        texts = []
        for word in dict.fromkeys(re.findall(rf"\w{{{LETTERS_MIN},}}", query.lower())):
            text = client.call("search_nodes", {"query": word}).text
            names = [one["name"] for one in json.loads(text)["entities"]]
            texts += [text] if names else []
            for name in names:
                weights[name] += 1 / len(names)
        best = sorted(weights, key=lambda name: -weights[name])[:LIMIT]
        return Found(best, min(texts, key=len, default=""))
