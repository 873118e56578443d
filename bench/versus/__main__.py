"""Measure Milepost and other memories at the same jobs, on the same data, in one run.

usage: python bench/versus --data ../shared/data [--only mem0,chromadb] [--notes 120]
           [--questions 30] [--table ../shared/models/o200k_base] [--models ../shared/models]
           [--minilm FOLDER] [--cache FOLDER] [--write]

Each is installed into an environment of its own below the cache, by its version of today, and asked
through its real interface. Those that have a model get all-MiniLM-L6-v2, which for most is their
default; Milepost ranks by weights that never saw the source. With --only, the others keep the
figures of their last run, with its day. --write puts the tables into README.md and docs/why.md.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from common import RESULTS, save
from milepost.text.tokens import exact_counter
from peers.mcp_memory_service import PeerError
from versus import apart, minilm, report
from versus.environments import installed
from versus.jobs import measure
from versus.peer import Peer
from versus.sample import HISTORIES, Sample, samples

ADAPTERS = (
    "milepost",
    "milepost_mcp",
    "mcp_memory_service",
    "mempalace",
    "basic_memory",
    "claude_mem",
    "mem0",
    "server_memory",
    "chroma",
    "sqlite_vec",
    "graphiti",
)


def main() -> None:
    """Measure, print a table, and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--only", help="names of adapters; the others keep their figures")
    parser.add_argument("--sources", default=",".join(HISTORIES))
    parser.add_argument("--notes", type=int, default=120, help="at most so many of a source")
    parser.add_argument("--questions", type=int, default=30, help="at most so many of a source")
    parser.add_argument("--models", type=Path, default=Path("../shared/models"))
    parser.add_argument("--minilm", type=Path, help="a folder with the model as ONNX")
    parser.add_argument("--cache", type=Path, default=Path("/tmp/milepost-versus"))
    parser.add_argument("--write", action="store_true", help="put the tables into the documents")
    given = parser.parse_args()
    count = exact_counter(str(given.models / "o200k_base"))
    if count is None:
        sys.exit(f"cannot count: tiktoken or {given.models}/o200k_base is missing")
    sources = given.sources.split(",")
    model = (given.minilm or minilm.folder(given.cache)).resolve()
    sampled = samples(given.data, sources, given.notes, given.questions)
    chosen = given.only.split(",") if given.only else ADAPTERS
    if not {"milepost", "milepost_mcp"}.isdisjoint(chosen):
        apart.make(given.data, sources, given.cache / "weights")
    texts = {s.source: [len(s.notes), len(s.questions)] for s in sampled}
    for name in ADAPTERS:
        if name in chosen:
            peer: Peer = import_module(f"versus.adapters.{name}").Adapter()
            peer.models = given.models.resolve()
            told = of(peer, given.cache.resolve(), sampled, model, count)
            save("versus", {"notes and questions": texts, "memories": kept() | {peer.name: told}})
    figures = json.loads((RESULTS / "versus.json").read_text())
    print(report.table_of(figures["memories"]))
    if given.write:
        report.write(figures)


def kept() -> dict[str, Any]:
    """Return the figures of earlier runs."""
    path = RESULTS / "versus.json"
    memories: dict[str, Any] = json.loads(path.read_text())["memories"] if path.exists() else {}
    return memories


def of(peer: Peer, cache: Path, sampled: list[Sample], model: Path, count: Any) -> dict[str, Any]:
    """Return one memory's figures, or why there are none."""
    told: dict[str, Any] = {
        "when": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "load": round(os.getloadavg()[0], 1),
        "interface": peer.interface,
        "embedder": peer.embedder,
    }
    try:
        environment = installed(peer, cache)
        told["version"] = environment.version
        told["installed"] = {
            "MB": environment.megabytes,
            "packages": environment.packages,
            "seconds": environment.seconds,
        }
        return told | measure(peer, environment, sampled, model, count).figures()
    except (PeerError, OSError, LookupError, ValueError) as error:
        print(f"{peer.name}: {error}", file=sys.stderr)
        return told | {"error": str(error).strip().splitlines()[-1][:300]}


if __name__ == "__main__":
    main()
