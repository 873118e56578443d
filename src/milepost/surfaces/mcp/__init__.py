"""The memory as an MCP server: over standard input and output, or mounted in an HTTP server.

Importing this loads nothing of the SDK, which takes longer than everything else together.
"""

import os
import time
from importlib.util import find_spec
from typing import TYPE_CHECKING

from milepost.app import Milepost, Operations
from milepost.config import Settings, agent
from milepost.errors import ConfigError
from milepost.location import is_server
from milepost.registry import operations_of
from milepost.surfaces.mcp.tools import Tool, chosen, that_work

if TYPE_CHECKING:
    from milepost.surfaces.bridge import Bridge
    from milepost.surfaces.mcp.http import HttpApp


def serve_stdio(memory: Operations, settings: Settings) -> None:
    """Answer one client over standard input and output until it hangs up or a signal comes.

    The memory is opened by the first call that needs it, and closed by the caller.
    """
    listed = _checked(settings)
    if isinstance(memory, Milepost):
        memory.measure()
    from milepost.surfaces.mcp.doorkeeper import Doorkeeper
    from milepost.surfaces.mcp.lists import instructions, lists
    from milepost.surfaces.mcp.wire import claim

    with claim() as wire:
        door = Doorkeeper(wire, instructions(listed), lists(listed))
        import anyio

        from milepost.surfaces.bridge import Bridge
        from milepost.surfaces.mcp.server import build_server
        from milepost.surfaces.mcp.stdio import serve

        server = build_server(Bridge(memory), settings, _session())
        anyio.run(serve, server, wire, door)


def http_app(bridge: "Bridge", settings: Settings) -> "HttpApp":
    """Return an ASGI application that answers MCP requests, each on its own.

    Route("/mcp", app) serves it, and the server's lifespan must hold `async with app.lifespan()`.
    The SDK is loaded by the first request. Host, Origin and key are for the server to check.
    """
    _checked(settings)
    from milepost.surfaces.mcp.http import HttpApp

    return HttpApp(bridge, settings)


def _session() -> str:
    """Name the session of a client that has this process to itself, as it does if it tells."""
    known = agent()
    return (known and known.session) or f"mcp-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"


def _checked(settings: Settings) -> list[Tool]:
    if find_spec("mcp") is None:
        raise ConfigError(
            'The MCP server needs the official SDK; pip install "milepost[server]" brings it.'
        )
    works = that_work(operations_of(Operations), here=not is_server(settings.url))
    return chosen(works, settings.tools)
