"""What mcp-memory-service costs an agent: the tokens and the time of its real MCP server.

The peer lives in a virtual environment of its own on the system's Python, whose sqlite3 can load
the vector extension. Its embedding model is not downloaded: the peer is pointed, through its own
`MCP_EXTERNAL_EMBEDDING_URL` setting, at a loopback endpoint here that hashes words into vectors.
The vectors decide only which memories a search finds, not how it shows them; the start-up time
and the latencies leave out the cost of a real model.

    python bench/peers/mcp_memory_service.py --venv FOLDER --table o200k_base.tiktoken
"""

from __future__ import annotations

import argparse
import json
import math
import os
import queue
import re
import shutil
import statistics
import subprocess
import tempfile
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import IO, Any, NamedTuple

PACKAGE = "mcp-memory-service"
SYSTEM_PYTHON = Path("/usr/bin/python3")
PROTOCOL = "2025-06-18"
DIMENSIONS = 384
SEARCH_LIMIT = 5
LATENCY_SEARCHES_MAX = 20
INSTALL_S_MAX = 900
ANSWER_S_MAX = 60
STOP_S_MAX = 5
# The name tiktoken gives the o200k_base table in its cache folder.
TABLE_CACHE_NAME = "fb374d419588a4632f3f557e76b4b70aebbca790"

Count = Callable[[str], int]
Json = dict[str, Any]


class PeerError(Exception):
    """The peer could not be installed, did not answer in time, or refused a call."""


class PeerCosts(NamedTuple):
    """Tokens a model reads or writes, and how long the peer takes; medians over the memories.

    `tools_list` is the compact JSON of the wire, `tools_list_spaced` the same as Python's
    `json.dumps` writes it, with spaces and escapes. `structured_content` is what one store, one
    search and one health check send beside their text; it is in no other figure.
    """

    version: str
    n_tools: int
    tools_list: int
    tools_list_spaced: int
    instructions: int
    memory: int
    store_request: int
    store_response: int
    search_response: int
    health_response: int
    structured_content: int
    startup_s: float
    store_p50_ms: float
    search_p50_ms: float


class Answer(NamedTuple):
    """One tool's answer: its text as a model sees it, any structured twin, and the wait."""

    text: str
    structured: str
    elapsed_ms: float


def prepare(folder: Path) -> Path:
    """Make or reuse the peer's virtual environment and return its Python."""
    python = folder / "bin" / "python"
    ready = folder / "ready"
    if not ready.exists():
        print(f"making {folder} on {SYSTEM_PYTHON}", flush=True)
        _run([str(SYSTEM_PYTHON), "-m", "venv", str(folder)])
        _install(python)
        ready.touch()
    return python


def _install(python: Path) -> None:
    """Install the newest peer even where the registry lags behind one of its pins.

    A plain install then settles silently for an older peer, so the newest follows without its
    dependencies, and `pip check` says aloud which pins are unmet.
    """
    pip = [str(python), "-m", "pip"]
    print(f"installing {PACKAGE}", flush=True)
    _run([*pip, "install", "--quiet", PACKAGE])
    _run([*pip, "install", "--quiet", "--no-deps", "--upgrade", PACKAGE])
    print(_run([*pip, "check"], failing_is_news=True).strip(), flush=True)


def measure(
    python: Path,
    memories: Sequence[str],
    tags: Sequence[list[str]],
    query: str,
    count: Count,
) -> PeerCosts:
    """Store the memories through the peer's MCP server, search them, and count what it costs."""
    requests = [_store_arguments(text, labels) for text, labels in zip(memories, tags, strict=True)]
    with _server(python) as (client, startup_s, hello):
        tools = client.request("tools/list", {})["tools"]
        stores = [client.call("memory_store", request) for request in requests]
        search = client.call("memory_search", _search_arguments(query))
        health = client.call("memory_health", {})
        later = [client.call("memory_search", _search_arguments(q)) for q in _queries(memories)]
    _expect_full_page(search.text, memories)
    answers = (stores[0], search, health)
    return PeerCosts(
        version=hello["serverInfo"]["version"],
        n_tools=len(tools),
        tools_list=count(_compact(tools)),
        tools_list_spaced=count(json.dumps(tools)),
        instructions=count(hello.get("instructions") or ""),
        memory=_median_tokens(memories, count),
        store_request=_median_tokens([_compact(request) for request in requests], count),
        store_response=_median_tokens([answer.text for answer in stores], count),
        search_response=count(search.text),
        health_response=count(health.text),
        structured_content=sum(count(answer.structured) for answer in answers),
        startup_s=startup_s,
        store_p50_ms=statistics.median(answer.elapsed_ms for answer in stores),
        search_p50_ms=statistics.median(answer.elapsed_ms for answer in (search, *later)),
    )


