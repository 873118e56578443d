"""claude-mem by its worker's HTTP interface, which its MCP server asks as well.

Observations that it makes by itself come from a language model; here notes are saved as they are.
A search shows titles, the first 60 letters of a note; whole notes cost another call.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from peers.mcp_memory_service import Client, PeerError
from versus.environments import UV, python_of
from versus.peer import (
    ANSWER_S_MAX,
    LIMIT,
    PLAIN,
    Environment,
    Found,
    Note,
    Peer,
    Session,
    listed,
    stop,
)

READY_S_MAX = 300
CHROMA = ("--python", "3.13", "chroma-mcp")
# chroma-mcp pins an old SDK, which knows pydantic as it was.
_OVERRIDES = "certifi>=2025\npydantic<2.12\n"


class Adapter(Peer):
    name = "claude-mem"
    interface = "HTTP"
    embedder = "all-MiniLM-L6-v2 by chroma, its default"
    # Versions from 13.4 ask for packages that the registry does not have (better-call 1.4.5).
    npm = ("claude-mem@11.0.0", "bun")

    def complete(self, folder: Path) -> None:
        """Let uv install chroma-mcp, as the worker would at its first search."""
        (folder / "overrides.txt").write_text(_OVERRIDES)
        (folder / "bin").mkdir(exist_ok=True)
        for program in (Path(UV), Path(UV + "x"), python_of("3.13")):
            (folder / "bin" / program.name).symlink_to(program)
        variables = _variables(folder)
        told = subprocess.run(
            [UV + "x", *CHROMA, "--help"],
            env=variables,
            capture_output=True,
            check=False,
            text=True,
        )
        if told.returncode:
            raise PeerError(told.stderr[-1500:])

    @contextmanager
    def started(self, environment: Environment, home: Path) -> Iterator[Session]:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        variables = _variables(environment.folder) | {
            "HOME": str(home),
            "CLAUDE_MEM_DATA_DIR": str(home / "data"),
            "CLAUDE_MEM_WORKER_PORT": str(port),
            "UV_OFFLINE": "1",
        }
        scripts = environment.folder / "node_modules" / "claude-mem" / "plugin" / "scripts"
        bun = environment.folder / "node_modules" / ".bin" / "bun"
        log = home / "stderr.log"
        with log.open("wb") as stderr:
            process = subprocess.Popen(
                [str(bun), str(scripts / "worker-service.cjs"), "--daemon"],
                stdout=stderr, stderr=stderr, cwd=home, env=variables,
            )  # fmt: skip
        try:
            worker = _Worker(process, f"http://127.0.0.1:{port}/api")
            worker.wait()
            worker.listing = _listing([str(bun), str(scripts / "mcp-server.cjs")], variables, log)
            yield worker
        finally:
            process.terminate()
            stop(process)


class _Worker:
    """The worker that keeps the notes."""

    listing = ""

    def __init__(self, process: subprocess.Popen[bytes], address: str) -> None:
        self.process = process
        self._address = address

    def wait(self) -> None:
        deadline = time.monotonic() + READY_S_MAX
        while time.monotonic() < deadline:
            with suppress(URLError, ConnectionError):
                if self._ask("readiness").get("status") == "ready":
                    return
            time.sleep(0.05)
        raise PeerError(f"the worker was not ready within {READY_S_MAX} s")

    def store(self, note: Note) -> str:
        return str(self._ask("memory/save", {"text": note.said, "project": "bench"})["id"])

    def search(self, query: str) -> Found:
        asked = urlencode({"query": query, "limit": LIMIT, "project": "bench"})
        text = self._ask(f"search?{asked}")["content"][0]["text"]
        return Found(re.findall(r"\| #(\d+)", text), text)

    def settle(self, last: Note) -> None:
        """Wait until the last note is found: vectors are made in the background."""
        number = self.store(last)
        deadline = time.monotonic() + 600
        while time.monotonic() < deadline:
            with suppress(URLError):
                if number in self.search(last.said[:400]).ids:
                    return
            time.sleep(1)
        raise PeerError("the last note was not indexed within 600 s")

    def _ask(self, path: str, body: object = None) -> Any:
        data = json.dumps(body).encode() if body else None
        request = Request(f"{self._address}/{path}", data, {"Content-Type": "application/json"})
        with urlopen(request, timeout=ANSWER_S_MAX) as answer:
            return json.load(answer)


def _variables(folder: Path) -> dict[str, str]:
    modules = folder / "node_modules" / ".bin"
    return {
        **PLAIN,
        "PATH": f"{folder / 'bin'}:{modules}:{PLAIN['PATH']}",
        "HOME": str(folder),
        "UV_OVERRIDE": str(folder / "overrides.txt"),
        "UV_CACHE_DIR": str(folder / "uv"),
        **{name: value for name, value in os.environ.items() if name == "SSL_CERT_FILE"},
    }


def _listing(command: list[str], variables: dict[str, str], log: Path) -> str:
    with log.open("ab") as stderr:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, env=variables
        )
    try:
        client = Client(process, log, ANSWER_S_MAX)
        hello = client.initialize()
        return listed(client.request("tools/list", {})["tools"], hello.get("instructions"))
    finally:
        stop(process)
