"""What every memory is asked to do, whether it is a server or a library.

An adapter is a module in `adapters/` with a class `Adapter`. That of a library has a class `Memory`
beside it, which runs in the library's own environment (`worker.py`), so that an adapter imports
nothing but the standard library and this package at its top.
"""

from __future__ import annotations

import json
import os
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from peers.mcp_memory_service import Client, PeerError

BENCH = Path(__file__).parents[1]
LIMIT = 5
STOP_S_MAX = 10
# A busy machine is no reason to have no figures.
ANSWER_S_MAX = 600
# Nothing else is inherited by what is measured: no proxy, no credentials, no settings of a person.
PLAIN = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HF_HUB_OFFLINE": "1"}


class Note(NamedTuple):
    """What is stored."""

    content: str
    author: str | None
    session: str | None
    created: float | None

    @property
    def said(self) -> str:
        """The text for a memory that has no field for who said it."""
        return f"{self.author}: {self.content}" if self.author else self.content


class Found(NamedTuple):
    """The ids of what was found, best first, and what a model sees of it."""

    ids: list[str]
    text: str


class Environment(NamedTuple):
    """Where a memory is installed, and what that took."""

    folder: Path
    version: str
    packages: int
    megabytes: float
    seconds: float

    @property
    def python(self) -> Path:
        """The environment's Python."""
        return self.folder / "bin" / "python"


class Session(Protocol):
    """A memory that is open."""

    process: subprocess.Popen[bytes]
    listing: str

    def store(self, note: Note) -> str:
        """Store a note and return its id."""
        ...

    def search(self, query: str) -> Found:
        """Return the five best."""
        ...

    def settle(self, last: Note) -> None:
        """Wait until all that was stored is found; the last was stored last."""
        ...


class Peer(ABC):
    """A memory that can be installed and asked."""

    name: str
    interface: str
    embedder: str
    packages: tuple[str, ...] = ()
    npm: tuple[str, ...] = ()
    python: str = "3"
    # Packages whose bound is not met by what the registry has.
    overrides: tuple[str, ...] = ()
    # Where models are that are not installed.
    models: Path

    def complete(self, folder: Path) -> None:  # noqa: ARG002
        """Install what the packages do not bring along."""
        return

    def prepare(self, environment: Environment, source: str) -> None:  # noqa: ARG002
        """Change what a source needs changed, before its notes are stored."""
        return

    @abstractmethod
    def started(self, environment: Environment, home: Path) -> Any:
        """Return a context manager that yields a session on the notes below a folder."""


class Server(Peer):
    """A server that speaks MCP over stdio."""

    interface = "MCP"

    @abstractmethod
    def command(self, environment: Environment) -> list[str]:
        """Return what starts the server."""

    def variables(self, home: Path) -> dict[str, str]:  # noqa: ARG002
        """Return what the server is told by its environment."""
        return {}

    @abstractmethod
    def store(self, client: Client, note: Note) -> str:
        """Store a note and return its id."""

    @abstractmethod
    def search(self, client: Client, query: str) -> Found:
        """Return the five best."""

    def settle(self, client: Client, last: Note) -> None:
        """Wait until all that was stored is found."""

    @contextmanager
    def started(self, environment: Environment, home: Path) -> Iterator[Session]:
        """Run the server, and shake hands."""
        log = home / "stderr.log"
        with log.open("wb") as stderr:
            process = subprocess.Popen(
                self.command(environment),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                cwd=home,
                env={**PLAIN, "HOME": str(home), **self.variables(home)},
            )
        try:
            yield _ServerSession(self, process, log)
        finally:
            stop(process)


class _ServerSession:
    """A server that has shaken hands."""

    def __init__(self, server: Server, process: subprocess.Popen[bytes], log: Path) -> None:
        self.process = process
        self._server = server
        self._client = Client(process, log, ANSWER_S_MAX)
        hello = self._client.initialize()
        tools = self._client.request("tools/list", {})["tools"]
        self.listing = listed(tools, hello.get("instructions"))

    def store(self, note: Note) -> str:
        return self._server.store(self._client, note)

    def search(self, query: str) -> Found:
        return self._server.search(self._client, query)

    def settle(self, last: Note) -> None:
        self._server.settle(self._client, last)


class Library(Peer):
    """A library, imported by a process in an environment of its own."""

    interface = "Python"

    def variables(self, home: Path) -> dict[str, str]:  # noqa: ARG002
        """Return what the library is told by its environment."""
        return {}

    @contextmanager
    def started(self, environment: Environment, home: Path) -> Iterator[Session]:
        """Run the worker with this adapter's memory."""
        module = type(self).__module__
        log = home / "stderr.log"
        with log.open("wb") as stderr:
            process = subprocess.Popen(
                [str(environment.python), str(Path(__file__).with_name("worker.py")), module],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                cwd=home,
                env={**PLAIN, "HOME": str(home), **self.variables(home)},
            )
        try:
            yield _WorkerSession(process, log)
        finally:
            stop(process)


class _WorkerSession:
    """A worker that answers a line for each line."""

    listing = ""

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self.process = process
        self._log = log

    def store(self, note: Note) -> str:
        return str(self._ask(["store", note])["id"])

    def search(self, query: str) -> Found:
        answer = self._ask(["search", query])
        return Found(answer["ids"], answer["text"])

    def settle(self, last: Note) -> None:
        """Have nothing to wait for: a call returns when it is done."""

    def _ask(self, call: list[Any]) -> dict[str, Any]:
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin
        assert stdout
        with suppress(BrokenPipeError):
            stdin.write(json.dumps(call).encode() + b"\n")
            stdin.flush()
        line = stdout.readline()
        if not line:
            raise PeerError(self._log.read_text(errors="replace")[-2000:])
        answer: dict[str, Any] = json.loads(line)
        return answer


def listed(tools: list[Any], instructions: str | None) -> str:
    """Return what of a listing a client passes to a model."""
    shown = [
        {name: tool[name] for name in ("name", "description", "inputSchema") if name in tool}
        for tool in tools
    ]
    return compact(shown) + (instructions or "")


def compact(value: object) -> str:
    """Return JSON as it travels."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a process that was started here."""
    if process.stdin:
        with suppress(BrokenPipeError):
            process.stdin.close()
    try:
        process.wait(STOP_S_MAX)
    except subprocess.TimeoutExpired:
        process.terminate()
        try:
            process.wait(STOP_S_MAX)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def memory_of(pid: int) -> float:
    """Return the megabytes that a process and its children hold; what is shared counts by share."""
    kilobytes = 0
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            kilobytes = int(line.split()[1])
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return kilobytes / 1024 + sum(memory_of(int(child)) for child in children)


def computed_by(pid: int) -> float:
    """Return the seconds that a process and its children have computed."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    ticks = int(fields[11]) + int(fields[12])  # utime and stime, the third field being fields[0]
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return ticks / os.sysconf("SC_CLK_TCK") + sum(computed_by(int(child)) for child in children)


def text_field(answer: Mapping[str, Any]) -> str:
    """Return an answer's text as it would be printed."""
    return json.dumps(answer, ensure_ascii=False)
