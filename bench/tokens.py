"""What a search, a store and a health check cost an agent in tokens, beside a peer in the same run.

usage: python bench/tokens.py --table ../shared/models/o200k_base/o200k_base.tiktoken
           [--peer-venv FOLDER | --no-peer]

Counted with tiktoken's o200k_base. For Milepost, the request is the line of code an agent writes
and the response is what that line prints; for the peer they are the arguments of the tool call
and the text blocks of its answer. The peer's tool list is what it puts into the context before
the first call; Milepost's is the import line.
"""

import argparse
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from common import plot_bars, save, table
from milepost import connect
from milepost.text.tokens import exact_counter
from peers import mcp_memory_service as peer

IMPORT = "from milepost import search, store, health"
QUERY = "how long do sessions last before people have to sign in again?"
PUBLISHED = {"search(5)": 385, "store": 15, "health": 20}
PUBLISHED_BEFORE = {"search(5)": 2625, "store": 150, "health": 125}


def milepost_costs(
    memories: list[str], tags: list[list[str]], count: Callable[[str], int]
) -> dict[str, dict[str, float]]:
    """Store the memories, search and check health as an agent would, and count."""
    with tempfile.TemporaryDirectory() as folder, connect(Path(folder) / "bench.db") as memory:
        stored = []
        for text, labels in zip(memories, tags, strict=True):
            answer = memory.store(text, tags=labels)
            code = f"print(store({text!r}, tags={labels}))"
            stored.append((count(code) - count(text), count(answer)))
        found = memory.search(QUERY, limit=5)
        small = memory.search(QUERY, limit=5, budget=150)
        health = memory.health()
    return {
        "context": {"request": 0, "response": count(IMPORT)},
        "search(5)": {"request": count(f'print(search("{QUERY}"))'), "response": count(str(found))},
        "search(5, budget=150)": {
            "request": count(f'print(search("{QUERY}", budget=150))'),
            "response": count(str(small)),
        },
        "store": {
            "request": statistics.median(request for request, _ in stored),
            "response": statistics.median(response for _, response in stored),
        },
        "health": {"request": count("print(health())"), "response": count(str(health))},
    }


def peer_costs(costs: peer.PeerCosts) -> dict[str, dict[str, float]]:
    """Arrange the peer's figures in the same way."""
    return {
        "context": {"response": costs.tools_list + costs.instructions},
        "search(5)": {"response": costs.search_response},
        "store": {"request": costs.store_request - costs.memory, "response": costs.store_response},
        "health": {"response": costs.health_response},
    }


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", type=Path, required=True)
    parser.add_argument("--peer-venv", type=Path, default=Path("/tmp/milepost-peer"))
    parser.add_argument("--no-peer", action="store_true")
    given = parser.parse_args()
    count = exact_counter(str(given.table.parent))
    if count is None:
        sys.exit(f"cannot count: tiktoken or its table {given.table} is missing")
    memories, tags = peer.examples()
    figures: dict[str, Any] = {"milepost": milepost_costs(memories, tags, count)}
    figures["tokens of a memory"] = statistics.median(count(text) for text in memories)
    figures["published"] = {"before": PUBLISHED_BEFORE, "after": PUBLISHED}
    if not given.no_peer:
        python = peer.prepare(given.peer_venv)
        measured = peer.measure(python, memories, tags, QUERY, count)
        figures["mcp-memory-service"] = peer_costs(measured) | {"measured": measured._asdict()}
    report(figures)
    save("tokens", figures)


def report(figures: dict[str, Any]) -> None:
    """Print the table and draw the responses."""
    ours, theirs = figures["milepost"], figures.get("mcp-memory-service", {})
    rows, bars = [], {}
    for name, cost in ours.items():
        other = theirs.get(name, {})
        ratio = other["response"] / cost["response"] if other else ""
        peers = [other.get("request", ""), other.get("response", "")]
        rows.append([name, cost["request"], cost["response"], *peers, ratio])
        if name in PUBLISHED:
            bars[name] = {
                "mcp-memory-service": other.get("response", 0),
                "published": PUBLISHED[name],
                "milepost": cost["response"],
            }
    headers = ["", "request", "response", "peer's request", "peer's response", "times"]
    print(table(headers, rows))
    plot_bars("tokens", "Tokens that reach the model", bars, "tokens")


if __name__ == "__main__":
    main()
