"""Bring memories from elsewhere: turns what another memory exports into lines for `store-batch`.

usage: python examples/bring_memories.py FILE | milepost store-batch -

Knows, by how they look:
- what `MemoryExporter` of mcp-memory-service writes: {"export_metadata": …, "memories": […]}
- what mem0's `get_all()` returns, saved as JSON: {"results": […]}
- memory.jsonl of the reference server: a line an entity or a relation

Known text is stored once, so it can be run again.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Draft = dict[str, Any]


def drafts(text: str) -> Iterator[Draft]:
    """Yield the memories of an export, as `store_batch` takes them."""
    try:
        data = json.loads(text)
    except json.JSONDecodeError:  # several documents, one a line
        data = [json.loads(line) for line in text.splitlines() if line.strip()]
    if isinstance(data, dict) and "memories" in data:
        return map(from_mcp_memory_service, data["memories"])
    if isinstance(data, dict) and "results" in data:
        return map(from_mem0, data["results"])
    return from_graph(data if isinstance(data, list) else [data])


def from_mcp_memory_service(row: Draft) -> Draft:
    """Keep content, tags, type and time."""
    return kept(
        content=row["content"],
        tags=row.get("tags"),
        kind=row.get("memory_type"),
        created=row.get("created_at"),
        metadata=row.get("metadata"),
    )


def from_mem0(row: Draft) -> Draft:
    """Keep the text, when it was said and in which run; the user is the space, named once."""
    return kept(
        content=row["memory"],
        session=row.get("run_id"),
        author=row.get("agent_id"),
        created=row.get("created_at"),
        metadata=row.get("metadata"),
    )


def from_graph(rows: list[Draft]) -> Iterator[Draft]:
    """Make a sentence of every observation and every relation, with the names as tags."""
    for row in rows:
        if row["type"] == "entity":
            for observation in row["observations"]:
                text = f"{row['name']}: {observation}"
                yield kept(content=text, tags=[row["name"], row["entityType"]])
        else:
            words = row["relationType"].replace("_", " ")
            ends = [row["from"], row["to"]]
            yield kept(content=f"{ends[0]} {words} {ends[1]}", tags=ends)


def kept(**fields: Any) -> Draft:
    """Leave out what is not told."""
    return {name: value for name, value in fields.items() if value}


if __name__ == "__main__":
    if not sys.argv[1:]:
        raise SystemExit("usage: python examples/bring_memories.py FILE | milepost store-batch -")
    for draft in drafts(Path(sys.argv[1]).read_text("utf-8")):
        print(json.dumps(draft, ensure_ascii=False))
