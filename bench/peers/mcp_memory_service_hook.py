"""mcp-memory-service's own session-start hook, run as its plugin runs it: `node session-start.js`.

The hook's scripts come from the source distribution of the version that is installed, and stay in
the peer's folder. Its shipped settings are kept but for four: the Python and the server are the
installed ones, its HTTP server listens on a free port, and it does not ask the package index for
its newest version. Its vectors come from the loopback endpoint of `mcp_memory_service`, so the
times leave out the cost of a real model; a caller may bring better ones. Everything the script
prints reaches the model, because a client takes what a session-start hook prints as context.
"""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import tarfile
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from peers import mcp_memory_service as peer
from session import children_cpu_ms

RUN_S_MAX = 120
SERVER_S_MAX = 90
WITH_CODE = "server running, code execution (as shipped)"
WITHOUT_CODE = "server running, code execution off"
NO_SERVER = "no server running (as shipped)"

_FILL = """
import asyncio, json, sys
from mcp_memory_service.api.client import get_storage_async
from mcp_memory_service.models.memory import Memory
from mcp_memory_service.utils.hashing import generate_content_hash

async def fill():
    storage = await get_storage_async()
    done = await storage.store_batch([
        Memory(content_hash=generate_content_hash(item["content"]), **item)
        for item in json.load(sys.stdin)
    ])
    print("stored", sum(ok for ok, _ in done))

asyncio.run(fill())
"""
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class Ran(NamedTuple):
    """One run of the hook: how long the process took and what it handed to the model."""

    ms: float
    cpu_ms: float
    text: str

    def shows(self, content: str) -> bool:
        """Whether a memory is in the text, which drops signs and cuts what is long."""
        return _letters(content)[:60] in _letters(self.text)


class Hook(NamedTuple):
    """The peer's hook with its store filled, ready to run in one of its settings."""

    script: Path
    homes: dict[str, Path]
    environment: dict[str, str]
    version: str
    stored: int

    def run(self, setting: str, folder: Path) -> Ran:
        """Start a session in a repository, and wait for the hook's process to end."""
        started, worked = time.perf_counter(), children_cpu_ms()
        done = subprocess.run(
            ["node", str(self.script)],
            cwd=folder,
            env=self.environment | {"HOME": str(self.homes[setting])},
            input=b"{}",
            capture_output=True,
            timeout=RUN_S_MAX,
            check=True,
        )
        ms = (time.perf_counter() - started) * 1e3
        return Ran(ms, children_cpu_ms() - worked, _COLOURS.sub("", done.stdout.decode()))


@contextmanager
def filled(
    venv: Path,
    memories: Sequence[dict[str, object]],
    vector_of: Callable[[str], list[float]] | None = None,
) -> Iterator[Hook]:
    """Store the memories with the peer, start its HTTP server, and yield its hook."""
    python = peer.prepare(venv)
    version = _version(python)
    script = _scripts(python, venv, version) / "core" / "session-start.js"
    scratch_folder = tempfile.TemporaryDirectory(prefix="peer-hook-", ignore_cleanup_errors=True)
    with scratch_folder as scratch, peer._embeddings(vector_of) as url:
        home, port = Path(scratch), _free_port()
        environment = peer._environment(home, python, url) | {
            "MCP_ALLOW_ANONYMOUS_ACCESS": "true",
            "MCP_HTTP_PORT": str(port),
        }
        stored = _fill(python, environment, memories)
        homes = _homes(home, script, python, port)
        with _served(python, environment, home, port):
            yield Hook(script, homes, environment, version, stored)


def _version(python: Path) -> str:
    code = f"from importlib.metadata import version; print(version({peer.PACKAGE!r}))"
    return peer._run([str(python), "-c", code]).strip()


def _scripts(python: Path, venv: Path, version: str) -> Path:
    """Fetch the source distribution once and unpack its hooks."""
    if shutil.which("node") is None:
        raise peer.PeerError("the peer's hook needs node, which is not installed")
    folder = venv / f"hooks-{version}"
    if not folder.exists():
        pip = [str(python), "-m", "pip", "download", "--quiet", "--no-deps"]
        with tempfile.TemporaryDirectory(prefix="peer-source-") as source:
            wanted = [f"--no-binary={peer.PACKAGE}", f"{peer.PACKAGE}=={version}"]
            peer._run([*pip, *wanted, "--dest", source])
            with tarfile.open(next(Path(source).glob("*.tar.gz"))) as archive:
                parts = [m for m in archive.getmembers() if "/claude-hooks/" in m.name]
                archive.extractall(source, parts, filter="data")
            shutil.move(str(next(Path(source).glob("*/claude-hooks"))), folder)
    return folder


def _fill(python: Path, environment: dict[str, str], memories: Sequence[dict[str, object]]) -> int:
    done = subprocess.run(
        [str(python), "-W", "ignore", "-c", _FILL],
        env=environment,
        input=json.dumps(list(memories)),
        capture_output=True,
        text=True,
        timeout=peer.INSTALL_S_MAX,
        check=False,
    )
    counted = re.search(r"^stored (\d+)$", done.stdout, re.MULTILINE)
    if counted is None:
        raise peer.PeerError(f"the peer did not store the memories:\n{done.stderr[-2000:]}")
    return int(counted[1])


def _homes(home: Path, script: Path, python: Path, port: int) -> dict[str, Path]:
    """Write a home folder for each setting, with the shipped configuration and what differs."""
    shipped = json.loads((script.parent.parent / "config.json").read_text("utf-8"))
    homes = {}
    for number, setting in enumerate((WITH_CODE, WITHOUT_CODE, NO_SERVER)):
        config = json.loads(json.dumps(shipped))
        config["versionCheck"] = {"enabled": False}
        config["codeExecution"]["pythonPath"] = str(python)
        config["codeExecution"]["enabled"] = setting != WITHOUT_CODE
        server = port if setting != NO_SERVER else _free_port()
        config["memoryService"]["http"]["endpoint"] = f"http://127.0.0.1:{server}"
        command = [str(python.parent / "memory"), "server"]
        config["memoryService"]["mcp"]["serverCommand"] = command
        folder = home / f"home{number}"
        (folder / ".claude" / "hooks").mkdir(parents=True)
        (folder / ".claude" / "hooks" / "config.json").write_text(json.dumps(config))
        homes[setting] = folder
    return homes


@contextmanager
def _served(python: Path, environment: dict[str, str], home: Path, port: int) -> Iterator[None]:
    log = home / "server.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [str(python.parent / "memory"), "server", "--http"],
            env=environment,
            cwd=home,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
        try:
            _await_health(process, f"http://127.0.0.1:{port}/api/health", log)
            yield
        finally:
            peer._stop(process)


def _await_health(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    deadline = time.monotonic() + SERVER_S_MAX
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=2):
                return
        except OSError:
            time.sleep(0.2)
    raise peer.PeerError(f"the peer's server did not start:\n{log.read_text()[-2000:]}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))
