"""What the HTTP registry and the MCP endpoint bear, beside the core in one process.

usage: python bench/load.py [--data ../shared/data] [--seconds 30] [--clients 1,16,64]

Nine of ten requests search, one stores, on a store of 10,000. The server, the load and the core
run in processes of their own but share the machine's cores: on two of them the clients take from
the server what they measure.
"""

import argparse
import itertools
import json
import random
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).parent))
from common import save, table
from corpus import memories, questions, sentences
from milepost.app import open_memory
from milepost.opening import settings_for

COUNT = 10_000
WARM_UP = 30
STORES_OF_TEN = 1
MCP_HEADERS = (
    "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n"
    "Mcp-Method: tools/call\r\nMcp-Name: {name}\r\n"
)
MCP_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "load", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}

# An operation and its arguments; raises when it fails.
Call = Callable[[str, dict[str, Any]], None]


def core(given: argparse.Namespace) -> dict[str, Any]:
    """Measure the memory itself, called by as many threads as there would be clients."""
    with open_memory(settings_for(given.path)) as memory:

        def call(name: str, arguments: dict[str, Any]) -> None:
            getattr(memory, name)(**arguments)

        return drive([call] * given.clients, given)


def over_http(given: argparse.Namespace) -> dict[str, Any]:
    """Measure a server's registry."""
    calls = [Connection(given.url).execute for _ in range(given.clients)]
    return drive(calls, given)


def over_mcp(given: argparse.Namespace) -> dict[str, Any]:
    """Measure a server's MCP endpoint."""
    calls = [Connection(given.url).call_tool for _ in range(given.clients)]
    return drive(calls, given)


def in_turn(given: argparse.Namespace) -> dict[str, Any]:
    """Ask core, registry and MCP each question in turn: a slow minute then slows all of them."""
    asked = json.loads(Path(given.questions).read_text())
    spent: dict[str, list[float]] = {"core": [], "http": [], "mcp": []}
    http, mcp = (Connection(url) for url in given.url.split(","))
    with open_memory(settings_for(given.path)) as memory:
        calls: dict[str, Callable[[str], Any]] = {
            "core": memory.search,
            "http": lambda question: http.execute("search", {"query": question}),
            "mcp": lambda question: mcp.call_tool("search", {"query": question}),
        }
        end = time.perf_counter() + given.seconds
        for question in itertools.cycle(asked):
            for kind, call in calls.items():
                before = time.perf_counter()
                call(question)
                spent[kind].append(time.perf_counter() - before)
            if time.perf_counter() > end:
                break
    p50 = {kind: statistics.median(found[WARM_UP:]) * 1e3 for kind, found in spent.items()}
    added = {f"{kind}_adds_ms": p50[kind] - p50["core"] for kind in ("http", "mcp")}
    return {f"{kind}_search_p50_ms": found for kind, found in p50.items()} | added


def serve(given: argparse.Namespace) -> None:
    """Serve a store and tell where."""
    from milepost.surfaces.http import serve

    settings = settings_for(given.path)._replace(port=0)
    with open_memory(settings) as memory:
        serve(memory, settings, lambda url: print(url, flush=True))