def _store_arguments(text: str, labels: list[str]) -> Json:
    # A comma-separated string is the form the peer's own tool description prefers.
    return {"content": text, "metadata": {"tags": ",".join(labels)}}


def _search_arguments(query: str) -> Json:
    return {"query": query, "limit": SEARCH_LIMIT}


def _queries(memories: Sequence[str]) -> list[str]:
    """Ask a new question each time, so that the peer's cache of vectors does not flatter it."""
    return [" ".join(text.split()[::3]) for text in memories[:LATENCY_SEARCHES_MAX]]


def _expect_full_page(text: str, memories: Sequence[str]) -> None:
    found = sum(memory in text or json.dumps(memory)[1:-1] in text for memory in memories)
    expected = min(SEARCH_LIMIT, len(memories))
    if found != expected:
        raise PeerError(f"the search showed {found} memories, not {expected}: {text[:500]}")


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _median_tokens(texts: Sequence[str], count: Count) -> int:
    return round(statistics.median(count(text) for text in texts))


def _run(command: list[str], failing_is_news: bool = False) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=INSTALL_S_MAX, check=False
    )
    if done.returncode and not failing_is_news:
        raise PeerError(f"{' '.join(command)} failed:\n{done.stdout[-1000:]}{done.stderr[-2000:]}")
    return done.stdout


@contextmanager
def _server(python: Path) -> Iterator[tuple[Client, float, Json]]:
    """Run the peer over stdio in a throwaway home; yield it with its start-up time and greeting."""
    with tempfile.TemporaryDirectory(prefix="peer-home-") as home, _embeddings() as url:
        log = Path(home) / "stderr.log"
        with log.open("w+b") as stderr:
            started = time.perf_counter()
            process = subprocess.Popen(
                [str(python.parent / "memory"), "server"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                cwd=home,
                env=_environment(Path(home), python, url),
            )
            try:
                client = Client(process, log)
                hello = client.initialize()
                yield client, time.perf_counter() - started, hello
            finally:
                _stop(process)


def _environment(home: Path, python: Path, url: str) -> dict[str, str]:
    """Say everything the peer may know; nothing is inherited, so no proxy and no credentials."""
    return {
        "PATH": f"{python.parent}:/usr/bin:/bin",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "MCP_MEMORY_BASE_DIR": str(home / "memory"),
        "MCP_MEMORY_STORAGE_BACKEND": "sqlite_vec",
        "MCP_EXTERNAL_EMBEDDING_URL": url,
        "MCP_EXTERNAL_EMBEDDING_MODEL": "all-MiniLM-L6-v2",
        "MCP_MEMORY_OFFLINE": "1",
        "MCP_MDNS_ENABLED": "false",
    }


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_S_MAX)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(STOP_S_MAX)
    if process.stdin:
        with suppress(BrokenPipeError):
            process.stdin.close()


