"""An MCP client of its own: starts `milepost mcp` over stdio, as Claude Code or Cursor does, and uses it.

usage: python examples/mcp_client.py
"""

import asyncio
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult

from milepost.text.tokens import estimate

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("store", {"content": "We chose PostgreSQL over MySQL because of JSONB", "tags": ["db"]}),
    ("store", {"content": "Deploys go out on Tuesdays, before noon", "kind": "decision"}),
    ("search", {"query": "which database did we choose?"}),
    # The other operations are found by need and called by name.
    ("find_tools", {"need": "the newest memories"}),
    ("call_tool", {"name": "list_memories", "arguments": {"limit": 2}}),
    # Names that other memory servers publish are understood.
    ("call_tool", {"name": "retrieve_memory", "arguments": {"query": "when do we deploy?"}}),
]


async def talk(server: StdioServerParameters) -> None:
    """List what the server offers, and call it."""
    async with Client(server) as client:
        tools = (await client.list_tools()).tools
        for tool in tools:
            print(f"{tool.name:<14}{(tool.description or '').splitlines()[0]}")
        # What a client puts into the model's context; annotations stay with the client.
        listed = [[t.name, t.description, t.input_schema] for t in tools]
        size = estimate(json.dumps(listed) + (client.instructions or ""))
        print(f"({len(tools)} tools and the instructions: about {size} tokens)")

        for name, arguments in CALLS:
            text = shown(await client.call_tool(name, arguments))
            lines = text if len(text) < 400 else f"{text[:200]} …"
            print(f"\n{name}({json.dumps(arguments)})\n{lines}\n({estimate(text)} tokens)")


def shown(result: CallToolResult) -> str:
    """Return the text of a result."""
    return "\n".join(getattr(part, "text", "") for part in result.content)


def main() -> None:
    """Serve an empty memory in a temporary folder and talk to it."""
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder, "memory.db"))
        environment = {**os.environ, "MILEPOST_URL": store, "MILEPOST_PROJECT": "shop"}
        words = ["-m", "milepost", "mcp"]
        server = StdioServerParameters(command=sys.executable, args=words, env=environment)
        asyncio.run(talk(server))


if __name__ == "__main__":
    main()