class Connection:
    """One client's connection; next to no code, so that the client costs little itself."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._host = parts.netloc
        self._socket = socket.create_connection((parts.hostname, parts.port), timeout=60)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._ids = itertools.count()

    def execute(self, name: str, arguments: dict[str, Any]) -> None:
        """Call an operation over the registry."""
        self._post(f"/tools/{name}/execute", "", arguments)

    def call_tool(self, name: str, arguments: dict[str, Any]) -> None:
        """Call an operation over MCP."""
        params = {"name": name, "arguments": arguments, "_meta": MCP_META}
        asked = {
            "jsonrpc": "2.0", "id": next(self._ids), "method": "tools/call", "params": params,
        }  # fmt: skip
        answer = self._post("/mcp", MCP_HEADERS.format(name=name), asked)
        if "result" not in answer or answer["result"].get("isError"):
            raise RuntimeError(str(answer)[:300])

    def _post(self, path: str, headers: str, data: Any) -> Any:
        body = json.dumps(data).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: {self._host}\r\n{headers}"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        self._socket.sendall(head.encode() + body)
        received = b""
        while b"\r\n\r\n" not in received:
            received += self._received()
        head_received, _, answer = received.partition(b"\r\n\r\n")
        length = int(re.search(rb"(?i)content-length: (\d+)", head_received)[1])
        while len(answer) < length:
            answer += self._received()
        if not head_received.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(answer.decode()[:300])
        return json.loads(answer)

    def _received(self) -> bytes:
        part = self._socket.recv(1 << 16)
        if not part:
            raise ConnectionError("the server hung up")
        return part


def drive(calls: list[Call], given: argparse.Namespace) -> dict[str, Any]:
    """Let every client send one request after the other until the time is over."""
    asked = json.loads(Path(given.questions).read_text())
    for question in asked[:WARM_UP]:
        calls[0]("search", {"query": question})
    clients = [Client(call, number, asked, given) for number, call in enumerate(calls)]
    before = time.perf_counter()
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    elapsed = time.perf_counter() - before
    spent = {
        name: sorted(s for client in clients for s in client.spent[name])
        for name in ("search", "store")
    }
    both = sorted(itertools.chain(*spent.values()))
    errors = [error for client in clients for error in client.errors]
    return {
        "requests_per_s": len(both) / elapsed,
        **{f"p{share}_ms": _percentile(both, share) * 1e3 for share in (50, 95, 99)},
        "search_p50_ms": _percentile(spent["search"], 50) * 1e3,
        "store_p50_ms": _percentile(spent["store"], 50) * 1e3,
        "requests": len(both),
        "errors": len(errors),
        "first_error": errors[0] if errors else None,
    }


class Client(threading.Thread):
    """Sends requests and notes how long each took."""

    def __init__(
        self, call: Call, number: int, asked: list[str], given: argparse.Namespace
    ) -> None:
        super().__init__()
        self.spent: dict[str, list[float]] = {"search": [], "store": []}
        self.errors: list[str] = []
        self._call = call
        self._asked = asked
        self._seconds = given.seconds
        self._random = random.Random(number)
        self._label = f"{time.time_ns()} {number}"

    def run(self) -> None:
        """Go on until the time is over."""
        end = time.perf_counter() + self._seconds
        while (before := time.perf_counter()) < end:
            question = self._random.choice(self._asked)
            stores = self._random.random() < STORES_OF_TEN / 10
            name = "store" if stores else "search"
            arguments = {"content": f"{question} {self._label} {before}"} if stores else {}
            try:
                self._call(name, arguments or {"query": question})
            except Exception as problem:  # noqa: BLE001 -- counted and shown
                self.errors.append(repr(problem))
            self.spent[name].append(time.perf_counter() - before)


def _percentile(ordered: list[float], share: int) -> float:
    return ordered[min(len(ordered) * share // 100, len(ordered) - 1)] if ordered else 0.0


def _resident_mb(process: int) -> float:
    status = Path(f"/proc/{process}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


@contextmanager
def _server(path: Path) -> Iterator[tuple[str, int]]:
    command = [sys.executable, __file__, "--task", "serve", "--path", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process.stdout.readline().strip(), process.pid
        finally:
            process.terminate()


def _apart(task: str, **given: object) -> dict[str, Any]:
    options = [part for name, value in given.items() for part in (f"--{name}", str(value))]
    command = [sys.executable, __file__, "--task", task, *options]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def measure(folder: Path, given: argparse.Namespace) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Measure what a surface adds to one client's search, and what all bear under load."""
    asked = folder / "questions.json"
    stores = {kind: _filled(folder / f"{kind}.db", folder) for kind in ("core", "http", "mcp")}
    rows = []
    with _server(stores["http"]) as http, _server(stores["mcp"]) as mcp:
        urls = f"{http[0]},{mcp[0]}"
        single = _apart(
            "in_turn", path=stores["core"], url=urls, seconds=given.seconds, questions=asked
        )
        print(json.dumps(single), flush=True)
        for clients in map(int, given.clients.split(",")):
            common = {"clients": clients, "seconds": given.seconds, "questions": asked}
            found = _apart("core", path=stores["core"], **common)
            rows.append({"over": "core, threads", "clients": clients, **found})
            for kind, (url, process) in (("http", http), ("mcp", mcp)):
                _apart(f"over_{kind}", url=url, **common | {"seconds": 1})
                before = _resident_mb(process)
                found = _apart(f"over_{kind}", url=url, **common)
                resident = {
                    "resident_before_mb": before,
                    "resident_after_mb": _resident_mb(process),
                }
                rows.append({"over": kind, "clients": clients, **found, **resident})
            print(_shown(rows[-3:]), flush=True)
    return single, rows


def _filled(path: Path, folder: Path) -> Path:
    for file in ("filled.db", "filled.db.index"):
        source, target = folder / file, Path(f"{path}{file.removeprefix('filled.db')}")
        (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
    return path


def _shown(rows: list[dict[str, Any]]) -> str:
    names = ["over", "clients", "requests_per_s", "p50_ms", "p95_ms", "p99_ms", "search_p50_ms"]
    names += ["store_p50_ms", "errors", "resident_before_mb", "resident_after_mb"]
    return table(names, [[row.get(name, "") for name in names] for row in rows])


def main() -> None:
    """Run the benchmark, or one part of it in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--clients", default="1,16,64")
    parser.add_argument("--task", choices=["core", "over_http", "over_mcp", "in_turn", "serve"])
    parser.add_argument("--path", type=Path)
    parser.add_argument("--url")
    parser.add_argument("--questions")
    given = parser.parse_args()
    if given.task:
        if given.task not in ("serve", "in_turn"):
            given.clients = int(given.clients)
        found = globals()[given.task](given)
        if found is not None:
            print(json.dumps(found))
        return
    with tempfile.TemporaryDirectory(prefix="milepost-load-") as folder:
        pool = sentences(given.data)
        Path(folder, "questions.json").write_text(json.dumps(questions(pool[:COUNT], 500)))
        with open_memory(settings_for(Path(folder, "filled.db"))) as memory:
            memory.store_batch(list(memories(pool, COUNT)))
            memory.search("build the index")
        single, rows = measure(Path(folder), given)
    print(_shown(rows))
    texts = "LongMemEval sentences" if given.data else "made up"
    figures = {"memories": COUNT, "seconds": given.seconds, "texts": texts}
    save("load", {**figures, "one_client_in_turn": single, "under_load": rows})


if __name__ == "__main__":
    main()