class Client:
    """The little of MCP over stdio that a measurement needs: one request in flight at a time."""

    def __init__(
        self, process: subprocess.Popen[bytes], log: Path, answer_s_max: float = ANSWER_S_MAX
    ) -> None:
        assert process.stdin
        assert process.stdout
        self._answer_s_max = answer_s_max
        self._stdin = process.stdin
        self._log = log
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._last_id = 0
        # A thread reads, because a blocking readline knows no timeout.
        threading.Thread(target=_pump, args=(process.stdout, self._lines), daemon=True).start()

    def initialize(self) -> Json:
        """Shake hands and return the server's greeting."""
        hello = self.request(
            "initialize",
            {
                "protocolVersion": PROTOCOL,
                "capabilities": {},
                "clientInfo": {"name": "milepost-bench", "version": "1"},
            },
        )
        self._send({"method": "notifications/initialized"})
        return hello

    def request(self, method: str, params: Mapping[str, object]) -> Json:
        """Ask and wait for the answer that carries the same id."""
        self._last_id += 1
        self._send({"id": self._last_id, "method": method, "params": params})
        deadline = time.monotonic() + self._answer_s_max
        while True:
            message = self._receive(deadline, method)
            if message.get("id") != self._last_id or "method" in message:
                continue
            if "error" in message:
                raise PeerError(f"{method} was refused: {message['error']}")
            result: Json = message["result"]
            return result

    def call(self, tool: str, arguments: Mapping[str, object]) -> Answer:
        """Call a tool and keep what a model would see of its answer."""
        started = time.perf_counter()
        result = self.request("tools/call", {"name": tool, "arguments": arguments})
        elapsed_ms = (time.perf_counter() - started) * 1000
        text = "\n".join(part["text"] for part in result["content"] if part["type"] == "text")
        if result.get("isError"):
            raise PeerError(f"{tool} failed: {text[:500]}")
        structured = result.get("structuredContent")
        return Answer(text, _compact(structured) if structured else "", elapsed_ms)

    def _send(self, message: Json) -> None:
        try:
            self._stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            self._stdin.flush()
        except BrokenPipeError:
            raise PeerError(f"the server hung up\n{self._tail()}") from None

    def _receive(self, deadline: float, method: str) -> Json:
        try:
            line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            raise PeerError(
                f"no answer to {method} in {self._answer_s_max} s\n{self._tail()}"
            ) from None
        if not line:
            raise PeerError(f"the server ended before answering {method}\n{self._tail()}")
        message: Json = json.loads(line)
        return message

    def _tail(self) -> str:
        return self._log.read_text(errors="replace")[-2000:]


def _pump(stream: IO[bytes], lines: queue.Queue[bytes]) -> None:
    with stream:
        for line in stream:
            lines.put(line)
    lines.put(b"")


@contextmanager
def _embeddings(vector_of: Callable[[str], list[float]] | None = None) -> Iterator[str]:
    """Serve an OpenAI-compatible embeddings endpoint on loopback and yield its address."""
    answering = type("Answering", (_Embeddings,), {"vector_of": staticmethod(vector_of or embed)})
    server = ThreadingHTTPServer(("127.0.0.1", 0), answering)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1/embeddings"
    finally:
        server.shutdown()
        server.server_close()


