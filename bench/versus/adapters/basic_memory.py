"""basic-memory by its MCP server: a note is a Markdown file."""

from __future__ import annotations

import re
import time
from pathlib import Path

from peers.mcp_memory_service import Client, PeerError
from versus.minilm import FASTEMBED
from versus.peer import LIMIT, Environment, Found, Note, Server

SETTLED_S_MAX = 600
# The packages of pyenv have no sqlite3 that loads an extension, without which it has no vectors.
_SQLITE = """import sys, pysqlite3, pysqlite3.dbapi2; sys.modules["sqlite3"] = pysqlite3; \
sys.modules["sqlite3.dbapi2"] = pysqlite3.dbapi2
"""


class Adapter(Server):
    name = "basic-memory"
    embedder = "all-MiniLM-L6-v2 for its bge-small, and FTS5"
    packages = ("basic-memory", "pysqlite3-binary")
    python = "3.13"
    overrides = ("certifi>=2025",)

    def __init__(self) -> None:
        self._number = 0

    def complete(self, folder: Path) -> None:
        (packages,) = folder.glob("lib/*/site-packages")
        (packages / "00-sqlite.pth").write_text(_SQLITE)

    def command(self, environment: Environment) -> list[str]:
        return [str(environment.folder / "bin" / "basic-memory"), "mcp"]

    def variables(self, home: Path) -> dict[str, str]:
        return {
            "BASIC_MEMORY_HOME": str(home / "notes"),
            "BASIC_MEMORY_SEMANTIC_EMBEDDING_MODEL": FASTEMBED,
            "BASIC_MEMORY_SEMANTIC_EMBEDDING_CACHE_DIR": str(home / "fastembed"),
            # Its threshold was chosen for another model, and would leave most questions empty.
            "BASIC_MEMORY_SEMANTIC_MIN_SIMILARITY": "0.0",
        }

    def store(self, client: Client, note: Note) -> str:
        beginning = " ".join(re.findall(r"\w+", note.said)[:8])
        self._number += 1
        title = f"{beginning} {self._number}"
        given = {"title": title, "content": note.said, "directory": "notes"}
        text = client.call("write_note", given).text
        return _permalinks(text)[0]

    def search(self, client: Client, query: str) -> Found:
        text = client.call("search_notes", {"query": query, "page_size": LIMIT}).text
        return Found(_permalinks(text), text)

    def settle(self, client: Client, last: Note) -> None:
        """Wait until the last note is found by its vector: they are made in the background."""
        deadline = time.monotonic() + SETTLED_S_MAX
        given = {"query": last.said[:400], "search_type": "vector", "page_size": LIMIT}
        while time.monotonic() < deadline:
            if f"-{self._number}\n" in client.call("search_notes", given).text:
                return
            time.sleep(1)
        raise PeerError(f"the last note was not indexed within {SETTLED_S_MAX} s")


def _permalinks(text: str) -> list[str]:
    return re.findall(r"^(?:- )?permalink: (\S+)", text, re.MULTILINE)
