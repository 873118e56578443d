"""How soon the MCP server answers, beside what importing the SDK alone takes and beside a peer.

usage: python bench/startup.py [--runs 15] [--table ../shared/models/o200k_base]
           [--peer-venv FOLDER]

Everything is timed from the start of a process: until it has imported the SDK's server and says so,
until it has answered `initialize` and `tools/list` (Milepost does so while it still imports the
SDK), `ping` (the SDK answers) and a first search (numpy is loaded, the store opened). The kinds
take turns, so that a slow minute slows all of them. With a table the listing is counted in tokens,
as a client passes it to a model (names, descriptions, schemas) and as it is on the wire.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from common import save, table
from milepost import connect
from milepost.text.tokens import exact_counter
from peers import mcp_memory_service as peer

SDK = "import mcp.server.lowlevel, mcp.server.stdio; print(flush=True)"
SERVER = [sys.executable, "-m", "milepost", "mcp"]
QUERY = "why did the nightly invoice exporter fail?"

Taken = dict[str, list[float]]


def main() -> None:
    """Measure, print a table and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--table", help="the folder with o200k_base.tiktoken")
    parser.add_argument("--peer-venv", type=Path, help=f"an environment with {peer.PACKAGE}")
    given = parser.parse_args()
    count = exact_counter(given.table)
    taken: Taken = {}
    figures: dict[str, Any] = {"runs": given.runs}
    with tempfile.TemporaryDirectory(prefix="mp-") as folder:
        fill(folder)
        for _ in range(given.runs):
            time_sdk(taken)
            listing = time_milepost(folder, taken)
            if given.peer_venv:
                time_peer(given.peer_venv, taken)
    rows = [(name, statistics.median(ms), min(ms), max(ms)) for name, ms in taken.items()]
    print(table(["ms from the start of the process", "median", "best", "worst"], rows))
    figures["ms"] = {
        name: {"median": round(mid, 1), "best": round(low, 1)} for name, mid, low, _ in rows
    }
    if count:
        figures["tokens"] = {name: count(text) for name, text in listing.items()}
        print(table(["tokens", "o200k_base"], figures["tokens"].items()))
    save("startup", figures)


def fill(folder: str) -> None:
    """Write the store that the servers open."""
    memories, tags = peer.examples()
    with connect(Path(folder) / "m.db") as memory:
        both = zip(memories, tags, strict=True)
        memory.store_batch([{"content": text, "tags": labels} for text, labels in both])
        memory.search(QUERY)


def time_sdk(taken: Taken) -> None:
    """Time the import of the SDK's server."""
    with started([sys.executable, "-c", SDK], None) as (process, clock):
        assert process.stdout
        process.stdout.readline()
        clock("the SDK is imported", taken)


def time_milepost(folder: str, taken: Taken) -> dict[str, str]:
    """Time the first answers, and return the listing as text."""
    log = Path(folder) / "log"
    with started(SERVER, {"MILEPOST_URL": f"{folder}/m.db"}) as (process, clock):
        client = peer.Client(process, log)
        hello = client.initialize()
        clock("milepost answered initialize", taken)
        tools = client.request("tools/list", {})["tools"]
        clock("milepost answered tools/list", taken)
        client.request("ping", {})
        clock("milepost answered ping, through the SDK", taken)
        client.call("search", {"query": QUERY})
        clock("milepost answered a search", taken)
    shown = [{key: tool[key] for key in ("name", "description", "inputSchema")} for tool in tools]
    instructions = hello["instructions"]
    return {
        "tools as a model sees them, and instructions": compact(shown) + instructions,
        "tools with annotations and meta, and instructions": compact(tools) + instructions,
        "instructions": instructions,
    }


def time_peer(venv: Path, taken: Taken) -> None:
    """Time the peer's first answer."""
    with peer._server(peer.prepare(venv)) as (_, startup_s, _):
        taken.setdefault(f"{peer.PACKAGE} answered initialize", []).append(startup_s * 1e3)


@contextmanager
def started(command: list[str], variables: dict[str, str] | None) -> Iterator[tuple[Any, Any]]:
    """Run a process; its clock notes how long ago it was started."""
    begun = time.perf_counter()
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | (variables or {}),
    )

    def clock(name: str, taken: Taken) -> None:
        taken.setdefault(name, []).append((time.perf_counter() - begun) * 1e3)

    yield process, clock
    assert process.stdin
    process.stdin.close()
    process.wait()


def compact(value: object) -> str:
    """Return JSON as it travels."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


if __name__ == "__main__":
    main()