class _Embeddings(BaseHTTPRequestHandler):
    vector_of: Callable[[str], list[float]]

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
        data = [{"index": i, "embedding": self.vector_of(text)} for i, text in enumerate(texts)]
        body = json.dumps({"object": "list", "model": asked["model"], "data": data}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent: the table is the only output."""


def embed(text: str) -> list[float]:
    """Hash each word to a signed dimension and normalise, so shared words mean nearness."""
    vector = [0.0] * DIMENSIONS
    for word in re.findall(r"\w+", text.lower()):
        digest = zlib.crc32(word.encode())
        vector[digest % DIMENSIONS] += 1.0 if digest >> 31 else -1.0
    norm = math.sqrt(sum(value * value for value in vector)) or 1.0
    return [value / norm for value in vector]


# Clauses of about twelve tokens; five to a memory, recombined so that no two memories are near
# enough for the peer to drop one as a duplicate.
SUBJECTS = (
    "The invoice exporter in the billing repository runs every night at two",
    "Staging deploys of the checkout service go through the blue cluster",
    "The mobile team's login screen calls the identity gateway directly",
    "Search indexing for the product catalogue happens in a separate worker",
    "The analytics pipeline reads events from the compacted Kafka topic",
    "Customer uploads land in the quarantine bucket before any scanning",
    "The pricing engine caches exchange rates in a local Redis instance",
    "Release notes are generated from merged pull requests on Fridays",
)
EVENTS = (
    "it failed twice last week because the connection pool was exhausted",
    "the health probe started timing out after the kernel upgrade",
    "an expired certificate broke it for about forty minutes on Tuesday",
    "a missing database index made the slowest requests take nine seconds",
    "two workers raced and wrote the same row with different totals",
    "the retry loop hid a permission error until someone read the logs",
    "a timezone mistake shifted all scheduled jobs by exactly one hour",
    "memory grew until the container was killed every six hours",
)
FIXES = (
    "Raising the limit to sixty and adding backoff with jitter solved it",
    "We pinned the older driver version and opened a ticket upstream",
    "Rotation is automated now and an alert fires ten days ahead",
    "The migration adds a partial index and the query plan confirms it",
    "An advisory lock around the update makes the outcome deterministic",
    "Errors are raised at once and the dashboard counts each kind",
    "All timestamps are stored in UTC and rendered only at the edge",
    "Streaming the response instead of buffering keeps usage flat",
)
PREFERENCES = (
    "Maria prefers small commits and asks for a test first",
    "do not touch the legacy adapter before the March freeze",
    "run the smoke suite with the fast flag before pushing",
    "ask the platform channel before changing any quota",
    "the runbook page called nightly has the full procedure",
    "keep the old endpoint until partners confirm in writing",
    "feature flags for this live in the shared settings file",
    "Jonas owns the component and reviews within a day",
)
TAGS = (["billing", "ops"], ["deploy"], ["auth", "mobile", "incident"], ["search", "database"])
QUERY = "why did the nightly invoice exporter fail and how was the connection pool fixed"
EXAMPLES = 24


def examples() -> tuple[list[str], list[list[str]]]:
    """Write the memories, about sixty tokens each, and tags for each."""
    memories = []
    for i in range(EXAMPLES):
        turn = i // 8
        event, fix = EVENTS[(i + turn) % 8], FIXES[(i + 3 * turn) % 8]
        first, second = PREFERENCES[(i + 5 * turn) % 8], PREFERENCES[(i + 2 * turn + 3) % 8]
        memories.append(f"{SUBJECTS[i % 8]}; {event}. {fix}. Remember: {first}, and {second}.")
    return memories, [TAGS[i % len(TAGS)] for i in range(EXAMPLES)]


@contextmanager
def tokenizer(table: Path) -> Iterator[Count]:
    """Count tokens with an o200k_base table on disk, so that tiktoken fetches nothing."""
    import tiktoken  # only the command line needs a tokenizer; callers of measure bring their own

    with tempfile.TemporaryDirectory(prefix="tiktoken-") as cache:
        shutil.copyfile(table, Path(cache) / TABLE_CACHE_NAME)
        os.environ["TIKTOKEN_CACHE_DIR"] = cache
        encoding = tiktoken.get_encoding("o200k_base")
        yield lambda text: len(encoding.encode_ordinary(text))


def show(costs: PeerCosts) -> str:
    """Lay the figures out one to a line; tokens unless the name ends in a unit."""
    rows = costs._asdict().items()
    return "\n".join(
        f"{name:20} {value:>10.2f}" if isinstance(value, float) else f"{name:20} {value:>10}"
        for name, value in rows
    )


def main() -> None:
    """Prepare the peer, measure it on the example memories, and print the table."""
    parser = argparse.ArgumentParser(description=f"Measure what {PACKAGE} costs an agent.")
    parser.add_argument("--venv", type=Path, required=True, help="folder of the peer's environment")
    parser.add_argument("--table", type=Path, required=True, help="the o200k_base.tiktoken file")
    options = parser.parse_args()
    started = time.perf_counter()
    python = prepare(options.venv)
    print(f"prepared in {time.perf_counter() - started:.1f} s", flush=True)
    with tokenizer(options.table) as count:
        print(show(measure(python, *examples(), QUERY, count)))


if __name__ == "__main__":
    main()
